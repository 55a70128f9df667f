"""Metrics reach trackers and the terminal, step by step, and the end of a run says what became of its reward."""

import sys
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from accelerate.tracking import LOGGER_TYPE_TO_CLASS  # type: ignore[import-untyped]
from digits import config, digits, policy
from rich.console import Console

from rlenv.core.errors import ConfigError
from rlenv.store.saved_episodes import read_episodes
from rlenv.store.trackers import ID_FILE, TRACKERS, open_trackers
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.records.logs import PAGE, Display
from rlenv.trainers.records.report import outcome


class Recorder(ModuleType):
    """Stands for a tracker's package: it keeps what it is told."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.started: list[dict[str, Any]] = []
        self.logged: list[tuple[int, dict[str, float]]] = []
        self.tables: list[tuple[int, Any]] = []
        self.settings: dict[str, Any] = {}
        self.finished = 0
        self.config = SimpleNamespace(update=lambda values, **_: self.settings.update(values))

    def init(self, **values: Any) -> "Recorder":
        self.started.append(values)
        return self

    def Table(self, columns: list[str], data: list[list[Any]], dataframe: None = None) -> list[list[Any]]:
        return [columns, *data]

    def log(self, values: dict[str, Any], step: int) -> None:
        if "completions" in values:
            self.tables.append((step, values["completions"]))
        else:
            self.logged.append((step, values))

    def finish(self) -> None:
        self.finished += 1


@pytest.mark.parametrize("name", ["wandb"])
def test_a_tracker_sees_every_rollout_and_goes_on_under_its_id(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Recorder(name)
    monkeypatch.setitem(sys.modules, name, package)
    for steps in (2, 3):
        settings = config(steps=steps, groups=2, group_size=2, trackers=f"tensorboard,{name}")
        train(settings, digits(), policy(), tmp_path / "run", resume=steps == 3, quiet=True)
    assert [step for step, _ in package.logged] == [0, 1, 2]
    assert all("reward" in values for _, values in package.logged)
    [(step, (columns, *rows))] = package.tables  # of the first rollout; the next is that of the 25th
    episodes = list(read_episodes(tmp_path / "run"))[:4]
    assert (step, [row[columns.index("reward")] for row in rows]) == (0, [e.verdict.reward for e in episodes])
    assert package.finished == 2
    assert package.settings["group_size"] == 2
    assert [(start["project"], start["name"], start["resume"]) for start in package.started] == [
        ("rlenv", "run", "allow")
    ] * 2
    if name == "wandb":
        assert [start["id"] for start in package.started] == [(tmp_path / "run" / ID_FILE).read_text().strip()] * 2
    assert any((tmp_path / "run" / "tensorboard").iterdir())


def test_a_tracker_that_is_not_installed_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ConfigError, match="pip install wandb"):
        train(config(steps=1, trackers="wandb"), digits(), policy(), tmp_path, quiet=True)


def test_a_run_can_do_without_any(tmp_path: Path) -> None:
    train(config(steps=1, groups=2, group_size=2, trackers="none"), digits(), policy(), tmp_path, quiet=True)
    assert not (tmp_path / "tensorboard").exists()
    with pytest.raises(ConfigError, match="swanlab, aim or none, got 'neptune'"):
        TrainConfig(trackers="neptune")


def test_every_tracker_that_accelerate_knows_has_its_name_here() -> None:
    assert set(TRACKERS) == set(LOGGER_TYPE_TO_CLASS)
    assert TrainConfig(trackers="mlflow, comet_ml").trackers == "mlflow, comet_ml"


@pytest.mark.parametrize("name", ["mlflow", "comet_ml"])
def test_of_every_other_one_accelerate_takes_the_settings_and_its_package_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=f"pip install {name.replace('_', '-')}"):
        open_trackers([name], tmp_path, 0, {})


def shown(display: Display) -> str:
    """What stands below the progress bar now."""
    console = Console(file=StringIO(), width=120)
    for part in display._progress.get_renderables():
        console.print(part)
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


def test_the_table_shows_the_last_rollout_and_keeps_a_gold_until_it_is_measured_again() -> None:
    display = Display("grpo", 10)
    display.update(1, "", {"reward": 0.25, "gold/reward": 0.125, "kl": 0.5, "num_tokens": 100.0, "step_time": 2.0})
    display.update(2, "", {"reward": 0.75, "entropy": float("nan"), "num_tokens": 400.0, "step_time": 2.0})
    text = shown(display)
    assert all(label in text for label in ("reward", "gold", "kl", "tokens/s"))
    assert all(value in text for value in ("0.75", "0.125", "0.5", "150"))
    assert "0.25" not in text
    assert "entropy" not in text


def test_the_last_alarms_stand_below_the_table_and_cannot_command_the_terminal() -> None:
    display = Display("grpo", 10)
    for i in range(5):
        display.warn(f"alarm {i} \x1b[2J[red]")
    text = shown(display)
    assert [f"alarm {i}" in text for i in range(5)] == [False, False, True, True, True]
    assert "\x1b" not in text
    assert "[red]" in text


def test_elsewhere_than_on_a_terminal_there_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("grpo", 2) as display:
        display.update(1, "reward 0.250", {"reward": 0.25})
        display.update(2, "reward 0.500", {"reward": 0.5})
    assert capsys.readouterr().err.splitlines() == ["grpo 1/2 reward 0.250", "grpo 2/2 reward 0.500"]


def run(*rewards: float) -> list[dict[str, float]]:
    return [{"reward": reward} for reward in rewards]


NOISE = np.random.default_rng(0).normal(0, 0.1, 40)


@pytest.mark.parametrize(
    ("rewards", "told"),
    [
        ([0.0] * 10, "the reward did not rise: 0 +- 0 in the first 5 rollouts, 0 +- 0 in the last 5"),
        (0.3 + NOISE, "the reward did not rise"),
        ([0.9] * 5 + [0.1] * 5, "the reward fell: 0.9 +- 0 in the first 5 rollouts, 0.1 +- 0 in the last 5"),
        (np.linspace(0.6, 0.2, 80), "the reward fell: 0.582"),
        (np.linspace(0, 0.8, 20), "the reward rose: 0.084"),
        ([0.1] * 10 + [0.2] * 10, "the reward rose: 0.1 +- 0"),
        ([0.98, 0.97] * 40, "solved: reward 0.975 +- 0.0045 in the first 8 rollouts, 0.975"),
        (np.linspace(0, 1, 60), "solved: reward 0.0424"),
        ([1.0] * 10 + [0.96] * 10, "the reward fell"),
    ],
)
def test_the_end_of_a_run_is_told_from_its_beginning_by_intervals(rewards: list[float], told: str) -> None:
    said = outcome(run(*rewards))
    assert said.startswith(told)
    assert said.endswith(PAGE) == ("fell" in told or "not rise" in told)


def test_a_run_that_is_too_short_or_has_no_reward_is_left_alone() -> None:
    assert outcome(run(*[0.0] * 9)) == outcome([]) == outcome([{"loss": 1.0}] * 30) == ""
