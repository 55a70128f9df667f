"""Reads files that somebody else may have written: plain files with bounds, and errors that name file and place.

A run's folder, a log or a model's settings may come from anywhere. So a name in it that is a link, a pipe or a device
is refused, no more is read than its reader states, and what is not as rlenv writes it is a RunError and no traceback.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rlenv.core.errors import RlenvError, RunError
from rlenv.core.jsontypes import Json, read_json
from rlenv.door.files import opened

MAX_JSON, MAX_LINE = 16_000_000, 32_000_000
"""Bytes of a file of settings, and of one line: an episode of a million characters and tokens has fewer."""
MAX_BRACKETS = 1_000_000
"""Objects and lists in either. Each takes thirty times the memory of its two characters."""
MADE_ROOM, MADE_RATIO = 64_000_000, 100
"""What a compressed file may unpack to: so many bytes, and so often its own size. Text shrinks to a tenth or so."""


def plain_bytes(path: Path, most: int = MAX_JSON) -> bytes:
    """The whole file. Raises RunError for a link, for what is no plain file, and for one of more than `most` bytes."""
    with opened(path, "rb") as file:
        found: bytes = file.read(most + 1)
    if len(found) > most:
        raise RunError(f"{path}: expected at most {most} bytes, got more; give the file as rlenv wrote it")
    return found


def plain_json(path: Path, most: int = MAX_JSON) -> Json:
    """What a JSON file says. Raises RunError as `plain_bytes` does, and for what is no JSON."""
    return _json(plain_bytes(path, most), str(path))


def json_object(path: Path, most: int = MAX_JSON) -> dict[str, Json]:
    """What a file says that holds one JSON object. Raises RunError as `plain_json` does, and for anything else."""
    found = plain_json(path, most)
    if not isinstance(found, dict):
        raise RunError(f"{path}: expected a JSON object, got {type(found).__name__}; give the file as rlenv wrote it")
    return found


def json_objects(path: Path) -> Iterator[dict[str, Json]]:
    """The objects of a JSONL file, one a whole line; what a kill left of the last line is not one.

    Raises RunError, with the number of the line, for anything else.
    """
    with opened(path, "rb") as file:
        for number, text in enumerate(whole_lines(file), start=1):
            found = _json(text, f"{path} line {number}")
            if not isinstance(found, dict):
                raise RunError(f"{path} line {number}: expected a JSON object, got {text[:80]!r}; remove the line")
            yield found


def whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file that end in a newline. Raises RunError for one of more than MAX_LINE bytes."""
    while text := file.readline(MAX_LINE + 1):
        if len(text) > MAX_LINE:
            raise RunError(f"{file.name}: a line of more than {MAX_LINE} bytes; give the file as rlenv wrote it")
        if text.endswith(b"\n"):
            yield text


def unpacked_most(path: Path) -> int:
    """Bytes that a compressed file of this size may unpack to."""
    return MADE_ROOM + MADE_RATIO * path.stat().st_size


def check_stored(path: Path) -> None:
    """Raise RunError for a file that unpacks to more than it holds: torch saves archives, and packs nothing in them."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    if any(part.compress_type for part in parts) or sum(part.file_size for part in parts) > path.stat().st_size:
        raise RunError(f"{path} is packed, and torch packs nothing; save it again")


@contextmanager
def as_written(path: Path) -> Iterator[None]:
    """Raises RunError where what is read inside is not what rlenv writes: a key that is missing, another type."""
    try:
        yield
    except RlenvError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        what = f"{type(error).__name__}: {error}"
        raise RunError(f"{path}: not as rlenv writes it ({what:.200}); give the folder as the run left it") from error


def _json(text: bytes, where: str) -> Json:
    if text.count(b"[") + text.count(b"{") > MAX_BRACKETS:
        raise RunError(f"{where}: more than {MAX_BRACKETS} lists and objects; give the file as rlenv wrote it")
    try:
        return read_json(text)
    except ValueError as error:
        raise RunError(f"{where}: not valid JSON ({error}); put back the file, or fix it") from error
