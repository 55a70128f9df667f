"""Formulas in a text, and the one reader of expressions: exact, strict and bounded for any text."""

import re
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.text.expression import EXACT, WHOLE, Evaluated, Exact, Unreadable, read, value
from rlenv.text.formulas import MAX_FORMULAS, formulas

texts = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: st.tuples(inner | inner.map("({})".format), st.sampled_from("+-*/"), inner).map(" ".join),
    max_leaves=8,
)


def exactly(text: str) -> Evaluated[Exact] | str:
    """The reading, or why there is none."""
    try:
        return read(text, EXACT)
    except Unreadable as problem:
        return str(problem)


@settings(deadline=None)
@given(texts)
def test_the_value_is_that_of_exact_arithmetic(text: str) -> None:
    wanted: Evaluated[Exact] | str = "division by zero"
    with suppress(ZeroDivisionError):
        expected = eval(re.sub(r"(\d+)", r"Fraction(\1)", text), {"Fraction": Fraction})
        wanted = Evaluated(expected, tuple(map(int, re.findall(r"\d+", text))))
        assert "/" in text or value(text) == expected
    assert exactly(text) == exactly(text.replace(" ", "")) == wanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3 * 4", 14), ("20 / 4 / 5", 1), ("9 - 4 - 3", 2), ("2*(3+4)", 14), ("-3 + 5", 2), ("2 * -3 + 10", 4),
        ("7 × 8 − 6 ÷ 3", 54), ("3 x 4", 12), (r"\frac{6}{4} \times 2", 3), (r"\left(1 + 2\right) \cdot 3", 9),
        (r"\dfrac{8 - 2}{3}", 2), (r"$6 \div 2$", 3), (r"\(6 + 2\)", 8), ("6 + 2.", 8), ("1\n+\n2", 3), ("-(1 - 3)", 2),
    ],
)  # fmt: skip
def test_people_write_the_four_operations_in_many_ways(text: str, expected: int) -> None:
    assert read(text, EXACT).value == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "()", "2 +", "* 2", "2 ** 3", "2 ^ 3", "7 // 2", "7 % 2", "4!", "2(3)", "(2)(3)", "2 3", "2.5 + 1", "1e3",
        "1_0", "007", "１ + ２", "٣ + 1", "²", "½", "1 + 2)", "((1 + 2)", "[1 + 2]", "{1 + 2}", r"\frac12", r"\sqrt{4}",
        "__import__('os')", "1 if 1 else 2", "1,2", "1 = 1", "- " * 60 + "1", "(" * 60 + "1" + ")" * 60, "1" * 500,
        "the end", r"\frac{1}{0}", r"\frac",
    ],
)  # fmt: skip
def test_anything_else_is_unreadable(text: str) -> None:
    assert isinstance(exactly(text), str)


@pytest.mark.parametrize("text", ["1 / 1", r"\frac{1}{1}", "1 ÷ 1"])
def test_a_sign_that_the_kind_of_number_has_no_operation_for_is_unexpected(text: str) -> None:
    assert read(text, EXACT).value == 1
    with pytest.raises(Unreadable, match="unexpected"):
        read(text, WHOLE)


@settings(deadline=None)
@given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("0123456789+-*/()\\{} frac"))))
def test_any_text_is_read_or_refused_and_never_raises(text: str) -> None:
    assert isinstance(exactly(text), (Evaluated, str))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"Simplify $\sqrt{8}$.", (r"\sqrt{8}",)),
        (r"Simplify \[\frac12 + x.\]", (r"\frac12 + x",)),
        (r"$$x^2 = 4$$", ("x^2 = 4", "x^2", "4")),
        ("What is 3 + 4*5?", ("3 + 4*5",)),
        ("Evaluate 8^(2/3) and 5!", ("8^(2/3)", "5!")),
        ("Simplify sqrt(75).", ("sqrt(75)",)),
        ("Tom has 3 apples and 4 pears - all of them red.", ()),
        (r"It costs \$5 and \$6.", ()),
        ("", ()),
    ],
)
def test_what_is_found(text: str, found: tuple[str, ...]) -> None:
    assert formulas(text) == found


@settings(deadline=None)
@given(st.text())
def test_any_text_has_few(text: str) -> None:
    assert len(formulas(text)) <= MAX_FORMULAS
