"""A number must be written as a number: what counts as one, and that nothing else is lost or gained."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv import Completion, Task, TieredVerifier
from rlenv.core.verifier import judge
from rlenv.envs.math.numeral import NumeralVerifier, is_numeral
from rlenv.envs.math.verifier import MathVerifier

CHECK = NumeralVerifier(MathVerifier())


def reward(gold: str, said: str) -> float | None:
    return judge(CHECK, Task("How many?", gold), Completion(said)).reward


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("70", "70"),
        ("70", "070"),
        ("70", "70^\\circ"),
        ("70", "70^{\\circ}"),
        ("70", "\\textbf{(070)}"),
        ("70", "140/2 = 70"),
        ("1250", "\\$1,250.00"),
        ("1250", "1{,}250 \\text{ dollars}"),
        ("12", "12 cm^2"),
        ("12", "12\\text{ m}^{3}"),
        ("-7", "-7"),
        ("-7", "−7"),
        ("2.5", "2.5"),
        ("2.5", "\\frac{5}{2}"),
        ("2.5", "2\\frac{1}{2}"),
        ("2.5", "5/2"),
        ("0.5", ".5"),
        ("1500000", "1.5 million"),
        ("20", "20\\%"),
        ("5", "five"),
    ],
)
def test_numbers_are_written_in_many_ways(gold: str, answer: str) -> None:
    assert is_numeral(answer, Fraction(gold))


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("22", "6*12-50"),
        ("22", "6 \\times 12 - 50"),
        ("70", "\\frac{140}{2}"),
        ("70", "140/2"),
        ("70", "2^3\\cdot 5+30"),
        ("120", "5!"),
        ("70", "\\sqrt{4900}"),
        ("10", "\\binom{5}{2}"),
        ("70", "7e1"),
        ("50", "5 \\times 10^1"),
        ("70", "70 = 35 \\cdot 2"),
        ("2.5", "1 + 1.5"),
        ("0.5", "1/0"),
    ],
)
def test_what_is_left_to_be_worked_out_is_none(gold: str, answer: str) -> None:
    assert not is_numeral(answer, Fraction(gold))


def test_the_verdict_is_flagged_and_says_why() -> None:
    said = r"<think>\boxed{22}</think> So \boxed{44/2}."
    verdict = CHECK.verify(Task("How many buns are left?", "22"), Completion(said))
    (flag,) = verdict.flags
    assert (verdict.reward, flag.name, said[flag.start : flag.end]) == (0.0, "left_undone", "44/2")
    assert verdict.answer == (flag.start, flag.end)
    assert verdict.reason == "'44/2' has the right value, but is not a number"


def test_what_the_verifier_inside_refuses_stays_refused_and_its_tiers_stay() -> None:
    assert [reward("22", said) for said in (r"\boxed{23}", r"\boxed{22} or \boxed{23}", "", r"\boxed{22")] == [0.0] * 4
    assert isinstance(CHECK, TieredVerifier)
    assert not CHECK.cheap
    assert CHECK.verify_cheaply(Task("?", "22"), Completion(r"\boxed{22}")) is not None


def test_a_reference_may_be_grouped() -> None:
    assert reward("5,600", r"\boxed{5600}") == 1.0


def test_a_reference_that_is_no_number_is_a_failure_of_the_checker() -> None:
    assert judge(CHECK, Task("?", "x + 1"), Completion(r"\boxed{x + 1}")).status == "verifier_error"


@settings(deadline=None)
@given(st.integers(0, 999), st.integers(0, 999))
def test_a_number_is_paid_and_a_sum_of_two_is_not(number: int, other: int) -> None:
    assert reward(str(number), f"\\boxed{{{number}}}") == 1.0
    assert reward(str(number + other), f"\\boxed{{{number}+{other}}}") == 0.0
    assert reward(str(number + other), f"\\boxed{{{number}+{other}={number + other}}}") == 1.0


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())), st.fractions())
def test_any_text_is_told(said: str, gold: Fraction) -> None:
    assert is_numeral(said, gold) in (True, False)
