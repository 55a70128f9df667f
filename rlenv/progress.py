"""A progress bar with the time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rlenv.shown import shown_line

Advance: TypeAlias = Callable[[int, str], None]
"""Called with how many more are done and a short note, such as the score so far."""


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

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        work = bar.add_task(shown_line(title), total=total, completed=done, note="")

        def advance(count: int, note: str) -> None:
            bar.update(work, advance=count, note=shown_line(note))

        yield advance
