"""Command-line options made from a config dataclass: names, defaults and help stand once, in the dataclass."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from itertools import pairwise
from typing import Annotated, Any, TypeAlias, TypeVar, get_type_hints

import typer

Config = TypeVar("Config")


def field_help(config: type[Any]) -> dict[str, str]:
    """The docstring under each field, inherited ones included, on one line."""
    found = {}
    for part in reversed([part for part in config.__mro__ if is_dataclass(part)]):
        tree = ast.parse(textwrap.dedent(inspect.getsource(part))).body[0]
        body = tree.body if isinstance(tree, ast.ClassDef) else []
        for statement, after in pairwise(body):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and is_text:
                text = after.value.value  # type: ignore[attr-defined]
                found[statement.target.id] = " ".join(str(text).split())
    return found


Before: TypeAlias = "Callable[[dict[str, Any], dict[str, Any]], None]"
"""Sees the options of the config and the other ones, and may change both."""


def with_options(
    config: type[Config], before: Before | None = None, **defaults: object
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command, whose last parameter is `config`, one option for each field it can read from text.

    `defaults` replace those of the dataclass. The command receives the finished config; `before` is called before it
    is made.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        options = _options(config, defaults)

        def run(**values: Any) -> None:
            settings = {name: values.pop(name) for name in options}
            if before is not None:
                before(settings, values)
            command(config=config(**settings), **values)

        own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "config"]
        run.__signature__ = inspect.Signature([*own, *options.values()])  # type: ignore[attr-defined]
        run.__doc__ = command.__doc__
        run.__name__ = command.__name__
        return run

    return decorate


def _options(config: type[Any], defaults: dict[str, object]) -> dict[str, inspect.Parameter]:
    hints, described = get_type_hints(config), field_help(config)
    options = {}
    for field in fields(config):
        if not field.init or is_dataclass(hints[field.name]):
            continue
        default = defaults.get(field.name, field.default)
        kind: Any = str if field.name == "algorithm" else hints[field.name]
        declared = Annotated[kind, typer.Option(help=described.get(field.name), rich_help_panel="Settings of the run")]
        options[field.name] = inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is MISSING else default,
            annotation=declared,
        )
    return options
