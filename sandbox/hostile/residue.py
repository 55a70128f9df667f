"""What a sandbox of this process could leave on the host: processes, containers, mounts, control groups, files."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rlenv.sandbox.engine import OWNER, connect, owner_labels
from rlenv.sandbox.errors import SandboxUnavailable


def residue(*, engine: bool) -> frozenset[str]:
    """Everything there is now, in words. What a closed sandbox left is this, less what was there before it was opened.

    `engine` asks the container engine too.
    """
    found = {*_processes(), *_mounts(), *_control_groups(), *_files()}
    return frozenset(found | set(_containers())) if engine else frozenset(found)


def _processes() -> Iterator[str]:
    """All descendants of this process."""
    children: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                text = (entry / "stat").read_text(errors="replace")
                fields = text.rpartition(")")[2].split()
                name = text[text.index("(") : text.rindex(")") + 1]
                children.setdefault(int(fields[1]), []).append((int(entry.name), f"{entry.name} {name} {fields[19]}"))
    waiting = [os.getpid()]
    while waiting:
        for pid, name in children.get(waiting.pop(), ()):
            waiting.append(pid)
            yield f"process {name}"


def _containers() -> Iterator[str]:
    try:
        client = connect()
    except SandboxUnavailable:
        return
    with contextlib.closing(client):
        label = f"{OWNER}={owner_labels()[OWNER]}"
        for container in client.containers.list(all=True, filters={"label": label}, ignore_removed=True):
            yield f"container {container.name}"


def _mounts() -> Iterator[str]:
    """All of ours. Those of an engine that tests started belong to its containers, whosever they are."""
    temporary = tempfile.gettempdir() + "/"
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            place = line.split()[4]
            ours = "rlenv" in line or place.startswith(temporary)
            if ours and not place.startswith(f"{temporary}rlenv-engine."):
                yield f"mount {place}"


def _control_groups() -> Iterator[str]:
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        for name in names:
            if "rlenv" in name and str(os.getpid()) in os.path.join(folder, name):
                yield f"control group {folder}/{name}"


def _files() -> Iterator[str]:
    for folder in {tempfile.gettempdir(), "/dev/shm", "/run", "/var/tmp"}:
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                if name.startswith(("rlenv", ".rlenv")) and str(os.getpid()) in name:
                    yield f"file {folder}/{name}"
