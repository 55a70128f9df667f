"""What a run writes as it goes: metrics as JSONL and TensorBoard events, progress on the terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from rlenv.jsontypes import line


class MetricsLog:
    """`metrics.jsonl`, one object a rollout, and TensorBoard events where the package is installed."""

    def __init__(self, folder: Path, first_step: int) -> None:
        self.path = folder / "metrics.jsonl"
        self._file = self.path.open("a", encoding="ascii")
        self._writer = None
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            return
        self._writer = SummaryWriter(str(folder / "tensorboard"), purge_step=first_step or None)

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """One line on disk, one event a metric; NaN, which JSON lacks, is left out of the line."""
        finite = {name: value for name, value in metrics.items() if math.isfinite(value)}
        self._file.write(line({"step": step, **finite}))
        self._file.flush()
        if self._writer is not None:
            for name, value in finite.items():
                self._writer.add_scalar(name, value, step)

    def size(self) -> int:
        """Bytes written so far."""
        return self._file.tell()

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._writer is not None:
            self._writer.close()


def read_metrics(path: Path) -> list[dict[str, float]]:
    """The lines of a metrics.jsonl."""
    return [json.loads(text) for text in path.read_text("ascii").splitlines()]


class Display:
    """Progress with time left on a terminal, a line now and then in a log file, nothing when quiet."""

    def __init__(self, title: str, total: int, *, quiet: bool = False, done: int = 0) -> None:
        self.console = Console(stderr=True, quiet=quiet)
        self._title, self._total = title, total
        self._every = max(1, total // 15)
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=self.console,
            disable=quiet or not self.console.is_terminal,
        )
        self._task = self._progress.add_task(title, total=total, completed=done, note="")

    def __enter__(self) -> Display:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def update(self, done: int, note: str) -> None:
        """Show that `done` of the total are behind us."""
        self._progress.update(self._task, completed=done, note=note)
        if not self.console.is_terminal and (done % self._every == 0 or done == self._total):
            self.console.print(f"{self._title} {done}/{self._total} {note}", highlight=False)

    def warn(self, message: str) -> None:
        """Say something loudly."""
        self.console.print(f"[bold red]warning:[/] {message}")
