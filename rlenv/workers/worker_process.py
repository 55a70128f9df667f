"""Inside a worker: it loads verifiers, judges job after job and answers on its socket. And what starts and ends it.

On Linux a server that has imported what a worker needs forks one in milliseconds, where an interpreter takes a second.
Each worker has a keeper: its parent, which adopts what the worker's children leave behind (it is a subreaper), so that
a child in a session of its own is still found. When the worker ends, or the pool closes the keeper's control socket or
dies, the keeper kills all that is below it until nothing is left.

Elsewhere a worker is an interpreter of its own: its process group is killed, and a child in a session of its own
outlives it. Only a worker answers: a child that a verifier forks finds the socket closed, and ends where it would go
on.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

import cloudpickle

from rlenv.core.verdict import Verdict
from rlenv.core.verifier import Verifier, judge
from rlenv.workers.protocol import Frames, JudgeJob, Load, written, written_verdict

MEGABYTE = 1024 * 1024
PROBLEM_CHARS = 10_000
"""How much of why a verifier cannot be loaded is told."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
_REQUEST_BYTES = 1 << 16


def what_ends_processes() -> str:
    """What this machine does about processes that a verifier in a worker leaves behind, in one line."""
    if keepers_work():
        return "a worker is ended with all that it has started, by a keeper that adopts what its children leave behind"
    return (
        "WARNING: only the process group of a worker is ended with it; "
        "what a verifier starts in a session of its own stays behind"
    )


def keepers_work() -> bool:
    """True where a process can adopt what its children leave behind, and find it."""
    if sys.platform != "linux":
        return False
    try:
        return os.readlink("/proc/self") == str(os.getpid()) and Path(_children_file(os.getpid())).exists()
    except OSError:
        return False


# --- the worker ---


def run_alone(descriptor: int, memory_mb: int | None) -> None:
    """Serve the pool on an inherited socket until it closes.

    Nobody ends this process but the pool, so it leaves when its parent does: an idle worker reads the end of its
    socket, a sleeping one is seen by the watcher thread, and one that is stuck in C code runs into its CPU limit.
    """
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(socket.socket(fileno=descriptor), memory_mb)


def serve(end: socket.socket, memory_mb: int | None) -> None:
    """Answer on this socket until it closes, or until the memory ran out."""
    end.set_inheritable(False)
    frames = Frames(end)
    os.register_at_fork(after_in_child=frames.close)
    with suppress(BrokenPipeError, ConnectionResetError):  # the pool has closed
        _serve(frames, memory_mb)


def _serve(frames: Frames, memory_mb: int | None) -> None:
    worker, verifiers = os.getpid(), dict[str, Verifier]()
    frames.send(b"ready")
    while (messages := frames.receive()) is not None:
        for data in messages:
            message: Load | JudgeJob = cloudpickle.loads(data)
            if isinstance(message, Load):
                problem = _load(verifiers, message)
                _leave_unless(worker)
                frames.send(written(message.ticket, 0, problem))
                _limit_memory(memory_mb)
            elif not _judge(verifiers[message.key], message, frames, worker):
                return


def out_of_memory(verdict: Verdict) -> bool:
    """True where the memory limit decided: the process that ran into it is not used again."""
    return any(flag.name == "over_limit" and flag.detail == "MemoryError" for flag in verdict.flags)


def _judge(verifier: Verifier, message: JudgeJob, frames: Frames, worker: int) -> bool:
    """False when the memory ran out: what is left of the message is another process's work."""
    for place, (task, completion) in enumerate(message.jobs):
        _limit_cpu(message.time_limit_s)
        verdict = judge(verifier, task, completion)
        _leave_unless(worker)
        frames.send(written_verdict(message.ticket, place, verdict))
        if out_of_memory(verdict):
            return False
    return True


def _leave_unless(worker: int) -> None:
    """A child that the verifier forked and that returned from it is no worker."""
    if os.getpid() != worker:
        os._exit(0)


def _load(verifiers: dict[str, Verifier], message: Load) -> str | None:
    sys.path[:] = message.path
    try:
        verifiers[message.key] = cloudpickle.loads(message.blob)
    except Exception as error:  # whatever unpickling user code raises is told to the parent
        return f"{type(error).__name__}: {error}"[:PROBLEM_CHARS]
    return None


def _limit_memory(memory_mb: int | None) -> None:
    """Allow this much address space beyond what is mapped now, so that a greedy job gets MemoryError."""
    if memory_mb is None:
        return
    try:
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux: count from zero
        mapped = 0
    _limit(resource.RLIMIT_AS, mapped + memory_mb * MEGABYTE)


def _limit_cpu(time_limit_s: float) -> None:
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + 2 * time_limit_s + 5))


def _limit(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _leave_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


# --- the server that forks workers ---


def fork_workers(descriptor: int, memory_mb: int | None) -> None:
    """Fork a worker, with a keeper, for each request until the socket closes; then end all of them.

    It runs no verifier and has no thread of its own.
    """
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    server = socket.socket(fileno=descriptor)
    server.set_inheritable(False)
    keepers: set[int] = set()
    gc.freeze()  # what is here now is never garbage: workers must not touch and so copy it
    while ends := socket.recv_fds(server, _REQUEST_BYTES, 2, socket.MSG_CMSG_CLOEXEC)[1]:
        keepers -= _reap().keys()
        _end_children(spare=keepers)  # what a keeper that was killed has left
        keeper = os.fork()
        if keeper == 0:
            server.close()
            # The keeper's copy of the worker's end closes with it: when the pool reads the end, nothing is left.
            served, control = (socket.socket(fileno=end) for end in ends)
            keep(control, partial(serve, served, memory_mb))
        keepers.add(keeper)
        for end in ends:
            os.close(end)
    _end_children()


# --- the keeper ---


def keep(control: socket.socket, run: Callable[[], None]) -> NoReturn:
    """Run `run` in a child, and leave when it has ended or `control` closes, with nothing left of it.

    Says on `control` how the child ended.
    """
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    wake, woken = socket.socketpair()
    for end in (wake, woken):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)  # with no handler of its own it would wake nobody
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        for end in (control, wake, woken):
            end.close()
        _become_worker(keeper, run)
    code = _watch(worker, control, wake)
    _end_children()
    with suppress(OSError):
        control.sendall(str(code).encode())
    os._exit(0)


def _watch(worker: int, control: socket.socket, wake: socket.socket) -> int:
    """The exit code of the worker; that of a killed one where the pool wants it to end."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while True:
        codes = _reap()
        if worker in codes:
            return codes[worker]
        if control.fileno() in [descriptor for descriptor, _ in poll.poll()]:
            return -signal.SIGKILL
        with suppress(BlockingIOError):
            wake.recv(4096)


def _become_worker(keeper: int, run: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(code)
        os.setsid()
        run()
        code = 0
    except BaseException:  # whatever a verifier raises that nobody catches ends this worker, as it ends an interpreter
        traceback.print_exc()
    finally:
        os._exit(code)


def _end_children(spare: Collection[int] = ()) -> None:
    """Kill all that is below this process, but for `spare` and what is below them, until nothing is left."""
    beyond_us = set(spare)
    while below := _below(os.getpid(), beyond_us):
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            except PermissionError:  # it runs as another user
                beyond_us.add(pid)
        if not _reap():
            time.sleep(0.001)


def _reap() -> dict[int, int]:
    """The exit codes of the children that have ended."""
    codes: dict[int, int] = {}
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            codes[pid] = os.waitstatus_to_exitcode(status)
    return codes


def _below(pid: int, spare: Collection[int]) -> list[int]:
    """Parents before their children, so that who forks on is killed first."""
    pids = [child for child in _children(pid) if child not in spare]
    for child in pids:
        pids += [grandchild for grandchild in _children(child) if grandchild not in spare]
    return pids


def _children(pid: int) -> list[int]:
    pids: list[int] = []
    with suppress(OSError):  # it has ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                pids += map(int, Path(_children_file(pid, task)).read_text().split())
    return pids


def _children_file(pid: int, task: str = "") -> str:
    return f"/proc/{pid}/task/{task or pid}/children"


def _prctl(option: int, argument: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(argument), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")
