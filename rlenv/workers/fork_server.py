"""A process that has imported what a worker needs, and forks one in milliseconds where an interpreter takes a second.

It runs no verifier and has no thread of its own. Linux only, for it starts workers with keepers (worker_groups.py).
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from rlenv.workers.worker import serve
from rlenv.workers.worker_groups import WorkerCgroups, become_subreaper, end_children, keep, reap

_REQUEST_BYTES = 1 << 16
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from rlenv.workers.fork_server import main; main(int(sys.argv[2]), json.loads(sys.argv[3]))"
)


class ForkServer:
    """The pool's side of it. Not thread-safe."""

    def __init__(self, memory_mb: int | None) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, json.dumps(sys.path), str(theirs.fileno()), json.dumps(memory_mb)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def start(self) -> tuple[KeptProcess, socket.socket]:
        """A worker, and our end of its socket; where the server has died the socket is at its end."""
        ours, theirs = socket.socketpair()
        control, kept = socket.socketpair()
        with theirs, kept, suppress(BrokenPipeError, ConnectionResetError):
            socket.send_fds(self._socket, [b"start"], [theirs.fileno(), kept.fileno()])
        return KeptProcess(control), ours

    def close(self) -> None:
        """End it, and whatever may be left below it."""
        self._socket.close()
        self._process.wait()

    def abandon(self) -> None:
        """In a forked child: it belongs to the parent."""
        self._socket.close()
        self._process.returncode = 0  # not our child: nothing to wait for


class KeptProcess:
    """A worker that ends with all that it has started: its keeper sees to it, as soon as `control` closes."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self.exit_code = -signal.SIGKILL
        """Of a worker that had ended by itself; else that of a killed one."""

    def end(self) -> None:
        """Have it killed, with all that it has started; nobody waits for that but `ForkServer.close`."""
        with self._control, suppress(OSError, ValueError):
            self.exit_code = int(self._control.recv(16, socket.MSG_DONTWAIT))

    def abandon(self) -> None:
        """In a forked child: it belongs to the parent."""
        self._control.close()


def main(descriptor: int, memory_mb: int | None) -> None:
    """Fork a worker for each request, until the socket closes; then end all of them."""
    become_subreaper()
    server = socket.socket(fileno=descriptor)
    server.set_inheritable(False)
    keepers: dict[int, Path | None] = {}
    gc.freeze()  # what is here now is never garbage: workers must not touch and so copy it
    with WorkerCgroups() as cgroups:
        while ends := _request(server):
            for ended in reap():
                cgroups.remove(keepers.pop(ended, None))
            end_children(spare=keepers)  # what a keeper that was killed has left
            cgroup = cgroups.make()
            keeper = os.fork()
            if keeper == 0:
                server.close()
                _keep(ends, cgroup, memory_mb)
            keepers[keeper] = cgroup
            for end in ends:
                os.close(end)
        end_children()


def _request(server: socket.socket) -> list[int]:
    """The worker's and the keeper's end of their sockets; nothing when the pool has closed."""
    _, ends, _, _ = socket.recv_fds(server, _REQUEST_BYTES, 2, socket.MSG_CMSG_CLOEXEC)
    return ends


def _keep(ends: list[int], cgroup: Path | None, memory_mb: int | None) -> None:
    """The keeper's copy of the worker's end closes with the keeper: when the pool reads the end, nothing is left."""
    served, control = (socket.socket(fileno=end) for end in ends)
    keep(control, cgroup, lambda: serve(served, memory_mb))
