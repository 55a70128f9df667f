"""Cells in containers: one warm, locked-down container each, spoken to through its standard streams.

What a container is given: no network, a read-only root, no capability but the three that the fork server needs to
run programs under another uid, memory without swap, a bound on processes, the time of one core, a small file system in
memory with a bound on its files, no shared memory, no log. Nothing is mounted into it and no port leads to it, so the
engine may be on another machine. The stream is that of `docker attach`, opened before the container starts: one
connection, no process of the docker program, no request per program.

When the owner dies its end of the stream closes, the engine closes the container's standard input, and the fork
server ends. What is then left of the container is removed by the next launcher on the engine.
"""

import contextlib
import functools
import os
import secrets
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rlenv.sandbox.engine import connect, engine_errors, own_socket, owner_labels, reap, remove
from rlenv.sandbox.errors import CellLate, CellLost, SandboxUnavailable
from rlenv.sandbox.image import build_image
from rlenv.sandbox.launcher import SERVER_ENVIRONMENT, CellSettings, ServerSettings, server_command
from rlenv.sandbox.packages import closure

if TYPE_CHECKING:
    import docker
    from docker.models.containers import Container

SHORTEST_WAIT_S = 0.001
STDERR = 2
STREAMS = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
HEADER = struct.Struct(">BxxxL")
"""Before each piece of output: which stream it is of, and its length."""

MESSAGE_BYTES = 4096
FIRST_UID, UIDS = 20_000, 40_000
"""Uids of programs: within the 65,536 that a remapped or rootless engine has, away from those of people."""

ONE_CORE = 1_000_000_000
"""In the engine's billionths. Which core it is, the pool decides for each program."""

GVISOR_PROCESSES = 512
"""gVisor's own threads count towards the limit on processes; below this it does not start."""


class DockerChannel:
    """The stream to the fork server of one container."""

    def __init__(self, container: "Container", stream: socket.socket, settings: ServerSettings) -> None:
        self.settings = settings
        self.container = container
        self._socket, self._response = own_socket(stream)
        self._raw = bytearray()
        self._out = bytearray()
        self._messages = b""
        self._closing = threading.Lock()
        self._closed = False

    def read(self, count: int, deadline: float) -> bytes:
        """Exactly `count` bytes of the fork server's standard output."""
        while len(self._out) < count:
            self._receive(deadline)
        data = bytes(self._out[:count])
        del self._out[:count]
        return data

    def write(self, data: bytes, deadline: float) -> None:
        """Send bytes to the fork server's standard input."""
        with self._as_cell_errors(deadline) as left:
            self._socket.settimeout(left)
            self._socket.sendall(data)

    def _receive(self, deadline: float) -> None:
        with self._as_cell_errors(deadline) as left:
            self._socket.settimeout(left)
            data = self._socket.recv(1 << 18)
        if not data:
            raise CellLost(f"the container ended{self._said()}")
        self._raw += data
        self._sort()

    def _sort(self) -> None:
        """Take the whole pieces out of what came and put each where it belongs."""
        at = 0
        while len(self._raw) - at >= HEADER.size:
            kind, length = HEADER.unpack_from(self._raw, at)
            end = at + HEADER.size + length
            if len(self._raw) < end:
                break
            piece = bytes(self._raw[at + HEADER.size : end])
            if kind == STDERR:
                self._messages = (self._messages + piece)[-MESSAGE_BYTES:]
            else:
                self._out += piece
            at = end
        del self._raw[:at]

    @contextlib.contextmanager
    def _as_cell_errors(self, deadline: float) -> Iterator[float]:
        try:  # what is there already is in time, however late we come to it
            yield max(SHORTEST_WAIT_S, deadline - time.monotonic())
        except TimeoutError as error:
            raise CellLate("the container did not answer in time") from error
        except (OSError, ValueError) as error:
            raise CellLost(f"the stream to the container broke ({error}){self._said()}") from error

    def _said(self) -> str:
        said = self.messages().strip()
        return f"; it said: {said[-500:]}" if said else ""

    def close(self) -> None:
        """Kill and remove the container, by its id."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        # A thread that waits in recv() is woken by this, not by close(): whose descriptor, taken again by the
        # connection that removes the container, could be the one that a thread is about to wait for.
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        try:
            remove(self.container)
        finally:
            self._release()

    def abandon(self) -> None:
        """Give up this process's copy of the stream; the container is the parent's."""
        self._closed = True
        self._release()

    def _release(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._socket.close()
        if self._response is not None:
            self._response.close()

    def postmortem(self) -> Literal["", "memory"]:
        """ "memory" where the engine says that the kernel killed the fork server for want of it."""
        with contextlib.suppress(SandboxUnavailable), engine_errors("asking why a cell ended"):
            self.container.wait(timeout=2)
            self.container.reload()
            state = self.container.attrs["State"]
            return "memory" if state.get("OOMKilled") and state.get("ExitCode") == 137 else ""
        return ""

    def messages(self) -> str:
        """The last of what the container wrote to stderr."""
        return self._messages.decode("utf-8", "backslashreplace")


class DockerLauncher:
    """Starts cells as containers of one engine.

    `image` is the name of an image with `python3`; without one, it is made of the host's Python with the packages that
    the preloaded modules need. `runtime` names a runtime of the engine (`runsc` for gVisor). `base_url` names the
    engine, else DOCKER_HOST does.

    Raises `SandboxUnavailable` where no engine answers, or it has no such image or runtime.
    """

    def __init__(
        self,
        cells: CellSettings,
        *,
        image: str | None = None,
        runtime: str | None = None,
        base_url: str | None = None,
    ) -> None:
        self.image = image or build_image(packages=closure(cells.preload), base_url=base_url)
        self._cells = cells
        self._client = connect(base_url)
        self._runtime = runtime
        self.name = "docker" + (f":{runtime}" if runtime else "") + (f"@{image}" if image else "")
        self._first_uid = secrets.randbelow(UIDS)
        with engine_errors("reading what it is"):
            self.engine = _engine_name(self._client)
            self._check_names()
        reap(self._client)

    def _check_names(self) -> None:
        import docker.errors

        try:
            self._client.images.get(self.image)
        except docker.errors.ImageNotFound as error:
            message = f"the engine has no image {self.image!r}; `rlenv sandbox build` makes one and prints its name"
            raise SandboxUnavailable(message) from error
        runtimes = self._client.info().get("Runtimes") or {}
        if self._runtime is not None and runtimes and self._runtime not in runtimes:
            known = ", ".join(sorted(runtimes))
            raise SandboxUnavailable(f"expected a runtime of the engine ({known}), got {self._runtime!r}")

    def launch(self, serial: int) -> DockerChannel:
        """Start one container; the fork server in it waits for its source on the stream."""
        settings = ServerSettings(job_uid=FIRST_UID + (self._first_uid + serial) % UIDS)
        with engine_errors("starting a cell"), contextlib.ExitStack() as undo:
            container = self._create(serial)
            undo.callback(remove, container)
            channel = DockerChannel(container, self._client.api.attach_socket(container.id, params=STREAMS), settings)
            undo.callback(channel.close)
            container.start()
            undo.pop_all()
        return channel

    def _create(self, serial: int) -> "Container":
        memory = f"{self._cells.memory_mb}m"
        gvisor = (self._runtime or "").startswith("runsc")
        return self._client.containers.create(
            self.image,
            server_command("python3"),
            name=f"rlenv-cell-{os.getpid()}-{secrets.token_hex(4)}-{serial}",
            labels=owner_labels(),
            environment=SERVER_ENVIRONMENT,
            working_dir="/",
            entrypoint=[],
            user="0:0",
            stdin_open=True,
            runtime=self._runtime,
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            cap_add=["SETUID", "SETGID", "KILL"],
            security_opt=["no-new-privileges"],
            ipc_mode="none",
            mem_limit=memory,
            memswap_limit=memory,
            pids_limit=max(self._cells.processes, GVISOR_PROCESSES) if gvisor else self._cells.processes,
            nano_cpus=ONE_CORE,
            tmpfs={"/tmp": _scratch(self.engine, self._cells.tmp_mb)},
            ulimits=ulimits(self.engine),
            log_config={"Type": "none"},
        )

    def close(self) -> None:
        """Close the connections to the engine."""
        self._client.close()


def launcher_named(name: str) -> "functools.partial[DockerLauncher]":
    """What makes launchers of a backend written `docker`, `docker:RUNTIME`, `docker@IMAGE` or `docker:RUNTIME@IMAGE`.

    >>> launcher_named("docker:runsc@registry.example:5000/tools:1").keywords
    {'image': 'registry.example:5000/tools:1', 'runtime': 'runsc'}
    """
    head, _, image = name.partition("@")
    return functools.partial(DockerLauncher, image=image or None, runtime=head.partition(":")[2] or None)


def _engine_name(client: "docker.DockerClient") -> Literal["docker", "podman"]:
    parts = client.version().get("Components") or []
    return "podman" if any("podman" in str(part.get("Name", "")).lower() for part in parts) else "docker"


def _scratch(engine: str, size_mb: int) -> str:
    options = f"rw,nosuid,nodev,mode=1777,size={size_mb}m"
    # podman knows no bound on the number of files; the memory that they take is charged to the cell all the same.
    return options if engine == "podman" else f"{options},nr_inodes=8192"


def ulimits(engine: str) -> "list[docker.types.Ulimit]":
    """The limits that a container's first process starts with; those of programs lie below."""
    from docker.types import Ulimit

    limits = [Ulimit(name="core", soft=1, hard=1), Ulimit(name="nofile", soft=1024, hard=1024)]
    # podman asks for more processes than it may where it lacks CAP_SYS_RESOURCE, unless told how many.
    return [*limits, Ulimit(name="nproc", soft=4096, hard=4096)] if engine == "podman" else limits
