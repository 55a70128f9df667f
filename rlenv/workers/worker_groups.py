"""Ends a worker together with everything that it has started, whatever its children did to get away.

Each worker has a keeper: its parent, which adopts what the worker's children leave behind (it is a subreaper), so that
a child in a session of its own is still found. When the worker ends, or the pool closes the keeper's control socket or
dies, the keeper kills all that is below it until nothing is left. Where a cgroup (version 2) can be made, the worker
lives in one, which the kernel kills at once however fast it forks.

Linux only. Elsewhere the process group of the worker is killed, and a child in a session of its own outlives it.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
BURIAL_S = 2.0
"""How long to wait for the kernel to let go of a cgroup whose processes are killed."""


def what_ends_processes() -> str:
    """What this machine does about processes that a verifier in a worker leaves behind, in one line."""
    if not keepers_work():
        return (
            "WARNING: only the process group of a worker is ended with it; "
            "what a verifier starts in a session of its own stays behind"
        )
    with WorkerCgroups() as cgroups:
        how = "a cgroup for each worker" if cgroups else "a keeper that adopts what a worker's children leave behind"
    return f"a worker is ended with all that it has started: {how}"


def keepers_work() -> bool:
    """True where a process can adopt what its children leave behind, and find it."""
    if sys.platform != "linux":
        return False
    try:
        return os.readlink("/proc/self") == str(os.getpid()) and Path(_children_file(os.getpid())).exists()
    except OSError:
        return False


class WorkerCgroups:
    """A cgroup below this process's own, for one cgroup a worker; false where none can be made."""

    def __init__(self, mounts: Path = Path("/proc/self/mounts"), own: Path = Path("/proc/self/cgroup")) -> None:
        self._folder: Path | None = None
        with suppress(OSError, StopIteration):
            folder = _own_cgroup(mounts, own) / f"rlenv-workers-{os.getpid()}-{secrets.token_hex(4)}"
            folder.mkdir()
            if all(os.access(folder / file, os.W_OK) for file in ("cgroup.kill", "cgroup.procs")):
                self._folder = folder
            else:
                folder.rmdir()

    def __bool__(self) -> bool:
        return self._folder is not None

    def __enter__(self) -> WorkerCgroups:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def make(self) -> Path | None:
        """A new one for a worker."""
        if self._folder is None:
            return None
        with suppress(OSError):
            folder = self._folder / secrets.token_hex(8)
            folder.mkdir()
            return folder
        return None

    def remove(self, folder: Path | None) -> None:
        """Once its processes are dead; where the kernel has not buried them yet, close() removes it."""
        if folder is not None:
            with suppress(OSError):
                folder.rmdir()

    def close(self) -> None:
        """Kill what is still in them and remove them."""
        if self._folder is not None:
            with suppress(OSError):
                (self._folder / "cgroup.kill").write_text("1")
            until = time.monotonic() + BURIAL_S
            while self._folder.exists() and time.monotonic() < until:
                for folder in [*self._folder.glob("*/"), self._folder]:
                    self.remove(folder)
                time.sleep(0.001)
            self._folder = None


def become_subreaper() -> None:
    """Orphans below this process become its children."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def keep(control: socket.socket, cgroup: Path | None, run: Callable[[], None]) -> NoReturn:
    """Run `run` in a child, and leave when it has ended or `control` closes, with nothing left of it.

    Says on `control` how the child ended.
    """
    become_subreaper()
    wake, woken = socket.socketpair()
    for end in (wake, woken):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, _note)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        for end in (control, wake, woken):
            end.close()
        _become_worker(keeper, cgroup, run)
    code = _watch(worker, control, wake)
    if cgroup is not None:
        with suppress(OSError):
            (cgroup / "cgroup.kill").write_text("1")
    end_children()
    with suppress(OSError):
        control.sendall(str(code).encode())
    os._exit(0)


def end_children(spare: Collection[int] = ()) -> None:
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
        if not reap():
            time.sleep(0.001)


def reap() -> dict[int, int]:
    """The exit codes of the children that have ended."""
    codes: dict[int, int] = {}
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            codes[pid] = os.waitstatus_to_exitcode(status)
    return codes


# --- the keeper ---


def _watch(worker: int, control: socket.socket, wake: socket.socket) -> int:
    """The exit code of the worker; that of a killed one where the pool wants it to end."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while True:
        codes = reap()
        if worker in codes:
            return codes[worker]
        if control.fileno() in [descriptor for descriptor, _ in poll.poll()]:
            return -signal.SIGKILL
        with suppress(BlockingIOError):
            wake.recv(4096)


def _note(number: int, frame: object) -> None:
    """Without a handler of its own the signal would wake nobody."""


def _become_worker(keeper: int, cgroup: Path | None, run: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(code)
        os.setsid()
        if cgroup is not None:
            (cgroup / "cgroup.procs").write_text("0")
        run()
        code = 0
    except BaseException:  # whatever a verifier raises that nobody catches ends this worker, as it ends an interpreter
        traceback.print_exc()
    finally:
        os._exit(code)


# --- what is below a process ---


def _below(pid: int, spare: Collection[int]) -> list[int]:
    """Parents before their children, so that who forks on is killed first."""
    found = [child for child in _children(pid) if child not in spare]
    for child in found:
        found += [grandchild for grandchild in _children(child) if grandchild not in spare]
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):  # it has ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(_children_file(pid, task)) as file:
                found += map(int, file.read().split())
    return found


def _children_file(pid: int, task: str = "") -> str:
    return f"/proc/{pid}/task/{task or pid}/children"


def _own_cgroup(mounts: Path, own: Path) -> Path:
    """Raises StopIteration where there are no cgroups of version 2."""
    mount = next(line.split()[1] for line in mounts.read_text().splitlines() if line.split()[2] == "cgroup2")
    path = next(line[3:] for line in own.read_text().splitlines() if line.startswith("0::"))
    return Path(mount) / path.strip("/")


def _prctl(option: int, argument: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(argument), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")
