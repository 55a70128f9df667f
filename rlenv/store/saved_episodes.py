"""The episodes of a run's folder: added to, read, counted and cut back.

episodes.jsonl.gz   a row an episode (`rlenv.store.episode_rows`), a gzip member an append or several
tasks.jsonl.gz      what was asked, each thing once; the column `task` of both leads from one to the other
*.index             where the members of either end (`rlenv.store.members`)

What was asked is written first, so that no kill leaves an episode without its task. A file of lines, each an episode
with all of its task, is read and written too: an export, or episodes.jsonl in a folder of rlenv before 4a06c01.
"""

from __future__ import annotations

import json
import os
import shutil
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from rlenv.core.episode import Episode
from rlenv.core.errors import MISREAD, RunError
from rlenv.core.jsontypes import line
from rlenv.door.files import opened
from rlenv.door.reading import whole_lines
from rlenv.store.episode_rows import UNFLAGGED, TaskRow, episodes_of, rows_of
from rlenv.store.files import append, replacing_folder
from rlenv.store.folder_lock import run_folder
from rlenv.store.members import Member, append_member, keep_lines_of_members, members, read_member
from rlenv.store.tables import Episodes

EPISODES, TASKS = "episodes.jsonl.gz", "tasks.jsonl.gz"
LINES = "episodes.jsonl"
"""The form before."""
FILES = (EPISODES, TASKS, LINES)
INDEXES = (f"{EPISODES}.index", f"{TASKS}.index")
MEMBER_BYTES, TOKEN_BYTES = 4_000_000, 16
"""About how much text a member holds at most, and what a token with its log-prob takes of it."""
ROWS_AT_ONCE = 64
"""One by one takes longer, and so do more: their lists and dicts then set the garbage collector to work."""


def write_episodes(path: str | Path, episodes: Iterable[Episode]) -> None:
    """Append episodes to those of a run's folder, or to a JSONL file, where each line has all of its task."""
    path = Path(path)
    if path.is_dir():
        SavedEpisodes(path).append(list(episodes))
    else:
        append(path, (line(episode.to_json()) for episode in episodes))


def read_episodes(path: str | Path, *, flagged: bool = False, first: int = 0) -> Episodes:
    """The episodes of a run's folder, or of a file, from the one of number `first` on; `to_parquet` is a table of them.

    What a killed process left of a last one is left out. `flagged` gives those alone whose verdict has a flag: in a run
    with few of them that is ten times as fast. Raises RunError where there are none and, naming the place, where one
    cannot be read.
    """
    file = _file_of(Path(path))
    if file.name == EPISODES:
        return Episodes(SavedEpisodes(file.parent).read(flagged=flagged, first=first))
    return Episodes(e for e in islice(_episodes_in_lines(file), first, None) if e.verdict.flags or not flagged)


def count_episodes(path: str | Path) -> int:
    """How many `read_episodes` gives. Raises RunError where there are none."""
    file = _file_of(Path(path))
    if file.name == EPISODES:
        return SavedEpisodes(file.parent).count()
    with opened(file, "rb") as lines:
        return sum(not text.isspace() for text in whole_lines(lines))


def convert(folder: Path) -> int:
    """Bring the episodes of an older run's folder into the present form; returns how many there are.

    A kill leaves the folder as it was or converted.
    """
    file = _file_of(folder)
    with run_folder(folder, "convert it again"):
        if file.name == LINES:
            episodes = _episodes_in_lines(file)
            with replacing_folder(folder / "converted") as place:
                while share := list(islice(episodes, ROWS_AT_ONCE)):
                    SavedEpisodes(place).append(share)
                for made in place.iterdir():
                    with opened(made, "rb") as written:
                        os.fsync(written.fileno())
            for name in (TASKS, EPISODES):
                os.replace(folder / "converted" / name, folder / name)
            shutil.rmtree(folder / "converted")
            file.unlink()
        saved = SavedEpisodes(folder)
        saved.keep(saved.count())
        return saved.count()


class SavedEpisodes:
    """Those of a run's folder. Raises RunError for a folder of the form before."""

    def __init__(self, folder: Path) -> None:
        self.path, self._tasks = folder / EPISODES, folder / TASKS
        if not self.path.exists() and (folder / LINES).exists():
            raise RunError(f"{folder} holds {LINES}, as rlenv wrote it before; first run: rlenv convert {folder}")
        self._numbers: dict[bytes, int] | None = None
        """Of what was asked, by its digest; read at the first append."""

    def size(self) -> int:
        """Bytes that are written: the place from which `read` gives what is appended from now on."""
        return self.path.stat().st_size if self.path.exists() else 0

    def count(self) -> int:
        """How many whole episodes there are."""
        return sum(member.lines for member in members(self.path))

    def append(self, episodes: Sequence[Episode]) -> None:
        """Add episodes; they are on the disk's way when this returns."""
        numbers = self._numbered(episodes)
        for first, end in _shares(episodes):
            append_member(self.path, [line(row) for row in rows_of(episodes[first:end], numbers[first:end])])

    def read(self, start: int = 0, *, flagged: bool = False, first: int = 0) -> Iterator[Episode]:
        """The whole episodes behind byte `start` from number `first` on, or those alone whose verdict has a flag."""
        return self._episodes(members(self.path, start), flagged, first)

    def last(self, count: int) -> list[Episode]:
        """The last whole episodes, at most `count`."""
        return list(self.read(first=max(0, self.count() - count)))

    def keep(self, count: int) -> None:
        """Cut back to the first `count` episodes."""
        keep_lines_of_members(self.path, count)
        keep_lines_of_members(self._tasks, sum(member.lines for member in members(self._tasks)))
        self._numbers = None

    def _episodes(self, whole: Sequence[Member], flagged: bool, first: int) -> Iterator[Episode]:
        """What was asked is looked up behind the list of members, so that a run may go on meanwhile."""
        if not whole:
            return
        tasks = _Tasks(self._tasks)
        with opened(self.path, "rb") as file:
            for member in whole:
                if first >= member.lines:
                    first -= member.lines
                    continue
                lines, first = read_member(file, member).splitlines()[first:], 0
                if flagged:
                    lines = [row for row in lines if UNFLAGGED not in row]
                for at in range(0, len(lines), ROWS_AT_ONCE):
                    try:
                        made = list(episodes_of(_rows(lines[at : at + ROWS_AT_ONCE]), tasks.row))
                    except MISREAD as error:
                        raise RunError(
                            f"{self.path} bytes {member.start} to {member.end}: not episodes whose tasks are in "
                            f"{TASKS} ({type(error).__name__}: {error}); put back both files of the run"
                        ) from error
                    yield from (e for e in made if e.verdict.flags) if flagged else made

    def _numbered(self, episodes: Sequence[Episode]) -> list[int]:
        """The number of what each was asked; what is new is written down."""
        if self._numbers is None:
            self.keep(self.count())  # what a kill left of a member would spoil the next
            tasks = _Tasks(self._tasks)
            self._numbers = {tasks.row(number).digest(): number for number in range(tasks.count)}
        numbers: list[int] = []
        new: list[str] = []
        before: tuple[TaskRow, int] | None = None
        for row in map(TaskRow.of, episodes):
            same = before is not None and before[0].task is row.task and before[0][1:] == row[1:]
            if before is None or not same:  # tasks may be equal that are written otherwise: 1 and True
                digest, next_one = row.digest(), len(self._numbers)
                before = row, self._numbers.setdefault(digest, next_one)
                if before[1] == next_one:
                    new.append(line(row.row(next_one)))
            numbers.append(before[1])
        append_member(self._tasks, new)
        return numbers


class _Tasks:
    """What was asked, by its number; a member is read when one of its rows is first wanted."""

    def __init__(self, path: Path) -> None:
        self._path, self._members = path, members(path)
        self._firsts = list(accumulate((member.lines for member in self._members), initial=0))
        self.count = self._firsts[-1]
        self._rows: dict[int, TaskRow] = {}

    def row(self, number: int) -> TaskRow:
        """Raises IndexError where there is no such row."""
        if number not in self._rows:
            if not 0 <= number < self.count:
                raise IndexError(f"there is no task {number}")
            at = bisect_right(self._firsts, number) - 1
            with opened(self._path, "rb") as file:
                lines = read_member(file, self._members[at]).splitlines()
            try:
                self._rows.update(enumerate(map(TaskRow.from_row, _rows(lines)), start=self._firsts[at]))
            except MISREAD as error:
                raise RunError(f"{self._path}: not the tasks of a run ({error}); put back the file") from error
        return self._rows[number]


def _file_of(path: Path) -> Path:
    """The file itself, or that of a run's folder in either form. Raises RunError where there is none."""
    files = [path / EPISODES, path / LINES] if path.is_dir() else [path]
    for file in files:
        if file.exists():
            return file
    raise RunError(f"{path} holds no episodes; give the folder of a run or an evaluation")


def _episodes_in_lines(path: Path) -> Iterator[Episode]:
    with opened(path, "rb") as file:
        for number, text in enumerate(whole_lines(file), start=1):  # a line that was cut is none
            if not text.strip():
                continue
            try:
                yield Episode.from_json(json.loads(text))
            except MISREAD as error:
                raise RunError(f"{path} line {number}: not an episode ({error}); remove the line") from error


def _shares(episodes: Sequence[Episode]) -> Iterator[tuple[int, int]]:
    """Where to part them, so that no member, and what it takes to make and to read one, is large."""
    first, held = 0, 0
    for place, episode in enumerate(episodes):
        size = len(episode.completion.text) + TOKEN_BYTES * len(episode.completion.token_ids)
        if held and held + size > MEMBER_BYTES:
            yield first, place
            first, held = place, 0
        held += size
    yield first, len(episodes)


def _rows(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads("[" + b",".join(lines).decode("ascii") + "]")
    return rows
