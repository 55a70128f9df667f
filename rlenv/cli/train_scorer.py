"""`rlenv train-rm PAIRS` and `rlenv train-prm LABELS`: a reward model on pairs, a step model on labelled steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlenv.cli.echo import echo
from rlenv.cli.settings import CommandSettings, Schema, configured, said_as
from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.trainers.reward_models.config import RewardModelConfig, StepModelConfig


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What is fitted, and where."""

    model: str = said_as("--model", "-m", default="tiny")
    """What to start from: tiny, a folder, a hub id."""
    resume: bool = said_as("--resume", default=False)
    """Continue the run in this folder."""
    device: str = "auto"
    """Where the model runs: auto or cpu."""
    quiet: bool = said_as("--quiet", "-q", default=False)
    """No progress."""


@dataclass(frozen=True, kw_only=True)
class PairFit(Fit):
    """A reward model on pairs."""

    pairs: str = ""
    """JSONL with prompt, chosen, rejected (and margin)."""
    out: str = "runs/reward-model"
    """The folder of the run."""
    eval_pairs: str | None = None
    """Held-out pairs; without them a share of the prompts is held out."""


@dataclass(frozen=True, kw_only=True)
class StepFit(Fit):
    """A step model on labels."""

    labels: str = ""
    """JSONL with prompt, completions (steps), labels."""
    out: str = "runs/step-model"
    """The folder of the run."""
    eval_labels: str | None = None
    """Held-out rows; without them a share of the prompts is held out."""


SHOWN = ("resume", "epochs", "steps", "batch_size", "learning_rate", "seed", "quiet")


@configured(Schema(PairFit, RewardModelConfig, ("model", "out", "eval_pairs", *SHOWN), "pairs"))
def train_rm(given: CommandSettings[PairFit]) -> None:
    """Train a reward model on pairs (Bradley-Terry). Environments take DIR/model as a scorer.

    rlenv train-rm pairs.jsonl --model tiny --epochs 10 --learning-rate 1e-3 --out runs/rm
    """
    own, config = given.own, given.config
    if not own.pairs:
        raise ConfigError("expected PAIRS: JSONL with prompt, chosen, rejected (and margin).")
    from rlenv.trainers.reward_models.rows import read_preferences

    rows = read_preferences(Path(own.pairs), margin=config.margin)
    held_out = None if own.eval_pairs is None else read_preferences(Path(own.eval_pairs))
    try:
        from rlenv.trainers.reward_models.reward_model import train_reward_model
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "trl") from error
    _fit(train_reward_model, config, rows, held_out, own, Path(own.out))


@configured(Schema(StepFit, StepModelConfig, ("model", "out", "eval_labels", *SHOWN), "labels"))
def train_prm(given: CommandSettings[StepFit]) -> None:
    """Train a process reward model on step labels. Environments take DIR/model as a step scorer.

    rlenv train-prm labels.jsonl --model tiny --epochs 10 --learning-rate 1e-3 --out runs/prm
    """
    own, config = given.own, given.config
    if not own.labels:
        raise ConfigError("expected LABELS: JSONL with prompt, completions (steps), labels.")
    from rlenv.trainers.reward_models.rows import read_step_labels

    rows = read_step_labels(Path(own.labels))
    held_out = None if own.eval_labels is None else read_step_labels(Path(own.eval_labels))
    try:
        from rlenv.trainers.reward_models.step_model import train_step_model
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "trl") from error
    _fit(train_step_model, config, rows, held_out, own, Path(own.out))


def _fit(train: Callable[..., Path], config: Any, rows: object, held_out: object, own: Fit, out: Path) -> None:
    folder = train(
        config, rows, own.model, out, held_out=held_out, resume=own.resume, device=own.device, quiet=own.quiet
    )
    echo(f"report: {out / 'report.md'}\nscorer: {folder}")
