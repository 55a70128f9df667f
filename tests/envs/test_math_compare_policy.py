"""What a policy changes, which tier decides, and which flags a comparison raises."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rlenv.envs.math.equality import Comparison, compare
from rlenv.envs.math.equality.policy import MathPolicy

STRICT = MathPolicy()


def test_the_question_may_speak_of_percent_and_of_ratios() -> None:
    assert not compare("42", r"42\%", STRICT).equal
    assert compare("42", r"42\%", STRICT, "What percent of the apples are red?").equal
    assert not compare("10:15", "20:30", STRICT).equal
    assert compare("10:15", "20:30", STRICT, "Find the ratio of boys to girls.").equal


@pytest.mark.parametrize(
    ("gold", "answer", "tier"),
    [
        ("42", " 42 ", "identity"),
        (r"\frac{1}{2}", r"\frac{ 1 }{ 2 }", "structure"),
        ("1/2", "0.5", "exact"),
        ("(1, 2)", "(1, 2.0)", "structure"),
        ("(x+1)^2", "x^2+2x+1", "polynomial"),
        (r"\sin 2x", r"2\sin x\cos x", "numeric"),
        ("odd", r"\text{Odd}", "text"),
        ("7", "9^{9^9}", "guard"),
    ],
)
def test_the_tier_that_decided_is_named(gold: str, answer: str, tier: str) -> None:
    assert compare(gold, answer, STRICT).tier == tier


@pytest.mark.parametrize(
    ("gold", "answer", "flag"),
    [
        ("42", "41 = 42", "equation_chain"),
        ("42", r"42\%", "percent_coerced"),
        ("42", "1 2 3 42", "number_spray"),
        (r"5\text{ cm}", r"5\text{ kg}", "unit"),
        ("7", "9^{9^9}", "cost_guard"),
        ("7", "(" * 100, "cost_guard"),
    ],
)
def test_what_is_odd_is_flagged_and_refused(gold: str, answer: str, flag: str) -> None:
    found = compare(gold, answer, STRICT)
    assert found.equal is False
    assert found.flags == (flag,)
    assert found.reason


def test_what_agrees_and_is_not_proved_is_left_open() -> None:
    assert compare(r"\sqrt{x^2}", "|x|", STRICT) == Comparison(True, "numeric")
    assert compare(r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}", STRICT).equal is None


def test_an_operation_left_undone_is_no_answer() -> None:
    for answer in (r"\int_0^{42} 1 dx", r"\sum_{k=1}^{42} 1", r"\lim_{x \to 42} x"):
        assert compare("42", answer, STRICT).equal is False


def test_numbers_and_polynomials_need_no_algebra_library() -> None:
    program = (
        "import sys\n"
        "from rlenv.envs.math.equality import compare\n"
        "assert compare('(x+1)^2', 'x^2+2x+1').equal and compare(r'\\frac12', '0.5').equal\n"
        "print([name for name in ('sympy', 'mpmath', 'math_verify') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
