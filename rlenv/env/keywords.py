"""The keywords that a factory of an environment is given: names that it takes, values of the types that it states.

They come from the command line, where `--set level=[3]` reads as a list, and from the JSON of others. What the JSON of
others may set is declared: `Allowed`, for every environment here and for one where it is registered.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, TypeAlias

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.reading import READ_AS


@dataclass(frozen=True, slots=True)
class Between:
    """Plain values, whose numbers lie from `low` to `high`, both included: words, lists and mappings of such."""

    low: float = -1e9
    high: float = 1e9


PLAIN = Between()
Allowed: TypeAlias = Between | Literal["text"] | tuple[Json, ...]
"""What a row may set a keyword to: plain values, free text with `{name}` in it, or one of these values."""
ROW_MAY_SET: Mapping[str, Allowed] = {
    "split": PLAIN,
    "seed": PLAIN,
    "size": Between(1),
    "level": Between(1, 100),
    "demonstration_percent": Between(0, 100),
    "pay": PLAIN,
    "instruction": "text",
    "template": "text",
    "time_limit_s": Between(0.001, 60),
    "wall_s": Between(0.001, 60),
    "memory_mb": Between(16, 4096),
    "max_turns": Between(1, 256),
    "read_as": READ_AS,
    "isolation": ("auto", "process"),
    "sandbox": ("auto", "docker", "namespaces"),
}
"""The keywords that mean the same in every environment. Others are declared with the environment."""
ALL_TAKE = "isolation, time_limit_s, read_as, tools, max_turns"
"""What every environment takes beside the keywords of its factory."""
KINDS: Mapping[str, tuple[type, ...]] = {
    "None": (type(None),),
    "bool": (bool,),
    "int": (Integral,),
    "float": (Real,),
    "str": (str, os.PathLike),
    "list": (list, tuple),
    "Sequence": (Sequence,),
    "Mapping": (Mapping,),
    "dict": (dict,),
}
"""What an annotation stands for; one that is not made of these is the factory's own to check."""


def check_keywords(
    env_id: str, factory: Callable[..., object], given: Mapping[str, object], others: str = f", {ALL_TAKE}"
) -> None:
    """Raise ConfigError for a keyword that the factory does not take or whose type it does not state, and for NaN."""
    signature = inspect.signature(factory)
    try:
        signature.bind(**given)
    except TypeError as error:
        takes = ", ".join(signature.parameters)
        raise ConfigError(f"{env_id}: {error}; it takes: {takes}{others}") from error
    for name, value in given.items():
        stated = signature.parameters[name].annotation if name in signature.parameters else "object"
        stated = getattr(stated, "__name__", stated) if isinstance(stated, type) else str(stated)
        if not fits(value, stated):
            raise ConfigError(f"{env_id}: expected {name} to be {stated}, got {value!r:.200}")


def fits(value: object, stated: str) -> bool:
    """Whether the value is what an annotation says, as far as this module reads annotations.

    >>> fits(3, "int | None"), fits([3], "int | None"), fits(float("nan"), "float"), fits([3], "Tasks")
    (True, False, False, True)
    """
    names = [part.partition("[")[0] for part in stated.split(" | ")]
    if not all(name in KINDS for name in names):
        return True
    if isinstance(value, bool):
        return "bool" in names
    return value == value and any(isinstance(value, KINDS[name]) for name in names)
