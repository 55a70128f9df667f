"""The shaping wrappers: what each does to the reward, that the parts still sum to it, and what each remembers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Part, StepReward, Verdict
from rlenv.core.verifier import over_limit
from rlenv.store.saved_episodes import write_episodes
from rlenv.wrappers import (
    Clip,
    Ensemble,
    Lagrangian,
    OverlongPenalty,
    PayIf,
    ReferenceCentred,
    RunningCentre,
    RunningNormalise,
    Scale,
    State,
    WeightedParts,
    Wrapper,
    apply_wrappers,
)

RIGHT, WRONG, LOST = Verdict.of(("correct", 1.0)), Verdict.of(("correct", 0.0)), Verdict.error("lost")
ALL: list[Wrapper] = [
    Clip(-0.5, 0.5),
    OverlongPenalty(limit=10, buffer=4),
    RunningCentre(),
    Scale(0.3, 0.1),
    RunningNormalise(least=2),
    PayIf(part="a", least=0.5),
    WeightedParts({"a": 0.3}),
    Ensemble(("x", "y"), rule="cautious"),
    Lagrangian(cost="x", multiplier=3.0),
    ReferenceCentred({"t": [0.5, -1.0]}),
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
    group = [Episode(Task("?", id="t"), Completion("some text"), v) for v in (verdict, stepped)]
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


@pytest.mark.parametrize(("length", "penalty"), [(0, 0.0), (80, 0.0), (85, -0.25), (100, -1.0), (101, -1.0)])
def test_overlong_penalty_rises_over_the_buffer(length: int, penalty: float) -> None:
    by_tokens, by_text = Completion("x", token_ids=(7,) * length), Completion("x" * length)
    group = [Episode(Task("?"), said, RIGHT) for said in (by_tokens, by_text)]
    verdicts = OverlongPenalty(limit=100, buffer=20).judge(group, {})
    assert [verdict.reward for verdict in verdicts] == [1.0 + penalty] * 2
    assert verdicts[1].flags == ((Flag("overlong", 0, length, f"{length} of 100"),) if penalty else ())
    assert verdicts[1].parts == (Part("correct", 1.0), *([Part("overlong", penalty)] if penalty else []))


def test_centre_subtracts_the_mean_of_what_came_before_and_learns_nothing_from_failures() -> None:
    wrapper, state = RunningCentre(decay=0.5), dict[str, Json]()
    assert shaped(wrapper, RIGHT, WRONG, state=state) == [1.0, 0.0]
    assert shaped(wrapper, RIGHT, LOST, state=state) == [0.75, None]
    assert state == {"mean": 0.625}


def test_wrappers_apply_in_order_each_with_its_own_state() -> None:
    wrappers: list[Wrapper] = [RunningCentre(decay=0.0), RunningCentre(decay=0.5)]
    states: dict[str, State] = {}
    group = [Episode(Task("?"), Completion("x"), RIGHT)]
    parts = [[part.value for part in apply_wrappers(wrappers, group, states)[0].verdict.parts] for _ in range(2)]
    assert parts == [[1.0, 0.0, 0.0], [1.0, -1.0, -0.5]]
    assert states == {"0:centre": {"mean": 1.0}, "1:centre": {"mean": 0.25}}


@pytest.mark.parametrize(("reward", "clipped"), [(-7.0, -1.0), (-1.0, -1.0), (0.25, 0.25), (1.0, 1.0), (1e150, 1.0)])
def test_clip_keeps_the_reward_within_its_bounds(reward: float, clipped: float) -> None:
    assert shaped(Clip(), Verdict.of(("judge", reward))) == [clipped]


def test_normalise_uses_what_came_before_and_leaves_the_first_alone() -> None:
    wrapper, state = RunningNormalise(least=4), dict[str, Json]()
    first = [Verdict.of(("judge", value)) for value in (1.0, 3.0, 5.0, 7.0)]
    assert shaped(wrapper, *first, state=state) == [1.0, 3.0, 5.0, 7.0]
    after = shaped(wrapper, Verdict.of(("judge", 4.0 + math.sqrt(5.0))), LOST, state=state)
    assert after == [pytest.approx(1.0), None]
    assert state["count"] == 5


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
        lambda: OverlongPenalty(limit=10, buffer=0),
        lambda: OverlongPenalty(limit=10, buffer=11),
        lambda: RunningCentre(decay=-0.1),
        lambda: RunningCentre(decay=1.0),
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


TASK = Task("?", id="t")
LOST = Verdict.error("lost")
finite = st.floats(-1e6, 1e6)


def episode(reward: float, task: Task = TASK) -> Episode:
    return Episode(task, Completion("text"), Verdict.of(("rm", reward)))


def paid(reward: float, *references: float) -> float:
    found = ReferenceCentred({"t": references}).judge([episode(reward)], {})[0].reward
    assert found is not None
    return found


def test_it_is_the_mean_of_the_sigmoids_of_the_differences() -> None:
    expected = (1 / (1 + math.exp(-1.0)) + 1 / (1 + math.exp(0.5))) / 2
    assert paid(2.0, 1.0, 2.5) == pytest.approx(expected, rel=1e-12)


@given(reward=finite, references=st.lists(finite, min_size=1, max_size=5))
def test_it_is_bounded_and_monotonic(reward: float, references: list[float]) -> None:
    value = paid(reward, *references)
    assert 0 <= value <= 1
    assert paid(reward + 1.0, *references) >= value


def test_a_failure_stays_one_and_a_task_without_reference_becomes_one() -> None:
    wrapper = ReferenceCentred({"t": [0.0]})
    assert isinstance(wrapper, Wrapper)
    assert wrapper.judge([Episode(TASK, Completion("x"), LOST)], {}) == [LOST]
    verdict = apply_wrappers([wrapper], [episode(1.0, Task("?", id="other"))], {})[0].verdict
    assert (verdict.reward, verdict.graded) == (None, False)
    assert "other" in verdict.reason


def test_the_references_of_a_saved_run_are_those_that_were_graded(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    lost = Episode(TASK, Completion("x"), LOST)
    write_episodes(path, [episode(1.0), episode(3.0), lost, episode(-1.0, Task("?", id="u"))])
    assert ReferenceCentred.from_episodes(path).references == {"t": (1.0, 3.0), "u": (-1.0,)}


def test_without_references_there_is_no_wrapper(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    with pytest.raises(RunError, match="holds no episodes"):
        ReferenceCentred.from_episodes(path)
    write_episodes(path, [Episode(TASK, Completion("x"), LOST)])
    with pytest.raises(ConfigError, match="a finite reward"):
        ReferenceCentred.from_episodes(path)
    with pytest.raises(ConfigError, match="a finite reward"):
        ReferenceCentred({"t": [math.nan]})
    path.write_text("nothing of the kind\n")
    with pytest.raises(RunError):
        ReferenceCentred.from_episodes(path)


costs_of_groups = st.lists(st.lists(st.floats(-2, 2), min_size=1, max_size=4), min_size=1, max_size=8)


def scored(reward: float, cost: float) -> Verdict:
    return Verdict.of(("reward", reward), scores={"reward": reward, "cost": cost})


def judged(wrapper: Lagrangian, verdicts: Sequence[Verdict], state: State) -> list[Verdict]:
    return wrapper.judge([Episode(Task("?"), Completion("some text"), verdict) for verdict in verdicts], state)


def multipliers(wrapper: Lagrangian, means: Sequence[float]) -> list[float]:
    """The multiplier that each group was paid at; a group is a window."""
    state: State = {}
    return [judged(wrapper, [scored(0.0, mean)] * wrapper.window, state)[0].scores["multiplier"] for mean in means]


def test_a_fixed_weight_pays_reward_less_cost_and_never_moves() -> None:
    wrapper, state = Lagrangian(multiplier=3.0), dict[str, Json]()
    for _ in range(300):
        verdict = judged(wrapper, [scored(1.0, 0.5)] * 2, state)[0]
        assert verdict.reward == (1.0 - 3.0 * 0.5) / 4.0
    assert [part.name for part in verdict.parts] == ["reward", "cost", "lagrangian"]
    assert state == {}
    assert verdict.scores == {"reward": 1.0, "cost": 0.5, "multiplier": 3.0}


def test_the_additive_update_is_the_papers() -> None:
    wrapper = Lagrangian(budget=0.25, rate=2.0, window=4)
    assert multipliers(wrapper, [0.75, 0.5, 0.0, 0.0, 0.5, 0.0]) == [0.0, 1.0, 1.5, 1.0, 0.5, 1.0]


def test_the_multiplier_stays_between_zero_and_the_largest() -> None:
    wrapper = Lagrangian(budget=0.5, rate=2.0, window=1, largest=1.5)
    assert multipliers(wrapper, [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]) == [0.0, 0.0, 1.0, 1.5, 1.5, 0.5]


def test_the_log_update_is_safe_rlhfs() -> None:
    wrapper = Lagrangian(budget=0.5, rate=0.5, window=2, multiplier=2.0, update="log")
    expected = [2.0]
    for mean in (1.0, 0.25, -3.0):
        expected.append(expected[-1] * math.exp(0.5 * expected[-1] * (mean - 0.5)))
    assert multipliers(wrapper, [1.0, 0.25, -3.0, 0.0]) == pytest.approx(expected, rel=1e-12)


def test_proportional_and_derivative_add_to_the_integral() -> None:
    """Stooke et al.: K_P delta + K_I (sum of delta)+ + K_D (rise)+; a fall of the cost gives no derivative."""
    wrapper = Lagrangian(budget=0.5, rate=1.0, proportional=2.0, derivative=4.0, window=1)
    found = multipliers(wrapper, [0.75, 1.0, 0.875, 0.0, 0.0])
    integrals = [0.25, 0.75, 1.125, 0.625]
    assert found == [
        0.0,
        integrals[0] + 2.0 * 0.25,
        integrals[1] + 2.0 * 0.5 + 4.0 * 0.25,
        integrals[2] + 2.0 * 0.375,
        max(0.0, integrals[3] - 2.0 * 0.5),
    ]


def test_a_window_is_closed_by_the_group_that_fills_it_and_a_group_is_paid_at_one_multiplier() -> None:
    wrapper, state = Lagrangian(budget=0.0, rate=1.0, window=3), dict[str, Json]()
    paid = [judged(wrapper, [scored(0.0, cost)] * 2, state) for cost in (1.0, 0.5, 0.0)]
    assert [[v.scores["multiplier"] for v in group] for group in paid] == [[0.0, 0.0], [0.0, 0.0], [0.75, 0.75]]
    assert "mean_cost" not in paid[1][0].scores
    assert paid[2][0].scores["mean_cost"] == 0.75


def test_what_has_no_cost_because_checking_failed_or_was_too_dear_is_in_no_mean() -> None:
    costly = Verdict.of(("reward", 0.0), flags=(Flag("over_limit", detail="5 s"),))
    wrapper, state = Lagrangian(budget=0.0, rate=1.0, window=2), dict[str, Json]()
    assert judged(wrapper, [LOST, scored(0.0, 1.0), costly], state)[::2] == [LOST, costly]
    judged(wrapper, [scored(0.0, 0.5)], state)
    assert state["mean_cost"] == 0.75


def test_a_verdict_without_the_cost_is_an_error_and_not_free() -> None:
    episode = Episode(Task("?"), Completion("x"), Verdict.of(("reward", 1.0), scores={"costs": 1.0}))
    verdict = apply_wrappers([Lagrangian(multiplier=1.0)], [episode], {})[0].verdict
    assert not verdict.graded
    assert "expected a score 'cost', got ['costs']" in verdict.reason


@settings(max_examples=40)
@given(costs_of_groups, st.floats(-5, 5), st.sampled_from(["additive", "log"]))
def test_saved_anywhere_it_goes_on_with_the_same_bits(groups: list[list[float]], reward: float, update: str) -> None:
    wrapper = Lagrangian(budget=0.1, rate=0.7, window=3, multiplier=0.5, update=update)  # type: ignore[arg-type]
    verdicts = [[scored(reward, cost) for cost in group] for group in groups]
    whole: State = {}
    expected = [judged(wrapper, group, whole) for group in verdicts]
    resumed: State = {}
    found = []
    for group in verdicts:
        resumed = json.loads(json.dumps(resumed))
        found.append(judged(wrapper, group, resumed))
    assert found == expected
    assert resumed == whole


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"update": "newton"}, "expected an update of additive, log"),
        ({"rate": -1.0}, "expected gains and a multiplier of 0"),
        ({"multiplier": 200.0}, "expected gains and a multiplier of 0 to 100"),
        ({"budget": math.nan}, "expected a finite budget"),
        ({"window": 0}, "expected a window of at least 1"),
        ({"budget": 0.1, "update": "log"}, "a multiplier of 0 has no logarithm"),
        ({"budget": 0.1, "update": "log", "multiplier": 1.0, "derivative": 1.0}, "gains of update='additive'"),
    ],
)
def test_a_multiplier_that_cannot_work_is_refused(settings_: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Lagrangian(**settings_)  # type: ignore[arg-type]
