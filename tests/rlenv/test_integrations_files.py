"""The files that other packages get, which need none of these to be made, and the number that stands for no reward."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path

import pytest
from container_engine import REQUIRED, needs_engine

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.envs.containers.reader import read_folders
from rlenv.integrations.adapter import ROW, MeanFill, export
from rlenv.integrations.harbor import to_harbor
from rlenv.integrations.lm_eval import to_lm_eval, values
from rlenv.integrations.nemo_gym import to_nemo_gym
from rlenv.integrations.verifiers import main
from rlenv.integrations.verl import to_verl

parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra: data")


def test_a_task_folder_of_lm_eval_holds_the_rows(tmp_path: Path) -> None:
    name = to_lm_eval("math/arithmetic-v0", tmp_path, size=3, repeats=2, pass_at=(1, 2), level=2)
    rows = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert rows == export("math/arithmetic-v0", {"level": 2}, 3).rows
    settings = (tmp_path / f"{name}.yaml").read_text()
    assert f"task: {name}" in settings
    assert "repeats: 2" in settings
    assert 'metric: "pass@2", aggregation: nanmean' in settings
    ast.parse((tmp_path / f"{name}.py").read_text())


def test_what_was_not_graded_is_in_no_mean_of_lm_eval() -> None:
    assert values([1.0, 0.0, None, None], [1, 2]) == {
        "reward": 0.5,
        "verifier_errors": 0.5,
        "pass@1": 0.5,
        "pass@2": 1.0,
    }
    assert all(math.isnan(value) for name, value in values([None], [1]).items() if name != "verifier_errors")
    assert math.isnan(values([1.0, None], [2])["pass@2"])


def test_a_package_of_verifiers_says_its_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["math/arithmetic-v0", str(tmp_path), "--size", "5", "--set", "level=2"])
    package = tmp_path / "rlenv-math-arithmetic-v0"
    assert f"pip install -e {package}" in capsys.readouterr().out
    code = (package / "rlenv_math_arithmetic_v0" / "__init__.py").read_text()
    ast.parse(code)
    assert "settings: dict[str, Any] = {'level': 2}" in code
    assert "RlenvEnv" not in code
    assert 'name = "rlenv-math-arithmetic-v0"' in (package / "pyproject.toml").read_text()


def test_a_line_asks_the_model_and_can_be_judged(tmp_path: Path) -> None:
    assert to_nemo_gym("math/arithmetic-v0", tmp_path / "new" / "train.jsonl", size=5, level=2) == 5
    lines = [json.loads(text) for text in (tmp_path / "new" / "train.jsonl").read_text().splitlines()]
    definition = rlenv.load("math/arithmetic-v0", level=2)
    for line in lines:
        task = rlenv.Task.from_json(json.loads(line[ROW])["task"])
        assert line["responses_create_params"]["input"] == [{"role": "user", "content": task.prompt}]
        assert rlenv.judge_row(line[ROW], definition.solution(task)).reward == 1.0


def episode(reward: float | None, group: int, env: str = "x") -> Episode:
    verdict = Verdict.error("away") if reward is None else Verdict.of(("reward", reward))
    return Episode(Task("?"), Completion(""), verdict, group=group, env_id=env)


def test_a_group_in_which_all_failed_gets_what_the_environment_paid_so_far() -> None:
    fill = MeanFill()
    assert fill.rewards([episode(None, 0), episode(None, 0)]) == [0.0, 0.0]
    assert fill.rewards([episode(1.0, 0), episode(0.5, 0), episode(None, 1), episode(None, 2, "y")]) == [
        1.0,
        0.5,
        0.75,
        0.0,
    ]
    assert fill.rewards([episode(None, 0)]) == [0.75]


def test_a_row_has_verls_columns_and_can_be_judged(tmp_path: Path) -> None:
    lines = to_verl("math/arithmetic-v0", tmp_path / "new" / "train.parquet", size=5, seed=3, level=2)
    rows = parquet.read_table(tmp_path / "new" / "train.parquet").to_pylist()
    assert set(rows[0]) == {"data_source", "prompt", "ability", "reward_model", "extra_info"}
    assert [row["extra_info"]["index"] for row in rows] == [0, 1, 2, 3, 4]
    assert (rows[0]["ability"], rows[0]["extra_info"]["split"]) == ("math", "train")
    definition = rlenv.load("math/arithmetic-v0", level=2)
    for row in rows:
        task = rlenv.Task.from_json(json.loads(row["extra_info"][ROW])["task"])
        assert row["prompt"] == [{"role": "user", "content": task.prompt}]
        assert row["reward_model"]["ground_truth"] == task.reference
        assert rlenv.judge_row(row["extra_info"][ROW], definition.solution(task)).reward == 1.0
    assert f"data.train_files={tmp_path / 'new' / 'train.parquet'}" in lines.splitlines()
    assert "reward.num_workers=1" in lines.splitlines()


def test_several_turns_name_our_agent_loop(tmp_path: Path) -> None:
    lines = to_verl("games/guess-v0", tmp_path / "train.parquet", size=2)
    assert parquet.read_table(tmp_path / "train.parquet").to_pylist()[0]["agent_name"] == "rlenv"
    loops = next(line.partition("=")[2] for line in lines.splitlines() if "agent_loop_config_path" in line)
    assert "rlenv.integrations.verl.turns.RlenvAgentLoop" in Path(loops).read_text()


IMAGE = "rlenv/agents-base:latest"


def test_every_task_is_a_folder_that_the_reader_takes(tmp_path: Path) -> None:
    made = to_harbor("code/snippets-v0", tmp_path / "tasks", size=3)
    assert [folder.path for folder in read_folders(tmp_path / "tasks")] == sorted(made)


def test_the_hidden_calls_are_in_the_tests_alone(tmp_path: Path) -> None:
    (place,) = to_harbor("code/snippets-v0", tmp_path, size=1)
    hidden = [case["call"] for case in json.loads((place / "tests/cases.json").read_text())][1:]
    shown = [path.read_text() for path in place.rglob("*") if path.is_file() and path.parent.name != "tests"]
    assert len(hidden) > 5
    assert not [call for call in hidden for text in shown if call in text]


def test_a_task_that_is_no_function_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="expected a function with calls"):
        to_harbor("math/arithmetic-v0", tmp_path, size=1)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    to_harbor("code/snippets-v0", tmp_path, size=1)
    with pytest.raises(ConfigError, match="expected a new folder"):
        to_harbor("code/snippets-v0", tmp_path, size=1)


@pytest.mark.slow
@needs_engine
def test_the_solution_is_paid_and_an_early_end_is_not(tmp_path: Path) -> None:
    from rlenv.envs.containers.findings import play
    from rlenv.envs.containers.judging import Grader
    from rlenv.envs.containers.workshop import Workshop
    from rlenv.sandbox.containers import docker_boxes

    boxes = docker_boxes()
    if not boxes.has_image(IMAGE):
        (pytest.fail if REQUIRED else pytest.skip)(f"the engine has no image {IMAGE}: make agents-base")
    try:
        to_harbor("code/snippets-v0", tmp_path, size=1)
        (folder,), grader = read_folders(tmp_path), Grader(Workshop(boxes, {"python:3.12-slim": IMAGE}))
        paid = grader.of_reference(folder)
        assert (paid.kind, paid.reward, paid.twin) == ("boxed", 1.0, "refused")
        early = play(grader, folder, b"#!/bin/bash\necho 'import os; os._exit(0)' > /app/solution.py\n")
        assert early.reward == 0
    finally:
        boxes.close()
