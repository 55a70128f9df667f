r"""The operations that a tree leaves to be carried out, each by a name and as often as it stands there.

>>> from rlenv.envs.math.form.flat import flat
>>> from rlenv.envs.math.grammar.answer import read
>>> [sorted(pending(flat(read(text)))) for text in (r"2\sqrt{18}", "2x + 5 + 2", r"\frac{9}{12}", r"3 + 2\sqrt{5}")]
[['radical'], ['sum'], ['unreduced'], []]

A tree without any is finished whatever the question asks: what stands in it cannot be worked out further. One with some
is finished where the reference leaves the same ones. So no list of finished forms is kept.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache

from rlenv.envs.math.equality.exact import integer_root, rational
from rlenv.envs.math.equality.values import symbols_of
from rlenv.envs.math.form.flat import factors_of
from rlenv.envs.math.grammar.nodes import (
    MINUS_ONE,
    Apply,
    Constant,
    InBase,
    Matrix,
    Node,
    Number,
    Power,
    Product,
    Ratio,
    Standing,
    Sum,
    Symbol,
    walk,
)

IMAGINARY = Constant("i")
TEN = Number(Fraction(10))
LEFT_ALONE = frozenset({"percent", "degree"})
"""Functions that are a way to write a number."""
COUNTED = frozenset({"log", "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "arccot"})
"""Functions of which a closed form may need one more or less: ln 5 / ln 2 for log_2 5."""
MAX_DIVISOR = 400
MAX_RADICAND = 10**30


@lru_cache(maxsize=2048)
def pending(node: Node) -> Counter[str]:
    """What a flat tree leaves to be carried out. The counter is shared: never change it."""
    found: Counter[str] = Counter()
    for part in walk(node):
        match part:
            case Sum(terms):
                found.update(_of_sum(terms))
            case Product(factors):
                found.update(_of_product(factors))
            case Power(base, exponent):
                found.update(_of_power(base, exponent))
            case Apply(name, args, True) if name not in LEFT_ALONE:
                found.update(_of_function(name, args))
            case Standing():
                found["standing"] += 1
            case Ratio(parts):
                found.update(_of_ratio(parts))
    return +found


def is_number(node: Node) -> bool:
    """A positive number as written."""
    return isinstance(node, (Number, InBase))


def _is_root(node: Power) -> bool:
    exponent = rational(node.exponent)
    return exponent is not None and exponent.denominator > 1 and not symbols_of(node.base)


def _of_sum(terms: tuple[Node, ...]) -> Counter[str]:
    numbers = sum(rational(term) is not None for term in terms)
    kinds = [_kind(term) for term in terms if rational(term) is None]
    return Counter(
        {
            "sum": max(0, numbers - 1) + len(kinds) - len(set(kinds)),
            "brackets": sum(map(_bracketed, terms)),
            "matrix": len(terms) if any(isinstance(part, Matrix) for term in terms for part in factors_of(term)) else 0,
        }
    )


def _kind(term: Node) -> tuple[Node, ...]:
    """A term without its numbers: terms of one kind are added."""
    return tuple(factor for factor in factors_of(term) if rational(factor) is None)


def _bracketed(term: Node) -> bool:
    """Whether a term of a sum is a product with a bracket: 2(x + 1) in 2(x + 1) + 3."""
    factors = factors_of(term)
    inside = [factor for factor in factors if isinstance(factor, Sum) or _is_square(factor)]
    others = [factor for factor in factors if factor != MINUS_ONE and factor not in inside and not _divides(factor)]
    return any(map(_is_square, inside)) or len(inside) > 1 or bool(inside and others)


def _is_negative(exponent: Node) -> bool:
    value = rational(exponent)
    return value is not None and value < 0


def _is_square(node: Node) -> bool:
    """A sum to a whole power above one."""
    if not isinstance(node, Power) or not isinstance(node.base, Sum):
        return False
    value = rational(node.exponent)
    return value is not None and value.denominator == 1 and value > 1


def _of_product(factors: tuple[Node, ...]) -> Counter[str]:
    found: Counter[str] = Counter()
    above = [factor for factor in factors if is_number(factor) and factor != MINUS_ONE]
    below = [_below(factor) for factor in factors if _below(factor) is not None]
    scientific = len(above) == 1 and any(isinstance(factor, Power) and factor.base == TEN for factor in factors)
    found["product"] = max(0, len(above) - 1) + max(0, len(below) - 1)
    found.update(_of_fraction(above, below, factors))
    found["roots"] = max(
        0, sum(isinstance(factor, Power) and _is_root(factor) and not _divides(factor) for factor in factors) - 1
    )
    bases = [_base(factor) for factor in factors if not is_number(factor)]
    found["powers"] = len(bases) - len(set(bases))
    found["complex"] = max(0, sum(any(part == IMAGINARY for part in walk(factor)) for factor in factors) - 1)
    found["matrix"] = max(0, sum(isinstance(factor, Matrix) for factor in factors) - 1)
    if scientific:
        found["power"] -= sum(isinstance(factor, Power) and factor.base == TEN for factor in factors)
    return found


def _below(factor: Node) -> Node | None:
    """The number by which a factor divides."""
    if isinstance(factor, Power) and factor.exponent == MINUS_ONE and is_number(factor.base):
        return factor.base
    return None


def _of_fraction(above: list[Node], below: list[Node | None], factors: tuple[Node, ...]) -> Counter[str]:
    """A division that can be carried out, or a fraction that can be reduced."""
    over, under = (rational(node) for node in (_only(above), _only([node for node in below if node is not None])))
    if not below or over is None or under is None:
        return Counter()
    if over.denominator > 1 or under.denominator > 1 or under in (0, 1):
        return Counter({"division": 1})
    content = math.prod(_content(factor) for factor in factors if isinstance(factor, Sum))
    if len(factors) <= 2 + (MINUS_ONE in factors) and over % under == 0:
        return Counter({"division": 1})
    return Counter({"unreduced": int(math.gcd(int(over) * content, int(under)) > 1)})


def _only(nodes: list[Node]) -> Node:
    if not nodes:
        return Number(Fraction(1))
    return nodes[0] if len(nodes) == 1 else Product(tuple(nodes))


def _content(node: Sum) -> int:
    """The whole number that divides each term of a sum."""
    return math.gcd(*(coefficient(term) for term in node.terms))


def coefficient(term: Node) -> int:
    """The whole number before a term; 1 where there is none, or a fraction."""
    value = math.prod(
        (rational(factor) or Fraction(0) for factor in factors_of(term) if is_number(factor)), start=Fraction(1)
    )
    return abs(int(value)) if value.denominator == 1 else 1


def _base(factor: Node) -> Node:
    """What a factor is a power of. Roots of different degree of one number count as one base."""
    while isinstance(factor, Power) and rational(factor.exponent) is not None:
        factor = factor.base
    return factor


def _of_power(base: Node, exponent: Node) -> Counter[str]:
    power = rational(exponent)
    if power is None:
        return Counter()
    if power.denominator > 1:
        return _of_root(base, power)
    found: Counter[str] = Counter()
    if power < 0 and base != TEN:
        found["root below"] = int(any(isinstance(part, Power) and _is_root(part) for part in walk(base)))
        found["complex"] = int(any(part == IMAGINARY for part in walk(base)))
        found["nested"] = int(isinstance(base, Sum) and any(_divides(part) for part in walk(base)))
    if power == MINUS_ONE.value:
        return found
    number = rational(base) is not None
    found["power"] += number or isinstance(base, (Product, Power)) or power in (0, 1)
    found["complex"] += base == IMAGINARY or (isinstance(base, Sum) and any(part == IMAGINARY for part in walk(base)))
    found["matrix"] += isinstance(base, Matrix)
    return found


def _divides(node: Node) -> bool:
    return isinstance(node, Power) and _is_negative(node.exponent)


def _of_root(base: Node, power: Fraction) -> Counter[str]:
    """A root that is a number, one from which a factor can be drawn, or one that divides."""
    value = rational(Power(base, Number(power)))
    if value is not None:
        return Counter({"root": 1, "sum below a root": int(isinstance(base, Sum))})
    found = Counter({"root below": int(power < 0), "radical": int(abs(power) > 1 or isinstance(base, Power))})
    found["sum below a root"] = int(isinstance(base, Sum) and all(rational(term) is not None for term in base.terms))
    for part in factors_of(base):
        inside = rational(part)
        if inside is not None and part != MINUS_ONE:
            found["radical"] += _resolves(inside.numerator, power) or _resolves(inside.denominator, power)
            found["root below"] += inside.denominator > 1 or _divides(part)
        elif part == MINUS_ONE and power.denominator % 2 == 0:
            found["root"] += 1
        elif isinstance(part, Power) and isinstance(part.base, Symbol):
            raised = rational(part.exponent)
            found["radical"] += raised is not None and abs(raised) >= power.denominator
        elif _is_square(part):
            found["radical"] += 1
    return found


def _resolves(number: int, power: Fraction) -> bool:
    """Whether a whole number above one has a factor that the root draws."""
    number, degree = abs(number), power.denominator
    if number < 2 or number > MAX_RADICAND:
        return False
    if integer_root(number, degree) is not None:
        return True
    divisor = 2
    while divisor <= MAX_DIVISOR and divisor**degree <= number:
        if number % divisor**degree == 0:
            return True
        divisor += 1
    return False


def _of_function(name: str, args: tuple[Node, ...]) -> Counter[str]:
    constant = not any(symbols_of(argument) for argument in args)
    if name in COUNTED:
        return Counter({"functions": 1})
    return Counter({name: int(constant)})


def _of_ratio(parts: tuple[Node, ...]) -> Counter[str]:
    """A ratio of fractions, or of whole numbers with a common divisor."""
    values = [rational(part) for part in parts]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return Counter()
    if any(value.denominator > 1 for value in numbers):
        return Counter({"division": 1})
    return Counter({"unreduced": int(math.gcd(*(value.numerator for value in numbers)) > 1)})
