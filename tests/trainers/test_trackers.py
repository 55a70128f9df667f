"""Metrics reach the trackers that were asked for, step by step; a missing one says what to install."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from digits import config, digits, policy

from rlenv.core.errors import ConfigError
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.records.trackers import ID_FILE


class Recorder(ModuleType):
    """Stands for a tracker's package: it keeps what it is told."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.started: list[dict[str, Any]] = []
        self.logged: list[tuple[int, dict[str, float]]] = []
        self.settings: dict[str, Any] = {}
        self.finished = 0
        self.config = SimpleNamespace(update=lambda values, **_: self.settings.update(values))

    def init(self, **values: Any) -> "Recorder":
        self.started.append(values)
        return self

    def log(self, values: dict[str, float], step: int) -> None:
        self.logged.append((step, values))

    def finish(self) -> None:
        self.finished += 1


@pytest.mark.parametrize("name", ["wandb", "trackio"])
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
    with pytest.raises(ConfigError, match="tensorboard, wandb, trackio or none, got 'mlflow'"):
        TrainConfig(trackers="mlflow")
