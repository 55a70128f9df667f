"""Runs as the first process of a cell in place of the fork server, and tries what the cell must not allow.

What an engine accepts as a setting and then ignores shows here, and nowhere else. Standard library only and Python
3.8, and nothing of ours: the source travels over the cell's stream. Each finding goes back as a length and a JSON
object: the name of a limit, and the evidence against it (empty where the limit held).
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator

LENGTH = struct.Struct(">I")
ALLOWED_CAPABILITIES = 1 << 5 | 1 << 6 | 1 << 7
"""KILL, SETGID and SETUID: what the fork server needs to run programs under another uid."""


def tell(finding: dict[str, object]) -> None:
    """Send one finding to the host."""
    text = json.dumps(finding).encode()
    data = LENGTH.pack(len(text)) + text
    while data:
        data = data[os.write(1, data) :]


def status() -> dict[str, str]:
    """What the kernel says about this process."""
    with open("/proc/self/status") as lines:
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def pid_namespace() -> str:
    """It is process 1 and sees no other."""
    others = [name for name in os.listdir("/proc") if name.isdigit() and name != str(os.getpid())]
    if os.getpid() != 1:
        return f"the first process has the id {os.getpid()}"
    return f"it sees {len(others)} other processes" if others else ""


def network() -> str:
    """No interface but the loopback, and no way out. Nothing is sent: connect() on a datagram socket only routes."""
    names = [name for _, name in socket.if_nameindex() if name != "lo"]
    # Tunnels that the kernel makes in every network namespace lead nowhere until somebody with rights sets them up.
    names = [name for name in names if _is_up(name)]
    if names:
        return "it has the network interfaces " + ", ".join(names)
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            return "it has a route to " + address
    return ""


def _is_up(interface: str) -> bool:
    try:
        with open(f"/sys/class/net/{interface}/flags") as flags:
            return bool(int(flags.read(), 16) & 1)
    except OSError:
        return True


def read_only() -> str:
    """Nothing can be created outside the scratch file system."""
    for folder in ("/", "/usr", "/etc", "/var", os.path.dirname(os.__file__), os.path.dirname(sys.executable)):
        path = os.path.join(folder, "rlenv-canary")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT):
                return f"{folder} answered {error}"
        else:
            os.unlink(path)
            return "it could write to " + folder
    return ""


def capabilities() -> str:
    """Neither it nor anything it starts has a right beyond the three that it needs, and none can be gained."""
    about = status()
    more = [name for name in ("CapEff", "CapBnd", "CapInh") if int(about[name], 16) & ~ALLOWED_CAPABILITIES]
    if more:
        return "it has more rights than it needs: " + ", ".join(f"{name} {about[name]}" for name in more)
    return "" if about.get("NoNewPrivs") == "1" else "programs could gain rights: NoNewPrivs is not set"


def scratch(limit_mb: int) -> str:
    """The scratch file system is full when it should be."""
    path, block = f"/tmp/rlenv-canary-{os.getpid()}", b"\0" * (1 << 20)
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    os.unlink(path)  # at once: a cell that is killed meanwhile leaves nothing to the next one in its place
    try:
        for _ in range(limit_mb + 4):
            os.write(descriptor, block)
    except OSError as error:
        return "" if error.errno == errno.ENOSPC else f"it answered {error}"
    finally:
        os.close(descriptor)
    return f"it could write {limit_mb + 4} MB where {limit_mb} are allowed"


def processes(limit: int) -> str:
    """No more processes than allowed, counted while all of them live."""
    children: list[int] = []
    try:
        while len(children) < limit + 8:
            pid = os.fork()
            if pid == 0:
                signal.pause()
                os._exit(0)
            children.append(pid)
    except OSError:
        return ""
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        for pid in children:
            os.waitpid(pid, 0)
    return f"it could start {len(children)} processes where {limit} are allowed"


def memory(limit_mb: int) -> str:
    """A process that takes more memory than the cell has is killed."""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            # The kernel is to kill this process, not the one that reports.
            with open("/proc/self/oom_score_adj", "w") as score:
                score.write("1000")
            taken = []
            for _ in range(2 * limit_mb):
                taken.append(b"\1" * (1 << 20))
            os._exit(0)
        os._exit(1)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        done, how = os.waitpid(pid, os.WNOHANG)
        if done:
            return "" if os.WIFSIGNALED(how) else f"it could take {2 * limit_mb} MB where {limit_mb} are allowed"
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "taking too much memory was neither allowed nor punished"


def checks(limits: dict[str, int]) -> Iterator[tuple[str, Callable[[], str]]]:
    """What can be tried, the harmless first: the last ones may cost the cell its life."""
    yield "pid_namespace", pid_namespace
    yield "network", network
    yield "read_only", read_only
    yield "capabilities", capabilities
    yield "scratch", lambda: scratch(limits["tmp_mb"])
    yield "processes", lambda: processes(limits["processes"])
    yield "memory", lambda: memory(limits["memory_mb"])


def main(read: Callable[[int], bytes]) -> None:
    """Try what is asked for, and say before each what is tried next: the host sees at what a cell died."""
    asked = json.loads(read(LENGTH.unpack(read(LENGTH.size))[0]))
    for name, check in checks(asked["limits"]):
        if name not in asked["try"]:
            continue
        tell({"trying": name})
        try:
            evidence = check()
        except Exception as error:
            evidence = f"the check failed: {type(error).__name__}: {error}"
        tell({"limit": name, "evidence": evidence})
    tell({"done": True})


if __name__ == "boot":
    main(globals()["read"])
