"""Numbers as written: decimals, powers of ten, repeating decimals, digits in a base, proper fractions."""

from __future__ import annotations

from fractions import Fraction

from rlenv.envs.math.reading.nodes import (
    InBase,
    Node,
    Number,
)
from rlenv.envs.math.reading.tokens import Unreadable

MAX_POWER_OF_TEN = 400


def literal(text: str) -> Number:
    """The number that digits state, with repeating decimals and powers of ten."""
    plain = text.replace(",", "").replace(" ", "")
    if "\\" in plain or "(" in plain:
        return _repeating(plain)
    mantissa, _, exponent = plain.lower().partition("e")
    point = mantissa.find(".")
    places = None if point < 0 else len(mantissa) - point - 1
    if exponent:
        power = int(exponent)
        if abs(power) > MAX_POWER_OF_TEN:
            raise Unreadable("a power of ten too large for an answer", "cost_guard")
        return Number(Fraction(mantissa) * Fraction(10) ** power, max(0, (places or 0) - power))
    if places == 0:
        mantissa += "0"
    return Number(Fraction(mantissa), places)


def _repeating(text: str) -> Number:
    digits = "".join(character if character.isdecimal() or character == "." else " " for character in text).split()
    start, cycle = digits[0], digits[1]
    places = len(start.partition(".")[2])
    value = Fraction(start + "0" if start.endswith(".") else start)
    return Number(value + Fraction(int(cycle), (10 ** len(cycle) - 1) * 10**places))


def in_base(digits: str, base: int) -> InBase:
    """Raises Unreadable for digits that the base does not have."""
    whole, _, rest = digits.upper().partition(".")
    if not 2 <= base <= 36 or len(digits) > 60:
        raise Unreadable(f"the base {base}")
    try:
        value = Fraction(int(whole or "0", base))
        value += Fraction(int(rest, base), base ** len(rest)) if rest else 0
    except ValueError as error:
        raise Unreadable(f"digits that base {base} does not have") from error
    return InBase(digits.upper().lstrip("0") or "0", base, value)


def proper(above: Node, below: Node) -> Fraction | None:
    """The fraction of two whole numbers that is less than one."""
    if not isinstance(above, Number) or not isinstance(below, Number):
        return None
    whole = above.places is None and below.places is None
    return above.value / below.value if whole and 0 < above.value < below.value else None
