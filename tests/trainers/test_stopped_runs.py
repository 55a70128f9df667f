"""A run that is told to stop finishes its step, is saved, and goes on to the same weights; checkpoints by time."""

import os
import signal
from pathlib import Path

import pytest
import torch
from digits import config, digits, policy

from rlenv.core.errors import ConfigError
from rlenv.store.saved_episodes import read_episodes
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.loop import checkpoint
from rlenv.trainers.loop.checkpoint import Stopped
from rlenv.trainers.loop.trainer import Trainer
from rlenv.trainers.records.logs import read_metrics

ASKED = 16
"""Verdicts in a rollout."""


def settings(**given: object) -> TrainConfig:
    return config(**{"epochs": 2, "minibatches": 2, "algorithm": "ppo", "warmup_steps": 0, **given})


AT: dict[int, int] = {}
"""At which verdict, counted from 0, this process gets which signal."""


def verifier(completion: str, answer: str) -> bool:
    """Sends the signals that are due."""
    number = AT.pop(0, None)
    later = {place - 1: known for place, known in AT.items()}
    AT.clear()
    AT.update(later)
    if number is not None:
        os.kill(os.getpid(), number)
    return completion == answer


def weights(out: Path) -> bytes:
    return (out / "model" / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("alone")
    train(settings(), digits(verifier), policy(), out, quiet=True)
    return out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_the_step_finish_and_the_run_goes_on_to_the_same_weights(
    number: int, alone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(number)
    AT[2 * ASKED + 3] = number
    with pytest.raises(Stopped, match="stopped after rollout 2 of 4") as told:
        train(settings(), digits(verifier), policy(), tmp_path)
    assert told.value.number == number
    assert signal.getsignal(number) is before
    assert len(read_metrics(tmp_path / "metrics.jsonl")) == 2
    capsys.readouterr()
    train(settings(), digits(verifier), policy(), tmp_path, resume=True)
    assert capsys.readouterr().err.splitlines()[0] == "continuing from rollout 2 of 4"
    assert weights(tmp_path) == weights(alone)
    assert [e.to_json() for e in read_episodes(tmp_path)] == [e.to_json() for e in read_episodes(alone)]


def test_a_second_signal_ends_at_once_and_the_run_goes_on_from_the_checkpoint(alone: Path, tmp_path: Path) -> None:
    AT.update({ASKED + 3: signal.SIGINT, ASKED + 4: signal.SIGTERM})
    with pytest.raises(Stopped, match="in the middle") as told:
        train(settings(save_every=4), digits(verifier), policy(), tmp_path, quiet=True)
    assert told.value.number == signal.SIGTERM
    train(settings(save_every=4), digits(verifier), policy(), tmp_path, resume=True, quiet=True)
    assert weights(tmp_path) == weights(alone)


def test_a_signal_in_the_last_rollout_changes_nothing(tmp_path: Path) -> None:
    made = settings(epochs=1, minibatches=1, steps=1)
    AT[ASKED - 1] = signal.SIGINT
    train(made, digits(verifier), policy(), tmp_path, quiet=True)
    assert (tmp_path / "model" / "config.json").exists()


def test_checkpoints_come_by_time_as_well_as_by_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr("rlenv.trainers.loop.store.time.monotonic", lambda: clock)
    trainer = Trainer(config(steps=8, save_every="3,5m"), digits(verifier), policy(), tmp_path, quiet=True)
    saved = []
    for _ in range(8):
        clock += 100.0
        trainer.step()
        saved.append(checkpoint.load(tmp_path / checkpoint.FILE, torch.device("cpu"))["position"]["step"])
    trainer.close()
    assert saved == [0, 0, 3, 3, 3, 6, 6, 6]
    (tmp_path / "by time").mkdir()
    trainer = Trainer(config(steps=8, save_every="3m"), digits(verifier), policy(), tmp_path / "by time", quiet=True)
    saved = []
    for _ in range(4):
        clock += 100.0
        trainer.step()
        saved.append(checkpoint.load(tmp_path / "by time" / checkpoint.FILE, torch.device("cpu"))["position"]["step"])
    trainer.close()
    assert saved == [0, 2, 2, 4]


@pytest.mark.parametrize("every", [0, "0m", "m", "5d", "", "50,", "-1", "1.5m"])
def test_what_is_neither_steps_nor_a_time_is_refused(every: int | str) -> None:
    with pytest.raises(ConfigError, match="save_every of 1 step or more, or a time"):
        config(save_every=every)


def test_the_best_policy_is_the_same_after_a_stop(tmp_path: Path) -> None:
    made = config(steps=6, save_every=3, keep_best=True, learning_rate=5e-3)
    train(made, digits(verifier), policy(), tmp_path / "alone", quiet=True)
    AT[ASKED + 1] = signal.SIGINT
    with pytest.raises(Stopped):
        train(made, digits(verifier), policy(), tmp_path / "stopped", quiet=True)
    train(made, digits(verifier), policy(), tmp_path / "stopped", quiet=True, resume=True)
    chosen = [(tmp_path / name / "best" / "chosen.json").read_text() for name in ("alone", "stopped")]
    assert chosen[0] == chosen[1]
