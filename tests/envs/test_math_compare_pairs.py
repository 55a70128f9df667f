"""Pairs of a reference and an answer: what is equal, what only looks so, and answers that describe their values."""

from __future__ import annotations

from pathlib import Path

import pytest
from work import few_calls

from rlenv.envs.math.equality import compare
from rlenv.envs.math.equality.policy import MathPolicy

HERE = Path(__file__)
POLICY = MathPolicy()
MOST_CALLS = 2_000_000


def lines(name: str) -> list[str]:
    text = HERE.with_name(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith(("# ", "## "))]


def pairs() -> list[tuple[str, str, bool]]:
    found = []
    for line in lines("test_math_compare_pairs.txt"):
        gold, rest = line.split(" | ", 1)
        answer, _, sign = rest.rpartition(" | ")
        found.append((gold, answer, {"+": True, "-": False}[sign]))
    return found


def described() -> list[tuple[str, str, str, bool]]:
    rows = [line.split(" | ") for line in lines("test_math_compare_described.txt")]
    return [(question.removeprefix("-"), gold, answer, sign == "+") for question, gold, answer, sign in rows]


def test_answer_is_judged_by_what_it_means_and_a_description_by_what_it_describes() -> None:
    rows = [*(("", *pair) for pair in pairs()), *described()]
    assert [row for row in rows if bool(compare(row[1], row[2], POLICY, row[0]).equal) is not row[3]] == []


def test_every_reference_equals_itself_however_it_is_wrapped() -> None:
    for gold, _, _ in pairs():
        assert compare(gold, f"  {gold}  ", POLICY).equal, gold
        if "$" not in gold and "&" not in gold and not gold.endswith("\\"):
            assert compare(gold, f"$ {gold} $", POLICY).equal, gold
            assert compare(gold, f"\\({gold}\\)", POLICY).equal, gold


def cases(pieces: list[tuple[str, str]]) -> str:
    return r"\begin{cases}" + r" \\ ".join(f"{value} & {condition}" for value, condition in pieces) + r"\end{cases}"


HOSTILE = [
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


@pytest.mark.parametrize(
    "gold", [r"x=k\pi, k\in\mathbb{Z}", "x^2+C", cases([("1", "x>0"), ("2", r"x\le 0")]), r"\{1,2,3\}"]
)
def test_hostile_descriptions_cost_little(gold: str) -> None:
    for text in HOSTILE:
        assert not few_calls(MOST_CALLS, compare, gold, text, POLICY).equal
