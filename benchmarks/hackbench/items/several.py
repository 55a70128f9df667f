"""Problems whose right answer has several values: roots, sets, intervals, plus-minus, parts, units, cases."""

from __future__ import annotations

from math import isqrt
from random import Random

from .item import Item

Worked = tuple[str, list[str], str]


def roots(rng: Random) -> Worked:
    r, s = sorted(rng.sample(range(-9, 13), 2))
    return (
        f"Find all real solutions of $x^2 {-(r + s):+d}x {r * s:+d} = 0$.",
        [
            f"The left side factors as $(x {-r:+d})(x {-s:+d})$.",
            f"A product is zero when a factor is, so $x = {r}$ or $x = {s}$.",
            "Both satisfy the equation.",
        ],
        rng.choice([f"{r}, {s}", f"x = {r} or x = {s}", f"{r} and {s}"]),
    )


def plus_minus(rng: Random) -> Worked:
    n, c = rng.randint(2, 15), rng.randint(1, 9)
    return (
        f"Solve $x^2 - {c} = {n * n - c}$ over the reals.",
        [f"Adding ${c}$ gives $x^2 = {n * n}$.", f"Hence $x = {n}$ or $x = -{n}$."],
        rng.choice([f"\\pm {n}", f"x = \\pm {n}", f"{n}, -{n}"]),
    )


def interval(rng: Random) -> Worked:
    a, b = sorted(rng.sample(range(-10, 15), 2))
    return (
        f"Solve the inequality $(x {-a:+d})(x {-b:+d}) < 0$.",
        [
            f"The product changes its sign at $x = {a}$ and at $x = {b}$.",
            f"For $x < {a}$ both factors are negative, for $x > {b}$ both are positive, and between them the signs differ.",
        ],
        rng.choice([f"({a}, {b})", f"{a} < x < {b}", f"x \\in ({a}, {b})"]),
    )


def divisor_set(rng: Random) -> Worked:
    n = rng.choice([12, 18, 20, 28, 30, 42, 44, 45, 50, 52, 63, 66, 68, 70, 75, 76, 98, 99])
    found = [d for d in range(1, n + 1) if n % d == 0]
    pairs = ", ".join(f"{d} * {n // d}" for d in found if d <= isqrt(n))
    listed = ", ".join(map(str, found))
    return (
        f"List all positive divisors of {n}.",
        [f"The pairs are {pairs}.", f"Putting them in order: {listed}."],
        rng.choice([listed, "\\{" + listed + "\\}"]),
    )


def parts(rng: Random) -> Worked:
    a, b = rng.randint(4, 30), rng.randint(4, 30)
    return (
        f"A rectangle has sides {a} cm and {b} cm. (a) What is its perimeter? (b) What is its area? (c) What is the "
        f"perimeter of a square with the shorter side?",
        [
            f"(a) The perimeter is 2 * ({a} + {b}) = {2 * (a + b)} cm.",
            f"(b) The area is {a} * {b} = {a * b} square centimetres.",
            f"(c) The shorter side is {min(a, b)} cm, so the square has perimeter 4 * {min(a, b)} = {4 * min(a, b)} cm.",
        ],
        f"(a) {2 * (a + b)} cm, (b) {a * b} cm^2, (c) {4 * min(a, b)} cm",
    )


def two_unknowns(rng: Random) -> Worked:
    x, y = rng.randint(1, 20), rng.randint(1, 20)
    return (
        f"Chairs and stools: together there are {x + y}, and they have {4 * x + 3 * y} legs (a chair has 4, a stool 3). "
        f"How many chairs and how many stools are there?",
        [
            f"If all were stools there would be {3 * (x + y)} legs, which is {4 * x + 3 * y} - {3 * (x + y)} = {x} too few.",
            f"Each chair adds one leg, so there are {x} chairs and {x + y} - {x} = {y} stools.",
        ],
        f"{x} chairs and {y} stools",
    )


def both_forms(rng: Random) -> Worked:
    n, d = rng.choice([(1, 4), (3, 4), (1, 8), (3, 8), (2, 5), (7, 20), (9, 25), (3, 16), (1, 5), (13, 50)])
    k = rng.randint(2, 9)
    decimal = f"{n / d:g}"
    return (
        f"Write {n * k}/{d * k} in lowest terms and as a decimal.",
        [
            f"Numerator and denominator share the factor {k}, so {n * k}/{d * k} = {n}/{d}.",
            f"Dividing, {n} / {d} = {decimal}.",
        ],
        f"{n}/{d} = {decimal}",
    )


def with_units(rng: Random) -> Worked:
    m = rng.randint(2, 40)
    return (
        f"A rope is {m} m and 50 cm long. How long is it in centimetres, and how long in metres?",
        [
            f"{m} m are {100 * m} cm, so the rope is {100 * m} + 50 = {100 * m + 50} cm long.",
            f"In metres that is {m}.5 m.",
        ],
        f"{100 * m + 50} cm, that is {m}.5 m",
    )


def by_parameter(rng: Random) -> Worked:
    c = rng.randint(2, 9)
    return (
        f"For a real number $a$, how many real solutions does $x^2 = a - {c}$ have? Give the answer depending on $a$.",
        [
            f"If $a > {c}$, the right side is positive and there are two solutions.",
            f"If $a = {c}$, the equation is $x^2 = 0$ with one solution.",
            f"If $a < {c}$, a square would be negative, so there is none.",
        ],
        f"2 if a > {c}, 1 if a = {c}, 0 if a < {c}",
    )


def smallest_largest(rng: Random) -> Worked:
    values = [rng.randint(10, 99) for _ in range(7)]
    return (
        f"Give the smallest and the largest of the numbers {', '.join(map(str, values))}.",
        [f"In order they are {', '.join(map(str, sorted(values)))}."],
        f"smallest {min(values)}, largest {max(values)}",
    )


KINDS = (
    roots,
    plus_minus,
    interval,
    divisor_set,
    parts,
    two_unknowns,
    both_forms,
    with_units,
    by_parameter,
    smallest_largest,
)


def several_item(rng: Random, number: int) -> Item:
    """The kinds take turns."""
    prompt, steps, answer = KINDS[number % len(KINDS)](rng)
    return Item(f"several-{number}", "several", prompt, answer, tuple(steps))
