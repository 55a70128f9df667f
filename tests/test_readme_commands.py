"""The README's commands, in order, in an empty folder without a hub: no error, and the task of one's own is learned."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from rlenv.trainers.records.logs import read_metrics

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")
COMMAND = re.compile(r"^    (rlenv (?:.*\\\n)*.*)$", re.MULTILINE)  # "    rlenv train x \\\n        --steps 3"
ELSEWHERE = {
    "HuggingFaceTB/": "a model of the hub",
    "--data test.jsonl": "a file of GSM8K",
    "http://localhost": "a server",
    "smollm2-135m": "a model that make smollm2 builds",
    "runs/before": "that model's evaluation",
    "rlenv sandbox check": "is run by tests/rlenv/test_cli_sandbox.py",
    "rlenv hackbench": "is run by tests/rlenv/test_hackbench.py",
}
"""What is left out, by a part of the command, and why."""


def commands() -> list[list[str]]:
    """The words of each command that needs nothing but rlenv."""
    found = [shlex.split(command.replace("\\\n", " "), comments=True) for command in COMMAND.findall(TEXT)]
    return [words for words in found if not any(part in " ".join(words) for part in ELSEWHERE)]


@pytest.mark.slow
def test_every_command_runs_in_order_and_the_first_training_learns(tmp_path: Path) -> None:
    program = next(block for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
    (tmp_path / "my_tasks.py").write_text(program)
    settings = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    said = {}
    for words in commands():
        command = [sys.executable, "-m", "rlenv", *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
        said[" ".join(words)] = (done.returncode, done.stdout, done.stderr)
    failed = {command: told for command, told in said.items() if told[0] or "Traceback" in told[2]}
    assert not failed
    rewards = [row["reward"] for row in read_metrics(tmp_path / "runs" / "reverse" / "metrics.jsonl")]
    assert sum(rewards[-10:]) / 10 > 0.7 > 0.5 > sum(rewards[:10]) / 10


def test_most_commands_are_run_and_what_is_left_out_is_there() -> None:
    assert len(commands()) >= 14
    assert [part for part in ELSEWHERE if part not in TEXT] == []
