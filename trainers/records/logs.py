"""What a run writes as it goes: metrics as JSONL and to trackers, progress on the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from rlenv.core.episode import Episode
from rlenv.core.errors import RunError
from rlenv.core.jsontypes import Json, line
from rlenv.door.files import opened
from rlenv.door.reading import as_written, json_object, json_objects
from rlenv.store.trackers import Tracker, completion_rows, open_trackers, tracker_names
from rlenv.text.escaping import shown_line

PAGE = "docs/my_task_does_not_learn.md"
"""What to look at where a run does not learn, symptom by symptom."""
TABLE_EVERY = 25
"""After so many rollouts trackers that have tables show completions again."""


class MetricsLog:
    """`metrics.jsonl`, one object a rollout, and whatever trackers show it besides."""

    def __init__(self, folder: Path, trackers: Sequence[Tracker] = ()) -> None:
        self.path = folder / "metrics.jsonl"
        self._file = opened(self.path, "a")
        self._trackers = trackers

    @classmethod
    def of_run(cls, folder: Path, trackers: str, first_step: int) -> MetricsLog:
        """The log of the run in this folder, shown by the trackers of these names."""
        config = json_object(folder / "config.json")
        return cls(folder, open_trackers(tracker_names(trackers), folder, first_step, config))

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """One line on disk, one event a metric; NaN, which JSON lacks, is left out of the line."""
        finite = {name: value for name, value in metrics.items() if math.isfinite(value)}
        self._file.write(line({"step": step, **finite}))
        self._file.flush()
        for tracker in self._trackers:
            tracker.log(finite, step)

    def show(self, step: int, episodes: Sequence[Episode]) -> None:
        """Completions of a rollout to the trackers, of one in TABLE_EVERY."""
        if self._trackers and step % TABLE_EVERY == 0:
            rows = completion_rows(episodes)
            for tracker in self._trackers:
                tracker.table(rows, step)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        for tracker in self._trackers:
            tracker.close()


def read_metrics(path: Path) -> list[dict[str, float]]:
    """The lines of a metrics.jsonl. Raises RunError for one that holds anything but numbers by their names."""
    lines = list(json_objects(path))
    if any(not isinstance(value, int | float) for values in lines for value in values.values()):
        raise RunError(f"{path}: expected numbers by their names in each line; put back the file")
    return cast("list[dict[str, float]]", lines)


ALARMS_FILE = "alarms.jsonl"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A stated rule was broken at a rollout: what was measured, and the threshold that it crossed."""

    name: str
    """The rule."""
    step: int
    """The rollout after whose updates it was seen, counted from 0 as in metrics.jsonl."""
    message: str
    """What was seen and what to look at, in one sentence."""
    value: float
    threshold: float
    stop: bool = False
    """The run is to end here."""

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def read_alarms(folder: Path) -> list[Alarm]:
    """The alarms of the run in this folder, in order; none where there is no file."""
    path = folder / ALARMS_FILE
    if not path.exists():
        return []
    with as_written(path):
        return [Alarm(**cast("dict[str, Any]", told)) for told in json_objects(path)]


SHOWN = {
    "reward": "reward",
    "gold/reward": "gold",
    "entropy": "entropy",
    "completions/mean_length": "length",
    "kl": "kl",
    "tokens/s": "tokens/s",
}
"""What the live table shows of a rollout's metrics, in which order, and how its columns are headed."""
ALARMS = 3
"""The last so many warnings stand below the table."""


class LiveTable(Progress):
    """The bars, below them a table of the last rollout and the last warnings."""

    values: Mapping[str, float] = {}
    alarms: tuple[str, ...] = ()

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if self.values:
            table = Table(*(label for name, label in SHOWN.items() if name in self.values))
            table.add_row(*(f"{self.values[name]:.4g}" for name in SHOWN if name in self.values))
            yield table
        yield from (Text(alarm, style="red", overflow="ellipsis", no_wrap=True) for alarm in self.alarms)


class Display:
    """Progress with time left and a table of metrics on a terminal, a line now and then in a log file, or nothing."""

    def __init__(self, title: str, total: int, *, quiet: bool = False, done: int = 0) -> None:
        self.console = Console(stderr=True, quiet=quiet)
        self._title, self._total = shown_line(title), total
        self._every = max(1, total // 15)
        self._tokens: float | None = None
        self._progress = LiveTable(
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=self.console,
            disable=quiet or not self.console.is_terminal,
        )
        self._task = self._progress.add_task(self._title, total=total, completed=done, note="")

    def __enter__(self) -> Display:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.alarms = ()  # each stands above, where it was raised
        self._progress.stop()

    def say(self, message: str) -> None:
        """Say something once."""
        self.console.print(shown_line(message), highlight=False, markup=False)

    def update(self, done: int, note: str, metrics: Mapping[str, float] | None = None) -> None:
        """Show that `done` of the total are behind us. What `metrics` lack stays as it was last measured."""
        if metrics is not None:
            shown = {name: metrics[name] for name in SHOWN if math.isfinite(metrics.get(name, math.nan))}
            self._progress.values = {**self._progress.values, **shown, **self._speed(metrics)}
        self._progress.update(self._task, completed=done, note=shown_line(note))
        if not self.console.is_terminal and (done % self._every == 0 or done == self._total):
            line = f"{self._title} {done}/{self._total} {shown_line(note)}"
            self.console.print(line, highlight=False, markup=False)

    def _speed(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """Tokens of prompts and completions a second, since the rollout before."""
        tokens, seconds = metrics.get("num_tokens", 0.0), metrics.get("step_time", 0.0)
        before, self._tokens = self._tokens, tokens
        return {"tokens/s": (tokens - before) / seconds} if before is not None and seconds > 0 else {}

    def warn(self, message: str) -> None:
        """Say something loudly; the last ones stay below the table."""
        self._progress.alarms = (*self._progress.alarms, shown_line(message))[-ALARMS:]
        self.console.print(Text.assemble(("warning:", "bold red"), f" {shown_line(message)}"))
