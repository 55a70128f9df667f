"""The episodes of a run's folder: added to, read, counted and cut back.

episodes.jsonl.gz   a row an episode (`rlenv.store.episode_rows`), a block an append or several (`rlenv.store.blocks`)
tasks.jsonl.gz      what was asked, each thing once; the column `task` of both leads from one to the other

What was asked is written first, so that no kill leaves an episode without its task. A folder that holds episodes.jsonl,
the older form (each episode one line with all of its task), is read and continued in that form.
`rlenv.read_episodes` is the way in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from rlenv.core.episode import Episode
from rlenv.core.errors import RunError
from rlenv.core.jsontypes import line
from rlenv.door.reading import whole_lines
from rlenv.store.blocks import Block, append_block, blocks, keep_packed_lines, read_block
from rlenv.store.episode_rows import UNFLAGGED, Asked, asked_of, episodes_of, rows_of
from rlenv.store.files import append, keep_lines, opened

EPISODES, TASKS = "episodes.jsonl.gz", "tasks.jsonl.gz"
LINES = "episodes.jsonl"
"""The form before."""
FILES = (EPISODES, TASKS, LINES)
TAIL_BYTES = 4_000_000
"""How much of the end of LINES is looked at for its last episodes."""
BLOCK_BYTES, TOKEN_BYTES = 4_000_000, 16
"""About how much text a block holds at most, and what a token with its log-prob takes of it."""
ROWS_AT_ONCE = 64
"""One by one takes longer, and so do more: their lists and dicts then set the garbage collector to work."""
_NO_EPISODE = (ValueError, KeyError, TypeError, AttributeError, IndexError)


class SavedEpisodes(Protocol):
    """The episodes of a run, in either form."""

    path: Path

    def size(self) -> int:
        """Bytes that are written: the place from which `read` gives what is appended from now on."""

    def count(self) -> int:
        """How many whole episodes there are."""

    def append(self, episodes: Sequence[Episode]) -> None:
        """Add episodes; they are on the disk's way when this returns."""

    def read(self, start: int = 0, *, flagged: bool = False) -> Iterator[Episode]:
        """The whole episodes from byte `start` on, or those alone whose verdict has a flag."""

    def last(self, count: int) -> list[Episode]:
        """The last whole episodes, at most `count`."""

    def keep(self, count: int) -> None:
        """Cut back to the first `count` episodes."""


def saved_episodes(folder: Path) -> SavedEpisodes:
    """Those of a run's folder, in the form that it has; the present one where there are none yet."""
    old = folder / LINES
    return InLines(old) if old.exists() or old.is_symlink() else InBlocks(folder)


def found_episodes(path: Path) -> SavedEpisodes:
    """Those of a run's folder or of a file. Raises RunError where there are none."""
    in_lines = path.name != EPISODES and not path.is_dir()
    saved = InLines(path) if in_lines else saved_episodes(path if path.is_dir() else path.parent)
    if not saved.path.exists():
        raise RunError(f"{path} holds no episodes; give the folder of a run or an evaluation")
    return saved


class InBlocks:
    """Rows in compressed blocks, and the tasks beside them."""

    def __init__(self, folder: Path) -> None:
        self.path, self._tasks = folder / EPISODES, folder / TASKS
        self._numbers: dict[bytes, int] | None = None
        """Of what was asked, by its digest; read at the first append."""

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def count(self) -> int:
        return sum(block.lines for block in blocks(self.path))

    def append(self, episodes: Sequence[Episode]) -> None:
        numbers = self._numbered(episodes)
        for first, end in _shares(episodes):
            append_block(self.path, [line(row) for row in rows_of(episodes[first:end], numbers[first:end])])

    def read(self, start: int = 0, *, flagged: bool = False) -> Iterator[Episode]:
        return self._episodes(blocks(self.path, start), flagged)

    def last(self, count: int) -> list[Episode]:
        found, held = blocks(self.path), 0
        first = len(found)
        while first and held < count:
            first -= 1
            held += found[first].lines
        return list(self._episodes(found[first:], flagged=False))[-count:]

    def keep(self, count: int) -> None:
        keep_packed_lines(self.path, count)
        keep_packed_lines(self._tasks, sum(block.lines for block in blocks(self._tasks)))
        self._numbers = None

    def _episodes(self, found: Sequence[Block], flagged: bool) -> Iterator[Episode]:
        """What was asked is read behind the list of blocks, so that a run may go on meanwhile."""
        if not found:
            return
        asked = self._asked()
        with opened(self.path, "rb") as file:
            for block in found:
                lines = read_block(file, block).splitlines()
                if flagged:
                    lines = [row for row in lines if UNFLAGGED not in row]
                for first in range(0, len(lines), ROWS_AT_ONCE):
                    try:
                        made = list(episodes_of(_rows(lines[first : first + ROWS_AT_ONCE]), asked))
                    except _NO_EPISODE as error:
                        raise RunError(
                            f"{self.path} bytes {block.start} to {block.end}: not episodes whose tasks are in {TASKS} "
                            f"({type(error).__name__}: {error}); put back both files of the run"
                        ) from error
                    yield from (e for e in made if e.verdict.flags) if flagged else made

    def _asked(self) -> list[Asked]:
        found: list[Asked] = []
        if not self._tasks.exists():
            return found
        with opened(self._tasks, "rb") as file:
            for block in blocks(self._tasks):
                try:
                    found += map(Asked.from_row, _rows(read_block(file, block).splitlines()))
                except _NO_EPISODE as error:
                    raise RunError(f"{self._tasks}: not the tasks of a run ({error}); put back the file") from error
        return found

    def _numbered(self, episodes: Sequence[Episode]) -> list[int]:
        """The number of what each was asked; what is new is written down."""
        if self._numbers is None:
            self.keep(self.count())  # what a kill left of a block would spoil the next
            self._numbers = {asked.digest(): number for number, asked in enumerate(self._asked())}
        numbers: list[int] = []
        new: list[str] = []
        before: tuple[Asked, int] | None = None
        for asked in map(asked_of, episodes):
            same = before is not None and before[0].task is asked.task and before[0][1:] == asked[1:]
            if before is None or not same:  # tasks may be equal that are written otherwise: 1 and True
                digest, next_one = asked.digest(), len(self._numbers)
                before = asked, self._numbers.setdefault(digest, next_one)
                if before[1] == next_one:
                    new.append(line(asked.row(next_one)))
            numbers.append(before[1])
        append_block(self._tasks, new)
        return numbers


class InLines:
    """One line an episode, with all of its task: the form of a file of its own, and of older runs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def count(self) -> int:
        if not self.path.exists():
            return 0
        with opened(self.path, "rb") as file:
            return sum(text.endswith(b"\n") and not text.isspace() for text in file)

    def append(self, episodes: Sequence[Episode]) -> None:
        append(self.path, (line(episode.to_json()) for episode in episodes))

    def read(self, start: int = 0, *, flagged: bool = False) -> Iterator[Episode]:
        found = self._episodes(start)
        return (episode for episode in found if episode.verdict.flags) if flagged else found

    def last(self, count: int) -> list[Episode]:
        with opened(self.path, "rb") as file:
            start = max(0, self.size() - TAIL_BYTES)
            file.seek(start)
            lines = file.read().split(b"\n")[bool(start) : -1]
        return [Episode.from_json(json.loads(text)) for text in lines[-count:]]

    def keep(self, count: int) -> None:
        keep_lines(self.path, count)

    def _episodes(self, start: int) -> Iterator[Episode]:
        with opened(self.path, "rb") as file:
            file.seek(start)
            for number, text in enumerate(whole_lines(file), start=1):  # a line that was cut is none
                if not text.strip():
                    continue
                try:
                    yield Episode.from_json(json.loads(text))
                except _NO_EPISODE as error:
                    raise RunError(f"{self.path} line {number}: not an episode ({error}); remove the line") from error


def _shares(episodes: Sequence[Episode]) -> Iterator[tuple[int, int]]:
    """Where to part them, so that no block, and what it takes to make and to read one, is large."""
    first, held = 0, 0
    for place, episode in enumerate(episodes):
        size = len(episode.completion.text) + TOKEN_BYTES * len(episode.completion.token_ids)
        if held and held + size > BLOCK_BYTES:
            yield first, place
            first, held = place, 0
        held += size
    yield first, len(episodes)


def _rows(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads("[" + b",".join(lines).decode("ascii") + "]")
    return rows
