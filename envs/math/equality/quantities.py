r"""Values with a unit or a percent sign, by the policy.

A unit may be left out or added (`optional`), but two units that measure different things, or different amounts of one,
are a wrong answer: 5 cm is 0.05 m and not 5 m. X% is X/100; whether it is also X is the policy's to say.

Words and times of day: compared as what they are, never as products of letters or as quotients.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from rlenv.envs.math.equality.policy import Comparison, MathPolicy
from rlenv.envs.math.equality.question import asked_unit
from rlenv.envs.math.equality.values import symbols_of
from rlenv.envs.math.grammar.names import phrase
from rlenv.envs.math.grammar.nodes import (
    MINUS_ONE,
    Apply,
    Braces,
    Clock,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Ratio,
    Relation,
    Symbol,
    Words,
    negative,
    walk,
)
from rlenv.envs.math.grammar.units import factor, is_generic, same_unit

Same = Callable[[Node, Node], Comparison]
_PERCENT = re.compile(r"%|\bper ?cent|\bpct\b", re.IGNORECASE)
_LETTERS = frozenset("msghLlNJWV")
"""Units of one letter that stand behind numbers without any font command."""
_RADIANS = frozenset({"radian", "radians", "rad"})
DEGREES = frozenset({"degree", "degrees", "deg", "°"})


class Measure(NamedTuple):
    """A value and the unit behind it, "" for none."""

    value: Node
    unit: str


def measure(node: Node) -> Measure:
    """A node apart from its unit; a percent sign and a degree sign are units here."""
    if isinstance(node, Quantity):
        return Measure(node.value, node.unit)
    if isinstance(node, Apply) and node.known and node.name in {"percent", "degree"}:
        return Measure(node.args[0], node.name)
    if isinstance(node, Product):
        if node.factors[0] == MINUS_ONE and len(node.factors) == 2:
            inside = measure(node.factors[1])
            return Measure(negative(inside.value), inside.unit) if inside.unit else Measure(node, "")
        last = node.factors[-1]
        if isinstance(last, (Quantity, Apply)) and measure(last).unit:
            inside = measure(last)
            return Measure(Product((*node.factors[:-1], inside.value)), inside.unit)
    return Measure(node, "")


def same_quantity(gold: Node, answer: Node, same: Same, policy: MathPolicy, question: str) -> Comparison | None:
    """None where neither side has a unit."""
    expected, said = measure(gold), measure(answer)
    if not expected.unit and not said.unit:
        said = _lettered(said, expected)
    if not expected.unit and not said.unit:
        return None
    if "percent" in (expected.unit, said.unit):
        return _percent(expected, said, same, policy, question)
    if expected.unit and not said.unit:
        said = _as_written(said.value, expected.unit)
    if said.unit and not expected.unit:
        expected = _as_written(expected.value, said.unit)
    if said.unit and not expected.unit and policy.units != "ignored":
        expected = _as_asked(expected, said, question)
    if policy.units == "ignored" or is_generic(expected.unit) or is_generic(said.unit):
        return same(expected.value, said.value)
    if not said.unit:
        return _without_unit(expected, said, same, policy)
    if not expected.unit:
        return _with_unit(said, expected, same)
    return _both(expected, said, same)


def _as_asked(expected: Measure, said: Measure, question: str) -> Measure:
    """A reference without a unit in the one that the question asks for, beside an answer in one."""
    asked = asked_unit(question)
    known = asked and not is_generic(asked) and factor(said.unit, said.unit) is not None
    return expected._replace(unit=asked) if known else expected


def _as_written(node: Node, unit: str) -> Measure:
    """`10 m` is ten times a symbol until the other side has a unit of that name."""
    if not isinstance(node, Product):
        return Measure(node, "")
    match node.factors[-1]:
        case Symbol(name):
            written = name
        case Power(Symbol(name), Number(value)):
            written = f"{name}^{value}"
        case _:
            return Measure(node, "")
    if factor(unit, written) is None:
        return Measure(node, "")
    rest = node.factors[:-1]
    return Measure(rest[0] if len(rest) == 1 else Product(rest), written)


def _lettered(one: Measure, other: Measure) -> Measure:
    """A number with a letter behind it that names a unit, where the reference has no symbol at all: 10 m beside 10."""
    if symbols_of(other.value) or not isinstance(one.value, Product) or len(one.value.factors) != 2:
        return one
    value, letter = one.value.factors
    if isinstance(letter, Symbol) and letter.name in _LETTERS and isinstance(value, Number):
        return Measure(value, letter.name)
    return one


def _percent(expected: Measure, said: Measure, same: Same, policy: MathPolicy, question: str) -> Comparison:
    if expected.unit == said.unit:
        return same(expected.value, said.value)
    share = same(_share(expected), _share(said))
    if share.equal or policy.percent == "share" or {expected.unit, said.unit} != {"percent", ""}:
        return share
    plain = same(expected.value, said.value)
    if not plain.equal:
        return plain if plain.equal is None else share
    if policy.percent == "either" or expected.unit == "percent" or _PERCENT.search(question):
        return Comparison(True, plain.tier, flags=(*plain.flags, "percent"))
    reason = "a percent sign that neither the reference nor the question has"
    return Comparison(False, plain.tier, reason, ("percent_coerced",))


def _share(measured: Measure) -> Node:
    if measured.unit != "percent":
        return measured.value
    return Product((measured.value, Number(Fraction(1, 100))))


def _without_unit(expected: Measure, said: Measure, same: Same, policy: MathPolicy) -> Comparison:
    """The answer leaves the unit out; an angle of the reference may be given in radians."""
    if policy.units == "required" and expected.unit != "degree":
        return Comparison(False, "structure", f"the unit {expected.unit!r} is missing", ("unit",))
    found = same(expected.value, said.value)
    if not found.equal and expected.unit == "degree" and Constant("pi") in walk(said.value):
        return same(_radians(expected.value), said.value)
    return found


def _with_unit(said: Measure, expected: Measure, same: Same) -> Comparison:
    """The answer adds a unit: the value before it counts, and an angle may be given in degrees."""
    if said.unit in DEGREES and Constant("pi") in walk(expected.value):
        return same(expected.value, _radians(said.value))
    return same(expected.value, said.value)


def _radians(degrees: Node) -> Node:
    return Product((degrees, Constant("pi"), Number(Fraction(1, 180))))


def _both(expected: Measure, said: Measure, same: Same) -> Comparison:
    ratio = factor(expected.unit, said.unit)
    if ratio == 1 or (ratio is None and same_unit(expected.unit, said.unit)):
        return same(expected.value, said.value)
    if ratio is not None:
        return same(expected.value, Product((said.value, Number(ratio))))
    if expected.unit in DEGREES and said.unit in _RADIANS:
        return same(_radians(expected.value), said.value)
    if expected.unit in _RADIANS and said.unit in DEGREES:
        return same(expected.value, _radians(said.value))
    return Comparison(False, "structure", f"the unit {said.unit!r} is not {expected.unit!r}", ("unit",))


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
        bare = answer if gold.half else gold  # without a.m. or p.m. it leaves open which half of the day it means
        one_sided = bool(gold.half) != bool(answer.half) and 3600 <= bare.seconds < 13 * 3600
        if one_sided and gold.seconds % _HALF_DAY == answer.seconds % _HALF_DAY:
            return Comparison(True, "structure")
    if "ratio" in question.lower() or "proportion" in question.lower() or not both:
        left, right = as_ratio(gold), as_ratio(answer)
        if left is not None and right is not None and (isinstance(left, Ratio) or isinstance(right, Ratio)):
            if isinstance(gold, Clock) and "ratio" not in question.lower() and isinstance(answer, Ratio):
                return Comparison(False, "structure", "not that time of day")
            return same(left, right)
    return Comparison(False, "structure", "not that time of day")


def as_ratio(node: Node) -> Node | None:
    """18:24 as a ratio, whichever time of day it may be; None for a time with a.m. or p.m."""
    if not isinstance(node, Clock):
        return node
    parts = node.written.split(":")
    plain = not node.half and all(map(str.isdecimal, parts))
    return Ratio(tuple(Number(Fraction(part)) for part in parts)) if plain else None
