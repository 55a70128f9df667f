"""Numbers as functions of the question's numbers: what a working makes of other numbers in the question.

>>> three, four = variable(0, Fraction(3)), variable(1, Fraction(4))
>>> sums = FUNCTIONS.plus(three, FUNCTIONS.times(three, four))
>>> same = FUNCTIONS.times(three, FUNCTIONS.plus(four, constant(Fraction(1))))
>>> sums == same, sums == constant(Fraction(15)), sums[0].base == constant(Fraction(15))[0].base
(True, False, True)

A function is known by two values modulo a large prime: at the question's own numbers, and at others drawn from a hash.
Two functions that differ agree on the latter with a probability of about 1 in 10^17, so comparing is one look. Where
a number may stand for several things (a 2 for the question's two, for a half's divisor, for two as such) it is several
functions, at most MOST of them, and so is what is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple, TypeAlias

from rlenv.envs.process.linear import TooLarge
from rlenv.envs.process.side_reader import MAX_EXPONENT, Unread

PRIME = 2**61 - 1
MOST = 24
"""Functions that one number may be, unless more are asked for; of more the likeliest are kept, which come first."""

HEAD = 64
"""The first bit of what a function uses that stands for a sum in the head, behind those of the variables."""
VARIABLES = (1 << HEAD) - 1


class Function(NamedTuple):
    """One function: its values, which variables went in (a bit each), and what stands by unknowns, by name."""

    base: int
    moved: int
    used: int = 0
    unknowns: tuple[tuple[str, int, int], ...] = ()

    @property
    def numbers_used(self) -> int:
        """How many of the question's numbers went in."""
        return (self.used & VARIABLES).bit_count()

    @property
    def sums_in_the_head(self) -> int:
        """How many numbers went in that nothing but a sum in the head gives."""
        return (self.used >> HEAD).bit_count()

    @property
    def is_constant(self) -> bool:
        """Whether it is the same whatever the question's numbers are."""
        return self.base == self.moved


Functions: TypeAlias = tuple[Function, ...]


def residue(value: Fraction) -> int:
    """A number modulo the prime; what two numbers of any sensible size share only when they are equal."""
    below = value.denominator % PRIME
    if not below:
        raise TooLarge("a denominator that the prime divides")
    return value.numerator * pow(below, -1, PRIME) % PRIME if below != 1 else value.numerator % PRIME


def constant(value: Fraction) -> Functions:
    """A number that does not come from the question."""
    found = residue(value)
    return (Function(found, found),)


def variable(place: int, value: Fraction) -> Functions:
    """The number of the question with this place among its variables."""
    drawn = blake2b(f"{place}:{value}".encode(), digest_size=8).digest()
    return (Function(residue(value), int.from_bytes(drawn) % PRIME, 1 << place),)


def few(found: Iterable[Function], most: int = MOST) -> Functions:
    """Each once, and no more than so many."""
    seen: dict[Function, None] = {}
    for one in found:
        seen[one] = None
        if len(seen) >= most:
            break
    return tuple(seen)


def _pairs(left: Functions, right: Functions, most: int) -> Iterator[tuple[Function, Function]]:
    """Each of one with each of the other, the likeliest first, and not many more than are kept."""
    return islice(_all_pairs(left, right), 4 * most)


def _all_pairs(left: Functions, right: Functions) -> Iterator[tuple[Function, Function]]:
    for total in range(len(left) + len(right) - 1):
        for at in range(max(0, total - len(right) + 1), min(total + 1, len(left))):
            yield left[at], right[total - at]


class FunctionAlgebra:
    """The algebra of such numbers, for rlenv.envs.process.side_reader; letters are unknowns."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most

    def constant(self, value: Fraction) -> Functions:
        return constant(value)

    def unknown(self, name: str) -> Functions:
        return (Function(0, 0, 0, ((name, 1, 1),)),)

    def plus(self, left: Functions, right: Functions) -> Functions:
        return few((_plus(one, other) for one, other in _pairs(left, right, self.most)), self.most)

    def scaled(self, form: Functions, by: Fraction) -> Functions:
        if by == 1:
            return form
        factor = residue(by)
        return tuple(_scaled(one, factor, factor, 0) for one in form)

    def times(self, left: Functions, right: Functions) -> Functions:
        products = (
            _scaled(other, one.base, one.moved, one.used)
            for first, second in _pairs(left, right, self.most)
            for one, other in [(second, first) if first.unknowns else (first, second)]
            if not one.unknowns
        )
        return few(products, self.most)

    def over(self, above: Functions, below: Functions) -> Functions:
        parts = [
            Function(pow(one.base, -1, PRIME), pow(one.moved, -1, PRIME), one.used)
            for one in below
            if one.base and one.moved and not one.unknowns
        ]
        return self.times(above, tuple(parts))

    def raised(self, base: Functions, exponent: Functions) -> Functions:
        """An exponent is a number as such, whatever it stands for."""
        power = exponent[0].base if exponent else -1
        if not 0 <= power <= MAX_EXPONENT:
            raise Unread("a power")
        return tuple(
            Function(pow(one.base, power, PRIME), pow(one.moved, power, PRIME), one.used)
            for one in base
            if not one.unknowns
        )


FUNCTIONS = FunctionAlgebra()


def _plus(one: Function, other: Function) -> Function:
    base, moved, used = (one.base + other.base) % PRIME, (one.moved + other.moved) % PRIME, one.used | other.used
    if not one.unknowns and not other.unknowns:
        return Function(base, moved, used)
    sums: dict[str, tuple[int, int]] = {}
    for name, first, second in (*one.unknowns, *other.unknowns):
        before = sums.get(name, (0, 0))
        sums[name] = ((before[0] + first) % PRIME, (before[1] + second) % PRIME)
    kept = tuple((name, *sums[name]) for name in sorted(sums) if any(sums[name]))
    return Function(base, moved, used, kept)


def _scaled(one: Function, base: int, moved: int, used: int) -> Function:
    unknowns = tuple((name, first * base % PRIME, second * moved % PRIME) for name, first, second in one.unknowns)
    return Function(one.base * base % PRIME, one.moved * moved % PRIME, one.used | used, unknowns)


def solved(form: Function, name: str) -> Function | None:
    """What the unknown is where the form is nought, as a function of the other unknowns."""
    first, second = next((first, second) for other, first, second in form.unknowns if other == name)
    if not first or not second:
        return None
    rest = form._replace(unknowns=tuple(part for part in form.unknowns if part[0] != name))
    return _scaled(rest, -pow(first, -1, PRIME) % PRIME, -pow(second, -1, PRIME) % PRIME, 0)


def put_in(form: Function, name: str, value: Function) -> Function:
    """The form with a value in place of an unknown."""
    first, second = next((first, second) for other, first, second in form.unknowns if other == name)
    rest = form._replace(unknowns=tuple(part for part in form.unknowns if part[0] != name))
    return _plus(rest, _scaled(value, first, second, 0))
