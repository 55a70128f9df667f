"""`rlenv new my-env`: the package of a new environment, with a test, an audit in its CI and a card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo


def command(
    name: Annotated[str, typer.Argument(help="The name of the package and its folder, such as my-env.")],
    parent: Annotated[Path, typer.Option("--in", metavar="DIR", help="The folder to put it in.")] = Path(),
) -> None:
    """Write a package with a working environment, its tests and its audit, to change into yours."""
    from rlenv.scaffold.write import names_of, new_package

    for path in new_package(name, parent):
        echo(path)
    names = names_of(name)
    echo(
        f"\nnext:\n  cd {parent / name}\n  pip install -e '.[dev]'\n  python -m pytest\n  rlenv show {names.id}\n"
        f"  rlenv audit {names.id} --fail-on medium\nthen read its README.md: what to change, and where"
    )
