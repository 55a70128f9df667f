"""What holds for the comparison of any two texts: it answers, quickly, and spelling does not change the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from work import few_calls

from rlenv.envs.math.comparing import Comparison, compare, readable
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.reading.answer import reading
from rlenv.envs.math.reading.normalise import normalise

POLICY = MathPolicy()
TIERS = {"identity", "exact", "structure", "polynomial", "numeric", "text", "guard"}
PIECES = [
    r"\frac", r"\sqrt", "{", "}", "(", ")", "[", "]", r"\{", r"\}", "^", "_", "x", "y", "n", "1", "2", "10",
    "0.5", "+", "-", "*",
    "/", "=", "<", r"\le", r"\cup", r"\pm", "!", "%", "|", ",", ";", ":", " ", r"\text{", "cm", " apples",
    r"\pi", "e", "i",
    r"\infty", r"\sin", r"\log", " and ", " or ", r"\begin{pmatrix}", r"\end{pmatrix}", "&", r"\\", r"\sum",
    r"\int", r"^\circ",
    "'", "f(", r"\binom", r"\ldots", "$", r"\$", "(A)", "∞", "²", "٣", "\ud800", "\x00", r"\left",
    r"\overline{", "**", r"\in",
    r"\mathbb{R}", "percent", "million", "12:30", r"\choose", "no solution",
]  # fmt: skip
GOLDS = [
    "5",
    r"\frac{1}{2}",
    "x^2+1",
    "(1,2)",
    "[1,2)",
    r"\{1,2\}",
    "x<3",
    "12:30",
    r"10\text{ cm}",
    r"50\%",
    r"|x|",
    "C",
]
ANSWERS = [
    "3", "-7", "0.25", "1,234", r"\frac{3}{4}", r"\sqrt{2}", r"2\pi", "x^2+2x+1", "(1, 2)", "[0, 1)",
    r"\{1, 2, 3\}",
    r"\frac{1}{x+1}", r"\sin x", r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", "3:7", r"5 \pm \sqrt{2}",
    "e^{2x}", r"\log_2 x",
    r"y = 2x + 1", r"x \le 4", r"30^\circ", r"\text{even}", "2i + 1",
]  # fmt: skip


def tangled() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=200), tangled()), st.one_of(st.sampled_from(GOLDS), tangled()))
def test_any_two_texts_are_compared_without_an_error(answer: str, gold: str) -> None:
    found = compare(gold, answer, POLICY)
    assert isinstance(found, Comparison)
    assert found.tier in TIERS
    assert found.equal is not None or found.tier in {"numeric", "structure"}


@settings(max_examples=200, deadline=None)
@example("𝚽")
@given(st.one_of(st.text(alphabet=st.characters(), max_size=300), tangled()))
def test_normalising_twice_is_normalising_once_and_never_fails(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    reading(text)
    readable(text)


@settings(max_examples=150, deadline=None)
@given(tangled())
def test_a_text_that_says_something_equals_itself(text: str) -> None:
    found = compare(text, text, POLICY)
    assert found.equal is bool(text.strip())


@pytest.mark.parametrize("left", ANSWERS)
def test_forms_of_different_values_are_unequal_in_both_directions(left: str) -> None:
    for right in ANSWERS:
        assert (compare(left, right, POLICY).equal is True) == (left == right), right
        assert compare(left, right, POLICY).equal == compare(right, left, POLICY).equal, right


def spaced(text: str) -> str:
    return text.replace("+", " + ").replace("=", " = ").replace(",", ", ") if "1,234" not in text else text


REWRITINGS: list[Callable[[str], str]] = [
    spaced,
    lambda text: text.replace(r"\frac", r"\dfrac"),
    lambda text: text.replace(r"\frac", r"\tfrac"),
    lambda text: text.replace("(", r"\left(").replace(")", r"\right)") if "[" not in text else text,
    lambda text: f"${text}$",
    lambda text: f"\\[ {text} \\]",
    lambda text: f"\\boxed{{{text}}}",
    lambda text: f"{text}.",
    lambda text: text.replace(" ", r"\,") if r"\begin" not in text else text,
    lambda text: text.replace("-", "−"),
    lambda text: text.replace(r"\pi", "π").replace(r"\le", "≤"),
]


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("rewriting", range(len(REWRITINGS)))
def test_harmless_rewriting_changes_nothing(answer: str, rewriting: int) -> None:
    written = REWRITINGS[rewriting](answer)
    assert compare(answer, written, POLICY).equal
    assert compare(written, answer, POLICY).equal
    assert not compare("17.25", written, POLICY).equal


@settings(max_examples=200, deadline=None)
@given(st.fractions(max_denominator=10**6))
def test_every_fraction_is_read_back(value: object) -> None:
    from fractions import Fraction

    assert isinstance(value, Fraction)
    written = rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    assert compare(str(value), written, POLICY).equal
    assert not compare(str(value + Fraction(1, 10**9)), written, POLICY).equal


@settings(max_examples=100, deadline=None)
@given(st.integers(-(10**15), 10**15))
def test_thousands_are_separated_as_people_do(value: int) -> None:
    for separator in (",", r"{,}", r"\,", r"\!", " ", r",\!"):
        assert compare(str(value), f"{value:,}".replace(",", separator), POLICY).equal
    assert not compare(str(value), f"{value + 1:,}", POLICY).equal


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=5), st.lists(st.integers(-9, 9), min_size=2, max_size=5))
def test_products_of_polynomials_equal_their_expansion_and_nothing_near_it(left: list[int], right: list[int]) -> None:
    product = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    factored = f"({_polynomial(left)})({_polynomial(right)})"
    assert compare(factored, _polynomial(product), POLICY).equal
    product[0] += 1
    assert compare(factored, _polynomial(product), POLICY).equal is False


def _polynomial(coefficients: list[int]) -> str:
    return "+".join(f"({value})x^{{{power}}}" for power, value in enumerate(coefficients))


def test_a_nearly_full_stack_costs_the_answer_and_not_the_process() -> None:
    hostile = r"\sqrt{" * 20 + "2" + "}" * 20

    def down(depth: int) -> Comparison:
        return compare("7", hostile, POLICY) if depth == 0 else down(depth - 1)

    frame, used = sys._getframe(), 0
    while frame is not None:
        frame, used = frame.f_back, used + 1  # type: ignore[assignment]
    for margin in (60, 120, 240, 480):
        assert down(sys.getrecursionlimit() - used - margin).equal is not True


MOST_CALLS = 3_000_000


def test_no_text_costs_more_than_a_moment() -> None:
    hostile = [
        "(" * 1400 + "x" + ")" * 1400, r"\sqrt" * 400 + "2", "-" * 1500 + "5", "2^" * 300 + "2",
        "+".join(f"x_{k}" for k in range(300)),
        "(x+y+z+1)^{40}", "(x+1)" * 120, "+".join(f"{k}!" for k in range(1900, 1960)), r"1\pm2" * 80,
        ",".join(f"x^{k}+y" for k in range(150)), r"\cup".join(f"({k},{k}.5)" for k in range(120)),
        "=".join(["x+1"] * 200),
        "9" * 399 + "^{70}", r"\sin(10^{200})", "2^{2^{2^{2^{2^2}}}}", r"\sqrt[1000]{10^{29000}}",
        r"\binom{10^9}{5\cdot10^8}", "|" * 200,
        r"\text{" * 500 + "a" + "}" * 500, "5" + "%" * 1000, "+".join(rf"\sqrt{{{k}}}" for k in range(2, 120)),
        "1 000 " * 480, "(10^8)!",
    ]  # fmt: skip
    for text in hostile:
        for gold in ("7", "x+1", "(1,2)", r"\sqrt{2}", "x<3", r"\{1,2\}", "x=5"):
            assert not few_calls(MOST_CALLS, compare, gold, text, POLICY).equal
