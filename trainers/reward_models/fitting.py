"""What both trainings ask of the trainer of transformers: arguments, checkpoints that are whole, a log, resuming."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from transformers import PreTrainedModel, PrinterCallback, ProgressCallback, Trainer, TrainerCallback
from transformers.trainer_callback import TrainerControl, TrainerState
from transformers.training_args import TrainingArguments

from rlenv.core.jsontypes import line
from rlenv.evaluation.progress import Advance, progress
from rlenv.store.files import replace_text
from rlenv.trainers.reward_models.config import FitConfig

CHECKPOINTING = min(
    {"activation_checkpointing", "gradient_checkpointing"} & {f.name for f in fields(TrainingArguments)}
)
"""What this version of transformers calls what TRL turns on by itself and a small model has no use for."""
WHOLE = "whole"
"""The file that says that a checkpoint was written to its end."""


def arguments(config: FitConfig, folder: Path, device: str) -> dict[str, Any]:
    """Arguments of the trainer: float32, no reports to anybody, the newest two checkpoints kept."""
    micro = config.micro_batch_size or config.batch_size
    return {
        "output_dir": str(folder / "checkpoints"),
        "num_train_epochs": config.epochs,
        "max_steps": config.steps or -1,
        "per_device_train_batch_size": micro,
        "gradient_accumulation_steps": config.batch_size // micro,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": "linear",
        "warmup_steps": config.warmup_share,  # below 1 it is a share
        "weight_decay": config.weight_decay,
        "seed": config.seed,
        "save_steps": config.save_every,
        "save_total_limit": 2,
        "logging_steps": 10,
        "report_to": "none",
        "disable_tqdm": True,
        "bf16": False,
        CHECKPOINTING: False,
        "dataloader_pin_memory": torch.cuda.is_available() and device != "cpu",
        "use_cpu": device == "cpu",
    }


def fit(trainer: Trainer, folder: Path, title: str, *, quiet: bool) -> PreTrainedModel:
    """Train to the end, from the newest whole checkpoint if there is one; returns the model, and leaves metrics.jsonl.

    A checkpoint that a kill left half written is passed over.
    """
    trainer.remove_callback(PrinterCallback)
    trainer.remove_callback(ProgressCallback)
    trainer.add_callback(_MarkWhole())
    newest = newest_checkpoint(folder / "checkpoints")
    done = 0 if newest is None else int(newest.name.rpartition("-")[2])
    with progress(title, planned_steps(trainer), done, quiet=quiet) as advance:
        trainer.add_callback(_Progress(advance))
        trainer.train(resume_from_checkpoint=None if newest is None else str(newest))
    log = [{"step": row["step"], **row} for row in trainer.state.log_history]
    replace_text(folder / "metrics.jsonl", "".join(map(line, log)))
    return cast("PreTrainedModel", trainer.model)


def planned_steps(trainer: Trainer) -> int:
    """Optimiser steps of the whole run."""
    args: TrainingArguments = trainer.args
    a_pass = max(1, len(trainer.get_train_dataloader()) // args.gradient_accumulation_steps)
    return args.max_steps if args.max_steps > 0 else int(np.ceil(a_pass * args.num_train_epochs))


def newest_checkpoint(folder: Path) -> Path | None:
    """The checkpoint with the most steps of those that were written to their end."""
    whole = [path.parent for path in folder.glob(f"checkpoint-*/{WHOLE}")]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def drop_checkpoints(folder: Path) -> None:
    """Remove the checkpoints of a run whose model is written."""
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)


@contextmanager
def own_randomness() -> Iterator[None]:
    """Give back the global random states, which the trainer of transformers seeds."""
    python, arrays = random.getstate(), np.random.get_state()
    with torch.random.fork_rng():
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(arrays)


class _MarkWhole(TrainerCallback):
    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        (Path(str(args.output_dir)) / f"checkpoint-{state.global_step}" / WHOLE).touch()


class _Progress(TrainerCallback):
    def __init__(self, advance: Advance) -> None:
        self._advance = advance

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        losses = [row["loss"] for row in state.log_history if "loss" in row]
        self._advance(1, f"loss {losses[-1]:.3f}" if losses else "")
