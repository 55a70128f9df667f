"""The container engine: finding it, and leaving nothing of ours behind in it.

Docker and podman answer the same requests (podman through `podman system service` and its socket). Every container
of ours carries labels that say which process on which host owns it, so that one whose owner is dead can be told from
one that is at work, and is removed by whoever comes next.
"""

import logging
import os
import platform
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rlenv.sandbox.errors import SandboxUnavailable

if TYPE_CHECKING:
    import docker
    import requests
    from docker.models.containers import Container

CELL = "org.rlenv.cell"
HOST = "org.rlenv.host"
OWNER = "org.rlenv.owner"
BOX = "org.rlenv.box"
"""Labels of a container: that it is a cell, the host of the process that owns it, that process, and that the cell is a
box, which its owner may stop and start again."""

USUAL = "unix:///var/run/docker.sock"
TIMEOUT_S = 120.0
"""How long one request to the engine may take: on a busy machine, to compare a box with its image takes a minute."""

REMOVALS = 3
"""How often a removal is asked for: engines refuse one that meets the end of the container at the wrong moment."""

log = logging.getLogger(__name__)


def connect(base_url: str | None = None) -> "docker.DockerClient":
    """A client of the engine at `base_url`, else at DOCKER_HOST, else at the usual socket.

    Raises `SandboxUnavailable` where the SDK is missing or no engine answers.
    """
    try:
        import docker
        import docker.errors
    except ImportError as error:
        message = "the docker backend needs the docker SDK; do: pip install docker"
        raise SandboxUnavailable(message) from error
    where = base_url or os.environ.get("DOCKER_HOST") or USUAL
    client = None
    try:
        if where.startswith("unix://"):
            _knock(where.removeprefix("unix://"))
        client = docker.DockerClient(base_url, timeout=TIMEOUT_S) if base_url else docker.from_env(timeout=TIMEOUT_S)
        client.ping()
    except (docker.errors.DockerException, OSError) as error:
        if client is not None:
            client.close()
        raise SandboxUnavailable(
            f"no container engine answers at {where} ({error}); start one (dockerd, or podman system service), point "
            "DOCKER_HOST at it, or use open_sandbox('namespaces')"
        ) from error
    return client


def _knock(path: str) -> None:
    """Raise OSError where nobody listens. The SDK, which would too, leaves the socket of such a try open."""
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(TIMEOUT_S)
        door.connect(path)


@contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Turn errors of the SDK and of its transport (which are OSErrors) into `SandboxUnavailable`, saying at what."""
    import docker.errors

    try:
        yield
    except (docker.errors.DockerException, OSError) as error:
        raise SandboxUnavailable(f"the container engine failed while {doing}: {error}") from error


def own_socket(stream: socket.socket) -> "tuple[socket.socket, requests.Response | None]":
    """The socket of an attached stream, and the response that must be kept as long as the socket is used.

    The response of the request holds the socket, and would close it when it is collected. A plain socket is taken
    from it by a descriptor of our own; one with encryption on top cannot be, and is kept together with it.
    """
    raw: socket.socket = getattr(stream, "_sock", stream)
    response: requests.Response | None = getattr(stream, "_response", None)
    if type(raw) is not socket.socket or response is None:
        return raw, response
    own = socket.socket(fileno=os.dup(raw.fileno()))
    response.close()
    return own, None


def this_host() -> str:
    """The host and its current boot, and the space of process ids that this process counts in."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return platform.node()


def process_name(pid: int) -> str | None:
    """A process id with the time it started, so that a later process with the same id is another; None when dead."""
    try:
        # The second field, the program's name, may hold blanks and brackets: count from the last bracket.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] in "ZX" else f"{pid}@{fields[19]}"
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    started = subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()
    return f"{pid}@{started}" if started else None


def owner_labels() -> dict[str, str]:
    """The labels of a container that this process owns."""
    return {CELL: "1", HOST: this_host(), OWNER: process_name(os.getpid()) or str(os.getpid())}


def reap(client: "docker.DockerClient") -> list[str]:
    """Remove the cells whose owner is dead, and give their names.

    A cell that stopped is dead whoever owns it, if it is no box. One that runs, and a box, is judged only by the host
    it belongs to: what another host's process ids mean is not known here.
    """
    gone = []
    with engine_errors("looking for stale cells"):
        found = client.containers.list(all=True, filters={"label": CELL}, ignore_removed=True)
    for container in found:
        if _stale(container) and remove(container):
            gone.append(str(container.name))
    if gone:
        log.warning("removed %d cells of processes that are gone: %s", len(gone), ", ".join(sorted(gone)))
    return gone


def _stale(container: "Container") -> bool:
    labels = container.labels
    if container.status in ("exited", "dead") and BOX not in labels:
        return True
    if labels.get(HOST) != this_host():
        return False
    owner = labels.get(OWNER, "")
    pid = owner.partition("@")[0]
    return not pid.isdigit() or process_name(int(pid)) != owner


def remove(container: "Container") -> bool:
    """Kill and remove a container by its id. False where that failed; True where it is gone, by whatever hand."""
    import docker.errors

    problem: Exception
    for _ in range(REMOVALS):
        try:
            container.remove(force=True, v=True)
            return True
        except docker.errors.APIError as error:
            # 404: gone already. 409: being removed by somebody else at this moment.
            if error.status_code in (404, 409):
                return True
            problem = error
        except (docker.errors.DockerException, OSError) as error:
            problem = error
            break
    log.warning("could not remove the container %s, the next launcher will: %s", container.name, problem)
    return False
