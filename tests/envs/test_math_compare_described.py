"""Answers that describe values: by cases, by letters that run, by free constants, by what the question asks for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import few_calls

from rlenv.envs.math.comparing import compare, compare_symbolically
from rlenv.envs.math.policy import MathPolicy

PAIRS = Path(__file__).with_suffix(".txt")
POLICY = MathPolicy()
MOST_CALLS = 2_000_000
WHOLE = st.integers(-9, 9)
VALUES = st.sampled_from(["x", "x^2", "2x+1", "-x", "3", r"\sin x", "x-4", r"\frac{x}{2}", "e^x", "0"])


def rows() -> list[tuple[str, str, str, bool]]:
    found = []
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            question, gold, answer, sign = line.split(" | ")
            found.append((question.removeprefix("-"), gold, answer, sign == "+"))
    return found


def equal(gold: str, answer: str, question: str = "") -> bool | None:
    found = compare(gold, answer, POLICY, question)
    return compare_symbolically(gold, answer, POLICY, question).equal if found.equal is None else found.equal


@pytest.mark.parametrize(("question", "gold", "answer", "right"), rows())
def test_description_is_judged_by_what_it_describes(question: str, gold: str, answer: str, right: bool) -> None:
    assert equal(gold, answer, question) is right


def cases(pieces: list[tuple[str, str]]) -> str:
    return r"\begin{cases}" + r" \\ ".join(f"{value} & {condition}" for value, condition in pieces) + r"\end{cases}"


@settings(max_examples=25, deadline=None)
@given(st.lists(VALUES, min_size=2, max_size=4, unique=True), st.randoms(use_true_random=False), WHOLE)
def test_function_by_cases_is_a_set_of_pairs(values: list[str], random: Random, start: int) -> None:
    bounds = [start + 3 * place for place in range(len(values) - 1)]
    conditions = [
        f"x < {bounds[0]}",
        *(rf"{low} \le x < {high}" for low, high in pairwise(bounds)),
        rf"x \ge {bounds[-1]}",
    ]
    pieces = list(zip(values, conditions, strict=True))
    shuffled = random.sample(pieces, len(pieces))
    swapped = list(zip([*values[1:], values[0]], conditions, strict=True))
    assert equal(cases(pieces), cases(shuffled))
    assert equal(cases(pieces), ", ".join(rf"{value} \text{{ if }} {where}" for value, where in shuffled))
    assert not equal(cases(pieces), cases(swapped))
    assert not equal(cases(pieces), cases(pieces[1:]) if len(pieces) > 2 else values[0])


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 9), WHOLE, WHOLE, st.sampled_from([1, -1]), st.sampled_from(["n", "m", "j"]))
def test_family_is_the_set_that_it_generates(step: int, first: int, shift: int, sign: int, letter: str) -> None:
    gold = rf"x = {step}k + {first}, k \in \mathbb{{Z}}"
    moved = rf"x = {sign * step}{letter} + {first + step * shift} \text{{ for integers }} {letter}"
    halves = rf"x = {2 * step}{letter} + {first} \text{{ or }} x = {2 * step}{letter} + {first + step}"
    assert equal(gold, moved)
    assert equal(gold, halves + rf", {letter} \in \mathbb{{Z}}")
    assert equal(gold, rf"x \equiv {first + step * shift} \pmod{{{step}}}")
    assert not equal(gold, rf"x = {2 * step}{letter} + {first}, {letter} \in \mathbb{{Z}}")
    assert not equal(gold, rf"x \equiv {first + 1} \pmod{{{step}}}")
    assert not equal(gold, rf"x = {step}{letter} + {first}, {letter} \ge {shift}")


@settings(max_examples=25, deadline=None)
@given(VALUES, st.integers(1, 9), st.sampled_from(["C", "c", "K", "C_1"]))
def test_antiderivative_is_known_up_to_a_constant_of_any_name(value: str, number: int, letter: str) -> None:
    question = r"Find $\int f(x)\,dx$."
    assert equal(f"{value} + C", f"{value} + {number} + {letter}", question)
    assert equal(f"{value} + C", f"{letter} + {value}", question)
    assert not equal(f"{value} + C", f"{value} + {number}", question)
    assert not equal(f"{value} + C", f"{value} + x + {letter}", question)


def test_hostile_descriptions_cost_little() -> None:
    hostile = [
        "P(" * 20 + "x+1" + ")" * 20,
        "1 if " * 280,
        "(x=1" * 20 + ")" * 20,
        " ".join("1 if x>0, 2 if" for _ in range(100)),
        "x=" + "+".join(rf"k^{power}\sin(k+{power})" for power in range(1, 60)) + r",k\in\mathbb{Z}",
        ",".join(rf"x=k\pi/{part}+{part}" for part in range(1, 40)) + r",k\in\mathbb{Z}",
        r"x=k^{k^{k^k}},k\in\mathbb{Z}",
        r"x=(k!)!,k\in\mathbb{N}",
        "+".join(f"C_{power}x^{power}" for power in range(60)) + "+C",
        r"\{1,2,\dots,10^9\}",
        cases([(f"x^{place}", f"{place} < x < {place + 1}") for place in range(60)]),
    ]
    for text in hostile:
        for gold in (r"x=k\pi, k\in\mathbb{Z}", "x^2+C", cases([("1", "x>0"), ("2", r"x\le 0")]), r"\{1,2,3\}"):
            assert not few_calls(MOST_CALLS, compare, gold, text, POLICY).equal
