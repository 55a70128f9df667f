"""Enters a cell of namespaces and becomes its first process: run as a script by `namespaces.NamespaceLauncher`.

As root it needs no user namespace: the cell's server keeps only SETUID, SETGID and KILL, and programs get a uid of
their own. As an ordinary user a user namespace maps that one user, and nobody keeps any capability.

What the cell sees: the interpreter and the system's libraries and programs, read-only; /proc of its own processes; four
devices; an empty /tmp in memory. No /etc (but for the loader's cache and the links of alternatives), no /home, no
installed packages, no network interface that is up.

A parent process stays outside. It kills the cell when its control pipe closes or its host dies, however
that happens, and removes the cell's cgroups. Standard library only.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import struct
import sys
import time
from contextlib import suppress
from typing import NoReturn, TypedDict

NEW_NS, NEW_CGROUP, NEW_UTS, NEW_IPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
DETACH = 2
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS = 1, 24, 28, 38
CAP_KILL, CAP_SETGID, CAP_SETUID = 5, 6, 7
INSIDE_UID = 65534
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
PLACES = ("/mnt", "/media", "/srv", "/opt", "/home", "/var")
COUNTER = "/memory-counter"
"""Where the cell sees the out-of-memory counter of its cgroup."""
FOR_MEMORY = 42
"""Exit code of the guardian of a cell whose first process was killed for want of memory."""
_libc = ctypes.CDLL(None, use_errno=True)


class Plan(TypedDict):
    """What the host asks for."""

    host: int
    """Process id of the host."""
    control: int
    """Descriptor that closes when the cell is to end."""
    command: list[str]
    environment: dict[str, str]
    binds: list[tuple[str, str]]
    """What is seen read-only: source, place in the cell."""
    links: list[tuple[str, str]]
    hidden: list[str]
    """Folders covered by empty ones."""
    tmp_mb: int
    cgroups: list[tuple[str, dict[str, str]]]
    """Folders to make, with the files to write into each."""
    counter: str
    """The file with the out-of-memory counter, or nothing."""


def main(plan: Plan) -> NoReturn:
    """Stay outside as the guardian of the cell, and be its first process inside."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the host may have had it ignored
    host = os.pidfd_open(plan["host"])
    if os.getppid() != plan["host"]:
        os._exit(0)
    root = os.getuid() == 0
    for folder, files in plan["cgroups"]:
        os.mkdir(folder)
        for name, value in files.items():
            _write(os.path.join(folder, name), value)
    _unshare(root)
    pid = os.fork()
    if pid == 0:
        try:
            os.close(plan["control"])
            _enter(plan, root)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    _guard(pid, host, plan)


# --- outside ---


def _guard(pid: int, host: int, plan: Plan) -> NoReturn:
    for fd in (0, 1):
        os.close(fd)
    child = os.pidfd_open(pid)
    poll = select.poll()
    for fd in (child, host, plan["control"]):
        poll.register(fd, select.POLLIN)
    ended = any(fd == child for fd, _ in poll.poll())
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    for_memory = killed_for_memory(os.waitpid(pid, 0)[1], plan["counter"] if ended else "")
    for folder, _ in plan["cgroups"]:
        _remove(folder)
    os._exit(FOR_MEMORY if for_memory else 0)


def killed_for_memory(status: int, counter: str) -> bool:
    """Whether a first process that ended so was killed by the kernel for want of memory."""
    if not counter or not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        return False
    with suppress(OSError), open(counter) as lines:
        return any(line.startswith("oom_kill ") and int(line.split()[1]) > 0 for line in lines)
    return False


def _remove(folder: str) -> None:
    """A cgroup is busy until the kernel has buried its last process."""
    for _ in range(100):
        try:
            os.rmdir(folder)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)


def _write(path: str, value: str) -> None:
    try:
        with open(path, "w") as file:
            file.write(value)
    except FileNotFoundError:
        if not path.endswith(("memsw.limit_in_bytes", "swap.max")):  # kernels without accounting of swap
            raise


# --- inside ---


def _unshare(root: bool) -> None:
    uid, gid = os.getuid(), os.getgid()
    flags = NEW_UTS | NEW_IPC | NEW_PID | NEW_NET | NEW_CGROUP
    _check(_libc.unshare(flags | (0 if root else NEW_USER)), "unshare")
    if not root:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{INSIDE_UID} {uid} 1")
        _write("/proc/self/gid_map", f"{INSIDE_UID} {gid} 1")


def _enter(plan: Plan, root: bool) -> NoReturn:
    for folder, _ in plan["cgroups"]:
        _write(os.path.join(folder, "cgroup.procs"), "0")
    _check(_libc.unshare(NEW_NS), "unshare of mounts")  # here only: the guardian keeps its view of the machine
    _build_root(plan)
    _drop_capabilities({CAP_KILL, CAP_SETGID, CAP_SETUID} if root else set())
    if root:
        os.setgroups([])
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    _libc.sethostname(b"cell", 4)
    command = plan["command"]
    os.execve(command[0], command, plan["environment"])


def _build_root(plan: Plan) -> None:
    _mount("none", "/", "", REC | PRIVATE)
    new = _place(plan)
    _mount("tmpfs", new, "tmpfs", NOSUID | NODEV, "size=1m,mode=755")
    for source, inside in plan["binds"]:
        _bind(source, new + inside)
    for target, inside in plan["links"]:
        os.makedirs(os.path.dirname(new + inside), exist_ok=True)
        os.symlink(target, new + inside)
    for folder in plan["hidden"]:
        if os.path.isdir(new + folder):
            _mount("tmpfs", new + folder, "tmpfs", RDONLY | NOSUID | NODEV | NOEXEC, "size=4k,nr_inodes=2,mode=755")
    for device in DEVICES:
        _bind(device, new + device, device=True)
    if plan["counter"]:
        _bind(plan["counter"], new + COUNTER)
    os.makedirs(new + "/proc")
    _mount("proc", new + "/proc", "proc", NOSUID | NODEV | NOEXEC)
    os.makedirs(new + "/tmp")
    _mount("tmpfs", new + "/tmp", "tmpfs", NOSUID | NODEV, f"size={plan['tmp_mb']}m,nr_inodes=8192,mode=1777")
    _turn_to(new)


def _place(plan: Plan) -> str:
    """A folder to build the new root on, that hides nothing that is to be seen in it."""
    sources = [source for source, _ in plan["binds"]]
    for place in PLACES:
        if os.path.isdir(place) and not any((source + "/").startswith(place + "/") for source in sources):
            return place
    raise OSError(f"expected one of the folders {', '.join(PLACES)} to build the cell on")


def _bind(source: str, target: str, device: bool = False) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    _mount(source, target, "", BIND | REC)
    flags = NOSUID | NOEXEC if device else RDONLY | NOSUID | NODEV
    attributes = struct.pack("QQQQ", flags, 0, 0, 0)  # the first four flags have the same values as mount attributes
    if _libc.syscall(MOUNT_SETATTR, AT_FDCWD, target.encode(), AT_RECURSIVE, attributes, len(attributes)) < 0:
        _mount(source, target, "", BIND | REMOUNT | flags)


def _turn_to(new: str) -> None:
    os.mkdir(new + "/old")
    pivot_root = 155 if os.uname().machine == "x86_64" else 41
    _check(_libc.syscall(pivot_root, new.encode(), (new + "/old").encode()), "pivot_root")
    os.chdir("/")
    _check(_libc.umount2(b"/old", DETACH), "umount of the old root")
    os.rmdir("/old")
    _mount("none", "/", "", REMOUNT | BIND | RDONLY | NOSUID | NODEV)


def _drop_capabilities(keep: set[int]) -> None:
    for capability in range(64):
        if capability not in keep:
            _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    mask = sum(1 << capability for capability in keep)
    header = struct.pack("Ii", 0x20080522, 0)
    _check(_libc.capset(header, struct.pack("6I", mask, mask, 0, 0, 0, 0)), "capset")


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    words = (source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), data.encode() or None)
    _check(_libc.mount(*words), f"mount of {source} on {target}")


def _prctl(option: int, value: int) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
