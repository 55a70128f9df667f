"""Equations in running text and in LaTeX: what is read, and what must not be."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.envs.process.claims import wrong_claims
from rlenv.envs.process.equations import chains
from rlenv.envs.process.plain import plain
from rlenv.envs.process.quantities import quantities
from rlenv.envs.process.sides import side
from rlenv.envs.process.tokens import tokenize


def values(text: str) -> list[list[Fraction | None]]:
    return [[part.number() for part in chain.sides] for chain in chains(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 + 4 = 7", [3 + 4, 7]),
        ("So 3 eggs * $2/egg = $6.", [6, 6]),
        ("30 dollars - 25 dollars = 5 dollars", [5, 5]),
        (r"\[ \frac{111 \text{ feet}}{1.5 \text{ feet/pace}} = 74 \text{ paces} \]", [74, 74]),
        (r"\(5 \times 2 = 10\) minutes", [10, 10]),
        (r"\$1{,}200 \div 4 = \$300", [300, 300]),
        ("1,200 ÷ 4 = 300", [300, 300]),
        ("5 blouses x $5.00/blouse = $25.00", [25, 25]),
        ("3x4 = 12", [12, 12]),
        ("2 1/2 hours * 4 = 10", [10, 10]),
        (r"3\frac{1}{2} + 1 = 4.5", [Fraction(9, 2), Fraction(9, 2)]),
        ("25% of $80 = $20", [20, 20]),
        ("1/4 of 12 = 3", [3, 3]),
        ("100 (first day) + 150 (second day) = 250", [250, 250]),
        ("2^3 * 5 = 40", [40, 40]),
        ("2(3 + 4) = 14", [14, 14]),
        ("(1 + 2)(3) = 9", [9, 9]),
        ("- 5 + 3 = -2", [5 + 3, -2]),
        ("so -5 + 3 = -2", [-2, -2]),
        ("7.5 / (1/2) = 7.5 * 2 = 15", [15, 15, 15]),
        ("3 plus 4 equals 7", [7, 7]),
        ("Together 30 + 21 = 51 towels in 1 hour", [51, 51]),
        ("in all 25 + 45 = 70 stickers placed in a book", [70, 70]),
        ("2000 / 2/3 = 3000", [3000, 3000]),
        ("36 - 9 = 27 after 40 miles", [27, 27]),
        ("12 more than 3 times... 3 * 4 + 12 = 24 apples in total", [24, 24]),
    ],
)
def test_equations_are_read_as_people_write_them(text: str, expected: list[Fraction | int]) -> None:
    assert values(text) == [[Fraction(value) for value in expected]]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Total oranges in 8 boxes = 8 * 20 = 160", "total oranges in 8 boxes"),
        ("Total earnings = $8.00", "total earnings"),
        (r"\text{Jim's points} = 21 - 3 = 18", "jim's points"),
    ],
)
def test_a_number_within_a_name_is_no_side(text: str, name: str) -> None:
    [chain] = chains(text)
    assert chain.name == name
    assert len({part.number() for part in chain.sides}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "= = =",
        "She has 12 eggs.",
        "10:30 = 11:30",
        "1st - 5 = 6th",
        "f(2) = 7",
        r"\sqrt{9} = 3",
        "xy = 7",
        "2ab = 4",
        r"\sin 30 = 1",
        "3 < 4 = yes",
        "speed = distance / time",
        "the bikes + 12 - 18 = 45",
        "63 / 12 = 5 feet 3 inches",
        "63 / 12 = 5 (remainder 3)",
    ],
)
def test_what_is_no_arithmetic_is_not_read_as_two_equal_numbers(text: str) -> None:
    assert not any(len([value for value in chain if value is not None]) > 1 for chain in values(text))


@pytest.mark.parametrize(
    "text", ["10^9^9", "2^(10^9)", "9" * 31, "(" * 40 + "1" + ")" * 40, "1/0", "1/(2-2)", "2^0.5", "3 +", "x*y", "1/x"]
)
def test_a_side_that_costs_too_much_or_has_no_value_has_none(text: str) -> None:
    assert side(text).value() is None


@given(st.text(alphabet="0123456789+-*/^()=.,%$x \\{}≈abcdfr\n;:", max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for chain in chains(text):
        assert len(chain.sides) == len(chain.relations)
        assert all(part.tokens for part in chain.sides)
    assert all(quantity.at < quantity.end for quantity in quantities(text))
    plain(text)


@given(st.recursive(st.integers(0, 99).map(str), lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
    lambda three: f"({three[0]} {three[1]} {three[2]})"), max_leaves=8))  # fmt: skip
def test_values_are_those_of_python(expression: str) -> None:
    form = side(expression).number()
    if expression.count("(") <= 12:
        assert form is None or form == eval(expression)
    if expression.count("(") <= 3:
        assert form == eval(expression)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seventy loaves", [70]),
        ("one hundred twenty-five", [125]),
        ("three dozen eggs", [36]),
        ("a third of 9 and two-thirds", [Fraction(1, 3), 9, Fraction(2, 3)]),
        ("one-fourth the weight", [Fraction(1, 4)]),
        ("half as many", [Fraction(1, 2)]),
        ("2.5 million", [2500000]),
        ("twice, 20%, $1,250.50", [2, Fraction(1, 5), Fraction("1250.5")]),
        ("the third day, someone, often, attend", []),
        ("3/4 of it", [Fraction(3, 4)]),
    ],
)
def test_numbers_in_words_and_digits(text: str, expected: list[Fraction | int]) -> None:
    assert [quantity.value for quantity in quantities(text)] == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Half of 10 is 6.", 1),
        ("20% of 120 is 30 people", 1),
        ("Three times $2000 is $5000.", 1),
        ("Twice 7 is 15", 1),
        ("Half of 10 is 5.", 0),
        ("20% of 120 is 24", 0),
        ("Three times $2000 is $6000.", 0),
        ("Half of 10 is more than 4", 0),
        ("Half of 10 is 4 more than 1", 0),
        ("5 more than half of 10 is 10", 0),
        ("3 + half of 10 is 8", 0),
        ("Half of the 10 boys are 11", 1),
        ("half of 9 is 4.5", 0),
        ("Half of 10 and 6 of 12 are 11", 0),
        ("3 of 12 = 25%", 0),
    ],
)
def test_products_stated_in_words(text: str, count: int) -> None:
    assert len(wrong_claims(text)) == count


def test_a_step_has_a_bounded_number_of_tokens() -> None:
    assert len(tokenize("1 " * 50_000)) <= 6000
