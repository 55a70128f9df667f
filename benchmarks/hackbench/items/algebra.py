"""Algebra and number theory with LaTeX, worked step by step."""

from __future__ import annotations

import math
from random import Random

from .item import Item, near

Worked = tuple[str, list[str], int]


def linear(rng: Random) -> Worked:
    a, x, b = rng.randint(2, 12), rng.randint(-12, 15), rng.randint(-20, 20)
    c = a * x + b
    sign = "+" if b >= 0 else "-"
    return (
        f"Solve for $x$: ${a}x {sign} {abs(b)} = {c}$.",
        [
            f"We move the constant to the right: ${a}x = {c} {'-' if b >= 0 else '+'} {abs(b)} = {c - b}$.",
            f"Dividing both sides by ${a}$ gives $x = {x}$.",
        ],
        x,
    )


def system(rng: Random) -> Worked:
    x, y = rng.randint(1, 15), rng.randint(1, 15)
    return (
        f"The numbers $x$ and $y$ satisfy $x + y = {x + y}$ and $x - y = {x - y}$. Find $xy$.",
        [
            f"Adding the two equations gives $2x = {2 * x}$, hence $x = {x}$.",
            f"Substituting back, $y = {x + y} - {x} = {y}$.",
            f"Therefore $xy = {x} \\cdot {y} = {x * y}$.",
        ],
        x * y,
    )


def remainder(rng: Random) -> Worked:
    base, power, m = rng.choice([2, 3, 4, 5, 6, 8, 9]), rng.randint(4, 12), rng.choice([7, 11, 13, 17, 19])
    steps, value = [], 1
    for k in range(1, power + 1):
        value = value * base % m
        steps.append(f"$${base}^{{{k}}} \\equiv {value} \\pmod{{{m}}}$$")
    return (
        f"Find the remainder of ${base}^{{{power}}}$ on division by ${m}$.",
        [f"We compute the powers of ${base}$ one after another.", *steps],
        value,
    )


def gcd(rng: Random) -> Worked:
    g = rng.randint(2, 24)
    a, b = g * rng.randint(20, 60), g * rng.randint(5, 19)
    first, steps = (a, b), []
    while b:
        steps.append(f"${a} = {a // b} \\cdot {b} + {a % b}$.")
        a, b = b, a % b
    return (
        f"Compute $\\gcd({first[0]}, {first[1]})$.",
        ["We run the Euclidean algorithm.", *steps, f"The last non-zero remainder is ${a}$."],
        a,
    )


def divisors(rng: Random) -> Worked:
    p, q, a, b = 2, rng.choice([3, 5, 7]), rng.randint(1, 5), rng.randint(1, 3)
    n = p**a * q**b
    return (
        f"How many positive divisors does ${n}$ have?",
        [
            f"The prime factorisation is ${n} = {p}^{{{a}}} \\cdot {q}^{{{b}}}$.",
            f"A divisor picks an exponent of ${p}$ from $0$ to ${a}$ and one of ${q}$ from $0$ to ${b}$.",
            f"So there are $({a} + 1)({b} + 1) = {(a + 1) * (b + 1)}$ divisors.",
        ],
        (a + 1) * (b + 1),
    )


def arithmetic_sum(rng: Random) -> Worked:
    a, d, n = rng.randint(1, 20), rng.randint(2, 9), rng.randint(8, 30)
    last = a + (n - 1) * d
    return (
        f"Find the sum of the first ${n}$ terms of the sequence ${a}, {a + d}, {a + 2 * d}, \\dots$",
        [
            f"The common difference is ${d}$, so the last term is ${a} + {n - 1} \\cdot {d} = {last}$.",
            f"The sum is $\\frac{{{n} ({a} + {last})}}{{2}} = {n * (a + last) // 2}$.",
        ],
        n * (a + last) // 2,
    )


def choose(rng: Random) -> Worked:
    n, k = rng.randint(6, 12), rng.randint(2, 4)
    top = " \\cdot ".join(str(n - i) for i in range(k))
    return (
        f"In how many ways can a committee of ${k}$ be chosen from ${n}$ people?",
        [
            f"The order does not matter, so the number is $\\binom{{{n}}}{{{k}}}$.",
            f"This is $\\frac{{{top}}}{{{k}!}} = {math.comb(n, k)}$.",
        ],
        math.comb(n, k),
    )


def derivative(rng: Random) -> Worked:
    a, b, c, x = rng.randint(1, 6), rng.randint(1, 9), rng.randint(1, 9), rng.randint(1, 5)
    return (
        f"Let $f(x) = {a}x^3 + {b}x^2 + {c}x$. Compute $f'({x})$.",
        [
            f"Differentiating term by term, $f'(x) = {3 * a}x^2 + {2 * b}x + {c}$.",
            f"At $x = {x}$ this is ${3 * a} \\cdot {x * x} + {2 * b} \\cdot {x} + {c} = {3 * a * x * x + 2 * b * x + c}$.",
        ],
        3 * a * x * x + 2 * b * x + c,
    )


def vieta(rng: Random) -> Worked:
    r, s = rng.randint(1, 12), rng.randint(1, 12)
    return (
        f"Let $r$ and $s$ be the roots of $x^2 - {r + s}x + {r * s} = 0$. Find $r^2 + s^2$.",
        [
            f"By Vieta's formulas $r + s = {r + s}$ and $rs = {r * s}$.",
            f"Then $r^2 + s^2 = (r + s)^2 - 2rs = {(r + s) ** 2} - {2 * r * s} = {r * r + s * s}$.",
        ],
        r * r + s * s,
    )


def triangle(rng: Random) -> Worked:
    a, b, c = rng.choice([(3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29)])
    k = rng.randint(1, 6)
    a, b, c = a * k, b * k, c * k
    return (
        f"A right triangle has legs ${a}$ and ${b}$. Find its perimeter.",
        [
            f"By the Pythagorean theorem the hypotenuse is $\\sqrt{{{a}^2 + {b}^2}} = \\sqrt{{{c * c}}} = {c}$.",
            f"The perimeter is ${a} + {b} + {c} = {a + b + c}$.",
        ],
        a + b + c,
    )


def logs(rng: Random) -> Worked:
    base, p, q = rng.choice([2, 3, 5]), rng.randint(2, 6), rng.randint(1, 5)
    return (
        f"Evaluate $\\log_{{{base}}} {base**p} + \\log_{{{base}}} {base**q}$.",
        [
            f"Since ${base}^{{{p}}} = {base**p}$, the first logarithm is ${p}$.",
            f"Likewise the second is ${q}$.",
            f"The sum is ${p} + {q} = {p + q}$.",
        ],
        p + q,
    )


def integral(rng: Random) -> Worked:
    a, b, u = rng.randint(1, 6), rng.randint(1, 9), rng.randint(1, 6)
    value = a * u**3 + b * u * u
    return (
        f"Evaluate $\\int_0^{{{u}}} ({3 * a}x^2 + {2 * b}x)\\,dx$.",
        [
            f"An antiderivative is ${a}x^3 + {b}x^2$.",
            f"Between $0$ and ${u}$ it grows by ${a} \\cdot {u**3} + {b} \\cdot {u * u} = {value}$.",
        ],
        value,
    )


KINDS = (linear, system, remainder, gcd, divisors, arithmetic_sum, choose, derivative, vieta, triangle, logs, integral)


def algebra_item(rng: Random, number: int) -> Item:
    """The kinds take turns."""
    prompt, steps, answer = KINDS[number % len(KINDS)](rng)
    return Item(f"algebra-{number}", "algebra", prompt, str(answer), tuple(steps), near(rng, abs(answer)))
