"""What the grammar reads: every spelling of a thing gives one tree, and what is no mathematics is words."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tables import tables

from rlenv.envs.math.equality.exact import rational
from rlenv.envs.math.grammar.answer import read, reading
from rlenv.envs.math.grammar.nodes import (
    Apply,
    Bracketed,
    Choice,
    Clock,
    Constant,
    InBase,
    Items,
    Number,
    Quantity,
    Relation,
    Standing,
    Symbol,
    Words,
)
from rlenv.envs.math.grammar.notation import MAX_CHARS, normalise
from rlenv.envs.math.grammar.parser import parse
from rlenv.envs.math.grammar.tokens import MAX_DEPTH, MAX_DIGITS, MAX_TOKENS, Unreadable, tokenize
from rlenv.envs.math.grammar.units import factor, same_unit

CASES = tables(__file__)


@pytest.mark.parametrize(("text", "value"), CASES["numbers"])
def test_numbers_are_read_as_they_are_meant(text: str, value: str) -> None:
    assert rational(read(text)) == Fraction(value)


@pytest.mark.parametrize(("left", "right"), CASES["spellings"])
def test_two_spellings_make_one_tree(left: str, right: str) -> None:
    assert read(left) == read(right)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = 1 or x = 2", Items),
        ("1, 2 and 3", Items),
        ("(1, 2]", Bracketed),
        ("x < 5", Relation),
        ("34 hours", Quantity),
        (r"\$324.", Quantity),
        ("90^\\circ", Apply),
        ("12:30", Clock),
        ("8 a.m.", Clock),
        ("101_2", InBase),
        ("(C)", Choice),
        ("C. 5", Choice),
        ("listen", Words),
        ("no solution", Words),
        (r"\frac{d}{dx}", Standing),
        ("f'", Symbol),
        (r"\infty", Constant),
        ("twenty five", Number),
    ],
)
def test_kinds_are_told_apart(text: str, kind: type) -> None:
    assert isinstance(read(text), kind)


@pytest.mark.parametrize(
    "text", ["", "(", "1 2 3", "x +", r"\frac{1}", r"\begin{foo}", "5 maybe 6", "((x)", "x^", "1 + *", "5 (6"]
)
def test_what_is_no_mathematics_is_words_and_never_an_error(text: str) -> None:
    assert isinstance(read(text), Words)


def test_numbers_in_a_row_are_flagged_and_thousands_are_not() -> None:
    assert reading("1 2 3 42").flag == "number_spray"
    assert read("1 000 000") == Number(Fraction(10**6))


@pytest.mark.parametrize(
    "text",
    [
        "(" * (MAX_DEPTH + 1) + "x" + ")" * (MAX_DEPTH + 1),
        "x+" * MAX_TOKENS + "x",
        "1" * (MAX_DIGITS + 1),
        "-" * 200 + "1",
    ],
)
def test_limits_hold_before_the_grammar_recurses(text: str) -> None:
    with pytest.raises(Unreadable) as refused:
        parse(text)
    assert refused.value.flag == "cost_guard"


def test_a_long_text_is_not_touched() -> None:
    text = "$" * (MAX_CHARS + 1)
    assert normalise(text) is text
    assert reading(text).flag == "cost_guard"


def test_letters_in_a_row_are_a_product_and_words_are_words() -> None:
    assert [token.value for token in tokenize("xy")] == ["x", "y"]
    assert [token.value for token in tokenize("apples")] == ["apples"]
    assert [token.value for token in tokenize("(7,11)or(11,7)")][5] == "or"


def test_units_convert_within_their_kind() -> None:
    assert factor("m", "cm") == Fraction(1, 100)
    assert factor("km/h", "m/s") == Fraction(18, 5)
    assert factor("cm^2", "square meters") == 10_000
    assert factor("cm", "kg") is None
    assert same_unit("children tickets", "tickets")
    assert not same_unit("apples", "oranges")
    assert not same_unit("cm", "cm^2")
