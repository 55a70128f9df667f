r"""Rational functions over the rationals in one form, by our own sparse polynomials: equal forms prove equality.

>>> from rlenv.envs.math.reading.answer import read
>>> difference(read("(x+1)^2"), read("x^2+2x+1")), difference(read(r"\frac{1}{1+\sqrt{2}}"), read(r"\sqrt{2}-1"))
({}, {})

The atoms are symbols, pi, e, i, roots of primes, and what this tier cannot look into (sin x) as its own form. Roots of
primes and powers of i reduce (sqrt 6 = sqrt 2 sqrt 3, i^2 = -1), so surds are equal exactly when their forms are; an
empty difference is a proof that two expressions are equal wherever both are defined. Raises TooLarge past its limits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from rlenv.envs.math.comparing.exact import integer_root, rational
from rlenv.envs.math.reading.nodes import (
    Apply,
    Constant,
    InBase,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Standing,
    Sum,
    Symbol,
    negative,
)

MAX_TERMS = 250
MAX_POWER = 40
MAX_TRIAL = 3000
MAX_NUMBER = 10**24
_Key: TypeAlias = tuple[object, ...]
Monomial: TypeAlias = frozenset[tuple[_Key, Fraction]]
Polynomial: TypeAlias = dict[Monomial, Fraction]
Quotient: TypeAlias = tuple[Polynomial, Polynomial]
_SYMMETRIC = frozenset({"gcd", "lcm", "max", "min"})
UNIT: Monomial = frozenset()
ONE: Polynomial = {UNIT: Fraction(1)}
_POSITIVE: tuple[_Key, ...] = (("constant", "pi"), ("constant", "e"))
"""A root may be drawn from each factor of a product only where the factors are positive."""


class TooLarge(ArithmeticError):
    """The form would have too many terms, or does not exist."""


def difference(left: Node, right: Node) -> Polynomial:
    """The numerator of left - right: empty exactly where the two forms are the same. Raises TooLarge."""
    (above, below), (other_above, other_below) = form(left), form(right)
    if below == other_below:
        return _plus(above, _scaled(other_above, Fraction(-1)))
    return _plus(_times(above, other_below), _scaled(_times(other_above, below), Fraction(-1)))


def proportional(left: Polynomial, right: Polynomial) -> Fraction | None:
    """The number c with left = c right, None where there is none."""
    if not left or left.keys() != right.keys():
        return None
    first = next(iter(left))
    ratio = left[first] / right[first]
    return ratio if all(value == ratio * right[key] for key, value in left.items()) else None


@lru_cache(maxsize=2048)
def form(node: Node) -> Quotient:
    """Numerator and denominator; never changed by anyone after they are made."""
    match node:
        case Number(value) | InBase(_, _, value):
            return _constant(value), ONE
        case Symbol(name):
            return _atom(("symbol", name)), ONE
        case Constant(name):
            if name == "inf":
                raise TooLarge("infinity")
            return _atom(("constant", name)), ONE
        case Sum(terms):
            return _sum([form(term) for term in terms])
        case Product(factors):
            return _product([form(factor) for factor in factors])
        case Power(base, exponent):
            return _power(base, exponent)
        case Apply(name, args, known):
            return _applied(name, args, known)
        case Standing():
            return _atom(("standing", _standing_key(node))), ONE
        case Quantity(value, ""):
            return form(value)
    raise TooLarge(f"{type(node).__name__} has no form")


def is_complete(polynomial: Polynomial) -> bool:
    """Whether nothing hides in an atom, so that a difference that is not empty proves inequality."""
    return all(
        atom[0] in {"symbol", "root"} or atom == ("constant", "i") for monomial in polynomial for atom, _ in monomial
    )


def key(node: Node) -> _Key:
    """A form that two equal trees share, to be a part of an atom."""
    above, below = form(node)
    if len(below) == 1:
        monomial, value = next(iter(below.items()))
        inverse = frozenset((atom, -power) for atom, power in monomial)
        above, below = _times(above, {inverse: 1 / value}), ONE
    return (frozenset(above.items()), frozenset(below.items()))


def _standing_key(node: Node) -> _Key:
    if isinstance(node, Standing):
        return (node.operator, tuple(_standing_key(part) for part in node.parts))
    try:
        return key(node)
    except TooLarge:
        return (repr(node),)


def _constant(value: Fraction) -> Polynomial:
    return {UNIT: value} if value else {}


def _atom(atom: _Key, power: Fraction = Fraction(1)) -> Polynomial:
    return {frozenset({(atom, power)}): Fraction(1)}


def _scaled(polynomial: Polynomial, by: Fraction) -> Polynomial:
    return {monomial: value * by for monomial, value in polynomial.items()} if by else {}


def _plus(left: Polynomial, right: Polynomial) -> Polynomial:
    total = dict(left)
    for monomial, value in right.items():
        found = total.get(monomial, 0) + value
        if found:
            total[monomial] = Fraction(found)
        else:
            total.pop(monomial, None)
    return total


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    if left is ONE:
        return right
    if right is ONE:
        return left
    if len(left) * len(right) > 20 * MAX_TERMS:
        raise TooLarge("too many terms")
    total: Polynomial = {}
    for one, first in left.items():
        for other, second in right.items():
            monomial, factor = _joined(one, other)
            found = total.get(monomial, 0) + first * second * factor
            if found:
                total[monomial] = Fraction(found)
            else:
                total.pop(monomial, None)
    if len(total) > MAX_TERMS:
        raise TooLarge("too many terms")
    return total


def _joined(one: Monomial, other: Monomial) -> tuple[Monomial, Fraction]:
    """The product of two monomials, with the number that its roots of primes and powers of i give."""
    if not one or not other:
        return one or other, Fraction(1)
    powers = dict(one)
    for atom, power in other:
        powers[atom] = powers.get(atom, Fraction(0)) + power
    return _reduced(powers)


def _reduced(powers: dict[_Key, Fraction]) -> tuple[Monomial, Fraction]:
    factor = Fraction(1)
    kept: list[tuple[_Key, Fraction]] = []
    for atom, power in powers.items():
        if atom[0] == "root":
            whole = power.numerator // power.denominator
            factor *= Fraction(int(str(atom[1]))) ** whole
            power -= whole
        elif atom == ("constant", "i"):
            quarter = int(power) % 4
            factor *= -1 if quarter >= 2 else 1
            power = Fraction(quarter % 2)
        if power:
            kept.append((atom, power))
    return frozenset(kept), factor


def _sum(parts: list[Quotient]) -> Quotient:
    above, below = parts[0]
    for other_above, other_below in parts[1:]:
        if below == other_below:
            above = _plus(above, other_above)
        else:
            above = _plus(_times(above, other_below), _times(other_above, below))
            below = _times(below, other_below)
    return above, below


def _product(parts: list[Quotient]) -> Quotient:
    above, below = ONE, ONE
    for other_above, other_below in parts:
        above, below = _times(above, other_above), _times(below, other_below)
    return above, below


def _inverse(quotient: Quotient) -> Quotient:
    above, below = quotient
    if not above:
        raise TooLarge("division by zero")
    return below, above


def _power(base: Node, exponent: Node) -> Quotient:
    power = rational(exponent)
    if power is None:
        return _symbolic_power(base, exponent)
    if power.denominator == 1:
        return _whole_power(form(base), int(power))
    value = rational(base)
    if value is not None:
        return _root(value, power)
    above, below = form(base)
    if below == ONE and len(above) == 1:
        monomial, factor = next(iter(above.items()))
        alone = factor == 1 and [exponent for _, exponent in monomial] == [1]
        if factor > 0 and (alone or all(atom in _POSITIVE or atom[0] == "root" for atom, _ in monomial)):
            reduced, number = _reduced({atom: exponent * power for atom, exponent in monomial})
            return _product([({reduced: number}, ONE), _root(factor, power)])
    return _atom(("power", key(base)), power), ONE


def _whole_power(quotient: Quotient, power: int) -> Quotient:
    if power < 0:
        return _whole_power(_inverse(quotient), -power)
    above, below = quotient
    return _repeated(above, power), _repeated(below, power)


def _repeated(polynomial: Polynomial, power: int) -> Polynomial:
    if polynomial is ONE or polynomial == ONE:
        return ONE
    if len(polynomial) == 1:
        monomial, value = next(iter(polynomial.items()))
        if power * max(value.numerator.bit_length(), value.denominator.bit_length()) > 20_000:
            raise TooLarge("a number too long")
        reduced, factor = _reduced({atom: exponent * power for atom, exponent in monomial})
        return {reduced: value**power * factor}
    if power > MAX_POWER:
        raise TooLarge("a power too high")
    result = ONE
    for _ in range(power):
        result = _times(result, polynomial)
    return result


def _root(value: Fraction, power: Fraction) -> Quotient:
    """A rational number to a rational power, as roots of primes."""
    if value == 0:
        if power < 0:
            raise TooLarge("division by zero")
        return {}, ONE
    sign: Polynomial = ONE
    if value < 0:
        if power.denominator == 2:
            sign = _repeated(_atom(("constant", "i")), power.numerator % 4)
        elif power.denominator % 2:
            sign = _constant(Fraction(-1 if power.numerator % 2 else 1))
        else:
            raise TooLarge("an even root of a negative number")
    powers: dict[_Key, Fraction] = {}
    for number, direction in ((abs(value.numerator), 1), (value.denominator, -1)):
        for prime, count in _factors(number):
            atom = ("root", prime)
            powers[atom] = powers.get(atom, Fraction(0)) + direction * count * power
    if any(abs(exponent) > 2000 for exponent in powers.values()):
        raise TooLarge("a number too long")
    monomial, factor = _reduced(powers)
    return _times(sign, {monomial: factor}), ONE


@lru_cache(maxsize=1024)
def _factors(number: int) -> tuple[tuple[int, int], ...]:
    """The prime factors by trial division; what is left is prime, or a square of one, or stays whole."""
    if number > MAX_NUMBER:
        raise TooLarge("a number too long to factor")
    found: list[tuple[int, int]] = []
    divisor = 2
    while divisor * divisor <= number and divisor <= MAX_TRIAL:
        count = 0
        while number % divisor == 0:
            number, count = number // divisor, count + 1
        if count:
            found.append((divisor, count))
        divisor += 1 if divisor == 2 else 2
    if number > 1:
        root = integer_root(number, 2)
        found.append((number, 1) if root is None else (root, 2))
    return tuple(found)


def _symbolic_power(base: Node, exponent: Node) -> Quotient:
    """A power with symbols above: one factor for each term of the exponent, so that 2^(x+1) is 2 times 2^x."""
    above, below = form(exponent)
    if len(below) != 1 or UNIT not in below:
        return _atom(("power", key(base), key(exponent))), ONE
    value = rational(base)
    powers: list[tuple[_Key, Fraction]]
    if value is not None and value > 0:
        powers = [(("root", prime), Fraction(count)) for prime, count in _factors(value.numerator)]
        powers += [(("root", prime), Fraction(-count)) for prime, count in _factors(value.denominator)]
    elif isinstance(base, (Symbol, Constant)):
        name = base.name
        powers = [(("symbol" if isinstance(base, Symbol) else "constant", name), Fraction(1))]
    else:
        powers = [(("base", key(base)), Fraction(1))]
    atoms: dict[_Key, Fraction] = {}
    for monomial, coefficient in above.items():
        for atom, count in powers:
            amount = coefficient / below[UNIT] * count
            target: _Key = atom if monomial == UNIT else ("to the", atom, monomial)
            if target[0] == "base":
                return _atom(("power", key(base), key(exponent))), ONE
            atoms[target] = atoms.get(target, Fraction(0)) + amount
    reduced, factor = _reduced(atoms)
    return {reduced: factor}, ONE


def _applied(name: str, args: tuple[Node, ...], known: bool) -> Quotient:
    value = rational(Apply(name, args, known))
    if value is not None:
        return _constant(value), ONE
    if known and name == "degree":
        return _product([form(args[0]), (_atom(("constant", "pi")), ONE), (_constant(Fraction(1, 180)), ONE)])
    if known and name == "log":
        if len(args) == 2:
            return _product([_logarithm(args[0]), _inverse(_logarithm(args[1]))])
        return _logarithm(args[0])
    if known and name == "abs":
        return _atom(("apply", name, _unsigned(args[0]))), ONE
    if known and name in _SYMMETRIC:
        return _atom(("apply", name, *sorted((_standing_key(argument) for argument in args), key=_order))), ONE
    return _atom(("apply", name, tuple(_standing_key(argument) for argument in args))), ONE


def _order(part: object) -> str:
    """A name for a key that does not depend on the order in which its parts were put in."""
    if isinstance(part, (frozenset, tuple)):
        names = [_order(inside) for inside in part]
        return f"({','.join(sorted(names) if isinstance(part, frozenset) else names)})"
    return str(part)


def _unsigned(node: Node) -> _Key:
    """The same key for an expression and its negative."""
    return min(key(node), key(negative(node)), key=_order)


def _logarithm_of_size(node: Node) -> Quotient:
    """log|u|, which is the sum over the factors of u whatever their signs."""
    if isinstance(node, Product):
        return _sum([_logarithm_of_size(factor) for factor in node.factors])
    exponent = rational(node.exponent) if isinstance(node, Power) else None
    if isinstance(node, Power) and exponent is not None:
        return _product([(_constant(exponent), ONE), _logarithm_of_size(node.base)])
    value = rational(node)
    if value is not None and value != 0:
        return _logarithm(Number(abs(value)))
    return _atom(("log", ("apply", "abs", _unsigned(node)))), ONE


def _logarithm(argument: Node) -> Quotient:
    """The natural logarithm: of a number as the sum over its primes, of a power of e as the exponent."""
    value = rational(argument)
    if value is not None and value > 0:
        total: Polynomial = {}
        for number, direction in ((value.numerator, 1), (value.denominator, -1)):
            for prime, count in _factors(number):
                total = _plus(total, _scaled(_atom(("log", prime)), Fraction(direction * count)))
        return total, ONE
    if argument == Constant("e"):
        return ONE, ONE
    if isinstance(argument, Apply) and argument.known and argument.name == "abs":
        return _logarithm_of_size(argument.args[0])
    return _atom(("log", key(argument))), ONE
