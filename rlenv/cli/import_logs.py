"""`rlenv import FILE...`: completions that TRL, verl, Inspect or verifiers logged, to judge them again.

$ rlenv import runs/trl/completions --env mine/reverse-v0 --out runs/imported
$ rlenv rescore runs/imported
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environment_options import Data, Imports, Set, environment_kwargs, import_modules


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files of one run, or folders of them.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for the episodes.")],
    env: Annotated[
        str | None, typer.Option(help="The environment of the log; not needed where the log holds rows of rlenv.")
    ] = None,
    data: Data = None,
    settings: Set = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="NAME", help="trl, verl, inspect or verifiers; by default it is read from each file."
        ),
    ] = None,
    reward: Annotated[str | None, typer.Option(help="The column of the log that holds the reward.")] = None,
    reference: Annotated[
        str | None, typer.Option(help="Make the tasks from the log: this column is the right answer.")
    ] = None,
    threshold: Annotated[float, typer.Option(help="A completion passes at this reward or more.")] = 1.0,
    imports: Imports = None,
) -> None:
    """Save completions that another library logged as episodes; `rlenv rescore` judges them again."""
    from rlenv.logs import import_logs

    import_modules(imports)
    kwargs = environment_kwargs(data, settings)
    done = import_logs(
        list(paths), out, env=env, env_kwargs=kwargs, form=form, reward=reward, reference=reference, threshold=threshold
    )
    echo(done)
    modules = [word for name in imports or () for word in ("--import", name)]
    echo(f"now: {shlex.join(['rlenv', 'rescore', str(out), *modules])}")
