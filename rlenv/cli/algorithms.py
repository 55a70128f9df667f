"""`rlenv algorithms`: the table of the algorithms, one row each, with what each minimises."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo

if TYPE_CHECKING:
    from rlenv.trainers.algorithms.row import Algorithm

COLUMNS = ("name", "branch", "objective", "paper")


def command(
    name: Annotated[
        str | None, typer.Argument(help="Every setting of this one, as `rlenv train --set` takes it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a row.")] = False,
) -> None:
    """List the algorithms and their settings."""
    from rlenv.trainers.algorithms.row import ALGORITHMS, algorithm_named, objectives

    rows = list(ALGORITHMS.values()) if name is None else [algorithm_named(name)]
    if as_json:
        echo("\n".join(json.dumps(asdict(row)) for row in rows))
    elif name is not None:
        echo("\n".join([*_told(rows[0]), *(f"{at}={json.dumps(value)}" for at, value in settings_of(rows[0]).items())]))
    else:
        told = objectives()
        minimised = {row.name: " ".join(told[row.name].objective.split()) for row in rows}
        _print([(row.name, row.branch, minimised[row.name], row.paper) for row in rows])


def _told(row: Algorithm) -> list[str]:
    """Paper, objective and note, as comments above the settings."""
    from rlenv.trainers.algorithms.row import objectives

    told = objectives()[row.name]
    return [f"# {line}".rstrip() for line in [row.paper, *told.objective.splitlines(), *told.note.splitlines()]]


def settings_of(row: Algorithm) -> dict[str, object]:
    """Every setting by its path."""
    found: dict[str, object] = {}
    for name, value in asdict(row).items():
        if isinstance(value, dict):
            found |= {f"{name}.{key}": inner for key, inner in value.items()}
        elif name not in ("name", "branch", "paper"):
            found[f"algorithm.{name}"] = value
    return found


def _print(rows: list[tuple[str, ...]]) -> None:
    """A table on a terminal or in a pipe: columns padded with spaces, nothing cut."""
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    for row in (COLUMNS, *rows):
        echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
