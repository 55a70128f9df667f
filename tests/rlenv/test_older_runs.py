"""What 4a06c01 left in folders (tests/support/older_runs.py) opens, goes on, is reported and is judged again."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest
from older_runs import config, own, small_policy
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app
from rlenv.store.saved_episodes import read_episodes, write_episodes
from rlenv.trainers import train

DATA = Path(__file__).resolve().parents[1] / "data" / "older_runs"
ENVS: dict[str, Any] = {"arithmetic": "math/arithmetic-v0", "own": own(), "problems": "math/math500-v0"}
EPISODES = {"trained_arithmetic": 8, "trained_own": 8, "evaluated_arithmetic": 4, "evaluated_own": 4}
CANNOT_BE_TOLD = "whether the code is still the same cannot be told"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the runs, in the working directory."""
    shutil.copytree(DATA, tmp_path / "runs")
    monkeypatch.chdir(tmp_path / "runs")
    return tmp_path / "runs"


@pytest.mark.parametrize("name", EPISODES)
def test_episodes_are_read(runs: Path, name: str) -> None:
    episodes = list(read_episodes(runs / name))
    assert len(episodes) == EPISODES[name]
    assert all(episode.verdict.graded for episode in episodes)


@pytest.mark.parametrize("name", ["own", "problems"])
def test_an_evaluation_is_judged_again(runs: Path, name: str) -> None:
    env = ENVS[name] if name == "own" else None
    rescored = rlenv.rescore(runs / f"evaluated_{name}", env, quiet=True)
    recorded = json.loads((runs / f"evaluated_{name}" / "config.json").read_text())["verifier_version"]
    assert rescored.old_version == recorded
    assert rescored.new_version != recorded
    assert [change.new_reward for change in rescored.changes] == []
    assert len(list(read_episodes(rescored.folder))) == len(list(read_episodes(runs / f"evaluated_{name}")))


def test_an_evaluation_goes_on(runs: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        report = rlenv.evaluate(
            "math/arithmetic-v0", "reference", limit=4, out=runs / "evaluated_arithmetic", quiet=True
        )
        assert (report.there, caplog.messages) == (4, [])
        report = rlenv.evaluate(own(), "reference", limit=4, out=runs / "evaluated_own", quiet=True)
    assert report.there == 4
    assert [CANNOT_BE_TOLD in message for message in caplog.messages] == [True]


@pytest.mark.parametrize("name", ["arithmetic", "own"])
def test_a_training_run_goes_on_from_its_checkpoint(runs: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    out = runs / f"trained_{name}"
    with caplog.at_level(logging.WARNING):
        train(config(steps=3), ENVS[name], small_policy(runs), out, resume=True, quiet=True)
    told = [message for message in caplog.messages if "goes on" in message]
    assert [CANNOT_BE_TOLD in message for message in told] == ([True] if name == "own" else [])
    assert [episode.step for episode in read_episodes(out)] == [0] * 4 + [1] * 4 + [2] * 4
    caplog.clear()
    train(config(steps=4), ENVS[name], small_policy(runs), out, resume=True, quiet=True)
    assert [message for message in caplog.messages if "goes on" in message] == []


@pytest.mark.parametrize("name", ["trained_own", "evaluated_arithmetic"])
def test_the_command_converts_a_copy_or_the_folder_itself(runs: Path, name: str) -> None:
    written = list(read_episodes(runs / name))
    (runs / name / "episodes.jsonl.gz").unlink()
    write_episodes(runs / name / "episodes.jsonl", written)
    for arguments, folder in (["--out", "copy"], "copy"), ([], name):
        done = CliRunner().invoke(app, ["convert", name, *arguments])
        assert (done.exit_code, done.stdout) == (0, f"{len(written)} episodes in {folder}\n")
        assert list(read_episodes(folder)) == written
        assert not (runs / folder / "episodes.jsonl").exists()
        assert (runs / name / "episodes.jsonl").exists() == (folder == "copy")
