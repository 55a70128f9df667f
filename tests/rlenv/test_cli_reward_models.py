"""`rlenv train-rm` and `rlenv train-prm`: from a file to a scorer that an environment takes; bad input in one line."""

import json
from pathlib import Path

import pytest
from reward_rows import polite, sums
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app

FAST = ["--steps", "8", "--batch-size", "8", "--learning-rate", "3e-3", "--set", "device=cpu", "--quiet"]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row.pair.to_row()) + "\n" for row in polite()))
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    rows = [{"prompt": row.prompt, "completions": row.steps, "labels": row.labels} for row in sums()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.slow
def test_pairs_become_the_reward_of_an_environment(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, said = run("train-rm", str(pairs), "--out", str(out), *FAST)
    assert code == 0, said
    assert str(out / "model") in said
    assert {"config.json", "metrics.jsonl", "report.md", "model"} <= {path.name for path in out.iterdir()}
    env = rlenv.make("safety/rm-v0", scorer=str(out / "model"))
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("please, tea")
    assert terminated
    assert info["graded"]
    assert -1 <= float(reward) <= 1
    env.close()


@pytest.mark.slow
def test_labels_become_the_step_scores_of_an_environment(labels: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, said = run("train-prm", str(labels), "--out", str(out), *FAST)
    assert code == 0, said
    row = tmp_path / "rows.jsonl"
    row.write_text(json.dumps({"question": "What is 2+3?", "answer": "2+3=<<2+3=5>>5\n#### 5"}) + "\n")
    env = rlenv.make("process/gsm8k-v0", data=str(row), scorer=str(out / "model"))
    env.reset(seed=0)
    _, reward, _, _, info = env.step("2 + 3 = 5\n\nThe answer is \\boxed{5}")
    assert info["graded"]
    assert 0 <= float(reward) <= 1
    env.close()
