"""The worker pool: hostile completions, lost processes, and where the pool itself is used from.

Workers and tests meet through files and named pipes, never through sleeping.
"""

import asyncio
import os
import re
import sys
import threading
import types
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cloudpickle
import pytest

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import FunctionVerifier, VerifierFunction
from rlenv.workers.pool import PickledVerifier, WorkerPool

TASK = Task("?", "4")
LIMIT_S = 0.8
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2, memory_mb=256) as pool:
        yield pool


def pickled(function: VerifierFunction) -> PickledVerifier:
    return PickledVerifier.of(FunctionVerifier(function))


def judge(pool: WorkerPool, function: VerifierFunction, *texts: str, limit_s: float = 60.0) -> list[Verdict]:
    return pool.judge_all(pickled(function), [(TASK, Completion(text)) for text in texts], limit_s)


def value(completion: str) -> float:
    return float(completion)


def length(completion: str) -> float:
    return len(completion)


def worker_pid(completion: str) -> float:
    return os.getpid()


def misbehave(completion: str, answer: str) -> bool:
    if completion == "loop":
        while True:
            pass
    if completion == "backtrack":  # holds the interpreter's lock inside C code
        re.match(r"(a+)+$", "a" * 60 + "b")
    if completion == "crash":
        os._exit(3)
    if completion == "allocate":
        bytearray(10**10)
    return completion == answer


def test_verdicts_come_in_the_order_of_the_jobs(pool: WorkerPool) -> None:
    texts = [str(number) for number in range(50)]
    verdicts = judge(pool, value, *texts)
    assert [verdict.reward for verdict in verdicts] == [float(text) for text in texts]


@pytest.mark.parametrize("text", ["loop", "backtrack"])
def test_hang_is_graded_zero_and_its_worker_replaced(pool: WorkerPool, text: str) -> None:
    before = pool.restarts
    first, hung, last = judge(pool, misbehave, "4", text, "5", limit_s=LIMIT_S)
    assert (first.reward, last.reward) == (1.0, 0.0)
    assert (hung.reward, hung.graded, hung.flags) == (0.0, True, (Flag("over_limit", detail="0.8 s"),))
    assert pool.restarts == before + 2
    assert judge(pool, misbehave, "4")[0].reward == 1.0


def test_memory_bomb_is_graded_zero(pool: WorkerPool) -> None:
    fine, bomb = judge(pool, misbehave, "4", "allocate")
    assert fine.reward == 1.0
    assert (bomb.reward, bomb.graded, bomb.flags) == (0.0, True, (Flag("over_limit", detail="MemoryError"),))


def test_worker_lost_twice_is_a_failure_of_the_checker(pool: WorkerPool) -> None:
    before = pool.restarts
    first, lost, last = judge(pool, misbehave, "4", "crash", "4")
    assert (first.reward, last.reward) == (1.0, 1.0)
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

    assert [verdict.reward for verdict in judge(pool, crash_once, "a", "b")] == [1.0, 1.0]
    assert pool.restarts == before + 1


def test_worker_that_died_between_rounds_is_replaced(pool: WorkerPool) -> None:
    pids = {int(verdict.reward or 0) for verdict in judge(pool, worker_pid, *"abcdefgh")}
    for pid in pids:
        os.kill(pid, 9)
    assert [verdict.reward for verdict in judge(pool, misbehave, "4", "5")] == [1.0, 0.0]


def test_exception_in_a_worker_is_a_failure_of_the_checker() -> None:
    with WorkerPool(1) as pool:  # a pool of its own: the last test's dead workers may not all be replaced yet
        verdict = judge(pool, lambda completion: 1 / 0, "4")[0]
        assert (verdict.status, verdict.reason) == ("verifier_error", "ZeroDivisionError: division by zero")
        assert pool.restarts == 0


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "🙂", "x" * 10**6], ids=["empty", "nul", "half", "🙂", "long"])
def test_any_text_reaches_the_verifier_whole(pool: WorkerPool, text: str) -> None:
    assert judge(pool, length, text)[0].reward == len(text)


def test_each_verdict_is_heard_of_as_it_is_given(pool: WorkerPool) -> None:
    heard: dict[int, Verdict] = {}
    jobs = [(TASK, Completion(text)) for text in ("4", "loop", "crash", "5")]
    verdicts = pool.judge_all(pickled(misbehave), jobs, LIMIT_S, heard.__setitem__)
    assert [heard[index] for index in range(4)] == verdicts


def test_listener_that_raises_leaves_the_pool_usable(pool: WorkerPool) -> None:
    def stop(index: int, verdict: Verdict) -> None:
        raise KeyboardInterrupt

    jobs = [(TASK, Completion("4"))] * 6
    with pytest.raises(KeyboardInterrupt):
        pool.judge_all(pickled(misbehave), jobs, 60.0, stop)
    assert [verdict.reward for verdict in judge(pool, misbehave, *"4545")] == [1.0, 0.0, 1.0, 0.0]


def test_pool_serves_any_thread(pool: WorkerPool) -> None:
    def ask(number: int) -> list[float | None]:
        assert threading.current_thread() is not threading.main_thread()
        return [verdict.reward for verdict in judge(pool, value, *[str(number)] * 5)]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, range(8))) == [[float(number)] * 5 for number in range(8)]


def test_pool_serves_an_event_loop(pool: WorkerPool) -> None:
    async def main() -> list[list[Verdict]]:
        here = judge(pool, misbehave, "4")
        return [here, *await asyncio.gather(*[asyncio.to_thread(judge, pool, misbehave, "4") for _ in range(3)])]

    assert [[verdict.reward for verdict in given] for given in asyncio.run(main())] == [[1.0]] * 4


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
        assert [verdict.reward for verdict in judge(pool, both, "r", "w")] == [1.0, 1.0]
        assert pool.restarts == 0


def test_verifier_that_cannot_be_pickled_says_what_to_do(pool: WorkerPool) -> None:
    lock = threading.Lock()
    with pytest.raises(VerifierContractError, match=r"cannot be sent to a worker process \(.*lock.*cheap=True"):
        judge(pool, lambda completion: lock.locked(), "4")


def test_verifier_that_cannot_be_imported_in_a_worker_says_what_to_do(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("only_in_this_process")
    exec("def check(completion): return True", module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(VerifierContractError, match=r"cannot be loaded in a worker.*only_in_this_process.*importable"):
        judge(pool, module.check, "4")
    assert judge(pool, misbehave, "4")[0].reward == 1.0


def test_worker_that_dies_while_loading_ends_the_round_with_an_error() -> None:
    class Deadly(FunctionVerifier):
        def __reduce__(self) -> tuple[object, ...]:
            return os._exit, (7,)

    with WorkerPool(1) as pool, pytest.raises(VerifierContractError, match=r"die before they can judge.*exit code 7"):
        pool.judge_all(PickledVerifier.of(Deadly(lambda: True)), [(TASK, Completion("4"))], 60.0)


def test_closed_pool_has_no_processes_and_opens_again() -> None:
    with WorkerPool(2) as pool:
        pids = {int(verdict.reward or 0) for verdict in judge(pool, worker_pid, *"abcdefgh")}
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert judge(pool, misbehave, "4")[0].reward == 1.0
    pool.close()


def test_no_jobs_start_no_workers() -> None:
    pool = WorkerPool(2)
    assert judge(pool, misbehave) == []
    assert pool.running == 0


def test_pool_of_less_than_one_worker_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1 worker, got -1"):
        WorkerPool(-1)
