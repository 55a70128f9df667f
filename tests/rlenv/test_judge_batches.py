"""A verifier that isolates by itself is asked for whole batches, in the caller's process."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from rlenv import Completion, Definition, FunctionVerifier, ListTasks, Task, Verdict, Verifier
from rlenv.core.errors import ConfigError
from rlenv.env.compose import gate, weighted
from rlenv.judge.judge import Judge

TASK = Task("2+2=?", "4")
HERE = float(os.getpid())


@dataclass(frozen=True)
class Batch:
    """Answers from the last job to the first, and says how many were asked at once."""

    mishap: str = ""
    cheap: bool = False
    version: str = "batch-1"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return next(iter(self.verify_all([(task, completion)])))[1]

    def verify_all(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[tuple[int, Verdict]]:
        for index in reversed(range(len(jobs))):
            task, completion = jobs[index]
            if self.mishap and completion.text == "mishap":
                if self.mishap == "raise":
                    raise OSError("the sandbox is gone")
                if self.mishap == "skip":
                    continue
                if self.mishap == "stray":
                    yield from ((place, Verdict.of(("correct", 1.0))) for place in (-1, len(jobs)))
                yield index, Verdict.of(("correct", 0.0))
            right = float(completion.text == task.reference)
            yield index, Verdict.of(("correct", right), scores={"pid": os.getpid(), "asked": len(jobs)})


def grader(mishap: str = "", max_completion_chars: int = 100) -> Judge:
    definition = Definition(tasks=ListTasks([TASK]), verifier=Batch(mishap), max_completion_chars=max_completion_chars)
    return Judge(definition)


def jobs(*texts: str) -> list[tuple[Task, Completion]]:
    return [(TASK, Completion(text)) for text in texts]


def test_a_batch_is_judged_at_once_in_this_process_and_in_order() -> None:
    verdicts = grader().verdicts(jobs("4", "5", "4"))
    assert [v.reward for v in verdicts] == [1.0, 0.0, 1.0]
    assert all(v.scores == {"pid": HERE, "asked": 3.0} for v in verdicts)


def test_each_verdict_is_heard_once_as_it_comes() -> None:
    heard: list[tuple[int, float | None]] = []
    grader("twice").verdicts(jobs("4", "mishap", "5"), lambda index, verdict: heard.append((index, verdict.reward)))
    assert heard == [(2, 0.0), (1, 0.0), (0, 1.0)]


@pytest.mark.parametrize(("mishap", "reason"), [("raise", "OSError: the sandbox is gone"), ("skip", "no verdict")])
def test_what_the_verifier_leaves_out_is_a_failure_of_the_checker(mishap: str, reason: str) -> None:
    verdicts = grader(mishap).verdicts(jobs("4", "mishap", "5"))
    assert verdicts[2].reward == 0.0
    assert verdicts[1].status == "verifier_error"
    assert reason in verdicts[1].reason
    assert verdicts[0].reward == (None if mishap == "raise" else 1.0)


def test_what_a_listener_raises_is_not_the_verifiers_doing() -> None:
    def stop(index: int, verdict: Verdict) -> None:
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        grader().verdicts(jobs("4"), stop)


SHORT = FunctionVerifier(lambda completion: len(completion) < 3, cheap=True)
DEAR = FunctionVerifier(lambda completion: True)


def judged(verifier: Verifier, *texts: str) -> list[Verdict]:
    return Judge(Definition(tasks=ListTasks([TASK]), verifier=verifier)).verdicts(jobs(*texts))


def test_a_weighted_sum_asks_a_batch_for_all_its_jobs_at_once() -> None:
    verdicts = judged(weighted(right=(Batch(), 1.0), short=(SHORT, 0.5)), "4", "5", "4444")
    assert [v.reward for v in verdicts] == [1.5, 0.5, 0.0]
    assert all(v.scores["right/pid"] == HERE and v.scores["right/asked"] == 3.0 for v in verdicts)


def test_a_gate_asks_a_batch_only_for_what_it_lets_through() -> None:
    verdicts = judged(gate(SHORT, Batch()), "4444", "4", "5")
    assert [v.reward for v in verdicts] == [0.0, 1.0, 0.0]
    assert verdicts[1].scores["asked"] == 2.0


def test_a_verifier_that_needs_a_worker_has_no_place_beside_a_batch() -> None:
    with pytest.raises(ConfigError, match="cheap verifiers beside"):
        weighted(right=(Batch(), 1.0), dear=(DEAR, 1.0))
    with pytest.raises(ConfigError, match="cheap verifiers beside"):
        gate(DEAR, Batch())
