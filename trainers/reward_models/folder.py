"""The folder of such a run: config, checkpoints, metrics, the finished scorer under `model`, a report."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

from rlenv.errors import ConfigError, RunError
from rlenv.jsontypes import Json
from rlenv.trainers.reward_models.config import FitConfig

MODEL = "model"


def open_run(out: Path, settings: Mapping[str, Json], *, resume: bool) -> None:
    """Make the folder, or make sure that it holds this very run. Raises RunError and ConfigError."""
    file = out / "config.json"
    values = json.loads(json.dumps(dict(settings)))
    if file.exists():
        if not resume:
            raise RunError(f"{out} already holds a run; resume it (--resume) or choose another folder")
        old = json.loads(file.read_text())
        changed = sorted(key for key in values if key != "save_every" and old.get(key) != values[key])
        if changed:
            raise ConfigError(f"{out} was started with other settings ({', '.join(changed)}); use a new folder")
    out.mkdir(parents=True, exist_ok=True)
    temporary = out / "config.tmp"
    temporary.write_text(json.dumps(values, indent=2, sort_keys=True) + "\n")
    temporary.replace(file)


def in_one_piece(folder: Path, write: Callable[[Path], None]) -> None:
    """Write a folder beside its place and move it there: a kill leaves the whole of it or nothing."""
    temporary = folder.with_name(folder.name + ".tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    write(temporary)
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def write_scorer(
    folder: Path,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    config: FitConfig,
    spec: Mapping[str, Json],
) -> None:
    """Weights (adapters merged), tokenizer and scorer.json."""
    merge = getattr(model, "merge_and_unload", None)  # of a model with adapters
    whole = model if merge is None else cast("PreTrainedModel", merge())
    whole.to(getattr(torch, config.saved_dtype))
    logging.disable_progress_bar()
    whole.save_pretrained(folder)
    logging.enable_progress_bar()
    tokenizer.save_pretrained(folder)
    write_spec(folder, {**spec, "max_length": config.max_length})


def write_spec(folder: Path, spec: Mapping[str, Json]) -> None:
    """scorer.json, by which `rlenv.scorers.load` knows what the folder holds."""
    (folder / "scorer.json").write_text(json.dumps(dict(spec), indent=2) + "\n")


def run_settings(config: FitConfig, base: str, rows: object) -> dict[str, Json]:
    """What decides a run: its config, its base, and a hash of its rows."""
    fingerprint = hashlib.blake2b(repr(rows).encode(), digest_size=8).hexdigest()
    return {**asdict(config), "base": base, "rows": fingerprint}
