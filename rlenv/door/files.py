"""Opens plain files alone: a name that is a link, a pipe or a device is refused, and nobody waits for a pipe.

A run folder holds what a policy said, and others may write beside us. Links on the way to the folder are the user's own
and are followed.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO, Any

from rlenv.core.errors import RunError


def opened(path: Path, mode: str) -> IO[Any]:
    """The file, opened in a mode of Python's `open`; text is UTF-8.

    Raises RunError where the name is a link or anything else that is no plain file.
    """
    try:
        file: IO[Any] = open(  # noqa: SIM115 -- the caller closes it
            path, mode, encoding=None if "b" in mode else "utf-8", opener=_open
        )
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise
        raise planted(path) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise planted(path)
    return file


def leads_within(folder: Path, name: object) -> bool:
    """Whether a name that stands in a folder's files is of something in it, links followed."""
    try:
        return isinstance(name, str) and (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # too long a name, a null character, links in a circle
        return False


def planted(path: Path) -> RunError:
    """The error of a name that leads elsewhere."""
    return RunError(
        f"{path} is a link or no plain file: nothing is read or written through it; remove it, or take another folder"
    )


def _open(path: str, flags: int) -> int:
    """Without following a link, and without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
