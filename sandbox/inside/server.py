"""The fork server: PID 1 of a cell.

It never reads a job: it waits until there is something to read and forks a supervisor that reads it, so its
memory holds nothing of any job for a later one to find. When the supervisor has gone, everything else that
runs in the cell is killed and reaped until nobody is left, and the host is told that the cell is clean. A
cell that cannot be cleaned ends, and the host starts another.

It ends when its stream does, so no cell outlives its host.
"""

from __future__ import annotations

import gc
import importlib
import math
import os
import platform
import select
import signal
import sys
from contextlib import suppress
from typing import NoReturn, cast

from rlenv.sandbox.inside import census, kernel, landlock, wire
from rlenv.sandbox.inside.disk import clean
from rlenv.sandbox.inside.job import Job
from rlenv.sandbox.inside.keeper import Keeper
from rlenv.sandbox.inside.lockdown import MEGABYTE, Walls, become, import_random, prepare, seed
from rlenv.sandbox.inside.runner import open_streams
from rlenv.sandbox.inside.seccomp import Filter
from rlenv.sandbox.inside.supervisor import Supervisor, oom_kills

STANDARD = [
    "abc",
    "bisect",
    "collections",
    "contextlib",
    "copy",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "string",
    "textwrap",
    "traceback",
    "types",
    "typing",
]
"""Modules that programs commonly import: loaded once. Each makes every fork dearer, threading most (0.3 ms)."""
COUNTERS = ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")
NOT_CLEAN, GONE = 3, 77


def serve(settings: dict[str, object]) -> NoReturn:
    """Answer jobs until the stream ends."""
    stream_in, stream_out = _take_stream()
    try:
        walls = _prepare(settings)
    except Exception as error:
        wire.send(stream_out, {"error": "%s: %s" % (type(error).__name__, error)})  # noqa: UP031
        os._exit(1)
    wire.send(stream_out, _hello(walls, settings))
    server = Server(walls, settings, stream_in, stream_out)
    while True:
        server.one_job()


def _take_stream() -> tuple[int, int]:
    """Move the stream out of the way of the descriptors that programs get, and hold those with /dev/null."""
    null = os.open("/dev/null", os.O_RDWR)
    taken: list[int] = []
    for fd in (0, 1):
        while len(taken) <= fd:
            copy = os.dup(fd)
            if copy > 9:
                taken.append(copy)
    for fd in (0, 1, 3, 4):
        os.dup2(null, fd)
    os.closerange(5, min(taken))
    return taken[0], taken[1]


def _prepare(settings: dict[str, object]) -> Walls:
    _still()
    scratch = [path for path in cast("list[str]", settings["scratch"]) if os.path.isdir(path)]
    settings["scratch"] = scratch
    prepare(scratch[0] + "/work")
    sys.path.extend(cast("list[str]", settings["python_path"]))
    import_random()
    for name in [*STANDARD, *cast("list[str]", settings["preload"])]:
        importlib.import_module(name)
    seed()
    open_streams()
    if not settings["memory_counters"]:
        settings["memory_counters"] = list(COUNTERS)
    readable = [*cast("list[str]", settings["readable"]), sys.prefix, sys.base_prefix, *sys.path]
    readable = [path for path in dict.fromkeys(readable) if path and path != "/"]
    ruleset = landlock.Ruleset(readable, scratch) if landlock.abi() else None
    job_uid = cast("int | None", settings["job_uid"])
    with open("/proc/self/statm") as statm:
        pages = int(statm.read().split()[0])
    # Whole megabytes: two servers differ by a page or so, and every cell must give a program the same limit.
    mapped = math.ceil(pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE) * MEGABYTE
    gc.collect()
    gc.freeze()
    gc.disable()
    alone = bool(settings["pid_namespace"])
    if settings["memory_watch"]:
        settings["socket_bytes"], settings["kernel_sockets"] = census.most_socket_bytes(), census.sockets()
    codes = cast("dict[str, list[str]]", settings["filters"])[platform.machine()]
    filters = [Filter(bytes.fromhex(code)) for code in codes]
    work = scratch[0] + "/work"
    return Walls(work, job_uid, mapped, alone, ruleset, filters[0], filters[1], filters[2], readable)


def _still() -> None:
    """No signal from inside, no look into this memory, no life without the parent."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever started the host may have had it ignored
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def _hello(walls: Walls, settings: dict[str, object]) -> dict[str, object]:
    return {
        "hello": 1,
        "python": platform.python_version(),
        "pid": os.getpid(),
        "uid": os.getuid(),
        "job_uid": walls.job_uid,
        "landlock": landlock.abi(),
        "memory_watch": bool(settings["memory_watch"]),
        "memory_counter": any(map(os.path.exists, cast("list[str]", settings["memory_counters"]))),
        "oom_kills": oom_kills(cast("list[str]", settings["memory_counters"])),
    }


class Server:
    """PID 1 with its prepared walls."""

    def __init__(self, walls: Walls, settings: dict[str, object], stream_in: int, stream_out: int) -> None:
        self._walls, self._settings = walls, settings
        self._in, self._out = stream_in, stream_out
        self._alone = walls.alone
        self._poll = select.poll()
        self._poll.register(stream_in, select.POLLIN)
        if not self._alone:
            kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)

    def one_job(self) -> None:
        """From the first byte of a job to a clean cell."""
        if not self._poll.poll()[0][1] & select.POLLIN:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            self._supervise()
        status = self._wait(pid)
        kill_all(self._alone)
        if os.WIFSIGNALED(status):  # only the program, or the kernel for want of memory, can have done that
            kills = oom_kills(cast("list[str]", self._settings["memory_counters"]))
            wire.send(self._out, {"supervisor_killed": os.WTERMSIG(status), "oom_kills": kills})
            os._exit(1)
        if os.WEXITSTATUS(status) != 0:
            os._exit(0 if os.WEXITSTATUS(status) == GONE else 1)
        wire.send(self._out, {"clean": True})

    def _wait(self, pid: int) -> int:
        """Until the supervisor has gone; leaves at once when the host has."""
        try:
            pidfd = os.pidfd_open(pid)
        except (OSError, AttributeError):
            return os.waitpid(pid, 0)[1]
        both = select.poll()
        both.register(pidfd, select.POLLIN)
        both.register(self._in, 0)  # only its end
        if any(fd == self._in for fd, _ in both.poll()):
            kill_all(self._alone)
            os._exit(0)
        os.close(pidfd)
        return os.waitpid(pid, 0)[1]

    def _supervise(self) -> NoReturn:
        supervisor = Supervisor(
            self._walls, self._settings, self._in, self._out, end_others=lambda: kill_all(self._alone, rounds=1)
        )
        heard = False
        try:
            with suppress(OSError):  # gVisor has none: there PID 1 takes the orphans
                kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
            gc.enable()
            try:
                header, body = wire.receive(self._in)
            except wire.StreamEnd:
                os._exit(GONE)
            heard = True
            self._move_to(cast("list[int]", header["cores"]))
            if header["role"] == "session":
                Keeper(supervisor, self._settings, self._out).serve(cast("dict[str, float]", header["limits"]))
            else:
                self._run(supervisor, Job.read(header, body))
            os.close(self._out)
            if self._walls.job_uid is not None:
                become(self._walls.job_uid)
            clean(cast("list[str]", self._settings["scratch"]))
            os._exit(0)
        except BaseException as error:
            try:
                if heard:  # else the nonce is not next on the stream, and the frame would look forged
                    wire.send(self._out, supervisor.failed(error))
            finally:
                os._exit(NOT_CLEAN)

    def _run(self, supervisor: Supervisor, job: Job) -> None:
        report, streams = supervisor.run(job)
        wire.send(self._out, report, streams)
        if job.interactive:
            supervisor.hear_out()

    def _move_to(self, cores: list[int]) -> None:
        """With the server itself, so that the next supervisor starts there."""
        if cores and os.sched_getaffinity(0) != set(cores):
            for pid in (0, os.getppid()):
                try:
                    os.sched_setaffinity(pid, cores)
                except OSError:  # the cell is held to other cores
                    return


def kill_all(alone: bool, rounds: int = 1000) -> float:
    """Nothing that a job started may survive it. `alone`: in a PID namespace of our own. The processor time of the
    dead, in seconds."""
    cpu_s = 0.0
    for _ in range(rounds):
        if alone:
            try:
                os.kill(-1, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                rounds = 0
        else:
            _kill_children()
        try:
            while True:
                usage = os.wait4(-1, 0)[2]
                cpu_s += usage.ru_utime + usage.ru_stime
        except ChildProcessError:
            pass
        if not rounds or (not alone and not _children()):
            break
    return cpu_s


def _children() -> list[int]:
    pid = os.getpid()
    with open("/proc/%d/task/%d/children" % (pid, pid)) as children:  # noqa: UP031
        return [int(child) for child in children.read().split()]


def _kill_children() -> None:
    for child in _children():
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)
