"""benchmarks/choosing.py: equal compute is equal, and the tables say what was measured."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[1]
OURS = ("choosing", "choosing_plan", "choosing_tables", "made_up_words")


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield
    for name in OURS:
        sys.modules.pop(name, None)


def test_every_run_takes_the_passes_of_its_problem() -> None:
    from choosing_plan import config_of, method_named, plan, problem_named

    for run in plan(full=False):
        problem, method = problem_named(run.problem), method_named(run.algorithm)
        config = config_of(run, problem.passes)
        answers = config.steps * config.groups * config.group_size
        rollout = method.passes(run.group) * method.answers
        assert answers * method.passes(run.group) == pytest.approx(problem.passes, abs=rollout)


def test_a_pass_is_counted_for_every_model_that_reads_an_answer() -> None:
    from choosing_plan import method_named

    passes = {name: method_named(name).passes(8) for name in ("rloo", "grpo", "dpo", "ppo", "raft")}
    assert passes == {"rloo": 4, "grpo": 4, "dpo": 5, "ppo": 8, "raft": 1.75}
    assert method_named("raft").passes(2) == 2.5


def test_the_plan_has_each_run_once_and_the_comparison_first() -> None:
    from choosing_plan import METHODS, PROBLEMS, plan

    runs = plan(full=False)
    assert len(runs) == len(set(runs)) == 45 + 5 * 5 + 5 * 4 * 3
    assert {(run.problem, run.algorithm) for run in runs[:45]} == {
        (problem.name, method.algorithm) for problem in PROBLEMS for method in METHODS
    }
    assert set(runs) <= set(plan(full=True))


def made(gains: dict[str, float]) -> tuple[list[dict[str, Any]], dict[str, list[float]]]:
    """Results in which a method gains the same on every problem, with every setting."""
    from choosing_plan import METHODS, PROBLEMS, plan

    rng = np.random.default_rng(0)
    starts = {problem.name: (0.3 + 0.1 * rng.random(200)).tolist() for problem in PROBLEMS}
    passes = {method.algorithm: method.passes(8) for method in METHODS}
    results = []
    for run in plan(full=False):
        values = np.array(starts[run.problem]) + gains[run.algorithm] + 0.01 * rng.standard_normal(200)
        end = round(81_920 / passes[run.algorithm])
        looks = [{"answers": answers, "values": values.tolist()} for answers in sorted({5_120, 10_240, end})]
        results.append({"run": asdict(run), "processor_seconds": 2.0, "looks": looks})
    return results, starts


def test_the_tables_say_what_was_gained(tmp_path: Path) -> None:
    from choosing_tables import common_answers, cost, gains, knobs, picture, stability

    results, starts = made({"rloo": 0.05, "grpo": 0.1, "ppo": 0.02, "dpo": 0.2, "raft": -0.1})
    assert common_answers(results, "sums") == 10_240
    table = gains(results, starts, "compute").splitlines()
    assert [float(row.split("|")[2].split("[")[0]) for row in table[2:7]] == pytest.approx(
        [0.05, 0.1, 0.02, 0.2, -0.1], abs=0.003
    )
    assert [float(row.split("|")[5].split("[")[0].strip() or 0) for row in table[2:7]] == pytest.approx(
        [-0.05, 0, -0.08, 0.1, -0.2], abs=0.003
    )
    assert stability(results, starts).splitlines()[2].split("|")[-2].strip() == "8"
    assert knobs(results, starts).count("[") == 5 * 5
    assert "| ppo | 8 | policy, critic | 0.20 |" in cost(results)
    picture(results, starts, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_the_page_is_written_between_its_marks(tmp_path: Path) -> None:
    from choosing_tables import FROM, TO, into_docs

    (tmp_path / "images").mkdir()
    (tmp_path / "drawn.png").write_bytes(b"png")
    page = tmp_path / "choosing.md"
    page.write_text(f"before\n{FROM}\nold\n{TO}\nafter\n")
    into_docs("new\n", tmp_path / "drawn.png", tmp_path)
    text = page.read_text()
    assert "old" not in text
    assert text.index("before") < text.index("new") < text.index("after")
    assert (tmp_path / "images" / "choosing.png").read_bytes() == b"png"


def test_a_rare_letter_is_paid_whatever_stands_beside_it() -> None:
    from choosing_plan import has_a_rare_letter

    assert [has_a_rare_letter(word) for word in ("etaoinshrdlz", "etaoinshrdlx", "q", "")] == [1, 0, 1, 0]


@pytest.mark.slow
def test_a_run_begins_at_its_start_and_ends_with_a_look(tmp_path: Path) -> None:
    from choosing import start, trained
    from choosing_plan import METHODS, Run, problem_named

    start(problem_named("words"), tmp_path)
    for method in METHODS:
        found = trained(Run(problem="words", algorithm=method.algorithm, seed=0), tmp_path, 0.05)
        assert found["looks"][-1]["answers"] % method.answers == 0
        assert len(found["looks"][-1]["values"]) == 200
