"""Lines in gzip members, one an append, and beside them an index of where each ends.

`zcat` and every other reader of gzip takes the file for one file of lines. FILE.index has a row a member, the byte at
which it ends and how many lines it holds, so that lines are counted and found without unpacking what is before. It may
be missing, short or of another file: it counts as far as the file is long, where the last of these rows is true, and
what it does not tell is read from the members. The same lines make the same bytes.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from rlenv.core.errors import RunError
from rlenv.door.files import opened
from rlenv.door.reading import plain_bytes
from rlenv.store.files import append

LEVEL, STRATEGY = 9, zlib.Z_FILTERED
"""Of zlib. Most of an episode is digits of log-probs, in which short repeats are chance: to leave those alone makes it
7 % smaller (text without numbers 5 % larger). Level 9 makes it 4 % smaller than 6, for 2 ms a rollout instead of 1."""
MAX_TEXT = 64_000_000
"""Bytes of text in a member. One that rlenv writes holds 4 million characters and at most one episode more."""
MAX_INDEX = 64_000_000
"""Bytes of an index: of four million members."""
_AT_ONCE = 1 << 14


class Member(NamedTuple):
    """Bytes `[start, end)` of the file, which hold so many lines."""

    start: int
    end: int
    lines: int


def index_of(path: Path) -> Path:
    """The index of a file."""
    return path.with_name(path.name + ".index")


def append_member(path: Path, lines: Sequence[str]) -> None:
    """Add lines, each with its newline, as one member; on the disk's way when this returns."""
    if lines:
        with opened(path, "ab") as file:
            file.write(_packed("".join(lines).encode("ascii")))
            end = file.tell()
        append(index_of(path), [f"{end} {len(lines)}\n"])


def members(path: Path, start: int = 0) -> list[Member]:
    """The whole members of a file from byte `start` on; none where there is no file. One that a kill cut is left out.

    Raises RunError, naming file and place, for what is no gzip and for an index that is none.
    """
    if not path.exists():
        return []
    with opened(path, "rb") as file:
        whole = _indexed(file, index_of(path))
        end = whole[-1].end if whole else 0
        while (read := _read(file, end)) is not None:
            whole.append(Member(end, read[0], read[1].count(b"\n")))
            end = read[0]
    return [member for member in whole if member.start >= start]


def read_member(file: IO[bytes], member: Member) -> bytes:
    """The lines of a member. Raises RunError where it is damaged, larger than MAX_TEXT or not what its index says."""
    read = _read(file, member.start)
    if read is None or not _is(member, *read):
        raise RunError(
            f"{file.name}: bytes {member.start} to {member.end} are not the {member.lines} lines that its index says; "
            f"put back the file, or remove {index_of(Path(file.name))}"
        )
    return read[1]


def keep_lines_of_members(path: Path, count: int) -> None:
    """Cut the file back to its first `count` lines, and off what a kill left of a member; then its index is whole."""
    if not path.exists():
        return
    kept: list[Member] = []
    held, end, rest = 0, 0, b""
    with opened(path, "r+b") as file:
        for member in members(path):
            if held + member.lines > count:
                rest = b"".join(read_member(file, member).splitlines(keepends=True)[: count - held])
                break
            kept.append(member)
            held, end = held + member.lines, member.end
        file.seek(end)
        file.truncate()
        if rest:
            file.write(_packed(rest))
            kept.append(Member(end, file.tell(), count - held))
    _write_index(index_of(path), kept)


def _write_index(index: Path, whole: Iterable[Member]) -> None:
    text = "".join(f"{end} {lines}\n" for _, end, lines in whole)
    if text.encode() != (plain_bytes(index, MAX_INDEX) if index.exists() else b""):
        with opened(index, "w") as file:  # one that a kill cut is completed from the members
            file.write(text)


def _indexed(file: IO[Any], index: Path) -> list[Member]:
    """The members that the index tells of; none where it is of another file."""
    size = os.fstat(file.fileno()).st_size
    whole: list[Member] = []
    start = 0
    rows = plain_bytes(index, MAX_INDEX).split(b"\n")[:-1] if index.exists() else []  # a row that was cut is none
    for number, row in enumerate(rows, start=1):
        try:
            end, lines = map(int, row.split())
        except ValueError as error:
            raise RunError(f"{index} line {number}: expected two numbers, got {row[:40]!r}; remove the file") from error
        if end <= start or lines < 0:
            raise RunError(f"{index} line {number}: the member at byte {start} ends at {end}; remove the file")
        if end > size:
            break
        whole.append(Member(start, end, lines))
        start = end
    try:
        last = _read(file, whole[-1].start) if whole else None
    except RunError:
        last = None
    return whole if last is not None and _is(whole[-1], *last) else []


def _is(member: Member, end: int, text: bytes) -> bool:
    return (end, text.count(b"\n")) == member[1:]


def _read(file: IO[Any], start: int) -> tuple[int, bytes] | None:
    """Where the member at byte `start` ends, and its text; None where the file ends before it does."""
    file.seek(start)
    inflate, text = zlib.decompressobj(wbits=31), bytearray()
    try:
        while not inflate.eof:
            packed = file.read(_AT_ONCE)
            if not packed:
                return None
            text += inflate.decompress(packed, MAX_TEXT + 1 - len(text))
            if len(text) > MAX_TEXT:
                raise zlib.error(f"more than {MAX_TEXT} bytes of text")
    except zlib.error as error:
        raise RunError(
            f"{file.name}: the gzip member at byte {start} is damaged ({error}); put back a copy of the file, or "
            f"continue with what is before: truncate -s {start} {file.name}"
        ) from error
    return file.tell() - len(inflate.unused_data), bytes(text)


def _packed(text: bytes) -> bytes:
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, 31, zlib.DEF_MEM_LEVEL, STRATEGY)
    return deflate.compress(text) + deflate.flush()
