"""The options that say which environment: `--import`, `--data`, `--set`; of one among many, `--data-of`, `--set-of`.

Every command that makes one takes the first three.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json, read_json
from rlenv.env.registry import list_envs

Imports: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--import", metavar="MODULE", help="Import a module of yours first: it registers environments."),
]
Data: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A local data file, for environments that take data=FILE.")
]
Set: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A keyword of the environment; the value is JSON or text."),
]


def find_modules_here() -> None:
    """Let modules of the current folder be found, as `python -m` does."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))


def import_modules(names: Sequence[str] | None, asked: str = "--import") -> None:
    """Import the user's modules, from the current folder first; `asked` stands before the name in an error.

    Raises ConfigError, naming the place, when one cannot be imported.
    """
    if names:
        find_modules_here()
    for name in names or ():
        try:
            importlib.import_module(name.removesuffix(".py"))
        except RlenvError:
            raise
        except ModuleNotFoundError as error:
            where = f"; looked in {Path.cwd()} and the installed packages" if error.name == name else ""
            raise ConfigError(f"{asked} {name}: {error}{where}") from error
        except (Exception, SystemExit) as error:  # the user's module may raise anything
            raise ConfigError(f"{asked} {name}: {_place(error)}{type(error).__name__}: {error}") from error


def environment_kwargs(data: Path | None, settings: Sequence[str] | None) -> dict[str, Json]:
    """Keywords of an environment from `--data` and `--set`.

    >>> environment_kwargs(None, ["level=3", "split=test", 'names=["a"]'])
    {'level': 3, 'split': 'test', 'names': ['a']}
    """
    kwargs: dict[str, Json] = {} if data is None else {"data": str(data)}
    for setting in settings or ():
        key, equals, value = setting.partition("=")
        if not equals or not key.isidentifier():
            raise ConfigError(f"expected --set KEY=VALUE, got {setting!r}; for example --set level=3")
        kwargs[key] = setting_value(value)
    return kwargs


def kwargs_of(data: Sequence[str] | None, settings: Sequence[str] | None) -> dict[str, dict[str, Json]]:
    """Keywords of single environments among many, by id, from `--data-of ID=FILE` and `--set-of ID:KEY=VALUE`.

    Raises ConfigError for what is not of this form, and for an id that is not registered.

    >>> kwargs_of(["math/gsm8k-v0=rows.jsonl"], ["safety/rm-v0:scorer=toy"])
    {'math/gsm8k-v0': {'data': 'rows.jsonl'}, 'safety/rm-v0': {'scorer': 'toy'}}
    """
    found: dict[str, dict[str, Json]] = {}
    known = set(list_envs())
    for option, form, given, mark in (("data", "ID=FILE", data, "="), ("set", "ID:KEY=VALUE", settings, ":")):
        for one in given or ():
            id, _, rest = one.partition(mark)
            if not rest:
                raise ConfigError(f"expected --{option}-of {form}, got {one!r}")
            if id not in known:
                raise ConfigError(f"--{option}-of {one}: no environment {id!r}; see `rlenv list`")
            found.setdefault(id, {}).update({"data": rest} if option == "data" else environment_kwargs(None, [rest]))
    return found


def setting_value(text: str) -> Json:
    """What stands behind the `=`: JSON where it is JSON, else text."""
    try:
        return read_json(text)
    except ValueError:
        return text


def _place(error: BaseException) -> str:
    """Where in the user's file it happened."""
    if isinstance(error, SyntaxError):
        return f"{error.filename} line {error.lineno}: "
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename} line {trace.tb_lineno}: "
