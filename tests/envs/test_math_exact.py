"""Numbers are read exactly, whole, or not at all."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.envs.math.exact import Number, disagreement, parse_number
from rlenv.envs.math.units import COMMON, NO_UNITS, unit_fits


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("-42", -42),
        ("− 7", -7),
        ("+7.", 7),
        ("1,000,000", 1_000_000),
        ("1{,}000", 1000),
        (r"1,\! 000", 1000),
        (r"1\,000", 1000),
        (r"\$18", 18),
        ("$18$", 18),
        (".5", Fraction(1, 2)),
        ("0.10", Fraction(1, 10)),
        ("3/4", Fraction(3, 4)),
        (r"-\dfrac{3}{4}", Fraction(-3, 4)),
        (r"\frac34", Fraction(3, 4)),
        ("1 1/4", Fraction(5, 4)),
        (r"2\frac{1}{2}", Fraction(5, 2)),
        ("101_2", 5),
        (r"12_{8}", 10),
        (r"\text{18 eggs}", 18),
        (r"18\text{ cm}^2", 18),
        (r"90^\circ", 90),
    ],
)
def test_numbers_are_read_by_value(text: str, value: int | Fraction) -> None:
    number = parse_number(text)
    assert number is not None
    assert number.value == value


@pytest.mark.parametrize(
    "text",
    [
        *["", "x", "41=42", "1 2 3", "4 2", "1,22", "10,0000", "1/0", "--4", "1.2.3", "6e5", "0x10", "１２", "19_8"],
        *["2^3", "42, 43", "4\\sqrt{2}", "\\frac{1}{x}", "42!", "nan", "inf", "1" * 300],
    ],
)
def test_what_is_not_one_number_is_not_read(text: str) -> None:
    assert parse_number(text) is None


@settings(deadline=None)
@given(st.integers(), st.integers(min_value=1, max_value=10**9))
def test_integers_and_fractions_round_trip(above: int, below: int) -> None:
    if len(str(above)) > 100:
        return
    assert parse_number(str(above)) == Number(Fraction(above))
    assert parse_number(f"{above}/{below}" if above >= 0 else f"-{-above}/{below}") == Number(Fraction(above, below))
    assert parse_number(f"{above:,}") == Number(Fraction(above))


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read_or_not(text: str) -> None:
    parse_number(text)


def verdict(gold: str, answer: str, question: str = "") -> str:
    left, right = parse_number(gold), parse_number(answer)
    assert left is not None
    assert right is not None
    difference = disagreement(left, right, question)
    return "right" if difference is None else difference[0] or "wrong"


@pytest.mark.parametrize(
    ("gold", "answer", "question", "outcome"),
    [
        ("42", "42", "", "right"),
        ("1/3", "0.333333", "", "wrong"),
        ("42", r"42\%", "", "percent"),
        ("42", r"42\%", "What percent of them?", "right"),
        ("42", r"4200\%", "", "right"),
        ("42", r"4200\%", "What percent of them?", "right"),
        (r"42\%", "42", "", "right"),
        (r"42\%", "0.42", "", "right"),
        (r"42\%", "43", "", "wrong"),
        ("18", "18 dollars", "", "right"),
        ("18", "18 eggs", "How many eggs are left?", "right"),
        ("18", "18 egg", "How many eggs are left?", "right"),
        ("18", "18 lies", "How many eggs are left?", "unit"),
        ("36", "36 dozen", "He buys 3 dozen eggs. How many eggs?", "unit"),
        ("42", "42 pi", "Give it in terms of pi.", "unit"),
        (r"5\text{ cm}", r"5\text{ m}", "", "unit"),
        (r"5\text{ cm}", "5 cm", "", "right"),
        (r"5\text{ cm}", "5", "", "right"),
        ("10", "10_{2}", "", "wrong"),
        ("101_2", "5", "", "right"),
    ],
)
def test_units_and_percents_stand_only_where_they_belong(gold: str, answer: str, question: str, outcome: str) -> None:
    assert verdict(gold, answer, question) == outcome


def test_no_common_unit_changes_the_number_before_it() -> None:
    assert not COMMON & NO_UNITS
    assert not unit_fits("", "million", "How many million?")
