"""`rlenv rescore DIR`: judge saved or imported episodes with the verifier as it is now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rlenv
from rlenv.cli.echo import echo
from rlenv.cli.environment_options import Data, Imports, Set, environment_kwargs, import_modules


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Of `rlenv eval --out` or `rlenv import --out`.")],
    env: Annotated[str | None, typer.Argument(metavar="[ENV]", help="Another environment that judges them.")] = None,
    data: Data = None,
    settings: Set = None,
    imports: Imports = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Judge a saved run again, and list every verdict that changed."""
    import_modules(imports)
    done = rlenv.rescore(folder, env, env_kwargs=environment_kwargs(data, settings), quiet=quiet)
    echo(done)
    echo(f"saved in {done.folder}; the run itself is as it was")
