"""What a policy changes, which tier decides, and which flags a comparison raises."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rlenv.envs.math.comparing import Comparison, compare, compare_symbolically
from rlenv.envs.math.comparing.policy import MathPolicy

STRICT = MathPolicy()


@pytest.mark.parametrize(
    ("policy", "gold", "answer", "equal"),
    [
        (MathPolicy(percent="share"), r"50\%", "50", False),
        (MathPolicy(percent="share"), r"50\%", "0.5", True),
        (MathPolicy(percent="either"), "50", r"50\%", True),
        (MathPolicy(rounding="digits"), "3.14", r"\pi", True),
        (MathPolicy(rounding="digits"), "3.14", "3.1416", True),
        (MathPolicy(rounding="digits"), "3.14", "3.2", False),
        (MathPolicy(rounding="digits"), "3", "3.4", False),
        (MathPolicy(rounding="digits"), r"\frac{1}{3}", "0.33", False),
        (MathPolicy(rounding=0.01), "100", "100.5", True),
        (MathPolicy(rounding=0.01), "100", "102", False),
        (MathPolicy(rounding=1e-4), r"\sqrt{2}", "1.4142", True),
        (MathPolicy(rounding=1e-4), "(1, 2)", "(1.00001, 2)", True),
        (MathPolicy(rounding=1e-4), "0", "0.00001", False),
        (MathPolicy(order="none"), "(1, 2)", "(2, 1)", True),
        (MathPolicy(order="all"), "1, 2", "2, 1", False),
        (MathPolicy(order="all"), "1, 2", "1, 2", True),
        (MathPolicy(units="required"), r"5\text{ cm}", "5", False),
        (MathPolicy(units="required"), r"5\text{ cm}", "50 mm", True),
        (MathPolicy(units="ignored"), r"5\text{ cm}", r"5\text{ kg}", True),
    ],
)
def test_policy_decides(policy: MathPolicy, gold: str, answer: str, equal: bool) -> None:
    assert compare(gold, answer, policy).equal is equal


def test_the_question_may_speak_of_percent_and_of_ratios() -> None:
    assert not compare("42", r"42\%", STRICT).equal
    assert compare("42", r"42\%", STRICT, "What percent of the apples are red?").equal
    assert not compare("10:15", "20:30", STRICT).equal
    assert compare("10:15", "20:30", STRICT, "Find the ratio of boys to girls.").equal


@pytest.mark.parametrize(
    ("gold", "answer", "tier"),
    [
        ("42", " 42 ", "identity"),
        (r"\frac{1}{2}", r"\frac{ 1 }{ 2 }", "identity"),
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


def test_only_algebra_decides_what_the_cheap_tiers_leave_open() -> None:
    assert compare(r"\sqrt{x^2}", "|x|", STRICT).equal is None
    assert compare_symbolically(r"\sqrt{x^2}", "|x|", STRICT) == Comparison(True, "symbolic")
    assert compare(r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}", STRICT).equal is None
    assert compare_symbolically(r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}", STRICT).equal
    assert compare_symbolically(r"\sum_{k=1}^{n} k", r"\frac{n(n-1)}{2}", STRICT).equal is False


def test_an_operation_left_undone_is_no_answer() -> None:
    for answer in (r"\int_0^{42} 1 dx", r"\sum_{k=1}^{42} 1", r"\lim_{x \to 42} x"):
        assert compare("42", answer, STRICT).equal is False
        assert compare_symbolically("42", answer, STRICT).equal is False


def test_threads_agree_with_each_other_at_high_precision() -> None:
    pairs = [(r"\sqrt{3+2\sqrt{2}}", r"1+\sqrt{2}"), (r"\sin 2x", r"2\sin x\cos x"), (r"e^{-50}", r"e^{-60}")] * 40
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda pair: compare(pair[0], pair[1], STRICT).equal, pairs))
    assert found == [True, True, False] * 40


def test_numbers_and_polynomials_need_no_algebra_library() -> None:
    program = (
        "import sys\n"
        "from rlenv.envs.math.comparing import compare\n"
        "assert compare('(x+1)^2', 'x^2+2x+1').equal and compare(r'\\frac12', '0.5').equal\n"
        "print([name for name in ('sympy', 'mpmath', 'math_verify') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
