"""A judge's answers on disk: one SQLite file that several processes may share and that a kill leaves whole.

What is kept is the text of an answer that could be read, under a key made of everything that was asked; a failure is
never kept. The file belongs on a local disk: SQLite's locks are not reliable on network file systems.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, canonical

WAIT_S = 60.0
"""How long a process waits for another one that writes."""


@dataclass(frozen=True)
class AnswerCache:
    """The file at `path`, made when it is first used. Holds no open handle, so that it can be pickled."""

    path: str

    @contextmanager
    def open(self) -> Iterator[OpenCache]:
        """The cache, for use in one thread. Raises ConfigError where the file cannot be made or is something else."""
        try:
            connection = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
            connection.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT) WITHOUT ROWID")
        except sqlite3.Error as error:
            raise ConfigError(f"cannot keep answers in {Path(self.path)}: {error}; give another file") from error
        try:
            yield OpenCache(connection)
        finally:
            connection.close()


@dataclass(frozen=True)
class OpenCache:
    """Answers by key. Each is on the disk when `keep` returns."""

    connection: sqlite3.Connection

    def known(self, key: str) -> str | None:
        """The answer kept under this key, if there is one."""
        row = self.connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(json.loads(row[0]))

    def keep(self, key: str, answer: str) -> None:
        """Keep an answer; as JSON, because a text may hold what SQLite's do not."""
        self.connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, json.dumps(answer)))


def key_of(*content: Json) -> str:
    """The key of what was asked: whom, how and what."""
    return hashlib.blake2b(canonical(content).encode(), digest_size=16).hexdigest()
