"""Tasks as the JSONL of NeMo Gym."""

import json
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import ConfigError
from rlenv.integrations.nemo_gym import ROW, nemo_gym_row, to_nemo_gym


def test_a_line_asks_the_model_and_can_be_judged(tmp_path: Path) -> None:
    assert to_nemo_gym("math/arithmetic-v0", tmp_path / "new" / "train.jsonl", size=5, level=2) == 5
    lines = [json.loads(text) for text in (tmp_path / "new" / "train.jsonl").read_text().splitlines()]
    definition = rlenv.load("math/arithmetic-v0", level=2)
    for line in lines:
        task = rlenv.Task.from_json(json.loads(line[ROW])["task"])
        assert line["responses_create_params"]["input"] == [{"role": "user", "content": task.prompt}]
        assert rlenv.judge_row(line[ROW], definition.solution(task)).reward == 1.0


def test_chat_prompts_stay_as_they_are() -> None:
    prompt = ({"role": "system", "content": "Be short."}, {"role": "user", "content": "?\u2028"})
    row = nemo_gym_row("x/y-v0", rlenv.Task(prompt, "1"), {})
    assert row["responses_create_params"] == {"input": [dict(message) for message in prompt]}


def test_the_file_may_name_the_agent(tmp_path: Path) -> None:
    to_nemo_gym("math/arithmetic-v0", tmp_path / "x.jsonl", size=1, agent="rlenv_agent")
    row = json.loads((tmp_path / "x.jsonl").read_text())
    assert row["agent_ref"] == {"type": "responses_api_agents", "name": "rlenv_agent"}


def test_several_turns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="several turns"):
        to_nemo_gym("games/guess-v0", tmp_path / "x.jsonl", size=1)
