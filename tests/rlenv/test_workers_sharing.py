"""Threads and event loops share one pool: nobody waits for another's batch, nobody spoils it."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cloudpickle
import pool_jobs
import pytest
from pool_jobs import TASK, rewards, value

from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier, VerifierFunction
from rlenv.door.deadline import deadline
from rlenv.workers.dispatch import MESSAGE_JOBS
from rlenv.workers.pool import OnVerdict, PickledVerifier, WorkerPool

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2) as pool:
        yield pool


@pytest.fixture
def pipes(tmp_path: Path) -> Callable[[str], str]:
    """Named pipes: opening one for reading waits until somebody opens it for writing, and the other way round."""

    def pipe(name: str) -> str:
        path = tmp_path / name
        if not path.exists():
            os.mkfifo(path)
        return str(path)

    return pipe


def judge(
    pool: WorkerPool, function: VerifierFunction, *texts: str, on_verdict: OnVerdict | None = None
) -> list[float | None]:
    return rewards(pool_jobs.judge(pool, function, *texts, on_verdict=on_verdict))


def open_pipe(completion: str) -> bool:
    """`r PATH` or `w PATH`: returns once the other end is open too."""
    mode, path = completion.split()
    with open(path, mode):
        return True


def test_two_threads_and_two_coroutines_are_served_at_the_same_time(
    pool: WorkerPool, pipes: Callable[[str], str]
) -> None:
    meet = pipes("meet")

    async def main() -> list[list[float | None]]:
        return await asyncio.gather(*[asyncio.to_thread(judge, pool, open_pipe, f"{mode} {meet}") for mode in "rw"])

    with ThreadPoolExecutor(2) as threads:  # each job waits for the job of the other thread
        in_threads = list(threads.map(lambda mode: judge(pool, open_pipe, f"{mode} {meet}"), "rw"))
    assert [*in_threads, *asyncio.run(main())] == [[1.0]] * 4


def test_a_small_batch_waits_for_one_message_of_a_large_one_at_most(
    pipes: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go, joined = pipes("started"), pipes("go"), threading.Event()

    def place(completion: str) -> float:
        judged: list[str] = sys.__dict__.setdefault("judged", [])
        judged.append(completion)
        if completion == "wait":
            open(started, "w").close()
            open(go).close()
        return len(judged)

    with WorkerPool(1) as pool, ThreadPoolExecutor(2) as threads:
        large = threads.submit(judge, pool, place, "wait", *["large"] * 400)
        open(started).close()
        wait = pool._staff.wait

        def joins(*asked: Any) -> None:
            joined.set()
            wait(*asked)

        monkeypatch.setattr(pool._staff, "wait", joins)
        small = threads.submit(judge, pool, place, "small")
        joined.wait()
        open(go, "w").close()
        places = [place or 0.0 for place in [*large.result(), *small.result()]]
        assert places[-1] <= 1 + MESSAGE_JOBS + 1
        assert sorted(places) == [float(number) for number in range(1, 403)]


def test_a_call_that_is_stuck_holds_up_no_other(pipes: Callable[[str], str]) -> None:
    with WorkerPool(1) as pool, ThreadPoolExecutor(4) as threads:
        stuck = [threads.submit(judge, pool, open_pipe, f"r {pipes(str(number))}") for number in range(3)]
        os.close(os.open(pipes("2"), os.O_WRONLY))
        assert stuck[2].result() == [1.0]
        assert judge(pool, value, *map(str, range(20))) == list(map(float, range(20)))
        assert [one.done() for one in stuck] == [False, False, True]
        for number in range(2):
            os.close(os.open(pipes(str(number)), os.O_WRONLY))
        assert [one.result() for one in stuck] == [[1.0]] * 3
        while pool.running > 1:  # what took the place of others ends
            assert judge(pool, value, "1") == [1.0]


def test_a_call_ends_at_its_deadline_and_its_worker_with_it(pipes: Callable[[str], str]) -> None:
    with WorkerPool(1) as pool:
        assert judge(pool, value, "1") == [1.0]
        with deadline(1.0):
            assert judge(pool, open_pipe, f"r {pipes('never')}") == [None]
        assert judge(pool, value, "2") == [2.0]


def test_a_listener_that_raises_leaves_the_other_thread_its_verdicts(
    pool: WorkerPool, pipes: Callable[[str], str]
) -> None:
    started = pipes("started")
    stopped = threading.Event()

    def stop(index: int, verdict: Verdict) -> None:
        stopped.set()
        raise RuntimeError("enough")

    def wait_or_value(completion: str) -> float:
        if completion == "wait":
            open(started, "w").close()
            return 1.0
        return float(completion)

    with ThreadPoolExecutor(2) as threads:
        other = threads.submit(judge, pool, wait_or_value, "wait", *map(str, range(300)))
        failing = threads.submit(judge, pool, value, *map(str, range(300)), on_verdict=stop)
        open(started).close()
        with pytest.raises(RuntimeError, match="enough"):
            failing.result()
        assert stopped.is_set()
        assert other.result() == [1.0, *map(float, range(300))]


def test_a_verifier_that_cannot_load_fails_its_own_callers_only(pool: WorkerPool) -> None:
    class Unloadable(FunctionVerifier):
        def __reduce__(self) -> tuple[object, ...]:
            return float, ("not a verifier",)

    broken = PickledVerifier.of(Unloadable(lambda: True))
    with ThreadPoolExecutor(4) as threads:
        fine = [threads.submit(judge, pool, value, *map(str, range(100))) for _ in range(2)]
        bad = [threads.submit(pool.judge_all, broken, [(TASK, Completion("4"))] * 3, 60.0) for _ in range(2)]
        for future in bad:
            with pytest.raises(VerifierContractError, match="cannot be loaded in a worker process: ValueError"):
                future.result()
        assert [future.result() for future in fine] == [list(map(float, range(100)))] * 2
