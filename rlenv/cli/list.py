"""`rlenv list`: the ids of all environments; behind an id stands what it cannot be made without."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environments import Imports, import_modules
from rlenv.core.errors import UnknownEnvironment
from rlenv.env.registry import list_envs, needed


def command(
    family: Annotated[
        str | None, typer.Option(help="Only this family, which is the part of an id before the slash.")
    ] = None,
    imports: Imports = None,
) -> None:
    """List the environments, one id a line."""
    import_modules(imports)
    ids = list_envs()
    if family is not None:
        families = sorted({id.partition("/")[0] for id in ids})
        if family not in families:
            near = difflib.get_close_matches(family, families, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(families)}"
            raise UnknownEnvironment(f"no family {family!r}; {hint}")
        ids = list_envs(family)
    echo("\n".join(map(_line, ids)))


def _line(id: str) -> str:
    """
    >>> _line("math/arithmetic-v0"), _line("safety/rm-v0")
    ('math/arithmetic-v0', 'safety/rm-v0 (needs --set scorer=...)')
    """
    needs = " ".join(f"--set {name}=..." for name in needed(id))
    return f"{id} (needs {needs})" if needs else id
