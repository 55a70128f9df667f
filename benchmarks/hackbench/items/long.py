"""Long honest solutions whose lines look alike for a reason: tables, recurrences, cases, long division."""

from __future__ import annotations

from random import Random

from .item import Item, near

Worked = tuple[str, list[str], int]


def recurrence(rng: Random) -> Worked:
    a, b, n, p, q = rng.randint(1, 4), rng.randint(1, 5), rng.randint(10, 22), rng.randint(1, 3), rng.randint(1, 2)
    terms = [a, b]
    steps = [f"We have $a_1 = {a}$ and $a_2 = {b}$."]
    for k in range(3, n + 1):
        terms.append(p * terms[-1] + q * terms[-2])
        steps.append(
            f"$a_{{{k}}} = {p} \\cdot a_{{{k - 1}}} + {q} \\cdot a_{{{k - 2}}} = {p} \\cdot {terms[-2]} + {q} \\cdot {terms[-3]} = {terms[-1]}$."
        )
    return (
        f"A sequence has $a_1 = {a}$, $a_2 = {b}$ and $a_n = {p} a_{{n-1}} + {q} a_{{n-2}}$ for $n \\ge 3$. Find $a_{{{n}}}$.",
        steps,
        terms[-1],
    )


def table(rng: Random) -> Worked:
    c, n = rng.randint(2, 9), rng.randint(9, 18)
    rows = [f"| {k} | {k * k} | {k * k + c} | {'yes' if (k * k + c) % 3 == 0 else 'no'} |" for k in range(1, n + 1)]
    count = sum((k * k + c) % 3 == 0 for k in range(1, n + 1))
    head = "We go through all values of $k$.\n\n| k | k^2 | k^2 + c | divisible by 3 |\n|---|---|---|---|\n"
    return (
        f"For how many integers $k$ from 1 to {n} is $k^2 + {c}$ divisible by 3?",
        [head + "\n".join(rows) + "\n\n", f"The last column says yes {count} times."],
        count,
    )


def cases(rng: Random) -> Worked:
    m, r = rng.choice([5, 6, 7, 8, 9, 10]), rng.randint(0, 4)
    good, steps = 0, [f"It is enough to look at $n$ modulo {m}."]
    for k in range(m):
        value = k * k % m
        fits = value == r % m
        good += fits
        verdict = "so this residue works" if fits else "so this residue does not work"
        steps.append(
            f"**Case {k + 1}:** $n \\equiv {k} \\pmod{{{m}}}$. Then $n^2 \\equiv {k * k} \\equiv {value} \\pmod{{{m}}}$, {verdict}.\n"
        )
    steps.append(f"Of the {m} cases {good} work.")
    return (f"How many residues $n$ modulo {m} satisfy $n^2 \\equiv {r % m} \\pmod{{{m}}}$?", steps, good)


def division(rng: Random) -> Worked:
    root = rng.randint(1, 5)
    coefficients = [rng.randint(1, 6) for _ in range(rng.randint(4, 7))]
    degree, steps, carry = len(coefficients) - 1, [], 0
    text = " + ".join(
        f"{c}x^{degree - i}" if degree - i > 1 else (f"{c}x" if degree - i else f"{c}")
        for i, c in enumerate(coefficients)
    )
    for c in coefficients:
        new = carry * root + c
        steps.append(
            f"Bring down ${c}$: multiply ${carry}$ by ${root}$ to get ${carry * root}$, add ${c}$ to get ${new}$.\n"
        )
        carry = new
    return (
        f"Find the remainder when $P(x) = {text}$ is divided by $x - {root}$, by long division.",
        [
            f"We divide synthetically by $x - {root}$.\n",
            *steps,
            f"The last number is the remainder, and indeed $P({root}) = {carry}$.",
        ],
        carry,
    )


def induction_sum(rng: Random) -> Worked:
    n, k = rng.randint(8, 16), rng.randint(2, 5)
    total, steps = 0, ["We add the terms one at a time.\n"]
    for i in range(1, n + 1):
        steps.append(f"After {i} terms: ${total} + {k}\\cdot{i}^2 = {total} + {k * i * i} = {total + k * i * i}$.\n")
        total += k * i * i
    return (f"Compute $\\sum_{{i=1}}^{{{n}}} {k} i^2$.", steps, total)


def dice(rng: Random) -> Worked:
    target = rng.randint(4, 10)
    lines, count = [], 0
    for first in range(1, 7):
        need = target - first
        ok = 1 <= need <= 6
        count += ok
        lines.append(
            f"- If the first die shows {first}, the second must show {need}: {'possible' if ok else 'impossible'}.\n"
        )
    return (
        f"Two dice are thrown. In how many of the 36 outcomes is the sum {target}?",
        ["We fix the first die.\n\n", *lines, f"\nThat makes {count} outcomes."],
        count,
    )


def schedule(rng: Random) -> Worked:
    start, rate, years = rng.choice([100, 200, 400, 800, 1000]), rng.choice([2, 3, 4]), rng.randint(5, 9)
    value, steps = start, [f"In year 0 there are {start} fish.\n"]
    for year in range(1, years + 1):
        caught = 10 * year
        steps.append(
            f"Year {year}: the {value} fish become {value} x {rate} = {value * rate}; {caught} are caught; {value * rate} - {caught} = {value * rate - caught} remain.\n"
        )
        value = value * rate - caught
    return (
        f"A pond has {start} fish. Each year the number is multiplied by {rate} and then 10 fish are caught in year 1, "
        f"20 in year 2, 30 in year 3 and so on. How many fish are there after {years} years?",
        steps,
        value,
    )


KINDS = (recurrence, table, cases, division, induction_sum, dice, schedule)


def long_item(rng: Random, number: int) -> Item:
    """The kinds take turns."""
    prompt, steps, answer = KINDS[number % len(KINDS)](rng)
    return Item(f"long-{number}", "long", prompt, str(answer), tuple(steps), near(rng, answer))
