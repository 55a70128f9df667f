"""What a task counts as a right answer: where it may stand, how strictly it is compared; and what comparing found.

>>> MathPolicy().answer_in
('box', 'hash', 'tag', 'line', 'whole')
>>> MathPolicy.of({"rounding": "digits", "answer_in": ["box"]}).to_json()["answer_in"]
['box']

The defaults are made for training: exact, and with nothing that a policy could gain by being vague.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeAlias, cast, get_args

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

Place: TypeAlias = Literal["box", "hash", "tag", "line", "whole"]
Thinking: TypeAlias = Literal["ignored", "counts"]
Percent: TypeAlias = Literal["strict", "share", "either"]
Rounding: TypeAlias = "Literal['exact', 'digits'] | float"
Order: TypeAlias = Literal["tuples", "all", "none"]
Units: TypeAlias = Literal["optional", "required", "ignored"]
Form: TypeAlias = Literal["asked", "any", "number"]


@dataclass(frozen=True, kw_only=True)
class MathPolicy:
    """Raises ConfigError for a value that is none of those named."""

    answer_in: tuple[Place, ...] = ("box", "hash", "tag", "line", "whole")
    r"""Where the final answer may stand, the place that is believed first in front.

    `box` the last `\\boxed{}`; `hash` what follows `####`; `tag` what `<answer>` holds; `line` a closing
    sentence or line that announces it ("The answer is 7", "Answer: 7"); `whole` a short completion that is
    nothing but an answer.
    """
    thinking: Thinking = "ignored"
    """Whether an answer that stands only in the reasoning counts."""
    percent: Percent = "strict"
    """What X% equals: `share` X/100 alone; `either` X as well; `strict` X as well, but only where the
    reference or the question has a percent sign or the word."""
    rounding: Rounding = "exact"
    """`exact`; `digits` as many digits as the reference gives; or a relative tolerance such as 1e-4."""
    order: Order = "tuples"
    """`tuples` (1, 2) is ordered and a bare list 1, 2 is not; `all` both are; `none` neither is."""
    units: Units = "optional"
    """`optional` a unit may be left out, but a wrong one is wrong; `required` it must be there where the
    reference has one; `ignored` it is never looked at."""
    form: Form = "asked"
    """`asked` what the question asks to be worked out, or to be written in a form, must be, where the question is
    known; `any` whatever has the value is right, the question's own expression too; `number` the last side must state
    one number, and no sum or product that leads to it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "answer_in", _places(self.answer_in))
        known = {"thinking": Thinking, "percent": Percent, "order": Order, "units": Units, "form": Form}
        for name, kind in known.items():
            _one_of(name, getattr(self, name), get_args(kind))
        _check_rounding(self.rounding)

    @classmethod
    def of(cls, settings: Mapping[str, Json]) -> MathPolicy:
        """A policy of JSON values. Raises ConfigError for a setting that does not exist."""
        known = [field.name for field in fields(cls)]
        for name in settings:
            if name not in known:
                raise ConfigError(f"expected policy settings among {known}, got {name!r}")
        return cls(**cast("dict[str, Any]", dict(settings)))

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "answer_in": list(self.answer_in)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`equal` is None where this tier could not decide, and a dearer one has to."""

    equal: bool | None
    tier: str
    """Which tier decided: identity, exact, structure, polynomial, numeric, symbolic, text or guard."""
    reason: str = ""
    """Why not, in words that a person can read; empty where equal."""
    flags: tuple[str, ...] = ()
    """Names of what was odd: equation_chain, percent_coerced, unit, number_spray, cost_guard ..."""


def _places(places: object) -> tuple[Place, ...]:
    if isinstance(places, str):
        places = places.split(",")
    known = get_args(Place)
    chosen = tuple(places) if isinstance(places, (list, tuple)) else ()
    if not chosen or len(set(chosen)) < len(chosen) or any(place not in known for place in chosen):
        raise ConfigError(f"expected answer_in to name places among {list(known)}, each once, got {places!r}")
    return cast("tuple[Place, ...]", chosen)


def _one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"expected {name} among {list(known)}, got {value!r}")


def _check_rounding(rounding: object) -> None:
    if rounding in ("exact", "digits"):
        return
    tolerance = isinstance(rounding, float) and math.isfinite(rounding) and 0 < rounding < 1
    if not tolerance:
        raise ConfigError(f"expected rounding 'exact', 'digits' or a relative tolerance in (0, 1), got {rounding!r}")
