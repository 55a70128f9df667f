"""The file and the settings that verl gets, which need no verl to be made."""

import json
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import ConfigError
from rlenv.integrations.verl import ROW, to_verl

parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra: data")


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


def test_a_reference_that_is_no_text_is_json(tmp_path: Path) -> None:
    to_verl("code/snippets-v0", tmp_path / "val.parquet", size=1, split="val")
    row = parquet.read_table(tmp_path / "val.parquet").to_pylist()[0]
    assert json.loads(row["reward_model"]["ground_truth"])["kind"] == "calls"
    assert row["extra_info"]["split"] == "val"


def test_several_turns_name_our_agent_loop(tmp_path: Path) -> None:
    lines = to_verl("games/guess-v0", tmp_path / "train.parquet", size=2)
    assert parquet.read_table(tmp_path / "train.parquet").to_pylist()[0]["agent_name"] == "rlenv"
    loops = next(line.partition("=")[2] for line in lines.splitlines() if "agent_loop_config_path" in line)
    assert "rlenv.integrations.verl_turns.RlenvAgentLoop" in Path(loops).read_text()


def test_a_path_of_another_form_and_a_missing_size_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ends in \.parquet"):
        to_verl("math/arithmetic-v0", tmp_path / "train.jsonl", size=1)
    with pytest.raises(ConfigError, match="say size=1000"):
        to_verl("math/arithmetic-v0", tmp_path / "train.parquet", level=5)
