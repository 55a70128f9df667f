"""Files of run folders, written whole or not at all: what replaces one is written beside its place first."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rlenv.core.errors import RunError
from rlenv.door.files import opened, planted

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""The disk, the quota or the largest file allowed is full."""


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A new file that takes the place of `path` once it is whole and on the disk; else the old one stays.

    What stands in /dev (`/dev/stdout`) is written to as it is.
    """
    if Path("/dev") in path.absolute().parents:
        with path.open(mode) as file:
            yield file
        return
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)  # what a kill left behind, or a link: the name goes, not what it leads to
    try:
        with opened(partial, mode.replace("w", "x")) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def replace_text(path: Path, text: str) -> None:
    """Write a whole file or, if the process is killed or the disk is full, leave the old one."""
    with replacing(path) as file:
        file.write(text)


def append(path: Path, lines: Iterable[str]) -> None:
    """Add lines to a file; they are on the disk's way when this returns."""
    with opened(path, "a") as file:
        file.writelines(lines)


def keep_lines(path: Path, count: int) -> None:
    """Cut a file back to its first `count` lines."""
    if path.exists():
        with opened(path, "r+b") as file:
            for _ in range(count):
                file.readline()
            file.truncate(file.tell())


def own_folder(path: Path) -> Path:
    """The folder, made where it is missing. Raises RunError where the name is a link or a file."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise planted(path)
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """A new folder that takes the place of `folder` once it is whole; else the old one stays.

    Raises RunError where something else stands there.
    """
    if folder.exists() and not folder.is_dir():
        raise RunError(f"expected a folder or a new name, got {folder}, which is something else; give another")
    partial = folder.with_name(folder.name + ".partial")
    _remove(partial)
    partial.mkdir(parents=True)
    try:
        yield partial
    except BaseException:
        _remove(partial)
        raise
    _remove(folder)
    partial.rename(folder)


@contextmanager
def told_when_full(folder: Path, advice: str) -> Iterator[None]:
    """Raise RunError with the advice where the disk under the folder is full, whoever found it so."""
    try:
        yield
    except Exception as error:
        if not _is_no_room(error):
            raise
        raise RunError(f"no room left to write in {folder}; free some space, then {advice}") from error


def _remove(path: Path) -> None:
    """Whatever stands under this name; of a link the link alone."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """A name that was put in place survives a loss of power only with its folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_no_room(error: BaseException | None) -> bool:
    """Whether this error, or one that it came from, is that of a full disk; libraries have classes of their own."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return True
        if "No space left on device" in str(error) or "File too large" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
