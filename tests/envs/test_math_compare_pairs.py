"""Pairs of a reference and an answer: what is equal, what only looks so, which tier decides and what is flagged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tables import tables
from work import few_calls

from rlenv.envs.math.equality import Comparison, compare
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


CASES = tables(__file__)


def test_the_question_may_speak_of_percent_and_of_ratios() -> None:
    assert not compare("42", r"42\%", POLICY).equal
    assert compare("42", r"42\%", POLICY, "What percent of the apples are red?").equal
    assert not compare("10:15", "20:30", POLICY).equal
    assert compare("10:15", "20:30", POLICY, "Find the ratio of boys to girls.").equal


@pytest.mark.parametrize(("gold", "answer", "tier"), CASES["tiers"])
def test_the_tier_that_decided_is_named(gold: str, answer: str, tier: str) -> None:
    assert compare(gold, answer, POLICY).tier == tier


@pytest.mark.parametrize(("gold", "answer", "flag"), CASES["flags"])
def test_what_is_odd_is_flagged_and_refused(gold: str, answer: str, flag: str) -> None:
    found = compare(gold, answer, POLICY)
    assert found.equal is False
    assert found.flags == (flag,)
    assert found.reason


def test_what_agrees_and_is_not_proved_is_left_open() -> None:
    assert compare(r"\sqrt{x^2}", "|x|", POLICY) == Comparison(True, "numeric")
    assert compare(r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}", POLICY).equal is None


def test_an_operation_left_undone_is_no_answer() -> None:
    for answer in (r"\int_0^{42} 1 dx", r"\sum_{k=1}^{42} 1", r"\lim_{x \to 42} x"):
        assert compare("42", answer, POLICY).equal is False


def test_numbers_and_polynomials_need_no_algebra_library() -> None:
    program = (
        "import sys\n"
        "from rlenv.envs.math.equality import compare\n"
        "assert compare('(x+1)^2', 'x^2+2x+1').equal and compare(r'\\frac12', '0.5').equal\n"
        "print([name for name in ('sympy', 'mpmath', 'math_verify') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
