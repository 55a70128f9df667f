"""How step scores become shares: the forms by hand, and what no trick with the number of steps may do."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rlenv.core.errors import ConfigError
from rlenv.envs.process.credit import CREDITS, SAFE, Credit, aggregate, shares

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(tuple)
GRAIN = 2.0**-36
"""More than the rounding of twelve shares."""


@pytest.mark.parametrize(
    ("credit", "scores", "expected"),
    [
        ("min", (0.5, 0.25, 0.25), (0, -0.75, 0)),
        ("min", (1.0, 1.0), (0, 0)),
        ("product", (0.5, 1.0, 0.5), (-0.5, 0, -0.25)),
        ("product", (0.0, 0.5), (-1, 0)),
        ("geometric_mean", (0.25, 1.0), (-0.5, 0)),
        ("mean", (0.0, 1.0), (-0.5, 0)),
        ("mean", (0.0, 0.0, 0.0, 0.5), (-0.5, -0.5, 0, 0)),
        ("mean", (0.0,), (-1,)),
        ("last", (0.0, 0.75), (0, -0.25)),
        ("sum", (0.0, 0.75), (0, 0.75)),
    ],
)
def test_shares_by_hand(credit: Credit, scores: tuple[float, ...], expected: tuple[float, ...]) -> None:
    assert shares(credit, scores, expected=2) == expected


@pytest.mark.parametrize("credit", CREDITS)
@given(scores=SCORES, weight=st.floats(0, 1))
def test_shares_sum_to_the_aggregate_exactly_in_any_order(
    credit: Credit, scores: tuple[float, ...], weight: float
) -> None:
    found = shares(credit, scores, 3, weight)
    assert math.fsum(found) == sum(found) == sum(reversed(found))
    lost = aggregate(credit, scores, 3) - (credit != "sum")
    assert math.fsum(found) == pytest.approx(weight * lost, abs=GRAIN)


@pytest.mark.parametrize("credit", [credit for credit in CREDITS if credit != "sum"])
@given(scores=SCORES)
def test_no_step_of_a_penalty_form_pays(credit: Credit, scores: tuple[float, ...]) -> None:
    found = shares(credit, scores, 3)
    assert all(share <= 0 for share in found)
    assert -GRAIN <= aggregate(credit, scores, 3) <= 1


@pytest.mark.parametrize("credit", SAFE)
@given(scores=SCORES, more=st.floats(0, 1), place=st.integers(0, 12))
def test_a_further_step_never_raises_a_safe_form(
    credit: Credit, scores: tuple[float, ...], more: float, place: int
) -> None:
    """Steps that are all wrong are no steps, so the first that is not wrong may raise the mean."""
    assume(credit != "mean" or any(scores))
    padded = (*scores[:place], more, *scores[place:])
    assert aggregate(credit, padded, 3) <= aggregate(credit, scores, 3) + GRAIN


@pytest.mark.parametrize(("credit", "raised"), [("last", 1.0), ("sum", 2.0)])
def test_the_other_forms_can_be_raised_by_a_further_step(credit: Credit, raised: float) -> None:
    assert aggregate(credit, (1.0, 0.0)) < aggregate(credit, (1.0, 0.0, 1.0)) == raised


@pytest.mark.parametrize("credit", SAFE)
@given(scores=SCORES, place=st.integers(0, 11), score=st.floats(0, 1))
def test_a_better_step_never_lowers_a_safe_form(
    credit: Credit, scores: tuple[float, ...], place: int, score: float
) -> None:
    place %= len(scores)
    better = (*scores[:place], max(score, scores[place]), *scores[place + 1 :])
    assert aggregate(credit, better, 3) >= aggregate(credit, scores, 3) - GRAIN


@pytest.mark.parametrize("credit", CREDITS)
def test_no_steps_are_worth_nothing(credit: Credit) -> None:
    assert (shares(credit, ()), aggregate(credit, ())) == ((), 0.0)


def test_a_form_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigError, match="got 'median'"):
        shares("median", (1.0,))  # type: ignore[arg-type]
