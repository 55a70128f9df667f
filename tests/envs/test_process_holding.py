"""What counts as equal: exact values, right rounding, units of one kind; and what does not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.envs.process.holding import compare
from rlenv.envs.process.linear import System, constant, scaled, sum_of, unknown
from rlenv.envs.process.sides import side


def verdict(left: str, right: str, relation: str = "=", rounded: tuple[Fraction, ...] = ()) -> str:
    return compare(side(left), side(right), relation, rounded).verdict


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("3 * 4", "12"),
        ("0.1 + 0.2", "0.3"),
        ("30% * 50", "15"),
        ("15 / 60 * 100", "25%"),
        ("15 / 60", "25%"),
        ("25% + 30%", "55%"),
        ("3 * 40 cents", "$1.20"),
        ("2.5 hours", "150 minutes"),
        ("5 quarters", "5 * 25"),
        ("1 dozen", "12 eggs"),
        ("2x + 3x", "5x"),
        ("2(x + 1)", "2x + 2"),
    ],
)
def test_equal(left: str, right: str) -> None:
    assert verdict(left, right) == "equal"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("8 / 3", "2.67"),
        ("8 / 3", "2.7"),
        ("2 / 3", "0.66"),
        ("100 / 7", "14.29"),
        ("0.33 * 12", "4"),
        ("1.67 * 3", "5"),
    ],
)
def test_rounded_as_numbers_are_rounded(left: str, right: str) -> None:
    assert verdict(left, right) == "rounded"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("3 * 4", "13"),
        ("8 / 3", "2.76"),
        ("8 / 3", "2.6"),
        ("8 / 3", "3"),
        ("7.5", "8"),
        ("30% * 50", "16"),
        ("20% * 50", "1000"),
        ("2.5 hours", "160 minutes"),
        ("0.25 * 3", "0.9"),
        ("$20 * 5", "$10000"),
        ("50% of $80", "$4000"),
        ("0.50 * 7", "3.52"),
        ("7 * 70 - 40", "470 - 40"),
        ("5000 + 10000 + 30000", "43000"),
        ("12 - 20", "8"),
        ("1000 * 1000", "100000"),
        ("2 / 5 * 4000", "800 gallons"),
    ],
)
def test_wrong(left: str, right: str) -> None:
    assert verdict(left, right) == "wrong"


@pytest.mark.parametrize(
    ("left", "right"),
    [("x + 1", "5"), ("17 / 5", "3 remainder 2"), ("f(x)", "3"), ("10^9^9", "4")],
)
def test_what_cannot_be_compared_is_unknown(left: str, right: str) -> None:
    assert verdict(left, right) in ("unknown", "equal")


def test_about_is_wider_than_equal_but_not_any_number() -> None:
    assert verdict("8 / 3", "3", "≈") == "rounded"
    assert verdict("26.67", "27", "≈") == "rounded"
    assert verdict("8 / 3", "5", "≈") == "wrong"


def test_a_number_that_was_rounded_before_carries_its_error() -> None:
    assert verdict("14.29 * 7", "100") == "rounded"
    assert verdict("14.31 * 7", "100") == "wrong"
    assert verdict("14.31 * 7", "100.2", rounded=(Fraction("14.31"),)) == "rounded"


@given(st.integers(-999, 999), st.integers(-999, 999), st.integers(1, 50))
def test_a_sum_that_is_off_by_a_whole_number_is_wrong(a: int, b: int, off: int) -> None:
    assert verdict(f"{a} + ({b})", str(a + b)) == "equal"
    assert verdict(f"{a} + ({b})", str(a + b + off)) == "wrong"
    assert verdict(f"{a} + ({b})", str(a + b - off)) == "wrong"


@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 4))
def test_a_quotient_to_any_places_holds_and_one_place_off_does_not(a: int, b: int, places: int) -> None:
    digits = f"{a / b:.{places}f}"
    assert verdict(f"{a} / {b}", digits) in ("equal", "rounded")
    off = f"{a / b + 20 / 10**places:.{places}f}"
    if Fraction(off) not in (Fraction(a, b) * 100, Fraction(a, b) / 100):
        assert verdict(f"{a} / {b}", off) == "wrong"


NUMBERS = st.integers(-20, 20).map(Fraction)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6), NUMBERS, NUMBERS)
def test_equations_that_a_point_solves_never_contradict_each_other(
    coefficients: list[tuple[Fraction, Fraction]], x: Fraction, y: Fraction
) -> None:
    system = System()
    for a, b in coefficients:
        form = sum_of(scaled(unknown("x"), a), scaled(unknown("y"), b))
        assert system.add(sum_of(form, constant(-a * x - b * y)))
    assert system.value("x") in (None, x)


def test_a_third_equation_that_does_not_fit_is_seen() -> None:
    system = System()
    x, y = unknown("x"), unknown("y")
    assert system.add(sum_of(sum_of(x, y), constant(Fraction(-10))))
    assert system.add(sum_of(sum_of(x, scaled(y, Fraction(-1))), constant(Fraction(-2))))
    assert (system.value("x"), system.value("y")) == (Fraction(6), Fraction(4))
    assert not system.add(sum_of(x, constant(Fraction(-5))))
    assert system.add(sum_of(x, constant(Fraction(-6))))
