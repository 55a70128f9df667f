"""A progress bar with the time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rlenv.text.escaping import shown_line

Advance: TypeAlias = Callable[[int, str], None]
"""Called with how many more are done and a short note, such as the score so far."""

FIGURES = 60
"""Columns of a terminal that the counts, the times, the bar and the note take; the title has the rest."""


@contextmanager
def progress(title: str, total: int, done: int = 0, *, quiet: bool = False) -> Iterator[Advance]:
    """Show how far the work is on standard error; nothing where that is no terminal, or `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield lambda count, note: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(10),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=console) as bar:
        line, room = shown_line(title), max(10, console.width - FIGURES)
        work = bar.add_task(line if len(line) <= room else f"{line[: room - 1]}…", total=total, completed=done, note="")
        yield lambda count, note: bar.update(work, advance=count, note=shown_line(note))
