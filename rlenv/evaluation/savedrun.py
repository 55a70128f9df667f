"""The folder of an evaluation: what makes it resumable, and what is left when it is done.

config.json      the settings; a run is only resumed with the same ones
episodes.jsonl.gz, tasks.jsonl.gz   every episode, appended chunk by chunk, and what was asked (saved_episodes.py)
submissions/     what episodes left, where their environment keeps it (`rlenv.core.interaction.Keeping`)
states.jsonl     where wrappers learn: what they had learned after each chunk
run.lock         held while a process works in the folder
report.json, report.md
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import RunError
from rlenv.core.interaction import Keeping
from rlenv.core.jsontypes import Json, line
from rlenv.door.reading import json_object, json_objects, plain_json
from rlenv.evaluation.report import Report
from rlenv.store.files import append, keep_lines, own_folder, replace_text
from rlenv.store.saved_episodes import FILES, INDEXES, SavedEpisodes
from rlenv.store.versions import compared
from rlenv.text.escaping import shown_line

REPORTING = ("k", "threshold", "command", "drawn_of")
"""Settings that only say how to read the episodes: a run may be resumed with other ones."""
GROWING = ("n", "grown")
"""Settings that say how many episodes there are (rlenv.evaluation.evaluation_run): they may grow."""

VERIFIER = "verifier_version"
NEEDED = ("policy", "n", "k", "threshold", "tasks", "chunk_tasks", VERIFIER, "env_kwargs")
"""Settings that every evaluation has, and the other kinds of runs have not."""


class SavedRun:
    """A run folder. Chunks are kept whole: what a killed process left of one is cut off and done again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._saved = SavedEpisodes(folder)
        self._config = folder / "config.json"
        self._states = folder / "states.jsonl"

    @classmethod
    def start_or_resume(cls, folder: Path, settings: Mapping[str, Json]) -> SavedRun:
        """A new run, or the one in the folder if its settings are the same.

        Raises RunError, naming what differs, when they are not.
        """
        run = cls(folder)
        if run._config.exists():
            differing, told = _differences(run.settings(), settings)
            if told:
                logging.getLogger(__name__).warning("%s", shown_line(f"{folder} goes on: {told}"))
            if differing:
                raise RunError(
                    f"{folder} holds another evaluation: {'; '.join(differing)}; "
                    "give another folder, or the settings that it was started with"
                )
        elif run.has_episodes:
            raise RunError(f"{folder} holds episodes but no config.json; give another folder")
        folder.mkdir(parents=True, exist_ok=True)
        replace_text(run._config, json.dumps(settings, indent=2))
        return run

    @classmethod
    def emptied(cls, folder: Path) -> SavedRun:
        """An empty run in the folder, in place of what an earlier one left there."""
        own_folder(folder)
        for name in (*FILES, *INDEXES):
            (folder / name).unlink(missing_ok=True)
        return cls(folder)

    def keep_submissions(self, definition: Definition) -> None:
        """Have an environment keep here what its episodes leave, and find it here."""
        if isinstance(definition.interaction, Keeping):
            definition.interaction.keep_in(self.folder / "submissions")

    @property
    def has_episodes(self) -> bool:
        return self._saved.path.exists()

    def settings_so_far(self) -> dict[str, Json] | None:
        """The settings of a run that has begun; None where there is none. Raises RunError as `settings` does."""
        return self.settings() if self._config.exists() else None

    def settings(self) -> dict[str, Json]:
        """What config.json says; raises RunError when the folder is not a run's."""
        try:
            settings = plain_json(self._config)
        except FileNotFoundError:
            if not self.folder.exists():
                raise RunError(f"there is no folder {self.folder}; give one that `rlenv eval --out` made") from None
            raise RunError(f"{self.folder} is not the folder of an evaluation: it has no config.json") from None
        missing = [key for key in NEEDED if not isinstance(settings, dict) or key not in settings]
        if missing:
            raise RunError(
                f"{self.folder} is not the folder of an evaluation (its config.json has no {missing[0]!r}); "
                "give one that `rlenv eval --out` made"
            )
        found = cast("dict[str, Json]", settings)
        if not isinstance(found["env_kwargs"], dict):
            raise RunError(f"{self._config}: expected 'env_kwargs' by their names; put back the file")
        return found

    def settings_or_rescored(self) -> dict[str, Json]:
        """The same, also of what `rlenv rescore` left, which has its settings in report.json alone."""
        report = self.folder / "report.json"
        if self._config.exists() or not report.exists():
            return self.settings()
        return cast("dict[str, Json]", json_object(report).get("settings", {}))

    def keep_whole(self, sizes: Iterable[int]) -> int:
        """Cut the files back to whole appends, of which `sizes` says how many episodes they have, in order.

        Returns the episodes left.
        """
        saved, whole, appends = self._saved.count(), 0, 0
        for size in sizes:
            if whole + size > saved:
                break
            whole, appends = whole + size, appends + 1
        self._saved.keep(whole)
        keep_lines(self._states, appends)
        return whole

    def episodes(self) -> Iterator[Episode]:
        """The saved episodes, in order."""
        return self._saved.read() if self.has_episodes else iter(())

    def append(self, episodes: list[Episode], state: Mapping[str, Json] | None) -> None:
        """Save what is finished; the state goes first, so that no saved episode ever lacks its state."""
        if state is not None:
            append(self._states, [line(state)])
        self._saved.append(episodes)

    def last_state(self) -> dict[str, Json] | None:
        """What the wrappers had learned after the last saved chunk."""
        if not self._states.exists():
            return None
        found = deque(json_objects(self._states), maxlen=1)
        return found.pop() if found else None

    def finish(self, report: Report) -> None:
        """Write the report beside the episodes."""
        replace_text(self.folder / "report.json", json.dumps(report.to_json(), indent=1))
        replace_text(self.folder / "report.md", report.markdown())


def _differences(saved: Mapping[str, Json], asked: Mapping[str, Json]) -> tuple[list[str], str]:
    """What differs, each in words; and what is said of a verifier that judges as the one that was recorded."""
    asked = cast("Mapping[str, Json]", json.loads(json.dumps(asked)))  # tuples read back as lists
    keys = [key for key in {**saved, **asked} if key not in (*REPORTING, *GROWING, VERIFIER)]
    found = [f"{k} was {saved.get(k)!r}, is {asked.get(k)!r}" for k in keys if saved.get(k) != asked.get(k)]
    change = compared(str(asked["env"]), saved[VERIFIER], asked[VERIFIER])
    if change.refused:
        way = "`rlenv rescore` judges again what is there"
        found.append(f"{VERIFIER} was {saved[VERIFIER]!r}, is {asked[VERIFIER]!r} ({change.refused}; {way})")
    return found, change.told
