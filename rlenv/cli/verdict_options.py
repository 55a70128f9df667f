"""The option that says where verdicts come from, for commands that ask for many."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Verdicts: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="WHERE",
        help="Where verdicts are made: ray, ray://HOST:PORT (?cpus=N for N cores of each node), or the address of "
        "an `rlenv serve`. Default: worker processes here.",
    ),
]
