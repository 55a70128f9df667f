r"""What a question says of the answer: whether order counts, and in which unit.

>>> is_ordered("List them from least to greatest."), asked_unit("How many cents is that?")
(True, 'cents')
"""

from __future__ import annotations

import re
from functools import lru_cache

from rlenv.envs.math.grammar.units import factor

_ORDERED = re.compile(
    r"\b(?:in|by) (?:the )?(?:\w+ ){0,2}order\b(?! to\b| that\b| for\b)|\b(?:as|de)scending|\bsort|\barrange\b"
    r"|\bfrom (?:\w+ )?(?:least|smallest|lowest|shortest|youngest|slowest|cheapest|nearest|first|last"
    r"|greatest|largest|highest|biggest|longest|oldest|tallest|fastest|dearest|heaviest|lightest) to\b"
    r"|\bnext (?:\w+ )?terms|\brespectively\b",
    re.IGNORECASE,
)
"""`in increasing order`, `from least to greatest`, `the next two terms`"""
_ORDER_WORDS = ("order", "scending", "sort", "arrang", "from", "next", "respectively")
"""Without any of these nothing is asked for in an order."""
_ANY_ORDER = re.compile(r"\bany order\b|\border does not matter", re.IGNORECASE)  # Give them in any order.
_SPAN = r"(?:\$[^$]{1,80}\$|\\\(.{1,80}?\\\))"  # $f(1)$
_IN_TURN = re.compile(
    rf"\b(?:find|compute|evaluate|calculate|determine|what are|give)\s+(?:the (?:exact )?values? of\s+)?"
    rf"(?P<asked>{_SPAN}(?:\s*(?:,|,?\s*and)\s*{_SPAN})+)\s*(?=[.?!,;:]|\Z)",
    re.IGNORECASE,
)
"""Find $f(1)$, $f(2)$ and $f(3)$."""
_UNIT = re.compile(
    r"\bhow many ((?:(?:square|cubic) )?[a-z]+(?: per [a-z]+)?)"
    r"|\bin ((?:(?:square|cubic) )?[a-z]{4,}(?: per [a-z]+)?)\b"
    r"|\bin \$?((?:[kcm]?m|ft|mi|g|kg|s|min|h|l)(?:\^?[23]|[²³])?(?:/(?:h|s|min|m)(?:\^?[23]|[²³])?)?)\$?(?=[?.,;)]|\Z)"
)
"""`how many cents`, `in square metres`, `in miles per hour`, `in km/h?`"""


@lru_cache(maxsize=512)
def is_ordered(question: str) -> bool:
    """Whether the question asks for a list in an order."""
    lower = question.lower()
    hinted = any(word in lower for word in _ORDER_WORDS)
    return hinted and bool(_ORDERED.search(question)) and not _ANY_ORDER.search(question)


@lru_cache(maxsize=512)
def asked_in_turn(question: str) -> int:
    """How many quantities the question asks for by name, one after the other; 0 where it asks for fewer than two.

    >>> asked_in_turn("Find $f(1)$, $f(2)$ and $f(3)$."), asked_in_turn("Find $x$."), asked_in_turn("Find the roots.")
    (3, 0, 0)
    """
    found = None if _ANY_ORDER.search(question) else _IN_TURN.search(question)
    return len(re.findall(_SPAN, found["asked"])) if found else 0


@lru_cache(maxsize=512)
def asked_unit(question: str) -> str:
    """The unit in which the question asks for its answer, "" for none; of several the one behind `how many`."""
    found = [match[1] or match[2] or match[3] for match in _UNIT.finditer(question.lower())]
    known = [unit for unit in found if factor(unit, unit) is not None]
    return known[0] if len({*known}) == 1 else ""
