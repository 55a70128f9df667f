"""The files of a box as the engine hands them out and takes them in: looked at, read and written as tar archives.

No program of the box has a part in it, so that what was made of its `tar` or its `sh` does not matter.
"""

import base64
import contextlib
import json
import posixpath
import tarfile
import time
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias, cast

from rlenv.sandbox.errors import BoxError, SandboxUsageError, TooLarge

if TYPE_CHECKING:
    import docker
    import requests

Kind: TypeAlias = Literal["folder", "file", "link", "special"]
"""What is at a path; of a link, the link itself."""

DEADLINE_S = 300.0
"""How long all files of one call may take, and how long one piece of them."""
PIECE_S = 30.0

FOLDER, LINK = 1 << 31, 1 << 27
SPECIAL = 1 << 26 | 1 << 25 | 1 << 24 | 1 << 21
"""Bits of the engine's modes: those of Go, for device, pipe, socket and character device."""

CIRCLE = "too many links"
"""What the engine says of a link that leads to itself."""

SMALL = 1 << 20
LINKS = 16
"""How many links of the image one path may lead through."""


class Bounded:
    """A stream that is read up to a number of bytes and a deadline, and says `TooLarge` beyond either."""

    def __init__(self, raw: Any, limit: int) -> None:
        self._raw = raw
        self._left = limit
        self._deadline = time.monotonic() + DEADLINE_S

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes."""
        data: bytes = self._raw.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise TooLarge("expected no more than a box may hold, got a stream that is longer: its files have holes")
        if time.monotonic() > self._deadline:
            raise TooLarge(f"expected files that leave within {DEADLINE_S:.0f} s; ask for less")
        return data


class Archive:
    """The files of one container."""

    def __init__(self, client: "docker.DockerClient", container: str) -> None:
        self._client = client
        self._url = f"{client.api.base_url}/v{client.api.api_version}/containers/{container}/archive"

    def stat(self, path: str) -> Kind | None:
        """What is at an absolute path, None where nothing is."""
        answer = self._client.api.head(self._url, params={"path": path}, timeout=PIECE_S)
        if answer.status_code == 404:
            return None
        if answer.status_code == 500 and CIRCLE in self._client.api.get(self._url, params={"path": path}).text:
            return "special"
        self._check(answer)
        said = json.loads(base64.b64decode(answer.headers["X-Docker-Container-Path-Stat"]))
        mode = int(said["mode"])
        return "folder" if mode & FOLDER else "link" if mode & LINK else "special" if mode & SPECIAL else "file"

    def target(self, link: str) -> str:
        """Where a link leads, as it is written in it; with its kind the engine says where it leads in the end."""
        with self.reading(link, SMALL) as tar:
            member = tar.next()
            return member.linkname if member is not None else ""

    @contextlib.contextmanager
    def reading(self, path: str, limit: int) -> Iterator[tarfile.TarFile]:
        """A tar of what is at a path, at most `limit` bytes of it."""
        ask = {"Accept-Encoding": "identity"}
        with self._client.api.get(
            self._url, params={"path": path}, headers=ask, stream=True, timeout=PIECE_S
        ) as answer:
            self._check(answer)
            stream = cast("IO[bytes]", Bounded(answer.raw, limit))  # to read is all that tarfile asks of it
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                yield tar

    def write(self, tar: IO[bytes]) -> None:
        """Put the members of a tar below the root."""
        answer = self._client.api.put(self._url, params={"path": "/"}, data=tar, timeout=DEADLINE_S)
        self._check(answer)

    def _check(self, answer: "requests.Response") -> None:
        if answer.status_code >= 400:
            text = "" if answer.request.method == "HEAD" else answer.text[:500]
            raise BoxError(f"the engine failed with the files of a box: {answer.status_code} {answer.reason} {text}")


class Places:
    """Where paths of a box lead: through links of its image, never through one that was made in the box."""

    def __init__(self, archive: Archive, changed: Callable[[], set[str]]) -> None:
        self._archive = archive
        self._changed = changed
        self._ours: set[str] | None = None
        self._known: dict[str, Kind | None] = {"/": "folder"}
        self._new: set[str] = set()

    def stat(self, path: str) -> Kind | None:
        """What is at a path, asked once."""
        if path not in self._known:
            above = posixpath.dirname(path)
            parent = self.stat(above)
            there = parent == "folder" and above not in self._new
            self._known[path] = self._archive.stat(path) if there else None
        return self._known[path]

    def written(self, path: str, folder: bool) -> None:
        """Note what is being put there: a folder with nothing in it, where none was, or what is in no case a folder."""
        before = self.stat(path)
        if folder and before == "folder":
            return
        self._known = {known: stat for known, stat in self._known.items() if not known.startswith(path + "/")}
        self._known[path] = "folder" if folder else "file"
        self._new.add(path)

    def real(self, path: str) -> str:
        """The path with the image's links resolved in all but its last part."""
        path = absolute(path)
        for _ in range(LINKS):
            for above in parents(path):
                stat = self.stat(above)
                if stat == "link" and self._of_image(above):
                    path = absolute(
                        posixpath.join(posixpath.dirname(above), self._archive.target(above)) + path[len(above) :]
                    )
                    break
            else:
                return path
        raise SandboxUsageError(f"expected a path that leads somewhere, got {path!r}: too many links")

    def _of_image(self, path: str) -> bool:
        if self._ours is None:
            self._ours = self._changed()
        return path not in self._ours


def absolute(path: str) -> str:
    """A path in its shortest form; raises `SandboxUsageError` for one that is not absolute."""
    if not path.startswith("/") or "\0" in path:
        raise SandboxUsageError(f"expected an absolute path, got {path!r}")
    return posixpath.normpath("/" + path.lstrip("/"))


def parents(path: str) -> list[str]:
    """The folders above a path, from the first below the root.

    >>> parents("/a/b/c")
    ['/a', '/a/b']
    """
    parts = path.strip("/").split("/")[:-1]
    return ["/" + "/".join(parts[: count + 1]) for count in range(len(parts))]
