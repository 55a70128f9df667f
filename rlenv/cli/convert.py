"""`rlenv convert RUN`: the episodes of a folder that an older rlenv wrote, in the present form."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run or of an evaluation.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Convert a copy, made here; else the folder itself."),
    ] = None,
) -> None:
    """Write episodes.jsonl as episodes.jsonl.gz and tasks.jsonl.gz, and the index of either.

    A folder that has these files opens as it is: only its index is made. For example: rlenv convert runs/first
    """
    from rlenv.store.saved_episodes import convert

    folder = run if out is None else Path(shutil.copytree(run, out, symlinks=True))
    echo(f"{convert(folder)} episodes in {folder}")
