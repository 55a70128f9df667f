"""What can be wrong with the form of an answer, each from the trees first and then from the words of the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rlenv.envs.math.comparing import compare
from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.comparing.values import guarded
from rlenv.envs.math.form.asked import asked
from rlenv.envs.math.form.flat import flat, walk
from rlenv.envs.math.form.kinds import PLAIN, WHOLE, degrees, kinds
from rlenv.envs.math.form.pending import pending
from rlenv.envs.math.form.structure import brackets, common_divisor, factor_count, features, is_solved, term_count
from rlenv.envs.math.reading.answer import read
from rlenv.envs.math.reading.names import SCALES
from rlenv.envs.math.reading.nodes import (
    Apply,
    Constant,
    InBase,
    Node,
    Number,
    Quantity,
    Relation,
    Sum,
    Symbol,
    children,
)
from rlenv.text.formulas import formulas

_SCALED = re.compile(rf"\b(?:{'|'.join(SCALES)})s?\b", re.IGNORECASE)  # 5 million
_SIGNS = frozenset("+-−")
_REDUCTIONS = frozenset({"unreduced", "root below", "radical", "denominator", "powers", "nested"})
"""What only a question for a simple form asks to be done."""
_EITHER_WAY = re.compile(r"interval notation[^.]*\bor\b[^.]*inequalit|inequalit[^.]*\bor\b[^.]*interval", re.IGNORECASE)
"""`in interval notation or as an inequality`"""
_ZERO_SIDE = re.compile(r"\bform\b[^.]{0,40}=\s*0")
"""in the form $ax + by + c = 0$"""
_A_PLUS_BI = re.compile(r"\ba\s*\+\s*b\s*i\b")  # in the form $a + bi$
_TURNS = re.compile(r"(?:<|\\leq?|≤)\s*(?:\\theta|θ|\\arg|\\varphi)")  # -\pi < \theta \le \pi
_EXPONENT = re.compile(r"(?<![a-z\\])e\s*\^\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")  # e^{2\pi i/3}
_ALONE = re.compile(r"(?:polynomial in|in terms of|only)(?: powers of)? *\$?\\?(sin|cos|tan)\b")
r"""as a polynomial in $\sin x$"""
_TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
_MIXED = re.compile(
    r"[0-9]\s*\\[dt]?frac\s*\{\s*([0-9]{1,9})\s*\}\s*\{\s*([0-9]{1,9})\s*\}|[0-9]\s+([0-9]{1,9})/([0-9]{1,9})"
)
r"""3\frac{6}{8}, 3 6/8"""
_ARITHMETIC = frozenset({"sum", "product"})
"""What no question asks to be left: a sum or product of plain numbers, where the reference is one number."""
MAX_EQUAL = 12
"""How many expressions of a question are compared with the reference."""


class Fault(NamedTuple):
    """`flag` is echo, left_undone or other_form."""

    flag: str
    reason: str


class Sides(NamedTuple):
    """Reference and answer as flat trees, without a name before the value, and their texts."""

    gold: Node
    said: Node
    gold_text: str
    said_text: str


def mixed_fault(answer: str, question: str) -> Fault | None:
    """A mixed number whose fraction can be reduced; its value does not show it."""
    mixed = _MIXED.search(answer) if asked(question).reduced else None
    if mixed is None or math.gcd(*(int(part) for part in mixed.groups() if part)) == 1:
        return None
    return Fault("left_undone", "a fraction that can be reduced")


def faults(sides: Sides, question: str) -> Iterator[Fault]:
    """Each fault of an answer that equals the reference."""
    yield from _written(sides, question)
    yield from _built(sides, question)
    left = _undone(sides)
    if left:
        left = _to_be_done(left, sides, question)
    if left:
        yield Fault("left_undone", f"left undone: {', '.join(sorted(left))}")


def _to_be_done(left: Counter[str], sides: Sides, question: str) -> Counter[str]:
    """What of the operations left undone the question asks to be carried out."""
    want = asked(question)
    simple = want.reduced or want.rational or want.single
    asks = simple or want.carried_out or want.factored or want.expanded or want.kind or want.named
    if not asks and not _holds_the_value(question, sides.gold_text):
        kept = {"sum below a root"} if children(sides.gold) else _ARITHMETIC | {"sum below a root"}
        return Counter({name: count for name, count in left.items() if name in kept})
    spared = set() if simple else set(_REDUCTIONS)
    if not want.rational:
        spared.add("root below")
    if not (want.expanded or want.named or want.reduced) and term_count(sides.said) == term_count(sides.gold):
        spared.add("brackets")  # multiplied out nothing in them meets a like term: (x - 1)e^x + C
    return Counter({name: count for name, count in left.items() if name not in spared})


def _undone(sides: Sides) -> Counter[str]:
    """What the answer leaves to be carried out and the reference does not. Primes are a number taken apart."""
    if "primes" in kinds(sides.gold, sides.gold_text) & kinds(sides.said, sides.said_text):
        return Counter()
    left, expected = pending(sides.said), pending(sides.gold)
    if _SCALED.search(sides.said_text):
        left = left - Counter({"product": 1})
    if isinstance(sides.said, Quantity) and not _SIGNS & set(sides.said_text):
        left = left - Counter({"product": 1, "sum": 1})
    return Counter(
        {
            name: count
            for name, count in (left - expected).items()
            if name != "functions" or not expected[name] or count > 1
        }
    )


def _written(sides: Sides, question: str) -> Iterator[Fault]:
    """Numbers in another way than the question names and the reference has."""
    if degrees(sides.said) and not degrees(sides.gold) and asked(question).radians:
        yield Fault("other_form", "degrees, where radians are asked for")
    if _holds_pi(sides.said) and not _holds_pi(sides.gold) and asked(question).degrees:
        yield Fault("other_form", "radians, where degrees are asked for")
    expected, said = kinds(sides.gold, sides.gold_text), kinds(sides.said, sides.said_text)
    if expected == said or not said or _same_digits(sides):
        return
    based = any(kind.startswith("base ") for kind in expected | said)
    if based or (not expected <= {WHOLE} and _differ(expected, said, question)):
        yield Fault("other_form", f"{_listed(said)}, where {_listed(expected)} is asked for")


def _differ(expected: frozenset[str], said: frozenset[str], question: str) -> bool:
    """Whether a special way to write numbers is missing, or another than the reference's is there, and one is asked."""
    if {"ratio", "fraction"} >= expected | said or not (expected - PLAIN - said or said - expected - {WHOLE}):
        return False
    mixed = expected == {"fraction"} and said == {"mixed number"}
    return asked(question).kind and not (mixed and not asked(question).reduced)


def _same_digits(sides: Sides) -> bool:
    """Whether a percent sign or a base is all that one of the two leaves out."""
    digits = {_percent(sides.gold), _percent(sides.said)}
    if len({_is_percent(sides.gold), _is_percent(sides.said)}) == 2:
        return len(digits) == 1 and None not in digits
    if len({isinstance(sides.gold, InBase), isinstance(sides.said, InBase)}) == 1:
        return False
    return _digits(sides.gold) == _digits(sides.said) != ""


def _is_percent(node: Node) -> bool:
    return isinstance(node, Apply) and node.name == "percent"


def _percent(node: Node) -> Fraction | None:
    return rational(node.args[0] if isinstance(node, Apply) and _is_percent(node) else node)


def _digits(node: Node) -> str:
    if isinstance(node, Number):
        return str(node.value)
    return node.digits if isinstance(node, InBase) else ""


def _holds_pi(node: Node) -> bool:
    return any(part == Constant("pi") for part in walk(node))


def _built(sides: Sides, question: str) -> Iterator[Fault]:
    """Another structure than the question names and the reference has."""
    gold, said = sides.gold, sides.said
    unfactored = factor_count(said) < factor_count(gold) or common_divisor(said) > common_divisor(gold)
    if unfactored and factor_count(gold) > 1 and asked(question).factored:
        yield Fault("left_undone", "not factored as far as the reference is")
    if brackets(said) > brackets(gold) and asked(question).expanded:
        yield Fault("left_undone", "brackets are not multiplied out")
    if isinstance(gold, Sum) and not isinstance(said, Sum) and _A_PLUS_BI.search(question):
        yield Fault("left_undone", "not divided out to the form a + bi")
    if _TURNS.search(question) and _turned(sides.gold_text, sides.said_text):
        yield Fault("other_form", "an argument out of the range asked for")
    if isinstance(said, Sum) and not isinstance(gold, Sum) and asked(question).single:
        yield Fault("left_undone", "several terms, where a single one is asked for")
    if _is_relation(gold) != _is_relation(said) and asked(question).region and not _EITHER_WAY.search(question):
        yield Fault("other_form", "an interval, where an inequality is asked for, or the other way")
    if (
        is_solved(gold)
        and not is_solved(said)
        and not _bounds(said)
        and (asked(question).solved or asked(question).named)
    ):
        yield Fault("left_undone", "not solved for the unknown")
    missing = features(gold) - features(said)
    if "exponential" in features(said) and "polar" in question.lower():
        missing -= {"sum"}
    if _ZERO_SIDE.search(question) and _has_zero_side(gold) and not _has_zero_side(said):
        yield Fault("other_form", "no side is zero, as the form asked for has it")
    others = _other_functions(gold, said, question)
    if others:
        yield Fault("other_form", f"{_listed(others)} in it, where another function alone is asked for")
    if missing and asked(question).named:
        yield Fault("other_form", f"no {_listed(missing)}, which the form asked for has")


def _turned(gold: str, said: str) -> bool:
    """Whether two numbers in polar form have other arguments."""
    wanted, found = _EXPONENT.search(gold), _EXPONENT.search(said)
    return wanted is not None and found is not None and compare(wanted[1], found[1]).equal is False


def _bounds(node: Node) -> bool:
    """Whether a relation bounds the size of one unknown: |k| < 6."""
    sides = node.sides if isinstance(node, Relation) and len(node.sides) == 2 else ()
    sizes = [
        side for side in sides if isinstance(side, Apply) and side.name == "abs" and isinstance(side.args[0], Symbol)
    ]
    return len(sizes) == 1 and any(rational(side) is not None for side in sides)


def _has_zero_side(node: Node) -> bool:
    return isinstance(node, Relation) and Number(Fraction(0)) in node.sides


def _other_functions(gold: Node, said: Node, question: str) -> frozenset[str]:
    """Trigonometric functions beside the one that the question wants alone, and the reference has alone."""
    alone = _ALONE.search(question)
    if alone is None:
        return frozenset()
    names, known = ({part.name for part in walk(node) if isinstance(part, Apply)} for node in (said, gold))
    return frozenset((names - known) & _TRIGONOMETRIC) if known & _TRIGONOMETRIC <= {alone[1]} else frozenset()


def _is_relation(node: Node) -> bool:
    return any(isinstance(part, Relation) and part.operators != ("in",) for part in walk(node))


def _listed(names: frozenset[str]) -> str:
    return " and ".join(sorted(names)) or "an expression"


@lru_cache(maxsize=1024)
def _holds_the_value(question: str, gold: str) -> bool:
    """Whether an expression of the question is worth the reference: then working it out is the task."""
    open_ones = (text for text in formulas(question) if _open_text(text))
    return any(compare(gold, text).equal for text, _ in zip(open_ones, range(MAX_EQUAL), strict=False))


def _open_text(text: str) -> bool:
    node = read(text)
    return not guarded(node) and bool(pending(flat(node)))
