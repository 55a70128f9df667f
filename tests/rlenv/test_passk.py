"""pass@k against exact enumeration, and intervals against simulation."""

import itertools
import json
import os
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.core.errors import ConfigError
from rlenv.evaluation.passk import Count, estimate, mean_interval, pass_at_k, pass_hat_k

DATA = Path(os.environ.get("RLENV_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))
REFERENCE = DATA / "passk_reference.json"


def test_equals_the_mean_over_every_subset() -> None:
    for n in range(1, 7):
        for c, k in itertools.product(range(n + 1), range(1, n + 1)):
            subsets = list(itertools.combinations([True] * c + [False] * (n - c), k))
            assert pass_at_k(n, c, k) == sum(map(any, subsets)) / len(subsets)
            assert pass_hat_k(n, c, k) == sum(map(all, subsets)) / len(subsets)


@given(st.integers(1, 10_000), st.data())
def test_keeps_full_precision_for_ten_thousand_completions(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert pass_at_k(n, c, k) == float(1 - Fraction(comb(n - c, k), comb(n, k)))
    assert pass_hat_k(n, c, k) == float(Fraction(comb(c, k), comb(n, k)))


@pytest.mark.skipif(not REFERENCE.is_file(), reason="needs passk_reference.json: set RLENV_TEST_DATA to its folder")
def test_equals_the_reference_table() -> None:
    for row in json.loads(REFERENCE.read_text())["rows"]:
        n, c, k = row["n"], row["c"], row["k"]
        assert pass_at_k(n, c, k) == row["pass_at_k"]
        assert pass_hat_k(n, c, k) == row["pass_hat_k"]


@pytest.mark.parametrize(("n", "c", "k"), [(4, 2, 5), (4, 2, 0), (4, 5, 1), (4, -1, 1), (0, 0, 1)])
def test_refuses_what_has_no_estimate(n: int, c: int, k: int) -> None:
    for metric in (pass_at_k, pass_hat_k):
        with pytest.raises(ConfigError, match="expected"):
            metric(n, c, k)


def test_problems_with_too_few_completions_are_dropped_and_counted() -> None:
    found = estimate([(4, 4), (4, 0), (3, 3)], k=4)
    assert (found.value, found.problems, found.dropped) == (0.5, 2, 1)
    with pytest.raises(ConfigError, match="at most 3"):
        estimate([(3, 1), (2, 1)], k=4)


def test_the_order_changes_no_interval_and_the_global_state_is_left_alone() -> None:
    counts = [(8, i % 9) for i in range(60)]
    before = str(np.random.get_state())
    assert estimate(counts, 4) == estimate(counts[::-1], 4)
    assert str(np.random.get_state()) == before


@pytest.mark.parametrize("problems", [1, 5, 29, 50, 1000])
@pytest.mark.parametrize("passed", [0, 2, 4])
def test_equal_problems_never_get_an_interval_of_no_width(problems: int, passed: int) -> None:
    found = estimate([(4, passed)] * problems, k=1)
    assert found.method == "padded"
    assert 0 <= found.low <= passed / 4 <= found.high <= 1
    # What 95 % confidence allows: a share 1 - 0.05 ** (1 / M) of other problems may have gone unseen.
    assert found.high - found.low > (1 - 0.05 ** (1 / problems)) / 2


def _coverage(draw_problems: str, problems: int, n: int, k: int) -> float:
    rng = np.random.default_rng(7)

    def chances(count: int) -> np.ndarray:
        return rng.beta(0.4, 1.2, count) if draw_problems == "beta" else np.where(rng.random(count) < 0.05, 0.5, 0.0)

    truth = float(np.mean(1 - (1 - chances(500_000)) ** k))
    hits = 0
    for _ in range(200):
        counts: list[Count] = [(n, int(c)) for c in rng.binomial(n, chances(problems))]
        found = estimate(counts, k)
        hits += found.low <= truth <= found.high
    return hits / 200


@pytest.mark.parametrize("problems", [10, 29, 50])
@pytest.mark.parametrize(("chances", "n", "k"), [("beta", 16, 8), ("beta", 1, 1), ("rare", 16, 1)])
def test_intervals_cover_the_truth(chances: str, problems: int, n: int, k: int) -> None:
    assert _coverage(chances, problems, n, k) >= 0.91  # 0.95, less 2.6 standard errors of 200 repeats


def test_no_difference_on_any_problem_is_not_certainty() -> None:
    same = mean_interval([0.0] * 50, bounds=(-1.0, 1.0))
    assert same.value == 0
    assert same.low < -0.03
    assert same.high > 0.03


def test_many_problems_are_resampled_in_bounded_memory() -> None:
    found = mean_interval([0.0, 1.0] * 10_000)
    assert found.method == "bootstrap"
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.5 / 20_000**0.5, rel=0.1)
