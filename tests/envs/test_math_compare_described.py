"""Answers that describe values: by cases, by letters that run, by free constants, by what the question asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from work import few_calls

from rlenv.envs.math.comparing import compare, compare_symbolically
from rlenv.envs.math.comparing.policy import MathPolicy

PAIRS = Path(__file__).with_suffix(".txt")
POLICY = MathPolicy()
MOST_CALLS = 2_000_000


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
