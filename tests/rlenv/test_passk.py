"""pass@k, maj@k, best-of-k and the tests of a comparison against enumeration, closed forms and simulation."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.comparison.difference import Table, crossed, crossed_test, difference, exchange_test, holm, student_p
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


def enumerated(differences: list[Fraction]) -> float:
    """The share of all signs that give a sum at least as large."""
    seen = abs(sum(differences, Fraction()))
    sums = [
        sum((s * d for s, d in zip(signs, differences, strict=True)), Fraction())
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(abs(found) >= seen for found in sums) / len(sums)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=7), st.sampled_from([1, 3, 4, 16, 240]))
def test_the_exchange_test_is_the_share_of_all_signs(counts: list[int], n: int) -> None:
    found = exchange_test([count / n for count in counts])
    assert found.p == pytest.approx(enumerated([Fraction(count, n) for count in counts]), abs=1e-12)
    assert "exact" in found.test


def test_values_without_a_unit_are_drawn_and_agree_with_enumeration() -> None:
    values = np.random.default_rng(3).normal(0.3, 1.0, 12)
    found = exchange_test(values)
    assert "drawn" in found.test
    assert found.p == pytest.approx(enumerated([Fraction(float(value)) for value in values]), abs=0.012)  # 3.5 errors
    assert exchange_test(values) == found


def test_holm_is_the_closed_test_of_bonferroni() -> None:
    """A hypothesis is refused where every set of hypotheses that holds it is, by its smallest p times its size."""
    rng = np.random.default_rng(0)
    for count in range(1, 6):
        ps = [float(p) for p in rng.random(count) ** 3]
        sets = [c for size in range(1, count + 1) for c in itertools.combinations(range(count), size)]
        closed = [max(min(1.0, len(c) * min(ps[j] for j in c)) for c in sets if i in c) for i in range(count)]
        assert holm(ps) == pytest.approx(closed, abs=1e-15)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 2.5, 12.7, 400.0])
def test_students_t_equals_its_closed_forms(t: float) -> None:
    assert student_p(t, 1) == pytest.approx(1 - 2 / math.pi * math.atan(t), abs=1e-12)
    assert student_p(-t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), abs=1e-12)
    x = t / math.sqrt(4 + t * t)
    assert student_p(t, 4) == pytest.approx(1 - x * (1 + (1 - x * x) / 2), abs=1e-12)
    assert student_p(t, 1e7) == pytest.approx(math.erfc(t / math.sqrt(2)), abs=1e-6)


def test_the_variance_over_seeds_and_tasks_is_that_of_repeated_experiments() -> None:
    rng = np.random.default_rng(1)
    shape, sd = (3, 40), {"seed": 0.2, "side": 0.5, "both": 0.8}
    found, means = [], []
    for _ in range(1500):
        task = rng.normal(0, 2, shape[1])
        first, second = (
            task
            + rng.normal(0, sd["side"], shape[1])
            + rng.normal(0, sd["seed"], (3, 1))
            + rng.normal(0, sd["both"], shape)
            for _ in range(2)
        )
        found.append(crossed(first, second, (-10.0, 10.0)).variance)
        means.append(float(second.mean() - first.mean()))
    truth = 2 * (sd["seed"] ** 2 / 3 + (sd["side"] ** 2 + sd["both"] ** 2 / 3) / 40)
    assert np.var(means) == pytest.approx(truth, rel=0.1)
    assert np.mean(found) == pytest.approx(truth, rel=0.05)  # 3.5 standard errors of 1,500 estimates


def test_nothing_in_common_and_one_task_with_seeds_are_refused() -> None:
    with pytest.raises(ConfigError, match="equal tasks"):
        difference(np.zeros((1, 0)), np.zeros((1, 0)))
    with pytest.raises(ConfigError, match="at least 2 tasks"):
        difference(np.zeros((2, 1)), np.ones((2, 1)))


def test_equal_values_everywhere_are_no_certainty_and_no_error() -> None:
    for runs in (1, 3):
        found = difference(np.ones((runs, 50)), np.ones((runs, 50)))
        assert found.p == 1.0
        assert found.estimate.low < -0.01 < 0.01 < found.estimate.high
    assert difference(np.zeros((2, 50)), np.ones((2, 50))).p < 0.001
    assert difference(np.zeros((2, 50)), np.zeros((2, 50)), width=0.0).p == 1.0


ALPHA = 0.05
PAIRS = 10_000
MOST = ALPHA + 3 * (ALPHA * (1 - ALPHA) / PAIRS) ** 0.5
"""5 % and three standard errors of so many pairs."""


def drawn(
    count: int, *, tasks: int, n: int, seeds: int = 1, seed_sd: float = 0.0, own: float = 0.0, shift: float = 0.0
) -> Iterator[list[Table]]:
    """Pairs of pass rates (S, T) of n completions; the second side is truly better by `shift`, in logits.

    A task's logit is drawn from Normal(-0.3, 1.5). Each side moves each task by Normal(0, own), each seed all tasks by
    Normal(0, seed_sd) and, where there are own tasks, each seed each task by Normal(0, 0.3).
    """
    rng = np.random.default_rng(0)
    for _ in range(count):
        task = rng.normal(-0.3, 1.5, tasks)
        made = []
        for side in range(2):
            logit = task + rng.normal(0, own, tasks) + side * shift + rng.normal(0, seed_sd, (seeds, 1))
            logit = logit + rng.normal(0, 0.3 if own and seeds > 1 else 0.0, (seeds, tasks))
            made.append(rng.binomial(n, 1 / (1 + np.exp(-logit))) / n)
        yield made


def errors(count: int, **world: Any) -> float:
    """The share of pairs that `rlenv compare` tells apart; without the intervals, which take longer."""
    told = 0
    for first, second in drawn(count, **world):
        if len(first) == 1:
            p = exchange_test(second[0] - first[0]).p
        else:
            p = crossed_test(float(second.mean() - first.mean()), crossed(first, second, (-1.0, 1.0))).p
        told += p <= ALPHA
    return told / count


def test_true_differences_are_found() -> None:
    assert errors(200, tasks=250, n=4, shift=0.5) > 0.9
    assert errors(200, tasks=100, n=4, seeds=3, seed_sd=0.1, shift=0.8) > 0.9


@pytest.mark.slow
def test_five_percent_is_at_most_five_percent() -> None:
    for single in ({"tasks": 30, "n": 1}, {"tasks": 30, "n": 16, "own": 0.5}):
        assert errors(PAIRS, **single) <= MOST
    # 5 % and three standard errors of 3,000 pairs; that t is an approximation with two seeds stays within it
    assert errors(3_000, tasks=100, n=1, seeds=3, seed_sd=0.1) <= 0.062
    assert errors(3_000, tasks=100, n=16, seeds=2, seed_sd=0.4, own=0.5) <= 0.062
