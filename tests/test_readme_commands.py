"""The README from top to bottom, in an empty folder without a hub: no error, and the task of one's own is learned."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Reader, Step, steps

from rlenv.trainers.records.logs import read_metrics

TEXT = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
ELSEWHERE = {
    "HuggingFaceTB/": "a model of the hub",
    "--data test.jsonl": "a file of GSM8K",
    "http://localhost": "a server",
    "smollm2-135m": "a model that make smollm2 builds",
    "runs/before": "that model's evaluation",
    "rlenv sandbox check": "is run by tests/rlenv/test_cli_sandbox.py",
    "rlenv hackbench": "is run by tests/rlenv/test_hackbench.py",
}
"""What is left out, by a part of the command or program, and why."""


def to_run() -> list[Step]:
    """The file of tasks, and each command that needs nothing but rlenv; test_readme.py runs the programs."""
    told = [step for step in steps(TEXT) if step.kind != "program"]
    return [step for step in told if not any(part in step.text for part in ELSEWHERE)]


@pytest.mark.slow
def test_every_command_runs_in_order_and_the_first_training_learns(tmp_path: Path) -> None:
    with Reader(tmp_path) as reader:
        for step in to_run():
            reader.follow(step)
    rewards = [row["reward"] for row in read_metrics(tmp_path / "runs" / "reverse" / "metrics.jsonl")]
    assert sum(rewards[-10:]) / 10 > 0.7 > 0.5 > sum(rewards[:10]) / 10


def test_most_of_it_is_run_and_what_is_left_out_is_there() -> None:
    assert len(to_run()) >= 15
    assert [part for part in ELSEWHERE if part not in TEXT] == []
