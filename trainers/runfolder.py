"""The folder of a run: opened for this very run, cut back to the checkpoint, given the finished model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rlenv.episode import Episode
from rlenv.errors import ConfigError, RunError
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.config import TrainConfig

GROWING = ("episodes.jsonl", "metrics.jsonl", "alarms.jsonl")
"""The files that a run appends to; what was written behind the last checkpoint is written again."""


def open_folder(out: Path, config: TrainConfig, others: Mapping[str, Any], *, resume: bool) -> None:
    """Make the run folder, or make sure that it holds this very run; its length may change.

    `others` is what decides the run beside the config. Raises RunError and ConfigError.
    """
    values = json.loads(json.dumps({**asdict(config), **others}))
    file = out / "config.json"
    if file.exists():
        if not resume:
            raise RunError(f"{out} already holds a run; resume it (resume=True, --resume) or choose another folder")
        old = json.loads(file.read_text())
        from_the_end = config.decay_share or config.row.entropy.final_coefficient is not None
        free = {"save_every", "trackers"} if from_the_end else {"save_every", "trackers", "steps"}
        changed = sorted(key for key in values if old.get(key) != values[key] and key not in free)
        if changed:
            raise ConfigError(
                f"{out} was started with other settings ({', '.join(changed)}); set them back, or use a new folder"
            )
    out.mkdir(parents=True, exist_ok=True)
    temporary = out / "config.tmp"
    temporary.write_text(json.dumps(values, indent=2, sort_keys=True) + "\n")
    temporary.replace(file)


def sizes(out: Path) -> dict[str, int]:
    """How long each growing file is."""
    return {name: (out / name).stat().st_size if (out / name).exists() else 0 for name in GROWING}


def cut_back(out: Path, sizes: Mapping[str, int]) -> None:
    """Cut the growing files to the lengths of the checkpoint."""
    for name, size in sizes.items():
        if size or (out / name).exists():
            with (out / name).open("ab") as file:
                file.truncate(size)


def save_model(policy: TransformersPolicy, folder: Path) -> None:
    """Write the model's folder whole, in place of an older one."""
    temporary = folder.with_name(folder.name + ".tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    policy.save(temporary)
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def episodes_since(out: Path, offset: int) -> list[Episode]:
    """The episodes of the rollout under way: those behind this byte of episodes.jsonl."""
    with (out / "episodes.jsonl").open("rb") as file:
        file.seek(offset)
        return [Episode.from_json(json.loads(text)) for text in file.read().splitlines()]
