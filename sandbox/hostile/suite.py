"""Every case of the hostile suite, family by family."""

from __future__ import annotations

from rlenv.sandbox.hostile import made
from rlenv.sandbox.hostile.case import Case
from rlenv.sandbox.hostile.catalogue import family

FAMILIES = (
    "clock",
    "processes",
    "neighbours",
    "memory",
    "disk",
    "output",
    "sources",
    "values",
    "forging",
    "answers",
    "pairs",
    "commands",
    "interpreter",
    "spying",
    "leftovers",
    "network",
    "kernel",
)
CASES: tuple[Case, ...] = tuple(
    case for name in FAMILIES for case in (*family(name), *(made.CASES if name == "sources" else ()))
)
"""The suite. Names are unique over all families."""
