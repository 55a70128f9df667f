"""The folder of such a run: config, checkpoints, metrics, the finished scorer under `model`, a report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import cast

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json
from rlenv.door.hub import no_progress_bars
from rlenv.door.reading import json_object
from rlenv.store.files import replace_text
from rlenv.store.folder_lock import run_folder
from rlenv.trainers.reward_models.config import FitConfig

MODEL = "model"


@contextmanager
def open_run(out: Path, settings: Mapping[str, Json], *, resume: bool) -> Iterator[None]:
    """Hold the folder, newly made or found to be that of this very run. Raises RunError and ConfigError."""
    file = out / "config.json"
    if resume and not file.exists():
        raise RunError(f"{out} holds no run to continue with; check the folder, or leave --resume out to start one")
    with run_folder(out, "continue with --resume"):
        values = json.loads(json.dumps(dict(settings)))
        if file.exists():
            _check_same(out, json_object(file), values, resume=resume)
        replace_text(file, json.dumps(values, indent=2, sort_keys=True) + "\n")
        yield


def _check_same(out: Path, old: Mapping[str, Json], values: Mapping[str, Json], *, resume: bool) -> None:
    if not resume:
        raise RunError(f"{out} already holds a run; resume it (--resume) or choose another folder")
    changed = sorted(key for key in values if key != "save_every" and old.get(key) != values[key])
    if changed:
        raise ConfigError(f"{out} was started with other settings ({', '.join(changed)}); use a new folder")


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
    with no_progress_bars():
        whole.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    write_spec(folder, {**spec, "max_length": config.max_length})


def write_spec(folder: Path, spec: Mapping[str, Json]) -> None:
    """scorer.json, by which `rlenv.scorers.load` knows what the folder holds."""
    replace_text(folder / "scorer.json", json.dumps(dict(spec), indent=2) + "\n")


def run_settings(config: FitConfig, base: str, rows: object) -> dict[str, Json]:
    """What decides a run: its config, its base, and a hash of its rows."""
    fingerprint = hashlib.blake2b(repr(rows).encode(), digest_size=8).hexdigest()
    return {**asdict(config), "base": base, "rows": fingerprint}
