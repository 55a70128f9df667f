r"""Values with a unit or a percent sign, by the policy.

A unit may be left out or added (`optional`), but two units that measure different things, or different amounts of one,
are a wrong answer: 5 cm is 0.05 m and not 5 m. X% is X/100; whether it is also X is the policy's to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from rlenv.envs.math.comparing.asked import asked_unit
from rlenv.envs.math.comparing.comparison import Comparison
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.comparing.values import symbols_of
from rlenv.envs.math.reading.nodes import (
    MINUS_ONE,
    Apply,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Symbol,
    children,
    negative,
)
from rlenv.envs.math.reading.units import counts, factor, is_generic, same_unit

Same = Callable[[Node, Node], Comparison]
_PERCENT = re.compile(r"%|\bper ?cent|\bpct\b", re.IGNORECASE)
_OPERAND = re.compile(r"[0-9]\s?\\?(?:%|per ?cent)\$?\s+of\b", re.IGNORECASE)
"""`12% of 50`, which asks for no percentage"""
_LETTERS = frozenset("msghLlNJWV")
"""Units of one letter that stand behind numbers without any font command."""
_RADIANS = frozenset({"radian", "radians", "rad"})
_DEGREES = frozenset({"degree", "degrees", "deg", "°"})


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
    if said.unit and not expected.unit and not counts(said.unit, question):
        return Comparison(False, "structure", f"{said.unit!r} says more than what is counted", ("unit",))
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
    if policy.percent == "either" or expected.unit == "percent" or _PERCENT.search(_OPERAND.sub("", question)):
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
    if not found.equal and expected.unit == "degree" and _mentions_pi(said.value):
        return same(_radians(expected.value), said.value)
    return found


def _with_unit(said: Measure, expected: Measure, same: Same) -> Comparison:
    """The answer adds a unit: the value before it counts, and an angle may be given in degrees."""
    if said.unit in _DEGREES and _mentions_pi(expected.value):
        return same(expected.value, _radians(said.value))
    return same(expected.value, said.value)


def _radians(degrees: Node) -> Node:
    return Product((degrees, Constant("pi"), Number(Fraction(1, 180))))


def _mentions_pi(node: Node) -> bool:
    return node == Constant("pi") or any(_mentions_pi(child) for child in children(node))


def _both(expected: Measure, said: Measure, same: Same) -> Comparison:
    ratio = factor(expected.unit, said.unit)
    if ratio == 1 or (ratio is None and same_unit(expected.unit, said.unit)):
        return same(expected.value, said.value)
    if ratio is not None:
        return same(expected.value, Product((said.value, Number(ratio))))
    if expected.unit in _DEGREES and said.unit in _RADIANS:
        return same(_radians(expected.value), said.value)
    if expected.unit in _RADIANS and said.unit in _DEGREES:
        return same(expected.value, _radians(said.value))
    return Comparison(False, "structure", f"the unit {said.unit!r} is not {expected.unit!r}", ("unit",))
