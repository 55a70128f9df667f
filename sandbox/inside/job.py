"""One job as it came over the wire: what is to be run, what its processes are given, what is kept of what they say."""

from __future__ import annotations

import os
from typing import NamedTuple, cast

from rlenv.sandbox.inside import wire


class Job(NamedTuple):
    """One program as it came over the wire."""

    role: str
    code: bytes
    stdin: bytes
    calls: list[bytes]
    files: dict[str, bytes]
    argv: list[str]
    compile: list[str]
    stop_after_error: bool
    limits: dict[str, float]

    @classmethod
    def read(cls, header: dict[str, object], body: bytes) -> Job:
        """The body holds code, stdin, calls and files, one after the other."""
        sizes = cast("list[int]", header["sizes"])
        parts, start = [], 0
        for size in sizes:
            parts.append(body[start : start + size])
            start += size
        names = cast("list[str]", header["files"])
        return cls(
            role=cast(str, header["role"]),
            code=parts[0],
            stdin=parts[1],
            calls=parts[2].split(b"\n") if parts[2] else [],
            files=dict(zip(names, parts[3:])),  # noqa: B905
            argv=cast("list[str]", header["argv"]),
            compile=cast("list[str]", header["compile"]),
            stop_after_error=bool(header["stop_after_error"]),
            limits=cast("dict[str, float]", header["limits"]),
        )

    @property
    def interactive(self) -> bool:
        return self.role in ("serve", "judge")


class Inputs(NamedTuple):
    """What one process of a job is given: a compile step gets the files, what it made gets the rest."""

    files: dict[str, bytes]
    stdin: bytes

    def write(self) -> None:
        """Put the files into the work directory. Raises OSError."""
        for name, body in self.files.items():
            folder = os.path.dirname(name)
            if folder:
                os.makedirs(folder, exist_ok=True)
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o700)
            try:
                wire.write_all(fd, body)
            finally:
                os.close(fd)


class Collector:
    """Keeps the first bytes of one stream, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._chunks: list[bytes] = []
        self._room = limit
        self.overflowed = False

    def add(self, data: bytes) -> None:
        if len(data) > self._room:
            data, self.overflowed = data[: self._room], True
        self._chunks.append(data)
        self._room -= len(data)

    def lines(self) -> bytes:
        """Take out what ends with its last line break."""
        whole, end, rest = self.bytes().rpartition(b"\n")
        self._chunks = [rest]
        return whole + end

    def bytes(self) -> bytes:
        return b"".join(self._chunks)
