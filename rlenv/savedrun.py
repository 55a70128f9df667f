"""The folder of an evaluation: what makes it resumable, and what is left when it is done.

config.json      the settings; a run is only resumed with the same ones
episodes.jsonl   every episode, appended chunk by chunk
states.jsonl     where wrappers learn: what they had learned after each chunk
run.lock         held while a process works in the folder
report.json, report.md
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from rlenv.episode import Episode, read_episodes
from rlenv.errors import RunError
from rlenv.files import append, opened, replace_text
from rlenv.jsontypes import Json, line
from rlenv.report import Report

REPORTING = ("k", "threshold")
"""Settings that only say how to read the episodes: a run may be resumed with other ones."""


NEEDED = ("policy", "n", "k", "threshold", "tasks", "chunk_tasks", "verifier_version", "env_kwargs")
"""Settings that every evaluation has, and the other kinds of runs have not."""


class SavedRun:
    """A run folder. Chunks are kept whole: what a killed process left of one is cut off and done again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.episodes_file = folder / "episodes.jsonl"
        self._config = folder / "config.json"
        self._states = folder / "states.jsonl"

    @classmethod
    def start_or_resume(cls, folder: Path, settings: Mapping[str, Json]) -> SavedRun:
        """A new run, or the one in the folder if its settings are the same.

        Raises RunError, naming what differs, when they are not.
        """
        run = cls(folder)
        if run._config.exists():
            differing = _differences(run.settings(), settings)
            if differing:
                raise RunError(
                    f"{folder} holds another evaluation: {'; '.join(differing)}; "
                    "give another folder, or the settings that it was started with"
                )
        elif run.episodes_file.exists():
            raise RunError(f"{folder} holds episodes but no config.json; give another folder")
        folder.mkdir(parents=True, exist_ok=True)
        replace_text(run._config, json.dumps(settings, indent=2))
        return run

    def settings(self) -> dict[str, Json]:
        """What config.json says; raises RunError when the folder is not a run's."""
        try:
            settings = json.loads(self._config.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RunError(f"{self.folder} is not the folder of an evaluation: it has no config.json") from None
        except ValueError as error:
            raise RunError(f"{self._config}: not valid JSON ({error})") from error
        missing = [key for key in NEEDED if not isinstance(settings, dict) or key not in settings]
        if missing:
            raise RunError(
                f"{self.folder} is not the folder of an evaluation (its config.json has no {missing[0]!r}); "
                "give one that `rlenv eval --out` made"
            )
        return cast("dict[str, Json]", settings)

    def keep_whole_chunks(self, chunk: int, total: int) -> int:
        """Cut the files back to whole chunks of `chunk` episodes, of `total` in all; returns the episodes left."""
        lines = _whole_lines(self.episodes_file)
        whole = total if lines >= total else lines - lines % chunk
        _cut(self.episodes_file, whole)
        _cut(self._states, -(-whole // chunk))
        return whole

    def episodes(self) -> Iterator[Episode]:
        """The saved episodes, in order."""
        return read_episodes(self.episodes_file) if self.episodes_file.exists() else iter(())

    def append(self, episodes: list[Episode], state: Mapping[str, Json] | None) -> None:
        """Save a finished chunk; the state goes first, so that no saved episode ever lacks its state."""
        if state is not None:
            append(self._states, [line(state)])
        append(self.episodes_file, (line(episode.to_json()) for episode in episodes))

    def last_state(self) -> dict[str, Json] | None:
        """What the wrappers had learned after the last saved chunk."""
        if not self._states.exists():
            return None
        lines = self._states.read_text(encoding="ascii").splitlines()
        return cast("dict[str, Json]", json.loads(lines[-1])) if lines else None

    def finish(self, report: Report) -> None:
        """Write the report beside the episodes."""
        replace_text(self.folder / "report.json", json.dumps(report.to_json(), indent=1))
        replace_text(self.folder / "report.md", report.markdown())


def _differences(saved: Mapping[str, Json], asked: Mapping[str, Json]) -> list[str]:
    keys = [key for key in {**saved, **asked} if key not in REPORTING]
    asked = cast("Mapping[str, Json]", json.loads(json.dumps(asked)))  # tuples read back as lists
    return [f"{k} was {saved.get(k)!r}, is {asked.get(k)!r}" for k in keys if saved.get(k) != asked.get(k)]


def _whole_lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(text.endswith(b"\n") for text in file)


def _cut(path: Path, lines: int) -> None:
    """Keep the first `lines` lines of a file."""
    if not path.exists():
        return
    with opened(path, "r+b") as file:
        for _ in range(lines):
            file.readline()
        file.truncate(file.tell())
