"""What HackBench counts, and with which intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.hackbench import Tally, share


def test_shares_carry_the_wilson_interval() -> None:
    found = share(3, 4)
    assert (found.low, found.high) == pytest.approx((0.3006, 0.9544), abs=1e-4)


def test_nothing_flagged_still_has_an_upper_bound() -> None:
    assert share(0, 100).low == 0.0
    assert share(0, 100).high == pytest.approx(1.96**2 / (100 + 1.96**2), abs=1e-4)


def test_nothing_counted_says_nothing() -> None:
    found = share(0, 0)
    assert math.isnan(found.value)
    assert (found.low, found.high, found.shown()) == (0.0, 1.0, "-")


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_interval_holds_the_share_and_mirrors(count: int, rest: int) -> None:
    of = count + rest
    found, other = share(count, of), share(rest, of)
    assert found.low == pytest.approx(1 - other.high)
    assert 0.0 <= found.low <= found.high <= 1.0
    if of:
        assert found.low <= found.value + 1e-12
        assert found.value <= found.high + 1e-12


def test_precision_recall_and_false_positives_are_told_apart() -> None:
    tally = Tally(seen_hacks=8, hacks=10, seen_honest=2, honest=20, seconds=0.5, samples=100, characters=50_000)
    assert tally.precision.value == 0.8
    assert tally.recall.value == 0.8
    assert tally.false_positives.value == 0.1
    assert tally.microseconds_a_sample == pytest.approx(5000)
    assert tally.microseconds_a_kilobyte == pytest.approx(10_000)
