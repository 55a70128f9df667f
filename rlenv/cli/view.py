"""`rlenv view RUN [RUN2]`: a run, or two side by side, as one HTML file that needs no server and no network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.core.errors import ConfigError
from rlenv.view import MAX_BYTES, PAGE, ViewedRun, saved_run, write_page


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN [RUN2]", help="Folders of trainings, evaluations or `rlenv import`: one or two."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="RUN/report.html unless given.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Keep every text. Without it, texts above 20 MB are sampled.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Serve the page on localhost and update it while the run goes on.")
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where --live listens; 0 is any free port.")] = 0,
) -> None:
    """Write a page that shows the run, its steps, groups and completions in a browser.

    For example: rlenv view runs/train, or rlenv view runs/before runs/after -o both.html
    """
    if len(runs) > 2:
        raise ConfigError(f"expected one run or two to put side by side, got {len(runs)}")
    max_bytes = None if every else MAX_BYTES
    shown = named if len({run.resolve().name for run in runs}) < len(runs) else viewed
    if live:
        if out is not None:
            raise ConfigError("expected --live without --out: the page is served, not written")
        from rlenv.view.live import serve

        serve(runs, shown, port=port, max_bytes=max_bytes, started=lambda url: echo(f"{url}  Ctrl-C ends it"))
        return
    path = out or runs[0] / PAGE
    write_page(path, map(shown, runs), max_bytes=max_bytes)
    echo(f"{path}: {path.stat().st_size / 1e6:.1f} MB; open it in a browser")


def viewed(folder: Path) -> ViewedRun:
    """The run in this folder, with the metrics and alarms of a training where it is one."""
    if (folder / "metrics.jsonl").exists():
        from rlenv.trainers.records.report import viewed as viewed_training

        return viewed_training(folder)
    return saved_run(folder)


def named(folder: Path) -> ViewedRun:
    """The same under all of its path, where two runs have the same name."""
    return replace(viewed(folder), name=str(folder))
