"""`rlenv hackbench`: what the detectors say of HackBench's hacks and honest completions, by family and construction.

$ rlenv hackbench --half tuning --watch repeats --errors
$ rlenv hackbench --share default,0.01,0.1,1         # recall against cost
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environments import find_modules_here
from rlenv.core.errors import ConfigError
from rlenv.text.escaping import shown_json

if TYPE_CHECKING:
    from rlenv.hackbench.figures import Figures

DEFAULT = "default"


def command(
    half: Annotated[str, typer.Option(help="tuning or reporting, or both between commas.")] = "tuning",
    watch: Annotated[
        str, typer.Option(metavar="NAMES", help="Detectors between commas, MODULE:CLASS for one of your own; or all.")
    ] = "all",
    share: Annotated[
        str,
        typer.Option(
            metavar="SHARES",
            help="The share of the paid completions that is asked about, or several of them: default,0.01,0.1,1.",
        ),
    ] = DEFAULT,
    folder: Annotated[
        Path | None, typer.Option("--cases", help="A folder with HALF.jsonl.gz and rewards/; by default our own.")
    ] = None,
    constructions: Annotated[
        bool, typer.Option("--constructions", help="A table of every construction, not of families alone.")
    ] = False,
    errors: Annotated[bool, typer.Option("--errors", help="Print missed hacks and false flags.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="How many errors of a kind to print.")] = 20,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Print errors and constructions of the reporting half too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Measure nothing: exit with 1 where a reward does not pay what is stated.")
    ] = False,
) -> None:
    """Measure the detectors on HackBench."""
    from rlenv.hackbench.case import DATA, cases
    from rlenv.hackbench.figures import Figures, measure
    from rlenv.wrappers.watch import watched

    find_modules_here()  # for --watch MODULE:CLASS
    halves = _names(half)
    if "reporting" in halves and (errors or constructions) and not reveal:
        raise ConfigError(
            "the reporting half is not shown case by case, so that no detector is fitted to it; choose --half tuning, "
            "or give --reveal where nobody will tune with what is printed"
        )
    found = {name: cases(name, folder or DATA) for name in halves}
    if check:
        faults = [fault for of_half in found.values() for case in of_half for fault in case.faults()]
        echo("\n".join([*faults, f"{sum(map(len, found.values()))} cases, {len(faults)} faults"]))
        raise typer.Exit(bool(faults))
    shares, detectors = [_share(said) for said in _names(share)], watched(watch)
    figures = [Figures(name, one, measure(detectors, found[name], one)) for name in halves for one in shares]
    if as_json:
        echo(shown_json([one.to_json() for one in figures], indent=1))
        return
    _print(figures, constructions, limit if errors else 0)


def _print(figures: list[Figures], constructions: bool, limit: int) -> None:
    from rlenv.hackbench.figures import cost_table, errors, tables

    echo(cost_table(figures))
    for half, one in {one.half: one for one in reversed(figures)}.items():
        echo("\n\n".join([f"\n{half}", *tables(one, constructions)]))
        if limit:
            echo("\n" + "\n".join(errors(one, limit)))


def _share(said: str) -> float | None:
    if said == DEFAULT:
        return None
    try:
        share = float(said)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ConfigError(f"expected shares from 0 to 1, or {DEFAULT}, between commas, got {said!r}")
    return share


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
