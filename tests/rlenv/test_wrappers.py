"""The wrappers that come with rlenv, and how wrappers are applied."""

import pytest

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Part, Verdict
from rlenv.wrappers import OverlongPenalty, RunningCentre, State, Wrapper, apply_wrappers

RIGHT, WRONG, LOST = Verdict.of(("correct", 1.0)), Verdict.of(("correct", 0.0)), Verdict.error("lost")


def group(*verdicts: Verdict, text: str = "x") -> list[Episode]:
    return [Episode(Task("?"), Completion(text), verdict) for verdict in verdicts]


def rewards(verdicts: list[Verdict]) -> list[float | None]:
    return [verdict.reward for verdict in verdicts]


@pytest.mark.parametrize(
    ("length", "penalty"), [(0, 0.0), (80, 0.0), (85, -0.25), (90, -0.5), (100, -1.0), (101, -1.0), (10_000, -1.0)]
)
def test_overlong_penalty_rises_over_the_buffer(length: int, penalty: float) -> None:
    wrapper = OverlongPenalty(limit=100, buffer=20)
    by_tokens = Episode(Task("?"), Completion("x", token_ids=(7,) * length), RIGHT)
    by_text = Episode(Task("?"), Completion("x" * length), RIGHT)
    assert rewards(wrapper.judge([by_text], {})) == [1.0 + penalty]
    assert rewards(wrapper.judge([by_tokens], {})) == [1.0 + penalty]


def test_overlong_penalty_names_its_part_and_flags_the_text() -> None:
    verdict = OverlongPenalty(limit=10, buffer=4, weight=0.5).judge(group(RIGHT, text="x" * 8), {})[0]
    assert verdict.parts == (Part("correct", 1.0), Part("overlong", -0.25))
    assert verdict.flags == (Flag("overlong", 0, 8, "8 of 10"),)


def test_overlong_failure_of_the_checker_stays_one() -> None:
    verdict = OverlongPenalty(limit=10, buffer=4).judge(group(LOST, text="x" * 20), {})[0]
    assert (verdict.reward, verdict.status) == (None, "verifier_error")


@pytest.mark.parametrize(("limit", "buffer"), [(10, 0), (10, 11), (0, 0), (10, -1)])
def test_overlong_settings_out_of_range_are_refused(limit: int, buffer: int) -> None:
    with pytest.raises(ConfigError, match="0 < buffer <= limit"):
        OverlongPenalty(limit=limit, buffer=buffer)


def test_centre_subtracts_the_mean_of_what_came_before() -> None:
    wrapper, state = RunningCentre(decay=0.5), dict[str, object]()
    assert rewards(wrapper.judge(group(RIGHT, WRONG), state)) == [1.0, 0.0]  # type: ignore[arg-type]
    assert rewards(wrapper.judge(group(RIGHT, LOST), state)) == [0.75, None]  # type: ignore[arg-type]
    assert state == {"mean": 0.625}


def test_centre_learns_nothing_from_failures_of_the_checker() -> None:
    state: State = {}
    RunningCentre().judge(group(LOST, LOST), state)
    assert "mean" not in state


@pytest.mark.parametrize("decay", [-0.1, 1.0, 2.0])
def test_centre_settings_out_of_range_are_refused(decay: float) -> None:
    with pytest.raises(ConfigError, match="0 <= decay < 1"):
        RunningCentre(decay=decay)


def test_wrappers_apply_in_order_each_with_its_own_state() -> None:
    wrappers: list[Wrapper] = [RunningCentre(decay=0.0), RunningCentre(decay=0.5)]
    states: dict[str, State] = {}
    first = apply_wrappers(wrappers, group(RIGHT), states)[0].verdict
    second = apply_wrappers(wrappers, group(RIGHT), states)[0].verdict
    assert [part.value for part in first.parts] == [1.0, 0.0, 0.0]
    assert [part.value for part in second.parts] == [1.0, -1.0, -0.5]
    assert states == {"0:centre": {"mean": 1.0}, "1:centre": {"mean": 0.25}}


def test_wrappers_are_recognised_by_what_they_have() -> None:
    assert isinstance(OverlongPenalty(limit=2, buffer=1), Wrapper)
    assert not isinstance(object(), Wrapper)
