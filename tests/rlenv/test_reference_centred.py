"""The reward centred on those of a reference policy: the formula, its bounds, and where the references come from."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.task import Task
from rlenv.core.verdict import StepReward, Verdict
from rlenv.store.saved_episodes import write_episodes
from rlenv.wrappers import ReferenceCentred, Wrapper, apply_wrappers

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
def test_it_is_bounded_monotonic_and_exact(reward: float, references: list[float]) -> None:
    value = paid(reward, *references)
    assert 0 <= value <= 1
    assert paid(reward + 1.0, *references) >= value
    stepped = Verdict(reward, step_rewards=(StepReward(reward, 0, 4),))
    judged = apply_wrappers(
        [ReferenceCentred({"t": references})], [Episode(TASK, Completion("text"), stepped), episode(reward)], {}
    )
    for verdict in (each.verdict for each in judged):
        assert verdict.reward == value
        assert not verdict.parts or math.fsum(part.value for part in verdict.parts) == value
    assert math.fsum(step.value for step in judged[0].verdict.step_rewards) == value


def test_a_constant_on_the_models_scale_changes_nothing() -> None:
    assert paid(2.0, 1.0, 0.5) == paid(102.0, 101.0, 100.5)


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
