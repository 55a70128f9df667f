"""`rlenv hackbench`: precision, recall, false positives and cost of every detector on labelled cases.

    $ rlenv hackbench --half tuning --detector repetition --errors
    $ rlenv hackbench --check                            # exit code 1 where a detector is below the mark

The halves: `tuning` (rules may be made with it), `reporting` (other templates, for figures), `untuned` (hacks that
no template of ours made) and `honest` (other people's honest texts, read from --data).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.errors import ConfigError, TaskError
from rlenv.shown import shown_json

if TYPE_CHECKING:
    from rlenv.hackbench.case import Case

DATA = Path("../shared/data")


def command(
    half: Annotated[
        str, typer.Option(help="tuning, reporting, untuned or honest, between commas; all by default.")
    ] = "",
    detector: Annotated[str, typer.Option(help="Names of detectors between commas; all by default.")] = "",
    data: Annotated[
        Path, typer.Option(help="Folder with the public sets that two of the halves are read from.")
    ] = DATA,
    errors: Annotated[
        bool, typer.Option("--errors", help="Print what was missed and what was flagged for nothing.")
    ] = False,
    limit: Annotated[int, typer.Option(min=0, help="How many errors of a detector to print.")] = 20,
    reveal: Annotated[bool, typer.Option("--reveal", help="Print errors of the reporting half too.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    into: Annotated[
        Path | None, typer.Option(help="Put the Markdown table between the marks of this document too.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 where a detector is below the mark.")] = False,
) -> None:
    """Measure the detectors on HackBench."""
    from rlenv.hackbench.case import HALVES, REPORTING
    from rlenv.hackbench.running import detectors, rows
    from rlenv.hackbench.table import as_json as figures
    from rlenv.hackbench.table import errors as told
    from rlenv.hackbench.table import markdown_table, plain_table, with_table

    halves = _names(half) or list(HALVES)
    unknown = set(halves) - set(HALVES)
    if unknown:
        raise ConfigError(f"no half {', '.join(sorted(unknown))}; there are: {', '.join(HALVES)}")
    if errors and REPORTING in halves and not reveal:
        raise ConfigError(
            "errors of the reporting half are not shown, so that no detector is fitted to them; "
            "choose another --half, or give --reveal where nobody will tune with what is printed"
        )
    chosen = detectors(_names(detector))
    document = "" if into is None else with_table(into.read_text("utf-8", "surrogateescape"), "")  # before long work
    found = list(rows(chosen, {name: _cases(name, data) for name in halves}))
    if as_json:
        echo(shown_json(figures(found), indent=1))
    else:
        echo((markdown_table if markdown else plain_table)(found))
    if into is not None:
        into.write_text(with_table(document, markdown_table(found)), "utf-8", "surrogateescape")
    if errors:
        for row in found:
            echo(f"\n{told(row, limit)}")
    if check and not all(row.passes for row in found):
        raise typer.Exit(1)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _cases(half: str, data: Path) -> list[Case]:
    """The cases of a half; what a half needs from the data folder and does not find is said on standard error."""
    from rlenv.cli.hackbench_sets import honest_cases, untuned_cases
    from rlenv.hackbench.case import HONEST, UNTUNED
    from rlenv.hackbench.files import half_file, read_cases

    if half in (HONEST, UNTUNED) and not data.is_dir():
        echo(f"note: no folder {data}, so the half '{half}' holds only what the package brings", err=True)
    if half not in (HONEST, UNTUNED):
        return read_cases(half_file(half))
    try:
        return honest_cases(data) if half == HONEST else untuned_cases(data)
    except KeyError as error:
        raise TaskError(f"{data}: a file for the half {half!r} has no column {error}; give the public sets") from error
