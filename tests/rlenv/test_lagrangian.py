"""Reward and cost in one: what is paid, how the multiplier moves, and that a resumed run goes on as it was."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.wrappers import Lagrangian, State, apply_wrappers

LOST = Verdict.error("lost")
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
def test_settings_that_cannot_work_are_refused(settings_: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Lagrangian(**settings_)  # type: ignore[arg-type]
