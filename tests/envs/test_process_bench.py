"""The metric of ProcessBench, on rows whose figures can be worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rlenv.envs.process.process_bench import (
    Row,
    best_threshold,
    first_below,
    half_of,
    measure,
    predictions,
    read_rows,
    step_values,
    stepped,
)
from rlenv.envs.process.symbolic import SUSPECT, SymbolicSteps
from rlenv.errors import TaskError
from rlenv.scorers.scorer import Stepped, StepScores

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "processbench"


def rows(*labels: int) -> list[Row]:
    return [Row(str(at), f"problem {at}", ("a", "b", "c"), label) for at, label in enumerate(labels)]


class Fails:
    name, version = "fails", "1"

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        return [StepScores.failure("no model") for _ in jobs]


def test_f1_is_the_harmonic_mean_of_the_two_shares() -> None:
    found = measure(rows(0, 1, 2, 2, -1, -1), [0, 1, 1, -1, -1, 0])
    assert (found.wrong.value, found.right.value, found.f1.value) == (0.5, 0.5, 0.5)
    assert found.rows == (4, 2)


def test_a_step_beside_the_first_wrong_one_is_no_hit() -> None:
    assert measure(rows(1, -1), [2, -1]).f1.value == 0
    assert measure(rows(1, -1), [0, -1]).f1.value == 0


@pytest.mark.parametrize("constant", [-1, 0, 1])
def test_a_constant_is_worth_nothing(constant: int) -> None:
    assert measure(rows(0, 1, -1, -1), [constant] * 4).f1.value == 0


def test_a_failed_scorer_has_said_nothing_and_is_counted() -> None:
    values = step_values(rows(0, -1), Fails())
    found = measure(rows(0, -1), predictions(values, 0.5))
    assert (found.f1.value, found.right.value, found.failed) == (0, 0, 2)


def test_solutions_of_one_problem_are_drawn_together() -> None:
    alike = [Row(str(at), "one problem", ("a",), -1 if at % 2 else 0) for at in range(50)]
    assert measure(alike, [0, 0] * 25).right == (0, 0, 0)
    found = measure(alike, [-1, -1, 0, 0] * 12 + [-1, -1])
    assert found.right.low == found.right.value == found.right.high
    apart = [Row(row.id, row.id, row.steps, row.label) for row in alike]
    assert measure(apart, [-1, -1, 0, 0] * 12 + [-1, -1]).right.low < found.right.low


def test_the_first_step_below_the_threshold_counts_and_a_step_at_it_does_not() -> None:
    assert [first_below((0.9, 0.5, 0.1), threshold) for threshold in (0.05, 0.5, 0.6, 1)] == [-1, 2, 1, 0]
    assert first_below((), 0.5) == -1


def test_the_best_threshold_is_found_among_the_scores() -> None:
    values = [(0.9, 0.3, 0.2), (0.9, 0.5, 0.8), (0.45, 0.9, 0.9)]
    threshold = best_threshold(rows(1, -1, 0), values)
    assert measure(rows(1, -1, 0), predictions(values, threshold)).f1.value == 1


def test_spans_cover_the_steps() -> None:
    row = Row("a", "p", ("one\n\ntwo", "three"), 1)
    assert stepped(row).texts == row.steps


def test_a_label_that_points_at_no_step_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"id": "a", "problem": "p", "steps": ["s"], "label": 1}]))
    with pytest.raises(TaskError, match="row a"):
        read_rows(path)


def test_the_halves_hold_different_problems_and_about_as_many() -> None:
    if not DATA.exists():
        pytest.skip("the public ProcessBench files are not beside this checkout")
    found = read_rows(DATA / "gsm8k.json")
    tuning = [row for row in found if half_of(row.problem) == "tuning"]
    assert (len(found), len(tuning)) == (400, 201)
    assert not {row.problem for row in tuning} & {row.problem for row in found if row not in tuning}


def test_the_symbolic_checker_keeps_what_it_finds_on_the_half_its_rules_were_made_on() -> None:
    if not DATA.exists():
        pytest.skip("the public ProcessBench files are not beside this checkout")
    tuning = [row for row in read_rows(DATA / "gsm8k.json") if half_of(row.problem) == "tuning"]
    found = measure(tuning, predictions(step_values(tuning, SymbolicSteps()), SUSPECT))
    assert found.wrong.value >= 0.12
    assert found.right.value >= 0.98
    assert found.failed == 0
