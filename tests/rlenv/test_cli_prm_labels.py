"""`rlenv prm-labels` and `rlenv pairs`: a run's completions become rows of labelled steps, or a file of pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from rlenv import Completion, Episode, Task, Verdict
from rlenv.cli import app
from rlenv.core.task import Prompt
from rlenv.policies.tiny import tiny_policy
from rlenv.store.saved_episodes import write_episodes
from rlenv.trainers.branches.preference import Pair, read_pairs


def short_steps(prompt: Prompt, steps: Sequence[str]) -> list[float]:
    return [1.0 if len(step) < 6 else 0.25 for step in steps]


def run_of(folder: Path, *texts: str, env_id: str = "math/arithmetic-v0") -> Path:
    folder.mkdir(exist_ok=True)
    task = Task("3+4=?", "7", metadata={})
    episodes = [
        Episode(task, Completion(text), Verdict.of(("reward", 0.0)), index=i, env_id=env_id)
        for i, text in enumerate(texts)
    ]
    write_episodes(folder / "episodes.jsonl", episodes)
    return folder


def called(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["prm-labels", *map(str, arguments), "--quiet"])


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_any_step_scorer_labels_steps(tmp_path: Path) -> None:
    run, out = run_of(tmp_path, "3+4\nis then seven\n7", "", "7"), tmp_path / "labels.jsonl"
    done = called(run, "--out", out, "--scorer", f"{__name__}:short_steps", "--set", "above=0.5", "--steps", "lines")
    assert done.exit_code == 0, done.output
    assert rows(out) == [
        {
            "prompt": "3+4=?",
            "completions": ["3+4", "is then seven", "7"],
            "labels": [True, False, True],
            "values": [1.0, 0.25, 1.0],
        },
        {"prompt": "3+4=?", "completions": ["7"], "labels": [True], "values": [1.0]},
    ]
    assert "2 completions, 3 of 4 steps right; left out: 1 without steps, 0 without a verdict" in done.output


def test_the_runs_own_model_and_environment_make_monte_carlo_labels(tmp_path: Path) -> None:
    run, out = run_of(tmp_path, "3+4=7;\\boxed{7}", "3+4=8;\\boxed{8}"), tmp_path / "labels.jsonl"
    tiny_policy().save(run / "model")
    done = called(
        run, "--out", out, "--steps", "separators", "--samples", 3, "--set", "max_new_tokens=20", "--limit", 2
    )
    assert done.exit_code == 0, done.output
    assert [row["values"][-1] for row in rows(out)] == [1.0, 0.0]
    assert [row["labels"][-1] for row in rows(out)] == [True, False]
    assert [row["completions"] for row in rows(out)] == [["3+4=7", "\\boxed{7}"], ["3+4=8", "\\boxed{8}"]]
    assert "6 continuations" in done.output


def saved(folder: Path, rewards: list[float]) -> Path:
    episodes = [
        Episode(Task("1+1=?"), Completion(str(i)), Verdict.of(("reward", reward)), index=i)
        for i, reward in enumerate(rewards)
    ]
    write_episodes(folder / "episodes.jsonl", episodes)
    return folder


def test_what_a_run_ranked_is_written_as_pairs(tmp_path: Path) -> None:
    run, out = saved(tmp_path, [0.0, 1.0, 1.0, 0.0]), tmp_path / "pairs.jsonl"
    done = CliRunner().invoke(app, ["pairs", str(run), "--out", str(out)])
    assert (done.exit_code, done.stdout) == (0, f"1 pairs in {out}\n")
    assert read_pairs(out) == [Pair("1+1=?", "1", "0")]
    done = CliRunner().invoke(app, ["pairs", str(run), "--out", str(out), "--per-group", "0", "--chat"])
    assert done.exit_code == 0
    assert len(read_pairs(out)) == 4
    assert read_pairs(out)[0].prompt == ({"role": "user", "content": "1+1=?"},)
