"""The worker pool: hostile completions, lost processes, and verifiers that cannot be sent or loaded.

Workers and tests meet through files and named pipes, never through sleeping.
"""

import os
import re
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import pytest
from pool_jobs import TASK, judge, rewards, value

from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.workers.pool import PickledVerifier, WorkerPool
from rlenv.workers.worker_process import keepers_work, what_ends_processes

LIMIT_S = 0.5
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2, memory_mb=256) as pool:
        yield pool


def worker_pid(completion: str) -> float:
    return os.getpid()


def backtrack(completion: str) -> float:
    if completion == "backtrack":  # holds the interpreter's lock inside C code
        re.match(r"(a+)+$", "a" * 60 + "b")
    return value(completion)


@pytest.mark.parametrize("text", ["loop", "backtrack"])
def test_hang_is_graded_zero_and_its_worker_replaced(pool: WorkerPool, text: str) -> None:
    before = pool.restarts
    first, hung, last = judge(pool, backtrack, "4", text, "5", limit_s=LIMIT_S)
    assert (first.reward, last.reward) == (4.0, 5.0)
    assert (hung.reward, hung.graded, hung.flags) == (0.0, True, (Flag("over_limit", detail="0.5 s"),))
    assert pool.restarts == before + 2
    assert rewards(judge(pool, backtrack, "4")) == [4.0]


def test_worker_lost_twice_is_a_failure_of_the_checker(pool: WorkerPool) -> None:
    before = pool.restarts
    first, lost, last = judge(pool, value, "4", "crash", "5")
    assert (first.reward, last.reward) == (4.0, 5.0)
    assert (lost.reward, lost.status) == (None, "verifier_error")
    assert "lost twice (exit code 3)" in lost.reason
    assert pool.restarts == before + 2


def test_worker_lost_once_costs_nothing(pool: WorkerPool, tmp_path: Path) -> None:
    before = pool.restarts
    marker = str(tmp_path / "crashed")

    def crash_once(completion: str) -> bool:
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))  # one of the two workers only
        except FileExistsError:
            return True
        os._exit(1)

    assert rewards(judge(pool, crash_once, "a", "b")) == [1.0, 1.0]
    assert pool.restarts == before + 1


def test_worker_that_died_between_calls_is_replaced(pool: WorkerPool) -> None:
    for pid in {int(verdict.reward or 0) for verdict in judge(pool, worker_pid, *"abcdefgh")}:
        os.kill(pid, 9)
    assert rewards(judge(pool, value, "4", "5")) == [4.0, 5.0]


def test_each_verdict_is_heard_of_as_it_is_given_and_comes_in_the_order_of_the_jobs(pool: WorkerPool) -> None:
    heard: dict[int, Verdict] = {}
    texts = [*map(str, range(50)), "loop", "crash", "no number"]
    verdicts = judge(pool, value, *texts, limit_s=LIMIT_S, on_verdict=heard.__setitem__)
    assert [heard[index] for index in range(len(texts))] == verdicts
    assert rewards(verdicts) == [*map(float, range(50)), 0.0, None, None]
    assert verdicts[-1].reason == "ValueError: could not convert string to float: 'no number'"


def test_worker_still_loading_an_earlier_verifier_does_not_pass_it_for_a_later_one(tmp_path: Path) -> None:
    first, loading, go, meet = (str(tmp_path / name) for name in ("first", "loading", "go", "meet"))
    for pipe in (loading, go, meet):
        os.mkfifo(pipe)

    def load() -> FunctionVerifier:
        try:
            os.mkdir(first)
        except FileExistsError:  # the second worker tells the first that it is here, and waits for the test
            open(loading, "w").close()
            open(go).close()

        def check(completion: str) -> bool:
            if completion == "wait":
                open(loading).close()
            return True

        return FunctionVerifier(check)

    class Slow(FunctionVerifier):
        def __reduce__(self) -> tuple[object, ...]:
            return load, ()

    def both(completion: str) -> bool:
        open(meet, completion).close()  # a reader and a writer: needs two workers at once
        return True

    with WorkerPool(2) as pool:
        slow = PickledVerifier.of(Slow(lambda: True))
        pool.judge_all(slow, [(TASK, Completion("wait")), (TASK, Completion("then"))], 60.0)
        open(go, "w").close()
        assert rewards(judge(pool, both, "r", "w")) == [1.0, 1.0]
        assert pool.restarts == 0


def test_verifier_that_cannot_be_pickled_or_imported_in_a_worker_says_what_to_do(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = threading.Lock()
    with pytest.raises(VerifierContractError, match=r"cannot be sent to a worker process \(.*lock.*cheap=True"):
        judge(pool, lambda completion: lock.locked(), "4")
    module = types.ModuleType("only_in_this_process")
    exec("def check(completion): return True", module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(VerifierContractError, match=r"cannot be loaded in a worker.*only_in_this_process.*importable"):
        judge(pool, module.check, "4")
    assert rewards(judge(pool, value, "4")) == [4.0]


def test_closed_pool_has_no_processes_and_opens_again() -> None:
    with WorkerPool(2) as pool:
        assert judge(pool, value) == []
        assert pool.running == 0
        pids = {int(verdict.reward or 0) for verdict in judge(pool, worker_pid, *"abcdefgh")}
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert rewards(judge(pool, value, "4")) == [4.0]
    pool.close()


def test_other_systems_are_told_what_stays_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    if keepers_work():
        assert what_ends_processes().startswith("a worker is ended with all that it has started")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not keepers_work()
    assert what_ends_processes().startswith("WARNING: only the process group of a worker is ended with it")


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")
def test_a_proc_of_other_processes_is_not_relied_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert not keepers_work()
