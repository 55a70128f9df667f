"""A file of settings: read, and written with the help of each setting beside it."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeAlias

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, read_json

Tree: TypeAlias = dict[str, Any]
"""What was given: settings by their names, and tables of those that have parts: kwargs, of, control, engine ..."""
MOST_BYTES = 1_000_000
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_configuration(file: Path) -> Tree:
    """The settings of a TOML file. Raises ConfigError with the line where it is none."""
    try:
        content = file.read_bytes()
        if len(content) > MOST_BYTES:
            raise ConfigError(f"{file}: {len(content)} bytes are no file of settings")
        return tomllib.loads(content.decode())
    except FileNotFoundError as error:
        raise ConfigError(f"{file}: no such file; `--print-config` writes one to begin with") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: no TOML: {error}") from error


def setting_value(text: str) -> Json:
    """What stands behind the `=`: JSON where it is JSON, else text."""
    try:
        return float(text) if text.lstrip("-").startswith(".") else read_json(text)
    except ValueError:
        return text


def toml(tree: Mapping[str, Any]) -> str:
    """The tree as TOML; what is None is left out.

    >>> print(toml({"steps": 2, "kwargs": {"level": 3}, "of": {"a/b-v0": {"data": "x.csv"}}}), end="")
    steps = 2
    <BLANKLINE>
    [kwargs]
    level = 3
    <BLANKLINE>
    [of."a/b-v0"]
    data = "x.csv"
    """
    return "".join(f"{line}\n" for line in _tables(tree, ""))


def _tables(tree: Mapping[str, Any], name: str) -> Iterator[str]:
    values = {key: value for key, value in tree.items() if not isinstance(value, Mapping) and value is not None}
    tables = {key: value for key, value in tree.items() if isinstance(value, Mapping)}
    if name and values:
        yield ""
        yield f"[{name}]"
    yield from (f"{_key(key)} = {_value(value)}" for key, value in values.items())
    for key, inner in tables.items():
        yield from _tables(inner, f"{name}.{_key(key)}" if name else _key(key))


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _value(text)


def _value(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else f"{'-' if value < 0 else ''}inf"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())} }}"
    return json.dumps(value if isinstance(value, bool | int | float) else str(value), ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )


def commented(described: Iterable[tuple[str, str, Any]], tree: Tree) -> str:
    """Every setting with its help, as TOML: those that were given as they are, the others behind a `#`.

    `described` has for each its path, its help, and its value where none is given.
    """
    tables: dict[str, list[str]] = {"": []}
    for path, help, value in described:
        table, _, name = path.rpartition(".")
        if isinstance(value, Mapping):
            continue
        given = (tree.get(table, {}) if table else tree).get(name)
        line = (
            f"# {name} = {'' if value is None else _value(value)}".rstrip()
            if given is None
            else f"{name} = {_value(given)}"
        )
        tables.setdefault(table, []).extend(
            [*(f"# {part}" for part in wrap(help, 110)), line, *([] if table else [""])]
        )
    free = {name: value for name, value in tree.items() if isinstance(value, Mapping) and name not in tables}
    told = [line for table, lines in tables.items() for line in ([f"[{table}]", *lines, ""] if table else lines)]
    return "\n".join([*told, toml(free)])
