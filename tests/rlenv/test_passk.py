"""pass@k, maj@k and best-of-k against every subset, and intervals against simulation."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.core.errors import ConfigError
from rlenv.evaluation.passk import Count, estimate, mean_interval, padded, pass_at_k, pass_hat_k
from rlenv.evaluation.voting import best_of_k, maj_at_k


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


@pytest.mark.parametrize("problems", [1, 29, 1000])
@pytest.mark.parametrize("passed", [0, 2])
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


@pytest.mark.parametrize("problems", [10, 50])
@pytest.mark.parametrize(("chances", "n", "k"), [("beta", 16, 8), ("rare", 16, 1)])
def test_intervals_cover_the_truth(chances: str, problems: int, n: int, k: int) -> None:
    assert _coverage(chances, problems, n, k) >= 0.91  # 0.95, less 2.6 standard errors of 200 repeats


@pytest.mark.parametrize(("right", "wrong", "added"), [(10, 20, 0), (10, 19, 4), (9, 21, 4)])
def test_thirty_problems_of_which_ten_differ_show_their_own_spread(right: int, wrong: int, added: int) -> None:
    values = np.array([1.0] * right + [0.0] * wrong)
    assert len(padded(values, (0.0, 1.0))) == right + wrong + added


def test_no_difference_on_any_problem_is_not_certainty() -> None:
    same = mean_interval([0.0] * 50, bounds=(-1.0, 1.0))
    assert same.value == 0
    assert same.low < -0.03
    assert same.high > 0.03


problems = st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=8)


def grouped(completions: list[tuple[str, bool]]) -> list[tuple[int, float]]:
    votes = Counter(answer for answer, _ in completions)
    return [(m, sum(ok for a, ok in completions if a == answer) / m) for answer, m in votes.items()]


def majority_by_hand(completions: list[tuple[str, bool]], k: int) -> Fraction:
    """The mean over every order of every subset of what Counter.most_common puts first; a member of it is drawn."""
    share = {
        a: Fraction(sum(ok for b, ok in completions if b == a), sum(b == a for b, _ in completions))
        for a, _ in completions
    }
    found = []
    for subset in itertools.combinations([answer for answer, _ in completions], k):
        votes = Counter(subset)
        top = [answer for answer, count in votes.items() if count == max(votes.values())]
        found.append(sum((share[answer] for answer in top), Fraction(0)) / len(top))
    return sum(found, Fraction(0)) / len(found)


@given(problems, st.data())
def test_maj_at_k_is_the_mean_over_every_subset(completions: list[tuple[str, bool]], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(completions)))
    assert maj_at_k(grouped(completions), k) == pytest.approx(float(majority_by_hand(completions, k)), abs=1e-12)


@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.5, 2.0, -math.inf]), st.booleans()), min_size=1, max_size=7),
    st.data(),
)
def test_best_of_k_is_the_mean_over_every_subset(scored: list[tuple[float, bool]], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(scored)))
    found = []
    for subset in itertools.combinations(scored, k):
        top = [ok for score, ok in subset if score == max(s for s, _ in subset)]
        found.append(Fraction(sum(top), len(top)))
    assert best_of_k(scored, k) == pytest.approx(float(sum(found) / len(found)), abs=1e-12)


def test_what_has_no_estimate_is_refused() -> None:
    for k in (0, 3):
        with pytest.raises(ConfigError, match="expected k of at"):
            maj_at_k([(2, 1.0)], k)
        with pytest.raises(ConfigError, match="expected k of at"):
            best_of_k([(1.0, 1.0), (0.0, 1.0)], k)
    with pytest.raises(ConfigError, match="at most 1,000"):
        maj_at_k([(2_000, 1.0)], 3)
    with pytest.raises(ConfigError, match="NaN"):
        best_of_k([(math.nan, 1.0)], 1)
