"""The option `--watch`: detectors of reward hacking put around an environment."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypeAlias

import typer

from rlenv.cli.environment_options import find_modules_here
from rlenv.core.definition import Definition
from rlenv.wrappers.watch import watched

Watch: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="Detectors of reward hacking between commas, or all: repeats,several_answers:gate,no_answer:penalise=0.3. "
        "Without an action (observe, penalise, gate, veto) they only flag.",
    ),
]


def with_detectors(definition: Definition, watch: str) -> Definition:
    """The definition with these detectors behind its own wrappers."""
    find_modules_here()  # for MODULE:CLASS
    return replace(definition, wrappers=(*definition.wrappers, *watched(watch)))
