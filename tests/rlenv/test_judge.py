"""Where a verdict is made: inline, by the cheap tiers, in a worker, or by a verifier that isolates whole batches."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cloudpickle
import pytest

from rlenv import Completion, Definition, ListTasks, Task, Verdict, WorkerPool
from rlenv.core.definition import Isolation
from rlenv.core.errors import ConfigError
from rlenv.core.verifier import FunctionVerifier, Verifier
from rlenv.env.compose import gate, weighted
from rlenv.judge.judge import Judge

TASK = Task("2+2=?", "4")
HERE = float(os.getpid())
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests


@dataclass(frozen=True)
class Tiered:
    """Decides digits cheaply; anything else needs a process. Its verdicts say where they were made."""

    cheap: bool = False
    version: str = "tiered-1"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        if completion.text == "dear bug":
            raise ValueError("dear tier")
        return self._verdict(task, completion, "dear")

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        if completion.text == "bug":
            raise ValueError("cheap tier")
        if completion.text == "exit":
            raise SystemExit
        if completion.text == "memory":
            raise MemoryError
        if completion.text == "stack":
            raise RecursionError
        return self._verdict(task, completion, "cheap") if completion.text.isdigit() else None

    @staticmethod
    def _verdict(task: Task, completion: Completion, tier: str) -> Verdict:
        right = completion.text in (task.reference, "four")
        return Verdict.of(("correct", float(right)), scores={"pid": os.getpid()}, reason=tier)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1) as pool:
        yield pool


def definition(verifier: Verifier | None = None, isolation: Isolation = "auto") -> Definition:
    return Definition(tasks=ListTasks([TASK]), verifier=verifier or Tiered(), isolation=isolation)


def verdicts(pool: WorkerPool, given: Definition, *texts: str) -> list[Verdict]:
    """From judge_all and from judge, which must say the same of each completion."""
    judge = Judge(given, pool)
    batched = judge.verdicts([(TASK, Completion(text)) for text in texts])
    assert [judge.verdict(TASK, Completion(text)) for text in texts] == batched
    return batched


def test_what_the_cheap_tiers_decide_needs_no_worker() -> None:
    with WorkerPool(1) as unused:
        right, wrong = verdicts(unused, definition(), "4", "5")
        assert unused.running == 0
    assert (right.reward, wrong.reward) == (1.0, 0.0)
    assert {verdict.scores["pid"] for verdict in (right, wrong)} == {HERE}


def test_only_the_undecided_go_to_the_workers_and_the_order_stays(pool: WorkerPool) -> None:
    given = verdicts(pool, definition(), "five", "4", "four", "5")
    assert [verdict.reward for verdict in given] == [0.0, 1.0, 1.0, 0.0]
    assert [verdict.reason for verdict in given] == ["dear", "cheap", "dear", "cheap"]
    assert [verdict.scores["pid"] == HERE for verdict in given] == [False, True, False, True]


@pytest.mark.parametrize(
    ("isolation", "here"), [("auto", True), ("inline", True), ("process", False)], ids=["auto", "inline", "process"]
)
def test_isolation_decides_where_digits_are_judged(pool: WorkerPool, isolation: Isolation, here: bool) -> None:
    verdict = verdicts(pool, definition(isolation=isolation), "4")[0]
    assert verdict.reward == 1.0
    assert (verdict.scores["pid"] == HERE) == here
    assert verdict.reason == ("cheap" if isolation == "auto" else "dear")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("bug", "ValueError: cheap tier"), ("exit", "SystemExit: "), ("dear bug", "ValueError: dear tier")],
)
def test_an_exception_in_either_tier_is_a_failure_of_the_checker(pool: WorkerPool, text: str, reason: str) -> None:
    verdict = verdicts(pool, definition(), text)[0]
    assert (verdict.status, verdict.reason) == ("verifier_error", reason)


@pytest.mark.parametrize("text", ["memory", "stack"])
def test_running_out_of_memory_or_stack_here_is_left_to_a_fresh_process(pool: WorkerPool, text: str) -> None:
    verdict = verdicts(pool, definition(), text)[0]
    assert (verdict.status, verdict.reason) == ("graded", "dear")
    assert verdict.scores["pid"] != HERE


def test_a_completion_of_just_the_allowed_length_is_judged(pool: WorkerPool) -> None:
    given = Definition(tasks=ListTasks([TASK]), verifier=Tiered(), max_completion_chars=4)
    right, long = verdicts(pool, given, "four", "fourr")
    assert (right.reward, long.reward) == (1.0, 0.0)
    assert [flag.detail for flag in long.flags] == ["4 characters"]


def test_the_time_limit_of_the_definition_is_that_of_a_job(pool: WorkerPool) -> None:
    def hang(completion: str) -> bool:
        while completion == "hang":
            pass
        return True

    given = Definition(tasks=ListTasks([TASK]), verifier=FunctionVerifier(hang), time_limit_s=0.3)
    fine, hung = Judge(given, pool).verdicts([(TASK, Completion(text)) for text in ("4", "hang")])
    assert (fine.reward, hung.reward, [flag.detail for flag in hung.flags]) == (1.0, 0.0, ["0.3 s"])


positive = FunctionVerifier(lambda completion: not completion.startswith("-"), cheap=True)
dear = FunctionVerifier(lambda completion: os.getpid())


def test_weighted_sum_is_decided_here_where_every_term_is(pool: WorkerPool) -> None:
    both = definition(weighted(correct=(Tiered(), 1.0), positive=(positive, 0.5)))
    cheap, costly = verdicts(pool, both, "4", "four")
    assert (cheap.reward, costly.reward) == (1.5, 1.5)
    assert (cheap.scores["correct/pid"] == HERE, costly.scores["correct/pid"] == HERE) == (True, False)


def test_gate_that_is_open_or_undecided_goes_on(pool: WorkerPool) -> None:
    assert verdicts(pool, definition(gate(positive, dear)), "4")[0].reward != HERE
    assert verdicts(pool, definition(gate(Tiered(), positive)), "four", "4", "five") == [
        Verdict.of(("reward", 1.0), scores={"gate": 1.0}),
        Verdict.of(("reward", 1.0), scores={"gate": 1.0}),
        Verdict.of(("gate", 0.0), scores={"gate": 0.0}, reason="gate closed: dear"),
    ]


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
