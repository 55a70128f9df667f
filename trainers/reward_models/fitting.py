"""What both trainings share: their folder, and what they ask of the trainer of transformers.

The folder holds config, checkpoints that are whole, metrics, the finished scorer under `model`, a report.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PrinterCallback,
    ProgressCallback,
    Trainer,
    TrainerCallback,
)
from transformers.trainer_callback import TrainerControl, TrainerState
from transformers.training_args import TrainingArguments

from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json, line
from rlenv.door.hub import no_progress_bars
from rlenv.door.reading import json_object
from rlenv.evaluation.progress import Advance, progress
from rlenv.store.files import replace_text, replacing_folder
from rlenv.store.folder_lock import run_folder
from rlenv.trainers.reward_models.config import FitConfig

MODEL = "model"


@contextmanager
def open_run(out: Path, config: FitConfig, base: str, rows: object, *, resume: bool) -> Iterator[None]:
    """Hold the folder, newly made or that of this very config, base and rows. Raises RunError and ConfigError."""
    file = out / "config.json"
    if resume and not file.exists():
        raise RunError(f"{out} holds no run to continue with; check the folder, or leave --resume out to start one")
    with run_folder(out, "continue with --resume"):
        fingerprint = hashlib.blake2b(repr(rows).encode(), digest_size=8).hexdigest()
        values = json.loads(json.dumps({**asdict(config), "base": base, "rows": fingerprint}))
        if file.exists():
            old = json_object(file)
            if not resume:
                raise RunError(f"{out} already holds a run; resume it (--resume) or choose another folder")
            changed = sorted(key for key in values if key != "save_every" and old.get(key) != values[key])
            if changed:
                raise ConfigError(f"{out} was started with other settings ({', '.join(changed)}); use a new folder")
        replace_text(file, json.dumps(values, indent=2, sort_keys=True) + "\n")
        yield


def write_spec(folder: Path, spec: Mapping[str, Json]) -> None:
    """scorer.json, by which `rlenv.scorers.load` knows what the folder holds."""
    replace_text(folder / "scorer.json", json.dumps(dict(spec), indent=2) + "\n")


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
    args: TrainingArguments = trainer.args
    a_pass = max(1, len(trainer.get_train_dataloader()) // args.gradient_accumulation_steps)
    steps = args.max_steps if args.max_steps > 0 else int(np.ceil(a_pass * args.num_train_epochs))
    with progress(title, steps, done, quiet=quiet) as advance:
        trainer.add_callback(_Progress(advance))
        trainer.train(resume_from_checkpoint=None if newest is None else str(newest))
    log = [{"step": row["step"], **row} for row in trainer.state.log_history]
    replace_text(folder / "metrics.jsonl", "".join(map(line, log)))
    return cast("PreTrainedModel", trainer.model)


def newest_checkpoint(folder: Path) -> Path | None:
    """The checkpoint with the most steps of those that were written to their end."""
    whole = [path.parent for path in folder.glob(f"checkpoint-*/{WHOLE}")]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def fit_scorer(
    folder: Path,
    training: Path,
    trainer: Callable[[], Trainer],
    config: FitConfig,
    spec: Mapping[str, Json],
    title: str,
    *,
    quiet: bool,
) -> None:
    """Fit what `trainer` makes, with checkpoints in `training`; the folder: weights, tokenizer and scorer.json."""
    with own_randomness():
        made = trainer()
        model = fit(made, training, f"{title}, seed {config.seed}", quiet=quiet)
    merge = getattr(model, "merge_and_unload", None)  # of a model with adapters
    whole = model if merge is None else cast("PreTrainedModel", merge())
    with replacing_folder(folder) as place:
        with no_progress_bars():
            whole.save_pretrained(place)
        cast("PreTrainedTokenizerBase", made.processing_class).save_pretrained(place)
        write_spec(place, {**spec, "max_length": config.max_length})
    shutil.rmtree(training / "checkpoints", ignore_errors=True)


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
