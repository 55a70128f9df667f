"""What the benchmark of the step model learns from: the tuning half alone, up to the first wrong step."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from rlenv.envs.process.process_bench import Row, half_of

pytest.importorskip("torch", reason="the benchmark trains with torch")

ROOT = Path(__file__).parents[1]


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield __import__("step_model")
    sys.modules.pop("step_model", None)


def rows(name: str) -> list[Row]:
    return [Row(f"{name}-{n}", f"{name} problem {n}", ("a", "b"), -1) for n in range(60)]


def test_labels_end_at_the_first_wrong_step(benchmark: ModuleType) -> None:
    wrong = benchmark.labelled(Row("a", "p", ("one", "two", "three"), 1))
    assert (wrong.steps, wrong.labels) == (("one", "two"), (True, False))
    assert benchmark.labelled(Row("b", "p", ("one", "two"), -1)).labels == (True, True)


def test_no_problem_of_the_reporting_half_is_learned_from_or_chosen_by(benchmark: ModuleType) -> None:
    gsm8k, math = rows("gsm8k"), rows("math")
    learned, choosing = benchmark.training_rows(gsm8k, math)
    assert {half_of(row.problem) for row in (*learned, *choosing)} == {"tuning"}
    assert {row.problem for row in learned}.isdisjoint({row.problem for row in choosing})
    assert choosing
    assert all(row.id.startswith("gsm8k") for row in choosing)
