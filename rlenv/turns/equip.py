"""Gives an environment of one turn tools: `rlenv.make("math/gsm8k-v0", tools="python")`.

Tools are named by what a package registered (`python`), by "package.module:function", or given as functions. Several
stand in a list; a mapping gives a tool its keywords: `tools={"python": {"wall_s": 5}}`.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, cast

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

if TYPE_CHECKING:
    from rlenv.turns.tools import ToolLike

Tools: TypeAlias = "str | ToolLike | Sequence[str | ToolLike] | Mapping[str, Mapping[str, Json]]"
_named: dict[str, str] = {}


def register_tool(name: str, entry_point: str) -> None:
    """Let `tools=name` stand for what the factory "package.module:function" makes: a Tool or a typed function.

    Raises ConfigError for a name that is another factory's, or no name.
    """
    if not name.isidentifier() or ":" not in entry_point:
        raise ConfigError(f"expected a name and 'package.module:function', got {name!r} and {entry_point!r}")
    if _named.setdefault(name, entry_point) != entry_point:
        raise ConfigError(f"the tool {name!r} is {_named[name]} already; choose another name than for {entry_point}")


def tool_names() -> list[str]:
    """The tools that a package registered, sorted."""
    return sorted(_named)


def equipped(definition: Definition, tools: Tools) -> Definition:
    """The environment with tools: its episodes have several turns, and the last one is judged as before.

    Raises ConfigError for an environment that answers its policy already, and for tools that cannot be had.
    """
    from rlenv.turns.tools import ToolInteraction

    if definition.interaction is not None:
        raise ConfigError(f"{definition.id or 'this environment'} has several turns of its own; it takes no tools")
    return replace(definition, interaction=ToolInteraction(_tools(tools)))


def _tools(tools: Tools) -> list[ToolLike]:
    if isinstance(tools, Mapping):
        return [_made(name, given) for name, given in tools.items()]
    several = [tools] if isinstance(tools, str) or not isinstance(tools, Sequence) else tools
    return [_found(one) if isinstance(one, str) else one for one in several]


def _found(name: str) -> ToolLike:
    return cast("ToolLike", _resolved(name)) if ":" in name else _made(name, {})


def _made(name: str, given: Mapping[str, Json]) -> ToolLike:
    """What a factory makes."""
    entry_point = name if ":" in name else _named.get(name)
    if entry_point is None:
        near = difflib.get_close_matches(name, _named, n=1)
        known = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(_named)) or 'none'}"
        raise ConfigError(f"no tool {name!r}; {known} Or give 'package.module:function'")
    factory = cast("Callable[..., ToolLike]", _resolved(entry_point))
    try:
        return factory(**given)
    except TypeError as error:
        raise ConfigError(f"tool {name}: {error}") from error


def _resolved(entry_point: str) -> object:
    module, _, name = entry_point.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"tool {entry_point}: {error}; expected 'package.module:function'") from error
