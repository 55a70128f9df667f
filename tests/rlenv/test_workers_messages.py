"""Several jobs in one message: each has its own clock, and a poisoned one costs no other its verdict."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import pytest
from pool_jobs import TASK, judge, rewards, value

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.workers.pool import PickledVerifier, WorkerPool

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1, memory_mb=256) as pool:
        yield pool


def length(completion: str) -> float:
    return len(completion)


def test_poison_in_the_middle_of_messages_costs_no_other_job_its_verdict(pool: WorkerPool) -> None:
    texts = [str(number) for number in range(600)]
    for place, poison in ((150, "loop"), (151, "crash"), (290, "allocate"), (599, "crash")):
        texts[place] = poison
    before = pool.restarts
    verdicts = judge(pool, value, *texts, limit_s=0.8)
    healthy = {index: verdict.reward for index, verdict in enumerate(verdicts) if texts[index].isdigit()}
    assert healthy == {index: float(index) for index in healthy}
    assert len(healthy) == 596
    assert pool.restarts >= before + 8  # a busy machine may make a healthy job late once
    assert [[flag.detail for flag in verdicts[place].flags] for place in (150, 290)] == [["0.8 s"], ["MemoryError"]]
    assert [verdicts[place].status for place in (150, 290)] == ["graded"] * 2
    assert [verdicts[place].status for place in (151, 599)] == ["verifier_error"] * 2


def test_the_clock_of_a_job_starts_when_the_job_before_it_is_answered(pool: WorkerPool) -> None:
    def spin(completion: str) -> bool:
        until = time.monotonic() + float(completion)
        while time.monotonic() < until:
            pass
        return True

    # Quick jobs make the pool put the slow ones into long messages, which take longer than the limit.
    before = pool.restarts
    assert rewards(judge(pool, spin, *["0"] * 400, *["0.02"] * 100, limit_s=0.7)) == [1.0] * 500
    assert pool.restarts == before


def test_a_job_is_tried_again_alone_on_a_worker_that_has_judged_nothing(tmp_path: Path) -> None:
    marker = str(tmp_path / "crashed")

    def count_and_crash_once(completion: str) -> float:
        judged: list[str] = sys.__dict__.setdefault("judged", [])
        judged.append(completion)
        if completion == "crash" and not os.path.exists(marker):
            open(marker, "w").close()
            os._exit(1)
        return len(judged)

    texts = ["x"] * 300
    texts[150] = "crash"
    with WorkerPool(1) as pool:
        verdicts = judge(pool, count_and_crash_once, *texts)
    assert (verdicts[149].reward, verdicts[150].reward) == (150.0, 1.0)
    assert all(verdict.graded for verdict in verdicts)


def test_a_task_that_cannot_be_sent_costs_only_its_own_verdict(pool: WorkerPool) -> None:
    odd = Task("?", "4", id="odd", metadata={"lock": threading.Lock()})  # type: ignore[dict-item]
    jobs = [(odd if number == 250 else TASK, Completion("x" * number)) for number in range(500)]
    verdicts = pool.judge_all(PickledVerifier.of(FunctionVerifier(length)), jobs, 60.0)
    assert verdicts[250].status == "verifier_error"
    assert "cannot be sent to a worker: cannot pickle" in verdicts[250].reason
    assert rewards(verdicts[:250] + verdicts[251:]) == [float(n) for n in range(500) if n != 250]


def test_a_verdict_that_cannot_travel_costs_only_itself(pool: WorkerPool) -> None:
    def say(completion: str) -> Verdict:
        reason = {"odd": threading.Lock(), "long": "x" * 3_000_000}.get(completion, "fine")
        return Verdict(1.0, reason=reason)  # type: ignore[arg-type]

    fine, odd, long, last = judge(pool, say, "", "odd", "long", "")
    assert rewards([fine, odd, long, last]) == [1.0, None, 0.0, 1.0]
    assert odd.reason[:33] == "the verdict is not plain data: fl"
    assert [flag.name for flag in long.flags] == ["over_limit"]
