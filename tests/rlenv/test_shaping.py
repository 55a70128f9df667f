"""The shaping wrappers: what each does to the reward, that the parts still sum to it, and what each remembers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, StepReward, Verdict
from rlenv.core.verifier import over_limit
from rlenv.wrappers import (
    Clip,
    Ensemble,
    PayIf,
    RunningNormalise,
    Scale,
    State,
    WeightedParts,
    Wrapper,
    apply_wrappers,
)

LOST = Verdict.error("lost")
ALL: list[Wrapper] = [
    Clip(-0.5, 0.5),
    Scale(0.3, 0.1),
    RunningNormalise(least=2),
    PayIf(part="a", least=0.5),
    WeightedParts({"a": 0.3}),
    Ensemble(("x", "y"), rule="cautious"),
]
numbers = st.floats(-1e9, 1e9)


def shaped(wrapper: Wrapper, *verdicts: Verdict, state: State | None = None) -> list[float | None]:
    group = [Episode(Task("?"), Completion("some text"), verdict) for verdict in verdicts]
    return [verdict.reward for verdict in wrapper.judge(group, {} if state is None else state)]


@pytest.mark.parametrize("wrapper", ALL, ids=lambda wrapper: wrapper.name)
@settings(max_examples=30)
@given(a=numbers, b=numbers, x=st.floats(-100, 100), y=st.floats(-100, 100))
def test_parts_and_steps_still_sum_to_the_reward(wrapper: Wrapper, a: float, b: float, x: float, y: float) -> None:
    verdict = Verdict.of(("a", a), ("b", b), scores={"x": x, "y": y})
    stepped = Verdict(a, step_rewards=(StepReward(a, 0, 4),), scores={"x": x, "y": y})
    group = [Episode(Task("?"), Completion("some text"), v) for v in (verdict, stepped)]
    states: dict[str, State] = {}
    for _ in range(2):
        for episode in apply_wrappers([wrapper], group, states):
            judged = episode.verdict
            assert judged.graded, judged.reason
            if judged.parts:
                assert math.fsum(part.value for part in judged.parts) == judged.reward
            if judged.step_rewards:
                assert math.fsum(step.value for step in judged.step_rewards) == judged.reward


@pytest.mark.parametrize("wrapper", ALL, ids=lambda wrapper: wrapper.name)
def test_a_failure_of_the_checker_stays_one(wrapper: Wrapper) -> None:
    assert wrapper.judge([Episode(Task("?"), Completion("x"), LOST)], {}) == [LOST]
    assert isinstance(wrapper, Wrapper)


@pytest.mark.parametrize(("reward", "clipped"), [(-7.0, -1.0), (-1.0, -1.0), (0.25, 0.25), (1.0, 1.0), (1e150, 1.0)])
def test_clip_keeps_the_reward_within_its_bounds(reward: float, clipped: float) -> None:
    assert shaped(Clip(), Verdict.of(("judge", reward))) == [clipped]


def test_what_does_not_change_the_reward_adds_no_part() -> None:
    verdict = Verdict.of(("judge", 0.5))
    for wrapper in (Clip(), Scale(1.0), PayIf(part="judge", least=0.5), WeightedParts({})):
        assert wrapper.judge([Episode(Task("?"), Completion("x"), verdict)], {}) == [verdict]


def test_normalise_uses_what_came_before_and_leaves_the_first_alone() -> None:
    wrapper, state = RunningNormalise(least=4), dict[str, object]()
    first = [Verdict.of(("judge", value)) for value in (1.0, 3.0, 5.0, 7.0)]
    assert shaped(wrapper, *first, state=state) == [1.0, 3.0, 5.0, 7.0]  # type: ignore[arg-type]
    after = shaped(wrapper, Verdict.of(("judge", 4.0 + math.sqrt(5.0))), LOST, state=state)  # type: ignore[arg-type]
    assert after == [pytest.approx(1.0), None]
    assert state["count"] == 5


def test_normalise_does_nothing_while_all_rewards_are_equal() -> None:
    wrapper, state = RunningNormalise(least=2), dict[str, object]()
    same = [Verdict.of(("judge", 0.1))] * 8
    for _ in range(3):
        assert shaped(wrapper, *same, state=state) == [0.1] * 8  # type: ignore[arg-type]


def test_normalise_with_a_memory_forgets() -> None:
    wrapper, state = RunningNormalise(least=2, memory=16), dict[str, object]()
    for value in [0.0, 100.0] * 16 + [1.0, 3.0] * 200:
        shaped(wrapper, Verdict.of(("judge", value)), state=state)  # type: ignore[arg-type]
    assert state["mean"] == pytest.approx(2.0, abs=0.2)
    assert shaped(wrapper, Verdict.of(("judge", 3.0)), state=state)[0] == pytest.approx(1.0, abs=0.2)  # type: ignore[arg-type]


def test_the_state_of_normalise_is_json_and_goes_on_where_it_was() -> None:
    wrapper, whole, first = RunningNormalise(least=2), dict[str, object](), dict[str, object]()
    run = [Verdict.of(("judge", float(value % 5))) for value in range(20)]
    expected = [shaped(wrapper, verdict, state=whole) for verdict in run]  # type: ignore[arg-type]
    found = [shaped(wrapper, verdict, state=first) for verdict in run[:7]]  # type: ignore[arg-type]
    loaded = json.loads(json.dumps(first))
    assert found + [shaped(wrapper, verdict, state=loaded) for verdict in run[7:]] == expected


@pytest.mark.parametrize(
    ("wrapper", "paid"),
    [
        (PayIf(part="correct"), [1.5, 0.0]),
        (PayIf(part="correct", otherwise=-1.0), [1.5, -1.0]),
        (PayIf(part="absent"), [0.0, 0.0]),
        (PayIf(score="judge", least=0.4), [1.5, 0.0]),
        (PayIf(without_flag="odd"), [0.0, 0.5]),
    ],
)
def test_pay_if_pays_only_where_its_condition_holds(wrapper: PayIf, paid: list[float]) -> None:
    right = Verdict.of(("correct", 1.0), ("style", 0.5), scores={"judge": 0.4}, flags=[Flag("odd")])
    wrong = Verdict.of(("correct", 0.0), ("style", 0.5), scores={"judge": 0.3})
    assert shaped(wrapper, right, wrong) == paid


def test_pay_if_never_raises_a_reward() -> None:
    assert shaped(PayIf(part="correct"), Verdict.of(("correct", 0.0), ("overlong", -0.5))) == [-0.5]


@pytest.mark.parametrize("wrapper", [PayIf(score="judge"), Ensemble(("judge", "other"))], ids=["pay_if", "ensemble"])
def test_a_score_that_is_not_there_is_a_failure_of_the_checker(wrapper: Wrapper) -> None:
    episode = Episode(Task("?"), Completion("x"), Verdict.of(("correct", 1.0)))
    verdict = apply_wrappers([wrapper], [episode], {})[0].verdict
    assert (verdict.reward, verdict.graded) == (None, False)
    assert "judge" in verdict.reason


def test_weighted_parts_weighs_parts_of_one_name_alike_and_the_rest_by_rest() -> None:
    verdict = Verdict.of(("correct", 1.0), ("style", 0.5), ("style", 0.25), ("overlong", -0.5))
    assert shaped(WeightedParts({"style": 2.0, "overlong": 0.0}), verdict) == [2.5]
    assert shaped(WeightedParts({"correct": 1.0}, rest=0.0), verdict) == [1.0]
    assert shaped(WeightedParts({}, rest=0.5), Verdict(3.0)) == [1.5]


@pytest.mark.parametrize(("rule", "reward"), [("mean", 0.4), ("min", 0.1), ("cautious", 0.4 - 2 * 0.06)])
def test_an_ensemble_replaces_what_its_members_paid(rule: str, reward: float) -> None:
    scores = {"a": 0.1, "b": 0.4, "c": 0.7, "else": 9.0}
    verdict = Verdict.of(("a", 0.1), ("b", 0.4), ("c", 0.7), ("style", 0.5), scores=scores)
    wrapper = Ensemble(("a", "b", "c"), rule=rule, k=2.0)  # type: ignore[arg-type]
    judged = wrapper.judge([Episode(Task("?"), Completion("x"), verdict)], {})[0]
    assert judged.reward == pytest.approx(reward + 0.5)
    assert judged.scores == {**scores, "ensemble_spread": pytest.approx(0.6)}
    assert judged.flags == ()


def test_an_ensemble_flags_a_disagreement_above_the_bound() -> None:
    verdict = Verdict.of(("a", 0.1), scores={"a": 0.1, "b": 0.9})
    flags = [
        Ensemble(("a", "b"), disagreement=bound).judge([Episode(Task("?"), Completion("text"), verdict)], {})[0].flags
        for bound in (0.7, 0.9)
    ]
    assert flags == [(Flag("ensemble", 0, 4, "scores between 0.1 and 0.9"),), ()]


@pytest.mark.parametrize("wrapper", [Ensemble(("a", "b")), PayIf(score="a")])
def test_one_completion_over_a_limit_costs_its_group_nothing(wrapper: Wrapper) -> None:
    good = Verdict.of(("a", 1.0), scores={"a": 1.0, "b": 1.0})
    group = [Episode(Task("?"), Completion("x"), verdict) for verdict in (good, over_limit("10 characters"))]
    judged = apply_wrappers([wrapper], group, {})
    assert [episode.verdict.reward for episode in judged] == [1.0, 0.0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Clip(1.0, 0.0),
        lambda: Clip(math.nan, 1.0),
        lambda: Scale(math.inf),
        lambda: RunningNormalise(least=1),
        lambda: RunningNormalise(memory=1),
        PayIf,
        lambda: PayIf(part="a", score="b"),
        lambda: WeightedParts({"a": math.nan}),
        lambda: Ensemble(("a",)),
        lambda: Ensemble(("a", "a")),
        lambda: Ensemble(("a", "b"), k=-1.0),
        lambda: Ensemble(("a", "b"), rule="median"),  # type: ignore[arg-type]
    ],
)
def test_settings_that_cannot_work_are_refused(make: Callable[[], Wrapper]) -> None:
    with pytest.raises(ConfigError, match="expected"):
        make()
