"""Comparing saved evaluations: what is paired, what is said, and what is refused."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.policy import ScriptedPolicy
from rlenv.evaluation.passk import mean_interval


def judge(completion: str) -> float:
    return 1.0 if completion == "right" else 0.25 if completion == "wrong" else 0.0


def right(completion: str) -> bool:
    return completion == "right"


def definition(passes: dict[str, int], judge: Callable[[str], float] = judge) -> rlenv.Definition:
    rows = [{"prompt": f"{name}?", "answer": "right", "id": name} for name in passes]
    tasks = rlenv.ListTasks.from_rows(rows)
    return rlenv.Definition(tasks=tasks, verifier=rlenv.FunctionVerifier(judge, cheap=True), id="mine/passing-v0")


def saved(
    folder: Path, passes: dict[str, int], n: int = 1, threshold: float = 1.0, judge: Callable[[str], float] = judge
) -> Path:
    said = {name: iter(["right"] * c + ["wrong"] * (n - c)) for name, c in passes.items()}
    policy = ScriptedPolicy("passing", lambda task: next(said[task.id]))
    rlenv.evaluate(definition(passes, judge), policy, n=n, out=folder, threshold=threshold, quiet=True)
    return folder


def passing(first: int, second: int, size: int = 40) -> dict[str, int]:
    """Tasks from `first` up to `second` pass."""
    return {f"t{i}": int(first <= i < second) for i in range(size)}


def test_two_runs_are_told_apart_with_flips_and_an_interval(tmp_path: Path) -> None:
    before, after = saved(tmp_path / "before", passing(0, 10)), saved(tmp_path / "after", passing(2, 30))
    found = rlenv.compare(before, after, flips=3)
    (pair,) = found.pairs
    difference = pair.measures["pass@1"]
    assert (pair.better, pair.worse) == (20, 2)
    assert difference.estimate.value == pytest.approx(18 / 40)
    assert difference.test == "McNemar, exact"
    assert difference.p == pytest.approx(2 * (1 + 22 + 231) / 2**22)
    assert difference.told
    assert [(flip.task_id, flip.first, flip.second) for flip in pair.flips] == [
        ("t0", 1.0, 0.0),
        ("t1", 1.0, 0.0),
        ("t10", 0.0, 1.0),
    ]
    assert f"    {after} is higher\n" in str(found)  # what else would be noticed says nothing more
    assert "better on 20 tasks, worse on 2, equal on 18" in str(found)
    changes = [float(passing(2, 30)[task] - passed) for task, passed in passing(0, 10).items()]
    assert difference.estimate == mean_interval(changes, bounds=(-1.0, 1.0))


def test_the_mean_reward_stands_beside_pass_where_it_is_something_else(tmp_path: Path) -> None:
    found = rlenv.compare(saved(tmp_path / "a", passing(0, 10)), saved(tmp_path / "b", passing(0, 10)))
    (pair,) = found.pairs
    assert list(pair.measures) == ["pass@1", "mean reward"]  # 0.25 is paid for a wrong answer
    assert "no difference can be told; four of five such comparisons would detect one of 0." in str(found)


def test_several_completions_a_task_are_one_pair_a_task(tmp_path: Path) -> None:
    low, high = {f"t{i}": i % 3 for i in range(40)}, {f"t{i}": i % 3 + 2 for i in range(40)}
    found = rlenv.compare(saved(tmp_path / "low", low, n=4), saved(tmp_path / "high", high, n=4))
    measure = found.pairs[0].measures["pass@1"]
    assert measure.estimate.value == pytest.approx(0.5)
    assert measure.p == pytest.approx(2 * 0.5**40)
    assert measure.test == "permutation test, exact"
    one_apart = saved(tmp_path / "one", {**low, "t0": 1}, n=4)
    assert rlenv.compare(tmp_path / "low", one_apart).pairs[0].measures["pass@1"].test == "permutation test, exact"
    two = rlenv.compare(tmp_path / "low", tmp_path / "high", k=2).pairs[0].measures["pass@2"]
    by_hand = [5 / 6, 1.0 - 1 / 2, 1.0 - 5 / 6]  # pass@2 of 2, 3, 4 of 4 less that of 0, 1, 2 of 4
    assert two.estimate.value == pytest.approx(sum(by_hand[i % 3] for i in range(40)) / 40)


def test_every_pair_is_compared_and_corrected_for(tmp_path: Path) -> None:
    runs = [saved(tmp_path / name, passing(0, end)) for name, end in (("a", 10), ("b", 17), ("c", 30))]
    found = rlenv.compare(*runs)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        (str(runs[i]), str(runs[j])) for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    measures = [pair.measures["pass@1"] for pair in found.pairs]
    assert [m.p for m in measures] == pytest.approx([2 / 2**7, 2 / 2**20, 2 / 2**13])
    assert [m.p_holm for m in measures] == pytest.approx([2 / 2**7, 3 * 2 / 2**20, 2 * 2 / 2**13])
    assert "after Holm for 3 pairs" in str(found)


def test_training_seeds_are_a_level_of_their_own(tmp_path: Path) -> None:
    first = [saved(tmp_path / f"a{i}", passing(0, end)) for i, end in enumerate((5, 12, 20))]
    second = [saved(tmp_path / f"b{i}", passing(0, end)) for i, end in enumerate((14, 20, 30))]
    sides = [f"{name}=" + ",".join(map(str, runs)) for name, runs in (("A", first), ("B", second))]
    found = rlenv.compare(*sides)
    measure = found.pairs[0].measures["pass@1"]
    assert measure.estimate.method == "seeds and tasks"
    assert not measure.told  # 0.31 against 0.53, and seeds differ by as much
    assert rlenv.compare(first[1], second[1]).pairs[0].measures["pass@1"].told
    assert found.sides == {"A": (0.125, 0.3, 0.5), "B": (0.35, 0.5, 0.75)}
    mixed = rlenv.compare(sides[0], second[0])
    assert f"{second[0]} is one run" in str(mixed)


def test_tasks_that_a_run_lacks_are_left_out_and_counted(tmp_path: Path) -> None:
    a, b = saved(tmp_path / "a", passing(0, 10)), saved(tmp_path / "b", passing(0, 10, size=45))
    found = rlenv.compare(a, b)
    assert found.pairs[0].measures["pass@1"].estimate.problems == 40
    assert "5 tasks are left out" in str(found)
    other = saved(tmp_path / "c", {f"other{i}": 1 for i in range(4)})
    with pytest.raises(ConfigError, match=r"no task has 1 judged .*; evaluate both on equal tasks"):
        rlenv.compare(a, other)
    with pytest.raises(ConfigError, match=r"2 judged .*; give k of at most 1, or evaluate with a larger n"):
        rlenv.compare(a, b, k=2)


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    a = saved(tmp_path / "a", passing(0, 10))
    half = saved(tmp_path / "half", passing(0, 10), threshold=0.5)
    with pytest.raises(ConfigError, match="at least two sides"):
        rlenv.compare(a)
    with pytest.raises(ConfigError, match="different names"):
        rlenv.compare(a, a)
    with pytest.raises(ConfigError, match="stands there twice"):
        rlenv.compare(f"X={a},{a}", half)
    with pytest.raises(ConfigError, match="stands on two"):
        rlenv.compare(f"X={a},{half}", f"Y={half}")
    with pytest.raises(ConfigError, match="give one threshold"):
        rlenv.compare(a, half)
    assert rlenv.compare(a, half, threshold=0.2).sides[str(a)] == (1.0,)
    with pytest.raises(RunError, match="there is no folder"):
        rlenv.compare(a, tmp_path / "none")
    (tmp_path / "empty").mkdir()
    shutil.copy(a / "config.json", tmp_path / "empty")
    with pytest.raises(RunError, match="no episodes yet"):
        rlenv.compare(a, tmp_path / "empty")


def test_the_command_prints_and_writes_the_same(tmp_path: Path) -> None:
    a, b = saved(tmp_path / "a", passing(0, 10)), saved(tmp_path / "b", passing(0, 30))
    said = CliRunner().invoke(app, ["compare", str(a), str(b), "--flips", "1", "--json", str(tmp_path / "c.json")])
    assert said.exit_code == 0, said.output
    assert said.output.strip() == str(rlenv.compare(a, b, flips=1))
    written = json.loads((tmp_path / "c.json").read_text())
    assert written["pairs"][0]["measures"]["pass@1"]["told"] is True
    assert CliRunner().invoke(app, ["compare", str(a)]).exit_code == 2
