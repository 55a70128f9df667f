"""What the over-optimisation benchmark measures with: best-of-n by enumeration, levels, fits, and its small world."""

from __future__ import annotations

import itertools
import math
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("torch", reason="the benchmark trains with torch")

ROOT = Path(__file__).parents[1]
NAMES = ("overoptimisation_curves", "made_up_words")


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield {name: __import__(name) for name in NAMES}
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("scores", [[0.3, 0.1, 0.9, 0.5, 0.7, 0.2], [0.5, 0.1, 0.5, 0.5, 0.9, 0.1], [1.0] * 6])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_best_of_n_is_the_mean_over_every_subset(benchmark: dict[str, ModuleType], scores: list[float], n: int) -> None:
    outcome = [3.0, -1.0, 4.0, 1.5, -5.0, 9.0]
    found = benchmark["overoptimisation_curves"].best_of(np.array(scores), np.array(outcome), n)
    assert found == pytest.approx(_by_enumeration(scores, outcome, n))


def _by_enumeration(scores: list[float], outcome: list[float], n: int) -> float:
    """The mean over all subsets and over all orders in which equal scores could stand."""
    totals = []
    for places in itertools.permutations(range(6)):
        ranked = [(scores[i], places[i], outcome[i]) for i in range(6)]
        totals.append(statistics.fmean(max(subset)[2] for subset in itertools.combinations(ranked, n)))
    return statistics.fmean(totals)


def test_best_of_n_stays_exact_in_a_large_pool(benchmark: dict[str, ModuleType]) -> None:
    scores = np.arange(8_000.0)
    best_of = benchmark["overoptimisation_curves"].best_of
    assert best_of(scores, scores + 1, 1024) == pytest.approx(1024 * 8001 / 1025)
    assert best_of(scores, np.ones(8_000), 1024) == pytest.approx(1.0)


def test_the_kl_of_best_of_n_and_what_it_chooses(benchmark: dict[str, ModuleType]) -> None:
    scores = np.arange(64.0)
    curve = benchmark["overoptimisation_curves"].best_of_n(scores, scores, -scores, 16)
    assert curve.kl.tolist() == [0.0, *(math.log(n) - (n - 1) / n for n in (2, 4, 8, 16))]
    assert (np.diff(curve.proxy) > 0).all()
    assert (np.diff(curve.gold) < 0).all()


def test_fits_find_the_numbers_that_made_a_curve(benchmark: dict[str, ModuleType]) -> None:
    curves = benchmark["overoptimisation_curves"]
    kl = np.linspace(0, 9, 50)
    d = np.sqrt(np.maximum(kl, 1e-9))
    for logarithm, gold in ((False, d * (3.0 - 0.7 * d)), (True, d * (3.0 - 0.7 * np.log(d)))):
        a, b, explained = curves.fitted(curves.Curve(kl, kl, kl, gold + 11.0), logarithm=logarithm)
        assert (a, b, explained) == pytest.approx((3.0, 0.7, 1.0), abs=1e-3)


def test_gold_is_read_where_a_level_is_first_reached(benchmark: dict[str, ModuleType]) -> None:
    curves = benchmark["overoptimisation_curves"]
    proxy, gold = np.array([0.0, 1.0, 3.0, 2.0]), np.array([5.0, 7.0, 3.0, 100.0])
    curve = curves.Curve(proxy, proxy, proxy, gold)
    assert [curves.gold_at(curve, "proxy", level) for level in (0.0, 0.5, 2.0, 3.0)] == [5.0, 6.0, 5.0, 3.0]
    lower = curves.Curve(proxy / 2, proxy / 2, proxy / 2, gold)
    assert curves.highest_common([curve, lower], "proxy") == 1.5


def test_the_small_world_is_what_it_says(benchmark: dict[str, ModuleType]) -> None:
    words = benchmark["made_up_words"]
    assert [words.different_letters(text) for text in ("", "zz", "zq", "eZ", "q1")] == [0.0, 10.0, 20.0, -4.0, 5.0]
    assert words.points("z" * 12) == 1.0
    assert words.points("z" * 40) == 1.0
    assert [words.clusters(text) for text in ("zzazzazzazza", "zzzaaaaaaaaa", "z" * 12)] == [0.0, 0.25, 1.0]
    shown = [words.ordinary(task) for task in words.definition(None).demonstrations[:200]]
    assert shown == [words.ordinary(task) for task in words.definition(None).demonstrations[:200]]
    assert {len(word) for word in shown} == {12}
    slips = sum(c not in words.POINTS for word in shown for c in word) / 2400
    assert 0.03 < slips < 0.07
