"""Boxes on an engine: what each is given, and that none is left behind.

A box has the engine's usual capabilities but those that its worker has no use for (raw sockets, device nodes, chroot,
capabilities of files): root in it may install packages and give files away, and is still only root of its own files.
It gains no privileges but with `sudo`, has memory without swap, a bound on processes, cores and the size of a file, no
port, nothing of the host mounted, and no network unless it is asked for. The labels of cells mark it, so that the next
launcher on the engine removes it when its owner is dead.
"""

import atexit
import contextlib
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rlenv.sandbox.containers.docker_box import DockerBox
from rlenv.sandbox.containers.images import build, image_id
from rlenv.sandbox.containers.protocol import Backend, Limits
from rlenv.sandbox.engine import BOX, connect, engine_errors, owner_labels, reap, remove
from rlenv.sandbox.errors import BoxError, NoBoxes, SandboxUnavailable

if TYPE_CHECKING:
    from docker.models.containers import Container

CAPABILITIES = [
    *("CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "SETGID", "SETUID", "SETPCAP"),
    *("NET_BIND_SERVICE", "KILL", "AUDIT_WRITE"),
]
SLEEP = "n=0; while [ $n -lt 1000 ]; do sleep 2147483647 & wait; n=$((n+1)); done; read -r _"
"""The first process. Where its `sleep` is killed it takes another, and where there is none it waits on its input."""

BILLION = 1_000_000_000


class DockerBoxes:
    """A `Backend` on one engine."""

    def __init__(self, base_url: str | None = None) -> None:
        self._base_url = base_url
        with _as_box_errors("finding it"):
            self._client = connect(base_url)
            reap(self._client)
        self._name = f"rlenv-box-{os.getpid()}-{secrets.token_hex(4)}"
        self._boxes: list[DockerBox] = []
        self._adding = threading.Lock()
        self._holds_storage = True
        self._closed = False
        atexit.register(self.close)

    def build(
        self, context: Path, *, base: Mapping[str, str] | None = None, network: bool = False, timeout_s: float = 600
    ) -> str:
        """Build an image; see `Backend.build`. A command that says nothing may take twice the time."""
        with _as_box_errors("building an image"):
            client = connect(self._base_url)
            try:
                return build(client, context, base or {}, network, timeout_s)
            finally:
                client.close()

    def has_image(self, name: str) -> bool:
        """Whether the engine has the image."""
        with _as_box_errors("looking for an image"):
            return image_id(self._client, name) is not None

    def start(self, image: str, limits: Limits) -> DockerBox:
        """Start a box; see `Backend.start`."""
        if self._closed:
            raise BoxError("these boxes are closed; open others")
        with _as_box_errors("starting a box"):
            if image_id(self._client, image) is None:
                raise BoxError(f"the engine has no image {image!r}: build or pull it first")
            container = self._create(image, limits)
            try:
                container.start()
            except BaseException:
                remove(container)
                raise
        box = DockerBox(self._client, container, limits, measured=not self._holds_storage)
        with self._adding:
            self._boxes = [other for other in self._boxes if not other.killed] + [box]
        return box

    def _create(self, image: str, limits: Limits) -> "Container":
        """A container; the first time, it is tried whether the engine can hold a bound on its disk."""
        import docker.errors

        if self._holds_storage:
            try:
                return self._asked(image, limits, {"size": f"{limits.storage_mb}M"})
            except docker.errors.APIError as error:
                if "storage" not in str(error.explanation).lower():
                    raise
                self._holds_storage = False
        return self._asked(image, limits, None)

    def _asked(self, image: str, limits: Limits, storage: dict[str, str] | None) -> "Container":
        from docker.types import Ulimit

        size = limits.storage_mb << 20
        return self._client.containers.create(
            image,
            ["sh", "-c", SLEEP],
            name=f"{self._name}-{secrets.token_hex(4)}",
            labels={**owner_labels(), BOX: "1"},
            environment=dict(limits.env),
            entrypoint=[],
            user=limits.user,
            working_dir=limits.workdir,
            stdin_open=True,
            network_mode="bridge" if limits.network else "none",
            cap_drop=["ALL"],
            cap_add=CAPABILITIES,
            security_opt=[] if limits.sudo else ["no-new-privileges"],
            mem_limit=f"{limits.memory_mb}m",
            memswap_limit=f"{limits.memory_mb}m",
            pids_limit=limits.pids,
            nano_cpus=int(limits.cpus * BILLION),
            ulimits=[Ulimit(name="core", soft=0, hard=0), Ulimit(name="fsize", soft=size, hard=size)],
            storage_opt=storage,
            log_config={"Type": "none"},
        )

    def close(self) -> None:
        """Kill every box that it started."""
        if not self._closed:
            self._closed = True
            atexit.unregister(self.close)
            for box in self._boxes:
                box.kill()
            with contextlib.suppress(BoxError), _as_box_errors("looking for boxes that an outage left"):
                for container in self._client.containers.list(all=True, filters={"name": self._name}):
                    remove(container)
            self._client.close()


@contextlib.contextmanager
def _as_box_errors(doing: str) -> Iterator[None]:
    import urllib3.exceptions

    try:
        with engine_errors(doing):
            yield
    except SandboxUnavailable as error:
        raise BoxError(str(error)) from error
    except urllib3.exceptions.HTTPError as error:  # of a stream that breaks or says nothing: the SDK hands it on
        raise BoxError(f"the container engine failed while {doing}: {error}") from error


def docker_boxes(base_url: str | None = None) -> Backend:
    """Boxes on the engine at `base_url`, else at DOCKER_HOST, else at the usual socket.

    Raises `NoBoxes` where the docker SDK is missing, and `BoxError` where no engine answers.
    """
    try:
        import docker  # noqa: F401
    except ImportError as error:
        raise NoBoxes("boxes need the docker SDK; do: pip install docker") from error
    return DockerBoxes(base_url)
