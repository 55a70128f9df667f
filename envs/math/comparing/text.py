"""Words and times of day: compared as what they are, never as products of letters or as quotients."""

from __future__ import annotations

from collections.abc import Callable

from rlenv.envs.math.comparing.comparison import Comparison
from rlenv.envs.math.reading.nodes import (
    Braces,
    Clock,
    Constant,
    Node,
    Number,
    Product,
    Quantity,
    Ratio,
    Relation,
    Symbol,
    Words,
)
from rlenv.envs.math.reading.phrases import phrase

_TRUTH = {"T": "true", "F": "false"}
"""How tables of truth write their values."""
_HALF_DAY = 12 * 3600


def spelled(node: Node) -> str:
    """The letters of a tree that may be words: odd is read as o times d times d where nothing says otherwise."""
    match node:
        case Words(text):
            return text
        case Symbol(name) | Constant(name):
            return {"inf": "infinity", "empty": "no solution", "reals": "all real numbers"}.get(name, name)
        case Product(factors) if all(isinstance(factor, (Symbol, Constant)) for factor in factors):
            return "".join(spelled(factor) for factor in factors)
        case Quantity(value, unit):
            return f"{spelled(value)} {unit}" if spelled(value) else ""
        case Number(value) if value.denominator == 1 and value.numerator.bit_length() < 1000:
            return str(value)
        case Braces(()):
            return "no solution"
        case Relation(_, ("perp" | "parallel" as said,)):
            return "perpendicular" if said == "perp" else said
    return ""


def same_words(gold: Node, answer: Node) -> Comparison | None:
    """None where one side is neither words nor letters."""
    left, right = spelled(gold), spelled(answer)
    if left and (phrase(left) == phrase(right) or _TRUTH.get(left) == phrase(right)):
        return Comparison(True, "text")
    return None


def same_clock(gold: Node, answer: Node, question: str, same: Callable[[Node, Node], Comparison]) -> Comparison:
    """Two times of day; a ratio such as 10:15 looks like one, so the question may say that it is a ratio."""
    both = isinstance(gold, Clock) and isinstance(answer, Clock)
    if isinstance(gold, Clock) and isinstance(answer, Clock):
        if gold.seconds == answer.seconds:
            return Comparison(True, "structure")
        one_sided = bool(gold.half) != bool(answer.half)
        if one_sided and gold.seconds % _HALF_DAY == answer.seconds % _HALF_DAY and _is_twelve_hour(gold, answer):
            return Comparison(True, "structure")
    if "ratio" in question.lower() or "proportion" in question.lower() or not both:
        left, right = _as_ratio(gold), _as_ratio(answer)
        if left is not None and right is not None and (isinstance(left, Ratio) or isinstance(right, Ratio)):
            if isinstance(gold, Clock) and "ratio" not in question.lower() and isinstance(answer, Ratio):
                return Comparison(False, "structure", "not that time of day")
            return same(left, right)
    return Comparison(False, "structure", "not that time of day")


def _is_twelve_hour(gold: Clock, answer: Clock) -> bool:
    """Whether the side without a.m. or p.m. leaves open which half of the day it means."""
    bare = answer if gold.half else gold
    return 3600 <= bare.seconds < 13 * 3600


def _as_ratio(node: Node) -> Node | None:
    if not isinstance(node, Clock):
        return node
    if node.half:
        return None
    from rlenv.envs.math.reading.parser import parse
    from rlenv.envs.math.reading.tokens import Unreadable

    try:
        return parse(node.written)
    except Unreadable:
        return None
