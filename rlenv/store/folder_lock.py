"""One process a run folder: a lock that a dead process does not hold."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

from rlenv.core.errors import RunError
from rlenv.door.files import opened
from rlenv.store.files import told_when_full

LOCK = "run.lock"


class FolderLock:
    """Holds a run folder for this process until it is closed; a process that is dead holds nothing.

    The kernel keeps the lock (flock) with the open file. Children that are forked let go of theirs at once, so that a
    worker which outlives its run does not hold the folder. Raises RunError, naming the process that holds it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = opened(folder / LOCK, "a+")
        """Says who holds the folder, for the message of whoever wants it too."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.seek(0)
            holder = self._file.read(64).strip() or "another process"
            self._file.close()
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            raise RunError(f"{folder} is in use by {holder}; wait until it ends, or end it, and try again") from error
        self._file.truncate(0)
        self._file.write(f"process {os.getpid()} on {os.uname().nodename}"[:64])
        self._file.flush()
        _HELD.add(self)

    def close(self) -> None:
        """Let go of the folder."""
        self._file.close()

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def run_folder(folder: Path | None, advice: str) -> Iterator[None]:
    """Hold the folder of a run, where it has one; a full disk is told in one line, with the advice."""
    if folder is None:
        yield
        return
    with told_when_full(folder, advice), FolderLock(folder):
        yield


_HELD: WeakSet[FolderLock] = WeakSet()


def _let_go_in_child() -> None:
    for lock in list(_HELD):
        with contextlib.suppress(OSError):
            lock.close()


os.register_at_fork(after_in_child=_let_go_in_child)
