"""`rlenv compare A B [C...]`: whether saved evaluations differ, paired over tasks.

$ rlenv compare runs/before runs/after
$ rlenv compare GRPO=runs/g1,runs/g2,runs/g3 RLOO=runs/r1,runs/r2,runs/r3
$ rlenv compare runs/a runs/a/rescored
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.comparison import compare
from rlenv.comparison.pairs import MOST_FLIPS
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_json


def command(
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C...]",
            help="Each a folder of `rlenv eval --out`, or NAME=FOLDER,FOLDER: the training seeds of one recipe.",
        ),
    ],
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="The k of pass@k.")] = 1,
    threshold: Annotated[
        float | None, typer.Option(help="A completion passes at this reward or more; by default as evaluated.")
    ] = None,
    flips: Annotated[int, typer.Option(min=0, help="How many of the most changed tasks are listed.")] = MOST_FLIPS,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON.")] = None,
) -> None:
    """Test whether saved evaluations differ, pair by pair and task by task."""
    found = compare(*sides, k=k, threshold=threshold, flips=flips)
    echo(found)
    if json_file is not None:
        replace_text(json_file, shown_json(found.to_json(), indent=1) + "\n")
