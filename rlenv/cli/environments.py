"""The environment of a command: modules that register it, and its keywords."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias, cast

import typer

from rlenv.cli.configuration import setting_value
from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json
from rlenv.env.registry import list_envs

Imports: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--import", metavar="MODULE", help="Import a module or FILE.py of yours first: it registers environments."
    ),
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
            importlib.import_module(module_of_file(Path(name)) if _in_a_folder(name) else name.removesuffix(".py"))
        except RlenvError:
            raise
        except ModuleNotFoundError as error:
            where = f"; looked in {Path.cwd()} and the installed packages" if error.name == name else ""
            raise ConfigError(f"{asked} {name}: {error}{where}") from error
        except (Exception, SystemExit) as error:  # the user's module may raise anything
            raise ConfigError(f"{asked} {name}: {_place(error)}{type(error).__name__}: {error}") from error


def _in_a_folder(name: str) -> bool:
    return name.endswith(".py") and Path(name).name != name


def module_of_file(file: Path) -> str:
    """The module of a file by its own name, to be imported; its folder comes last of those searched, shadowing none.

    Raises ConfigError where there is no such file, or another module of this name.
    """
    if not file.is_file():
        raise ConfigError(f"{file}: no such file; give the path of a Python file")
    name, path = file.stem, file.resolve()
    if not name.isidentifier():
        raise ConfigError(f"{file}: its name is none of a module; copy it to a name of letters, digits and _")
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return name
    if known is not None or name in sys.stdlib_module_names:
        raise ConfigError(f"{file}: there is a module {name!r} already; copy the file to another name")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin != str(path):
        raise ConfigError(f"{file}: a module {name!r} is installed, and comes first; copy the file to another name")
    return name


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


def keywords(id: str, data: str, kwargs: Mapping[str, object], of: Mapping[str, object]) -> dict[str, Any]:
    """The keywords of the one environment of a call: --data, --set, and those that are said of its id.

    >>> keywords("math/gsm8k-v0", "rows.jsonl", {"split": "test"}, {"math/gsm8k-v0": {"limit": 3}})
    {'data': 'rows.jsonl', 'split': 'test', 'limit': 3}
    """
    found = keywords_of(of, [id])
    return {**({"data": data} if data else {}), **kwargs, **found.get(id, {})}


def keywords_of(of: Mapping[str, object], ids: Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
    """Keywords of single environments among several, by id.

    Raises ConfigError for an id that is not registered, and for one that is not among `ids`.
    """
    known = set(list_envs()) if ids is None else set(ids)
    for id, kwargs in of.items():
        if id not in known:
            what = f"no environment {id!r}; see `rlenv list`" if ids is None else "it is not among those named"
            raise ConfigError(f"--set {id}:...: {what}")
        if not isinstance(kwargs, Mapping):
            raise ConfigError(f"expected keywords by name for {id}, got {kwargs!r:.80}")
    return {id: dict(cast("Mapping[str, Any]", kwargs)) for id, kwargs in of.items()}


def _place(error: BaseException) -> str:
    """Where in the user's file it happened."""
    if isinstance(error, SyntaxError):
        return f"{error.filename} line {error.lineno}: "
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename} line {trace.tb_lineno}: "
