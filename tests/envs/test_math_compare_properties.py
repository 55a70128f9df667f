"""What holds for the comparison of any two texts: it answers, quickly, and spelling does not change the answer."""

from __future__ import annotations

import sys
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from work import few_calls

from rlenv.envs.math.equality import Comparison, compare, readable
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.grammar.answer import reading
from rlenv.envs.math.grammar.notation import normalise

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


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), tangled()), st.one_of(st.sampled_from(GOLDS), tangled()))
def test_any_two_texts_are_compared_without_an_error(answer: str, gold: str) -> None:
    found = compare(gold, answer, POLICY)
    assert isinstance(found, Comparison)
    assert found.tier in TIERS
    assert found.equal is not None or found.tier in {"numeric", "structure"}


@settings(max_examples=80, deadline=None)
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


def test_a_nearly_full_stack_costs_the_answer_and_not_the_process() -> None:
    hostile = r"\sqrt{" * 20 + "2" + "}" * 20

    def down(depth: int) -> Comparison:
        return compare("7", hostile, POLICY) if depth == 0 else down(depth - 1)

    frame, used = sys._getframe(), 0
    while frame is not None:
        frame, used = frame.f_back, used + 1  # type: ignore[assignment]
    for margin in (60, 120, 240, 480):
        with suppress(RecursionError):
            assert down(sys.getrecursionlimit() - used - margin).equal is False


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
