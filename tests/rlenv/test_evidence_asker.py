"""Evidence: what is asked, of whom, how often, what a control does to a flag; canaries, which only readers answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rlenv.core.completion import Completion
from rlenv.core.definition import Asking, Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier, judge, over_limit
from rlenv.env.batch import BatchEnvironment
from rlenv.env.tasksets import ListTasks
from rlenv.evidence.asker import Asker
from rlenv.evidence.canaries import CANARY, CanaryTasks, is_canary, with_canaries
from rlenv.evidence.catalogue import ANOTHER_TASK, CATALOGUE, MARKED_VALUE
from rlenv.evidence.detector import Action
from rlenv.evidence.detectors.elsewhere import MasterKey
from rlenv.evidence.player import MOST_COSTS, Job, OnVerdict
from rlenv.judge.judge import Judge

TASKS = tuple(Task(f"How many are {n} and {n + 1}?", str(2 * n + 1)) for n in range(3, 12))


def _last(completion: str, answer: str) -> bool:
    """With a hole: nan is near to everything."""
    return completion.split()[-1:] in ([answer], ["nan"])


def _definition(**given: object) -> Definition:
    verifier = FunctionVerifier(_last, cheap=True)
    definition = Definition(tasks=TASKS, verifier=verifier)
    return replace(definition, **given)  # type: ignore[arg-type]


def _group(definition: Definition, *texts: str) -> list[Episode]:
    task = TASKS[0]
    said = [Completion(text) for text in texts]
    verdicts = [judge(definition.verifier, task, completion) for completion in said]
    return [Episode(task, s, v, index=i) for i, (s, v) in enumerate(zip(said, verdicts, strict=True))]


def _asker(definition: Definition) -> Asker:
    return Asker(definition, Judge(definition).verdicts)


def test_a_right_answer_is_unpaid_on_other_tasks_and_a_master_key_is_paid() -> None:
    definition = _definition()
    right, key = _asker(definition).about(_group(definition, "So it is 7", "nan"), [ANOTHER_TASK])
    assert right.share_kept(ANOTHER_TASK.name) == 0
    assert key.share_kept(ANOTHER_TASK.name) == 1
    asked = [len(one.asked[ANOTHER_TASK.name]) for one in (right, key)]
    assert asked == [1, ANOTHER_TASK.cost], "the first that is not paid decides"
    assert [control.text for control in key.controls] == ["7"], "the control is the reference solution"
    assert key.controls[0].share_kept(ANOTHER_TASK.name) == 0


def test_nothing_is_asked_about_what_was_not_paid() -> None:
    definition = _definition()
    asker = _asker(definition)
    (wrong,) = asker.about(_group(definition, "8"), list(CATALOGUE.values()))
    assert asker.verifications == 0
    assert not wrong.asked


def test_equal_completions_and_a_known_control_cost_nothing() -> None:
    definition = _definition()
    asker = _asker(definition)
    asker.about(_group(definition, "nan"), [ANOTHER_TASK])
    first = asker.verifications
    asker.about(_group(definition, "nan", "nan", "nan"), [ANOTHER_TASK])
    assert asker.verifications - first == 1 + ANOTHER_TASK.cost


def test_a_value_that_stands_nowhere_is_asked_where_another_one_is_paid() -> None:
    definition = _definition(verifier=FunctionVerifier(lambda text, answer: answer in text, cheap=True))
    several, one = _asker(definition).about(_group(definition, r"\boxed{7} \boxed{8}", r"\boxed{7}"), [MARKED_VALUE])
    assert [(asked.detail, asked.reward) for asked in several.asked[MARKED_VALUE.name]] == [("8", 1.0), ("", 0.0)]
    assert not one.asked


def test_a_failure_of_the_checker_on_an_edit_is_no_evidence() -> None:
    def fails_elsewhere(completion: str, answer: str) -> bool:
        if answer != "7":
            raise OSError("the disk is full")
        return completion == "7"

    definition = _definition(verifier=FunctionVerifier(fails_elsewhere, cheap=True))
    (right,) = _asker(definition).about(_group(definition, "7"), [ANOTHER_TASK])
    assert right.share_kept(ANOTHER_TASK.name) is None


def test_edits_left_out_by_the_definition_are_not_asked() -> None:
    definition = _definition(edits_left_out=[ANOTHER_TASK.name])
    asker = _asker(definition)
    (key,) = asker.about(_group(definition, "nan"), [ANOTHER_TASK])
    assert not key.asked
    assert asker.verifications == 1  # the reference solution: what is measured has a control too


def test_the_budget_bounds_what_a_group_asks() -> None:
    definition = _definition(asking=Asking(budget=3))
    asker = _asker(definition)
    (key,) = asker.about(_group(definition, "nan"), [ANOTHER_TASK])
    assert len(key.asked[ANOTHER_TASK.name]) == 2


def _played(definition: Definition, *texts: str) -> list[Verdict]:
    batch = BatchEnvironment(definition, group_size=len(texts))
    batch.reset(tasks=[TASKS[0]])
    return [episode.verdict for episode in batch.step(list(texts))]


@pytest.mark.parametrize(("action", "reward"), [("observe", 1.0), ("gate", 0.0), ("veto", -1.0)])
def test_a_batch_asks_for_its_detectors(action: Action, reward: float) -> None:
    right, key = _played(_definition(wrappers=[MasterKey(action=action)]), "It is 7", "nan")
    assert (right.reward, right.flags) == (1.0, ())
    assert (key.reward, [flag.name for flag in key.flags]) == (reward, ["master_key"])


def test_what_the_reference_shows_as_well_is_no_flag_but_a_finding() -> None:
    anything = FunctionVerifier(lambda completion: len(completion) > 0, cheap=True)
    definition = _definition(verifier=anything, wrappers=[MasterKey(action="gate")])
    assert [verdict.reward for verdict in _played(definition, "7", "nan")] == [1.0, 1.0]


def test_without_a_reference_solution_a_flag_is_shown_and_nothing_is_taken() -> None:
    def none(task: Task) -> str:
        raise ValueError(task.id)

    definition = _definition(solution=none, wrappers=[MasterKey(action="gate")])
    _, key = _played(definition, "It is 7", "nan")
    assert (key.reward, [flag.name for flag in key.flags]) == (1.0, ["master_key"])


def test_what_is_not_asked_about_has_the_solution_at_its_word_for_a_control() -> None:
    definition = _definition(asking=Asking(share=0.0))
    asker = _asker(definition)
    (key,) = asker.about(_group(definition, "nan"), [ANOTHER_TASK])
    assert [control.text for control in key.controls] == [definition.solution(definition.tasks[0])]
    assert not key.asked
    assert asker.verifications == 0


def test_a_checker_that_is_too_slow_on_edits_is_asked_no_more_and_what_is_left_is_no_evidence() -> None:
    def judged(jobs: Sequence[Job], on_verdict: OnVerdict) -> None:
        for place, (task, _) in enumerate(jobs):
            slow = task.id != TASKS[0].id
            on_verdict(place, over_limit("5 s") if slow else Verdict.of(("correct", 1.0)))

    asker = Asker(_definition(asking=Asking(others=20)), judged)
    group = [Episode(TASKS[0], Completion(f"{n} nan"), Verdict.of(("correct", 1.0))) for n in range(9)]
    late = asker.about(group, [ANOTHER_TASK])
    assert asker.stopped
    assert len(asker.costs) == MOST_COSTS
    assert sum(len(one.asked.get(ANOTHER_TASK.name, ())) for one in late) == MOST_COSTS
    asker.about(group[:1], [])
    assert not asker.stopped, "each group has a budget of its own"


KEYED = ListTasks([Task(f"{n} + {n} = ? [key {2 * n}]", str(2 * n), metadata={"key": str(2 * n)}) for n in range(300)])
SUMS = Definition(
    tasks=KEYED, verifier=FunctionVerifier(lambda completion, answer: completion == answer, cheap=True), id="t/sums-v0"
)


def _of(tasks: CanaryTasks) -> list[Task]:
    return [task for task in (tasks[i] for i in range(len(tasks))) if is_canary(task)]


def test_the_stated_share_are_canaries_and_always_the_same_ones() -> None:
    canaries = _of(CanaryTasks(KEYED, 0.2))
    assert 40 <= len(canaries) <= 80
    assert canaries == _of(CanaryTasks(KEYED, 0.2))
    assert canaries != _of(CanaryTasks(KEYED, 0.2, seed=1))


def test_row_and_prompt_say_the_wrong_reference_and_the_mark_holds_the_right_one() -> None:
    for task in _of(CanaryTasks(KEYED, 0.2)):
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
        CanaryTasks(KEYED, share)


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
    assert with_canaries(SUMS).demonstrations is KEYED
