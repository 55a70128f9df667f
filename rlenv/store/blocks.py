"""Lines in compressed blocks: a gzip member each, which every reader of `.gz` takes for one file of lines.

A block says in its header how long it is and how many lines it holds (an extra field, RFC 1952, as in BGZF), so lines
are counted, cut back and read from the end without unpacking what is before. What a kill leaves of a last block is told
by its length; a block that was damaged later is told by its checksum. The same lines make the same bytes.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from rlenv.core.errors import RunError
from rlenv.store.files import opened

LEVEL, STRATEGY = 9, zlib.Z_FILTERED
"""Of zlib. Most of an episode is digits of log-probs, in which short repeats are chance: to leave those alone makes it
7 % smaller (text without numbers 5 % larger). Level 9 makes it 4 % smaller than 6, for 2 ms a rollout instead of 1."""
MAX_TEXT = 64_000_000
"""Bytes of text in a block. One that rlenv writes holds 4 million characters and at most one episode more."""
_HEADER = struct.Struct("<4s4xBBH2sHII")
"""Mark, (no time), no hint, unknown system, length of the extra field, its name and length; bytes and lines."""
_TRAILER = struct.Struct("<II")
_MARK = b"\x1f\x8b\x08\x04"
"""gzip, deflate, with an extra field."""
_FIELD = (0, 255, 12, b"RL", 8)


class Block(NamedTuple):
    """Bytes `[start, end)` of the file, which hold so many lines."""

    start: int
    end: int
    lines: int


def append_block(path: Path, lines: Sequence[str]) -> None:
    """Add lines, each with its newline, as one block; on the disk's way when this returns."""
    if lines:
        with opened(path, "ab") as file:
            file.write(_packed("".join(lines).encode("ascii"), len(lines)))


def blocks(path: Path, start: int = 0) -> list[Block]:
    """The whole blocks of a file from byte `start` on; none where there is no file.

    Raises RunError where the file is of another program.
    """
    if not path.exists():
        return []
    with opened(path, "rb") as file:
        return list(_walk(file, path, start))


def read_block(file: IO[bytes], block: Block) -> bytes:
    """The lines of a block. Raises RunError where it is damaged, or larger than any that rlenv writes."""
    file.seek(block.start)
    inflate = zlib.decompressobj(wbits=31)
    try:
        text = inflate.decompress(file.read(block.end - block.start), MAX_TEXT)
        if inflate.unconsumed_tail:
            raise zlib.error(f"more than {MAX_TEXT} bytes of text")
        if not inflate.eof:
            raise zlib.error("its end is missing")
        return text
    except zlib.error as error:
        raise RunError(
            f"{file.name}: bytes {block.start} to {block.end} are damaged ({error}); put back a copy of the file, or "
            f"continue with what is before: truncate -s {block.start} {file.name}"
        ) from error


def keep_packed_lines(path: Path, count: int) -> None:
    """Cut the file back to its first `count` lines, and what a kill left of a block off."""
    if not path.exists():
        return
    held, end, rest = 0, 0, b""
    with opened(path, "r+b") as file:
        for block in _walk(file, path, 0):
            if held + block.lines > count:
                rest = b"".join(read_block(file, block).splitlines(keepends=True)[: count - held])
                break
            held, end = held + block.lines, block.end
        file.seek(end)
        file.truncate()
        if rest:
            file.write(_packed(rest, count - held))


def _walk(file: IO[Any], path: Path, start: int) -> Iterator[Block]:
    size = os.fstat(file.fileno()).st_size
    while start + _HEADER.size <= size:
        file.seek(start)
        mark, *field, length, lines = _HEADER.unpack(file.read(_HEADER.size))
        if mark != _MARK or tuple(field) != _FIELD:
            raise RunError(f"{path}: no block that rlenv wrote begins at byte {start}; give the file as it was written")
        if length < _HEADER.size + _TRAILER.size:
            raise RunError(f"{path}: the block at byte {start} says that it is {length} bytes long; put back the file")
        if start + length > size:
            return
        yield Block(start, start + length, lines)
        start += length


def _packed(text: bytes, lines: int) -> bytes:
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, STRATEGY)
    body = deflate.compress(text) + deflate.flush()
    size = _HEADER.size + len(body) + _TRAILER.size
    header = _HEADER.pack(_MARK, *_FIELD, size, lines)
    return header + body + _TRAILER.pack(zlib.crc32(text), len(text) & 0xFFFFFFFF)
