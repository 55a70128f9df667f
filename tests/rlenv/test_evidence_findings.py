"""What was asked and what was found about the environment is counted, kept with a run, and told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.batch import BatchEnvironment
from rlenv.evidence.detectors import EVIDENCE_DETECTORS
from rlenv.evidence.detectors.senseless import ENOUGH

LOOP = "so it is and so it stays " * 12


def _looping(*watch: str) -> Definition:
    """Its reward is the length, and its own solutions repeat themselves."""
    return Definition(
        tasks=[Task(f"Say it, number {n}") for n in range(4)],
        verifier=FunctionVerifier(lambda completion: min(1.0, len(completion) / 200), cheap=True),
        solution=lambda task: LOOP,
        wrappers=[EVIDENCE_DETECTORS[name](action="gate") for name in watch],
    )


def test_a_run_tells_what_it_asked_and_what_references_show_too() -> None:
    batch = BatchEnvironment(_looping("repeats"), group_size=2)
    batch.reset(tasks=[batch.definition.tasks[0]])
    episodes = batch.step([LOOP, LOOP + "indeed"])
    assert [episode.verdict.reward for episode in episodes] == [1.0, 1.0]
    nothing, asked, finding = batch.evidence
    assert nothing == "nothing found of: repeats"
    assert "verifications for 2 completions" in asked
    assert finding.startswith("repeats: ")
    assert batch.definition.tasks[0].id in finding


def test_what_was_asked_goes_on_after_a_resume() -> None:
    first, second = (BatchEnvironment(_looping("repeats"), group_size=1) for _ in range(2))
    first.reset(tasks=[first.definition.tasks[0]])
    first.step([LOOP])
    second.load_state_dict(first.state_dict())
    assert second.evidence == first.evidence != []


def test_without_detectors_nothing_is_told() -> None:
    batch = BatchEnvironment(_looping(), group_size=1)
    batch.reset(tasks=[batch.definition.tasks[0]])
    batch.step([LOOP])
    assert batch.evidence == []


def _told(reward: Callable[..., bool], said: Sequence[str]) -> list[str]:
    """What a run tells of its reward after these completions of one task."""
    verifier = FunctionVerifier(reward, cheap=True)
    tasks = [Task(f"Which metal is number {n}?", f"metal{n}") for n in range(4)]
    batch = BatchEnvironment(
        Definition(tasks=tasks, verifier=verifier, wrappers=[EVIDENCE_DETECTORS["senseless"](action="gate")]),
        group_size=len(said),
    )
    batch.reset(tasks=[tasks[0]])
    assert all(episode.verdict.reward == 1 for episode in batch.step(said))
    return [line for line in batch.evidence if line.startswith("the reward: ")]


def test_a_reward_on_length_is_told_to_pay_made_up_words_and_other_tasks() -> None:
    told = _told(lambda completion: len(completion) > 20, [f"I say that it is number {n} of them." for n in range(8)])
    assert len(told) == 3
    assert all("paid as well" in line and line.endswith("8 of 8 paid completions") for line in told)


def test_of_a_reward_that_reads_the_answer_nothing_is_told() -> None:
    said = [f"I thought {n} times of it. Answer: metal0" for n in range(8)]
    assert _told(lambda completion, answer: completion.endswith(f"Answer: {answer}"), said) == []


def test_a_reward_that_has_been_asked_enough_is_asked_no_more() -> None:
    said = [f"I say that it is number {n} of them, more or less." for n in range(ENOUGH)]
    definition = Definition(
        tasks=[Task(f"Which metal is number {n}?") for n in range(4)],
        verifier=FunctionVerifier(lambda completion: len(completion) > 20, cheap=True),
        wrappers=[EVIDENCE_DETECTORS["senseless"](action="observe")],
    )
    batch = BatchEnvironment(definition, group_size=len(said))
    asked = []
    for _ in range(2):
        batch.reset(tasks=[definition.tasks[0]])
        batch.step(said)
        asked.append(int(batch.evidence[1].split()[0]))
    assert asked[0] > 2 * ENOUGH
    assert asked[1] == asked[0]
