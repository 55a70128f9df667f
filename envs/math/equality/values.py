r"""Two expressions, tier by tier: exact rationals, rounding as the policy allows, canonical forms, many digits.

Why agreement to many digits may accept. For constants the guard bounds the size of the expressions, and both are
computed to 60 and 120 digits: unequal constants of the size people write differ long before, and a value that is
zero is told from one that is merely small because only the former shrinks with the precision. With symbols, both sides
are analytic in each region without branch cuts, so a difference that is not zero vanishes on a set of measure zero;
points are drawn by a hash of both texts over four scales and both signs, where the values are real, and all must agree.
Of functions that are not analytic (|x|, floor, max) each piece is: all points must have a value, and agree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from rlenv.envs.math.equality.exact import Decimal, decimal, rational
from rlenv.envs.math.equality.formal import same_form
from rlenv.envs.math.equality.numeric import Point, Undefined, Value, context, evaluate, leaves_reals, too_costly
from rlenv.envs.math.equality.policy import Comparison, MathPolicy
from rlenv.envs.math.grammar.nodes import Apply, Node, Standing, Symbol, children, walk

DIGITS, MORE_DIGITS = 60, 120
LONG_DECIMAL = 16
"""A decimal of this many digits is a double as it is printed: it stands for what it rounds."""
LONG_PLACES = 6
"""A reference with this many digits after the point was rounded when it was written."""
_ROUGH = frozenset({"abs", "sgn"})
_STEPS = frozenset({"floor", "ceil", "gcd", "lcm", "mod"})
"""What is about whole numbers says nothing at other points."""
_SCALES = (Fraction(1), Fraction(1, 16), Fraction(9), Fraction(250))
ROUNDS = 1
"""Points of each scale with positive values, and as many where one value at least is negative."""


@lru_cache(maxsize=4096)
def guarded(node: Node) -> str:
    """Why a tree is not evaluated, "" where it is."""
    return too_costly(node)


def same_value(gold: Node, answer: Node, policy: MathPolicy) -> Comparison:
    """Whether two expressions are equal. `equal` is None where they agree and nothing proves them equal."""
    costly = guarded(gold) or guarded(answer)
    if costly:
        return Comparison(False, "guard", f"not evaluated: {costly}", ("cost_guard",))
    expected, said = rational(gold), rational(answer)
    if expected is not None and said is not None:
        return _same_rational(gold, answer, expected, said, policy)
    if has_dots(gold) or has_dots(answer):
        return Comparison(False, "structure", "an expression with dots equals only itself")
    formal = same_form(gold, answer)
    if formal:
        return Comparison(True, "polynomial")
    if decimal(gold) or decimal(answer) or policy.rounding != "exact":
        rounded = _rounded(gold, answer, policy)
        if rounded is not None:
            return rounded
    if formal is False:
        return Comparison(False, "polynomial", "the two are different expressions")
    return _numerically(gold, answer)


def _same_rational(gold: Node, answer: Node, expected: Fraction, said: Fraction, policy: MathPolicy) -> Comparison:
    if expected == said:
        return Comparison(True, "exact")
    if within(gold, answer, expected, said, policy):
        return Comparison(True, "exact", flags=("rounded",))
    return Comparison(False, "exact", f"got {_shown(said)}, expected {_shown(expected)}")


def within(gold: Node, answer: Node, expected: Fraction, said: Fraction, policy: MathPolicy) -> bool:
    """Whether two different numbers count as one, by the policy or because one is written as a rounded decimal."""
    distance = abs(expected - said)
    written, given = decimal(gold), decimal(answer)
    if isinstance(policy.rounding, float) and distance <= Fraction(policy.rounding) * abs(expected):
        return True
    if policy.rounding == "digits" and written and distance <= _half(written.places):
        return True
    if given and given.significant >= LONG_DECIMAL and not written:
        return not _fits(expected, given.places) and distance <= 2 * _half(given.places)
    return written is not None and _agrees_with_rounded(written, given, said, expected)


def _agrees_with_rounded(written: Decimal, given: Decimal | None, said: Fraction, expected: Fraction) -> bool:
    """The reference shows by its length that it was rounded, and the answer agrees as far as both go."""
    long = written.places >= LONG_PLACES and written.significant >= LONG_PLACES
    if not long or (given is not None and (given.significant < LONG_PLACES or given.places < LONG_PLACES)):
        return False
    if given is None and _fits(said, written.places):
        return False
    places = written.places if given is None else min(written.places, given.places)
    slack = 2 if written.significant >= LONG_DECIMAL else Fraction(1000001, 1000000)
    return abs(expected - said) <= _half(places) * slack


def _fits(value: Fraction, places: int) -> bool:
    """Whether so many decimal places write the value exactly, so that nothing was rounded away."""
    return abs(places) < 400 and (value * Fraction(10) ** places).denominator == 1


def _half(places: int) -> Fraction:
    """Half a unit in the last of so many places."""
    return Fraction(1, 2) / Fraction(10) ** places


def _rounded(gold: Node, answer: Node, policy: MathPolicy) -> Comparison | None:
    """Accepts by rounding where one side is no rational number; None where rounding has nothing to say."""
    if symbols_of(gold) or symbols_of(answer):
        return None
    try:
        expected, said = (evaluate(side, {}, DIGITS) for side in (gold, answer))
    except Undefined:
        return None
    mp = context(DIGITS)
    if mp.im(expected) != 0 or mp.im(said) != 0:
        return None
    close = within(gold, answer, _fraction(expected), _fraction(said), policy)
    return Comparison(True, "numeric", flags=("rounded",)) if close else None


def _fraction(value: Value) -> Fraction:
    """The value to 50 digits, as a fraction; values out of that range as what no number comes near."""
    mp = context(DIGITS)
    if value == 0 or not -300 < mp.log10(abs(value)) < 300:
        return Fraction(0) if value == 0 else Fraction(10) ** 400
    return Fraction(mp.nstr(mp.re(value), 50))


def _numerically(gold: Node, answer: Node) -> Comparison:
    if stands(gold) and not stands(answer):
        return Comparison(None, "numeric", "the reference leaves an operation undone")
    names = symbols_of(gold) | symbols_of(answer)
    if not names:
        return _same_constant(gold, answer)
    if len(names) > 12:
        return Comparison(None, "numeric", "too many symbols")
    agreed = real = missing = 0
    for point in points(names, repr(gold) + repr(answer)):
        try:
            left = evaluate(gold, point, DIGITS)
        except Undefined:
            continue
        try:
            right = evaluate(answer, point, DIGITS)
        except Undefined:
            missing += 1
            continue
        is_real = _is_real(left) and _is_real(right)
        if is_real and any(value < 0 for value in point.values()):
            is_real = not leaves_reals(gold, point, 20) and not leaves_reals(answer, point, 20)
        close = _close(left, right)
        if is_real and not close:
            return Comparison(False, "numeric", "the two differ at a point")
        real += is_real
        agreed += close
        if not is_real and not close and real == 0 and all(value > 0 for value in point.values()):
            return Comparison(False, "numeric", "the two differ at a point")
    if missing and not agreed:
        return Comparison(False, "numeric", "the answer has no value where the reference has one")
    names_used = {part.name for side in (gold, answer) for part in walk(side) if isinstance(part, Apply)}
    enough = 2 * ROUNDS * len(_SCALES) if names_used & _ROUGH else 4
    if agreed < enough or 0 < real < 4 or names_used & _STEPS:
        return Comparison(None, "numeric", "the two agree at the points tried")
    return Comparison(True, "numeric")


def points(names: frozenset[str], seed: str) -> Iterator[Point]:
    """Points for the symbols: positive and mixed signs, over four scales, the same for the same texts."""
    counter = 0
    for scale in _SCALES:
        for attempt in range(ROUNDS * 2):
            point: dict[str, Fraction] = {}
            for name in sorted(names):
                counter += 1
                digest = hashlib.sha256(f"{counter}/{name}/{seed}".encode("utf-8", "backslashreplace")).digest()
                value = scale * (Fraction(int.from_bytes(digest[:8], "big"), 2**63) + Fraction(1, 5))
                point[name] = -value if attempt >= ROUNDS and (digest[8] % 2 or not point) else value
            yield point


def _same_constant(gold: Node, answer: Node) -> Comparison:
    try:
        left, right = evaluate(gold, {}, DIGITS), evaluate(answer, {}, DIGITS)
        close, tiny = _close(left, right), max(abs(left), abs(right)) < context(DIGITS).mpf(10) ** (20 - DIGITS)
        finer = [evaluate(side, {}, MORE_DIGITS) for side in (gold, answer)] if close or tiny else []
    except Undefined as error:
        return Comparison(False, "numeric", f"no value: {error}")
    if finer and (_close(finer[0], finer[1], MORE_DIGITS) or all(map(_is_zero, (left, right), finer))):
        return Comparison(True, "numeric")
    if close:
        return Comparison(None, "numeric", "too close to call")
    return Comparison(False, "numeric", f"got about {_about(right)}, expected about {_about(left)}")


def _is_zero(value: Value, finer: Value) -> bool:
    """Of a tiny constant: whether its computed value keeps shrinking as the precision grows."""
    return bool(value == finer == 0 or not _close(value, finer))


def _close(left: Value, right: Value, digits: int = DIGITS) -> bool:
    """Equal but for the last digits computed, relative to their size: e^-60 is not close to e^-50."""
    mp = context(digits)
    return bool(abs(left - right) <= max(abs(left), abs(right)) * mp.mpf(10) ** (25 - digits))


def _is_real(value: Value) -> bool:
    mp = context(DIGITS)
    return bool(abs(mp.im(value)) <= abs(value) * mp.mpf(10) ** (20 - DIGITS))


@lru_cache(maxsize=4096)
def symbols_of(node: Node) -> frozenset[str]:
    """The names of the symbols in the tree; what stands inside an operation left undone is bound there."""
    if isinstance(node, Symbol):
        return frozenset({node.name})
    if isinstance(node, Standing):
        return frozenset()
    return frozenset().union(*(symbols_of(child) for child in children(node)))


def has_dots(node: Node) -> bool:
    """Whether something was left to the reader's imagination."""
    return any(isinstance(part, Standing) and part.operator == "dots" for part in walk(node))


def stands(node: Node) -> bool:
    """Whether an operation is left undone in it."""
    return any(isinstance(part, Standing) for part in walk(node))


def _shown(value: Fraction) -> str:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 200:
        return "a long number"
    return str(value)


def _about(value: Value) -> str:
    return str(context(DIGITS).nstr(value, 8))
