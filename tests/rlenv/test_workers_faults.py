"""Workers that answer what they were not asked, and processes that verifiers leave behind.

Each fault costs at most the job that made it: no verdict is lost, and none goes to another job.
"""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import cloudpickle
import pytest
from pool_jobs import TASK, ends, judge, rewards

import rlenv.workers.worker
from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.workers.pool import PickledVerifier, WorkerPool
from rlenv.workers.protocol import MAX_ANSWER_BYTES, written_verdict
from rlenv.workers.worker_process import keepers_work

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests
needs_keepers = pytest.mark.skipif(not keepers_work(), reason="workers are ended as a whole on Linux only")


@pytest.fixture(params=["kept", pytest.param("alone", marks=pytest.mark.slow)])
def pool(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerPool]:
    """Of workers that a server forks, and of workers as they are started where there are no keepers."""
    if request.param == "alone":
        monkeypatch.setattr(rlenv.workers.worker, "keepers_work", lambda: False)
    elif not keepers_work():
        pytest.skip("workers are forked on Linux only")
    with WorkerPool(1, memory_mb=256) as pool:
        yield pool


def sockets() -> list[int]:
    """What a hostile program in a worker finds when it looks for the worker's socket."""
    found = []
    for descriptor in range(3, 1024):
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                found.append(descriptor)
    return found


def framed(message: bytes) -> bytes:
    return len(message).to_bytes(8) + message


UNASKED = {
    "no frame": b"\xff" * 40,
    "too long": (MAX_ANSWER_BYTES * 2).to_bytes(8) + b"x" * 100,
    "a guess": framed(written_verdict(1, 0, Verdict(1.0))),
    "many": framed(written_verdict(0, 0, Verdict(1.0))) * 100,
}


@pytest.mark.parametrize("fault", UNASKED)
def test_an_answer_nobody_asked_for_costs_one_job(pool: WorkerPool, fault: str) -> None:
    def number(completion: str) -> float:
        if completion == "-1":
            for descriptor in sockets():
                os.write(descriptor, UNASKED[fault])
        return float(completion)

    texts = [str(place) for place in range(200)]
    texts[90] = "-1"
    verdicts = judge(pool, number, *texts)
    assert rewards(verdicts) == [None if place == 90 else float(place) for place in range(200)]
    assert (verdicts[90].status, verdicts[90].reason[:38]) == (
        "verifier_error",
        "a worker sent what is no answer, twice",
    )
    assert pool.restarts == 2


def test_an_answer_for_the_job_that_comes_next_is_not_taken(pool: WorkerPool) -> None:
    def number(completion: str) -> float:
        if completion == "7":  # it says its own answer once more, under the place of the next job
            forged = framed(written_verdict(0, 1, Verdict(1.0)))
            for descriptor in sockets():
                os.write(descriptor, framed(written_verdict(0, 0, Verdict(1.0))) + forged)
        return float(completion)

    assert rewards(judge(pool, number, "5", "6", "7", "8", "9")) == [5.0, 6.0, None, 8.0, 9.0]


def test_a_verifier_that_returns_in_a_forked_child_too_is_answered_once(pool: WorkerPool) -> None:
    def number(completion: str) -> float:
        if completion in ("20", "21", "90"):
            os.fork()
        return float(completion)

    assert rewards(judge(pool, number, *map(str, range(100)))) == list(map(float, range(100)))
    assert pool.restarts == 0


def test_a_forked_child_finds_no_socket_to_answer_on(pool: WorkerPool) -> None:
    def found_in_child(completion: str) -> float:
        child = os.fork()
        if child == 0:
            os._exit(len(sockets()))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def inherited(completion: str) -> float:
        return sum(os.get_inheritable(descriptor) for descriptor in sockets())

    assert judge(pool, found_in_child, "x")[0].reward == 0.0
    assert judge(pool, inherited, "x")[0].reward == 0.0


def test_a_verifier_that_answers_while_it_is_loaded_is_refused(pool: WorkerPool) -> None:
    class Eager(FunctionVerifier):
        def __reduce__(self) -> tuple[object, ...]:
            return _answer_often, ()

    with pytest.raises(VerifierContractError, match="die before they can judge"):
        pool.judge_all(PickledVerifier.of(Eager(lambda: True)), [(TASK, Completion("4"))], 60.0)
    assert judge(pool, lambda completion: 1.0, "x")[0].reward == 1.0


def _answer_often() -> FunctionVerifier:
    for descriptor in sockets():
        os.write(descriptor, framed(b"unasked"))
    return FunctionVerifier(lambda: True)


def test_a_worker_that_stops_itself_is_over_its_limit(pool: WorkerPool) -> None:
    def stop(completion: str) -> float:
        if completion == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        return 1.0

    first, stopped, last = judge(pool, stop, "x", "stop", "x", limit_s=0.5)
    assert (first.reward, stopped.reward, last.reward) == (1.0, 0.0, 1.0)
    assert [flag.name for flag in stopped.flags] == ["over_limit"]


def leave_behind(completion: str) -> float:
    """The process id of a child in a session of its own whose parent is gone."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(writer, str(os.getpid()).encode())
            while True:
                signal.pause()
        os._exit(0)
    os.wait()
    pid = float(os.read(reader, 20))
    if completion == "hang":
        Path(os.environ["PID_FILE"]).write_text(str(int(pid)))
        while True:
            pass
    if completion == "kill the keeper":
        Path(os.environ["PID_FILE"]).write_text(str(int(pid)))
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    return pid


@needs_keepers
def test_what_a_verifier_left_in_a_session_of_its_own_ends_with_the_pool() -> None:
    with WorkerPool(1) as pool:
        pids = [int(verdict.reward or 0) for verdict in judge(pool, leave_behind, *["x"] * 5)]
        for pid in pids:
            os.kill(pid, 0)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@needs_keepers
@pytest.mark.parametrize("how", ["hang", "kill the keeper"])
def test_what_a_lost_worker_left_behind_ends_while_the_pool_goes_on(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PID_FILE", str(tmp_path / "pid"))
    with WorkerPool(1) as pool:
        judge(pool, leave_behind, how, limit_s=1.0)
        assert judge(pool, lambda completion: 1.0, "x")[0].reward == 1.0
        assert ends(int((tmp_path / "pid").read_text()))


KEEPER = """
import os, signal, socket, sys, time
from rlenv.workers.worker_process import keep

def run():
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.setsid()
            os.write(1, b"%d " % os.getpid())
            while True:
                signal.pause()
    if sys.argv[1] == "leaves":
        os._exit(7)
    while True:
        signal.pause()

ours, theirs = socket.socketpair()
keeper = os.fork()
if keeper == 0:
    ours.close()
    keep(theirs, run)
theirs.close()
if sys.argv[1] == "is told to end":
    sys.stdin.readline()
    ours.shutdown(socket.SHUT_WR)
print("code", ours.recv(10).decode(), flush=True)
"""


@needs_keepers
@pytest.mark.parametrize(("how", "code"), [("leaves", "7"), ("is told to end", "-9")])
def test_without_a_cgroup_a_keeper_finds_all_that_is_below_it(how: str, code: str) -> None:
    command = [sys.executable, "-c", KEEPER, how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        said, _ = process.communicate("\n", timeout=60)
    pids, _, exit_code = said.partition("code ")
    assert exit_code.strip() == code
    for pid in map(int, pids.split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@needs_keepers
def test_a_pool_whose_server_was_killed_starts_another() -> None:
    def server(completion: str) -> float:
        keeper = os.getppid()
        status = Path(f"/proc/{keeper}/status").read_text().split()
        return float(status[status.index("PPid:") + 1])

    with WorkerPool(1) as pool:
        first = int(judge(pool, server, "x")[0].reward or 0)
        os.kill(first, signal.SIGKILL)
        judge(pool, lambda completion: os._exit(1), "x")
        second = int(judge(pool, server, "x")[0].reward or 0)
        assert second not in (0, first)
