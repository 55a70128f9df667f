"""A setting of an algorithm, or other nested settings, changed by its path: `rlenv train --set control.clip_high=0.28`.

>>> from rlenv.trainers.algorithms.row import ALGORITHMS
>>> changed(ALGORITHMS["grpo"], "control.clip_high", 0.28).control.clip_high
0.28
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import NoneType, UnionType
from typing import Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

Choice = TypeVar("Choice")


def with_changes(row: Choice, changes: Mapping[str, Json]) -> Choice:
    """The row with several settings changed at once, checked when all of them are in place.

    >>> from rlenv.trainers.algorithms.row import ALGORITHMS
    >>> with_changes(ALGORITHMS["ppo"], {"critic": None, "advantage.kind": "leave_one_out"}).critic is None
    True
    """
    where = getattr(row, "name", type(row).__name__)
    return _with(row, [(path.split("."), value) for path, value in changes.items()], where)


def changed(row: Choice, path: str, value: Json) -> Choice:
    """The row with one setting changed, given by its path. Raises ConfigError that says what would be legal."""
    return with_changes(row, {path: value})


def _with(choice: Choice, changes: list[tuple[list[str], Json]], where: str) -> Choice:
    """A copy of a dataclass with the values at these paths, each dataclass on the way rebuilt once."""
    hints = get_type_hints(type(choice))
    names = [field.name for field in fields(choice)]  # type: ignore[arg-type]
    found: dict[str, object] = {}
    for name in dict.fromkeys(path[0] for path, _ in changes):
        if name not in names:
            raise ConfigError(f"{where} has no setting {name!r}; expected one of {', '.join(names)}")
        inner = [(path[1:], value) for path, value in changes if path[0] == name]
        whole = [value for path, value in inner if not path]
        deeper = [(path, value) for path, value in inner if path]
        now: object = getattr(choice, name)
        if whole:
            now = _typed(whole[-1], hints[name], f"{where}.{name}")
        if deeper:
            now = _with(_opened(now, hints[name], f"{where}.{name}"), deeper, f"{where}.{name}")
        found[name] = now
    return replace(choice, **found)  # type: ignore[type-var]


def _opened(value: object, hint: object, where: str) -> object:
    """The dataclass that a path leads into, with its defaults where the row has none."""
    if value is None:
        kinds = [kind for kind in get_args(hint) if is_dataclass(kind)]
        value = _made(kinds[0], where) if kinds else None
    if not is_dataclass(value):
        raise ConfigError(f"{where} is a single value, without settings of its own")
    return value


def _made(kind: object, where: str) -> object:
    try:
        return kind()  # type: ignore[operator]
    except TypeError as error:
        raise ConfigError(f"{where} cannot stand by itself; start from an algorithm that has it") from error


def _typed(value: Json, hint: object, where: str) -> object:
    """The value as the setting's type takes it. Raises ConfigError."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for option in options:
        if get_origin(option) is Literal and value in get_args(option):
            return value
        if option is NoneType and value in (None, "none"):
            return None
        if option is bool and isinstance(value, bool):
            return value
        if option is str and isinstance(value, str):
            return value
        if option is int and isinstance(value, int) and not isinstance(value, bool):
            return value
        if option is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if option is float and value in ("inf", "Infinity"):
            return float("inf")
        if get_origin(option) is tuple and isinstance(value, list):
            return tuple(_typed(item, get_args(option)[0], where) for item in value)
        if option is object:
            return value
        if get_origin(option) is Mapping and isinstance(value, dict):
            return {name: _typed(one, get_args(option)[1], where) for name, one in value.items()}
        if is_dataclass(option) and value in (True, "default"):
            return _made(option, where)
    raise ConfigError(f"expected {where} to be {_named(options)}, got {value!r}")


def _named(options: tuple[object, ...]) -> str:
    words: list[str] = []
    for option in options:
        if get_origin(option) is Literal:
            words += [str(value) for value in get_args(option)]
        elif option is NoneType:
            words.append("null")
        elif is_dataclass(option):
            words.append("default")
        elif get_origin(option) is tuple:
            words.append("a list")
        elif get_origin(option) is Mapping:
            words.append("an object")
        else:
            words.append({bool: "true or false", int: "a whole number", float: "a number", str: "text"}[option])  # type: ignore[index]
    return " or ".join(words) if len(words) < 3 else f"one of {', '.join(words)}"
