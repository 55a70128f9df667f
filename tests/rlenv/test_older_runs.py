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
from rlenv.analysis import analyse
from rlenv.cli import app
from rlenv.core.errors import ConfigError, RunError
from rlenv.store.saved_episodes import read_episodes, write_episodes
from rlenv.store.versions import compared
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


@pytest.mark.parametrize("name", ["arithmetic", "own", "problems"])
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


def test_an_evaluation_of_mathematics_goes_on_or_is_refused_with_the_reason(runs: Path) -> None:
    kwargs, out = {"data": "problems.jsonl"}, runs / "evaluated_problems"
    recorded = json.loads((out / "config.json").read_text())["verifier_version"]
    refused = compared("math/math500-v0", recorded, f"{recorded}+0123456789ab").refused
    if refused:
        with pytest.raises(RunError, match="rlenv rescore") as told:
            rlenv.evaluate("math/math500-v0", "reference", out=out, env_kwargs=kwargs, quiet=True)
        assert refused in str(told.value)
    else:
        assert rlenv.evaluate("math/math500-v0", "reference", out=out, env_kwargs=kwargs, quiet=True).there == 2


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


def test_a_training_run_of_another_verifier_is_refused(runs: Path) -> None:
    settings = json.loads((runs / "trained_arithmetic" / "config.json").read_text())
    settings["verifier"] = "boxed-integer-1"
    (runs / "trained_arithmetic" / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ConfigError, match=r"another version: .* --changed-verifier allows it"):
        train(
            config(steps=3),
            ENVS["arithmetic"],
            small_policy(runs),
            runs / "trained_arithmetic",
            resume=True,
            quiet=True,
        )


@pytest.mark.parametrize("name", EPISODES)
def test_a_report_is_written(runs: Path, name: str) -> None:
    assert "pass@1" in str(analyse(runs / name))


@pytest.mark.parametrize("name", EPISODES)
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
