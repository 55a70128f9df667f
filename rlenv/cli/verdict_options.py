"""The option that says where verdicts come from, for commands that ask for many."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Verdicts: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="WHERE",
        help="ray (a cluster on this machine) or ray://HOST:PORT, with ?cpus=N so many cores a node; or the address of "
        "an `rlenv serve`. Default: worker processes here.",
    ),
]
