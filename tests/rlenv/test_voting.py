"""maj@k and best-of-k against every subset, and against the published table of strict majorities."""

import itertools
import json
import math
import os
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.core.errors import ConfigError
from rlenv.evaluation.voting import best_of_k, maj_at_k

DATA = Path(os.environ.get("RLENV_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))
REFERENCE = DATA / "passk_reference.json"

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


@pytest.mark.skipif(not REFERENCE.is_file(), reason="needs passk_reference.json: set RLENV_TEST_DATA to its folder")
def test_two_answers_and_no_tie_give_the_published_strict_majority() -> None:
    rows = [row for row in json.loads(REFERENCE.read_text())["rows"] if row["k"] % 2 and row["n"] <= 1000]
    assert rows
    for row in rows:
        answers = [(m, share) for m, share in ((row["c"], 1.0), (row["n"] - row["c"], 0.0)) if m]
        assert maj_at_k(answers, row["k"]) == pytest.approx(row["maj_strict"], abs=1e-12)


def test_many_completions_keep_their_precision() -> None:
    """Of 1,000 the even split is a coin, whatever k is."""
    assert maj_at_k([(500, 1.0), (500, 0.0)], 64) == pytest.approx(0.5, abs=1e-12)
    rng = random.Random(3)
    scored = [(rng.random(), 0.5) for _ in range(2_000)]
    assert best_of_k(scored, 300) == pytest.approx(0.5, abs=1e-12)


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
