"""The files that evaluators get, which need no evaluator to be made."""

import ast
import json
import math
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import ConfigError, TaskError
from rlenv.env.rows import RowJudge
from rlenv.integrations.adapter import export
from rlenv.integrations.lm_eval import to_lm_eval, values
from rlenv.integrations.verifiers import main, to_verifiers


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


def test_a_package_of_several_turns_brings_what_plays_them(tmp_path: Path) -> None:
    name = to_verifiers("games/guess-v0", tmp_path, size=5)
    assert "'RlenvEnv'" in (tmp_path / name / name.replace("-", "_") / "__init__.py").read_text()


def test_a_setting_without_a_value_and_a_missing_size_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="NAME=VALUE"):
        main(["math/arithmetic-v0", str(tmp_path), "--set", "level"])
    with pytest.raises(ConfigError, match="say size=1000"):
        to_verifiers("math/arithmetic-v0", tmp_path, level=5)


def test_a_row_is_read_for_those_who_play_it() -> None:
    row = rlenv.rows_of("math/arithmetic-v0", [0], level=2)[0]
    definition, task = RowJudge().read(row)
    assert (definition.id, task.id) == ("math/arithmetic-v0", json.loads(row)["task"]["id"])
    with pytest.raises(TaskError, match=r"rlenv\.rows_of"):
        RowJudge().read("{}")
