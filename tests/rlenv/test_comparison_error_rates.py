"""What is said to be 5 % is at most 5 %: simulated comparisons of sides that do not differ."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

PAIRS = 10_000
MOST = 0.05 + 3 * (0.05 * 0.95 / PAIRS) ** 0.5
"""5 % and three standard errors of so many pairs."""


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    yield __import__("comparing")
    sys.modules.pop("comparing", None)


def test_true_differences_are_found(benchmark: ModuleType) -> None:
    assert benchmark.errors(benchmark.World(tasks=250, n=4, shift=0.5), 200) > 0.9
    assert benchmark.errors(benchmark.World(tasks=100, n=4, seeds=3, seed_sd=0.1, shift=0.8), 200) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("place", range(7))
def test_five_percent_of_single_runs(benchmark: ModuleType, place: int) -> None:
    assert benchmark.errors(benchmark.SINGLE[place], PAIRS) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("place", range(12))
def test_five_percent_of_training_seeds(benchmark: ModuleType, place: int) -> None:
    # 5 % and three standard errors of 3,000 pairs; that t is an approximation with two seeds stays within it
    assert benchmark.errors(benchmark.SEEDS[place], 3_000) <= 0.062


@pytest.mark.slow
def test_five_percent_of_whole_comparisons(benchmark: ModuleType) -> None:
    alone, together = benchmark.any_error(benchmark.World(tasks=100, n=4), 4, 3_000)
    assert alone > 0.1
    assert together <= 0.05 + 3 * (0.05 * 0.95 / 3_000) ** 0.5
