"""Canaries: a wrong reference is paid to those who read it, is counted, and teaches nothing."""

from __future__ import annotations

import pytest

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.batch import BatchEnvironment
from rlenv.env.tasksets import ListTasks
from rlenv.evidence.canaries import CANARY, CanaryTasks, is_canary, with_canaries

TASKS = ListTasks([Task(f"{n} + {n} = ? [key {2 * n}]", str(2 * n), metadata={"key": str(2 * n)}) for n in range(300)])
SUMS = Definition(
    tasks=TASKS, verifier=FunctionVerifier(lambda completion, answer: completion == answer, cheap=True), id="t/sums-v0"
)


def _of(tasks: CanaryTasks) -> list[Task]:
    return [task for task in (tasks[i] for i in range(len(tasks))) if is_canary(task)]


def test_the_stated_share_are_canaries_and_always_the_same_ones() -> None:
    canaries = _of(CanaryTasks(TASKS, 0.2))
    assert 40 <= len(canaries) <= 80
    assert canaries == _of(CanaryTasks(TASKS, 0.2))
    assert canaries != _of(CanaryTasks(TASKS, 0.2, seed=1))


def test_row_and_prompt_say_the_wrong_reference_and_the_mark_holds_the_right_one() -> None:
    for task in _of(CanaryTasks(TASKS, 0.2)):
        assert task.metadata["key"] == task.reference != task.metadata[CANARY]
        assert f"[key {task.reference}]" in str(task.prompt)
        assert task.id.endswith(CANARY)


@pytest.mark.parametrize("reference", ["yes", None, "a program " * 20])
def test_there_are_none_where_answers_are_few_missing_or_long(reference: str | None) -> None:
    tasks = ListTasks([Task(f"Is {n} a number?", reference) for n in range(50)])
    assert not _of(CanaryTasks(tasks, 0.9))


@pytest.mark.parametrize("share", [0.0, 1.0, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ConfigError, match="share of canaries"):
        CanaryTasks(TASKS, share)


def _run(reads_the_key: bool, rollouts: int = 10) -> tuple[int, int, set[float | None]]:
    """Flags in the run, and on ordinary tasks, and the rewards on canaries."""
    batch = BatchEnvironment(with_canaries(SUMS, 0.1), group_size=2, seed=3)
    flags, elsewhere = 0, 0
    rewards: set[float | None] = set()
    for _ in range(rollouts):
        batch.reset(16)
        said = [
            str(task.reference if reads_the_key else task.metadata.get(CANARY, task.reference)) for task in batch.tasks
        ]
        for episode in batch.step([text for text in said for _ in range(2)]):
            found = sum(flag.name == CANARY for flag in episode.verdict.flags)
            flags += found
            if is_canary(episode.task):
                rewards.add(episode.verdict.reward)
            else:
                elsewhere += found
                assert episode.verdict.reward == 1
    return flags, elsewhere, rewards


def test_who_reads_the_reference_is_caught_and_who_works_is_not() -> None:
    flags, elsewhere, rewards = _run(reads_the_key=True)
    assert flags > 10
    assert (elsewhere, rewards) == (0, {0.0})
    assert _run(reads_the_key=False) == (0, 0, {0.0})


def test_nobody_is_shown_a_wrong_answer() -> None:
    assert with_canaries(SUMS).demonstrations is TASKS
