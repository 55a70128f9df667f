"""`rlenv report RUN`: everything that the saved completions of a run can answer, without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environment_options import Imports, find_modules_here, import_modules
from rlenv.cli.eval import numbers
from rlenv.store.files import replace_text


def command(
    run: Annotated[Path, typer.Argument(help="The folder of an evaluation or a training run, or a file of episodes.")],
    k: Annotated[str, typer.Option("--k", "-k", help="The k of pass@k, maj@k and best-of-k, between commas.")] = "",
    by: Annotated[list[str] | None, typer.Option(help="Report by this column of the tasks too, such as level.")] = None,
    maj: Annotated[
        bool, typer.Option("--maj", help="maj@k: the most frequent answer of k completions is right.")
    ] = False,
    best_of: Annotated[
        list[str] | None,
        typer.Option(help="best-of-k by logprob, logprob-mean, a score of the verdicts, or a scorer."),
    ] = None,
    calibrate: Annotated[list[str] | None, typer.Option(help="How well this score predicts passing.")] = None,
    train: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Training data: tasks whose text is in it are reported apart.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Prices of tokens by model, as litellm publishes them.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="A completion passes at this reward or more.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it as Markdown too.")] = None,
    imports: Imports = None,
) -> None:
    """Analyse a saved run: pass@k for any k, by level, majority vote, best-of-n, difficulty, cost.

    For example: rlenv report runs/check --k 1,8 --maj --best-of logprob --by level
    """
    from rlenv.analysis import analyse

    import_modules(imports)
    find_modules_here()  # for --best-of MODULE:FUNCTION
    found = analyse(
        run,
        k=numbers(k) if k else (),
        by=by or (),
        maj=maj,
        best_of=best_of or (),
        calibrate=calibrate or (),
        train=train,
        prices=prices,
        threshold=threshold,
    )
    echo(found)
    if out is not None:
        replace_text(out, found.markdown())
        echo(f"saved in {out}")
