"""The folder of a run: opened for this very run, cut back to the checkpoint, given the finished model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rlenv.core.errors import RunError
from rlenv.core.jsontypes import Json
from rlenv.door.files import opened
from rlenv.door.reading import json_object, plain_json
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.files import replace_text, replacing_folder
from rlenv.store.saved_episodes import FILES
from rlenv.trainers.records.resuming import changes
from rlenv.trainers.settings.config import TrainConfig

CONFIG = "config.json"
EVIDENCE = "evidence.json"
GROWING = (*FILES, "metrics.jsonl", "alarms.jsonl")
"""The files that a run appends to; what was written behind the last checkpoint is written again."""


def write_evidence(out: Path, lines: Sequence[str]) -> None:
    """What detectors asked and found about the environment; no file where they asked nothing."""
    if lines:
        replace_text(out / EVIDENCE, json.dumps(list(lines), indent=2) + "\n")


def read_evidence(out: Path) -> list[str]:
    """What `write_evidence` wrote; empty where it wrote nothing."""
    path = out / EVIDENCE
    found = plain_json(path) if path.exists() else []
    return [str(each) for each in found] if isinstance(found, list) else []


def holds_run(out: Path) -> bool:
    """Whether a training run was started in this folder."""
    return (out / CONFIG).exists()


def open_folder(
    out: Path, config: TrainConfig, others: Mapping[str, Any], *, resume: bool, changed_verifier: bool = False
) -> dict[str, list[Any]]:
    """Make the run folder, or make sure that it holds this very run; returns what may change and did: [old, new].

    `others` is what decides the run beside the config. Raises RunError and ConfigError.
    """
    if not holds_run(out):
        if resume:
            raise RunError(f"{out} holds no run to continue with; check the folder, or leave --resume out to start one")
        out.mkdir(parents=True, exist_ok=True)
        write_config(out, config, others)
        return {}
    if not resume:
        raise RunError(f"{out} already holds a run; resume it (resume=True, --resume) or choose another folder")
    return changes(out, config, _read(out), settings(config, others), changed_verifier=changed_verifier)


def write_config(out: Path, config: TrainConfig, others: Mapping[str, Any]) -> None:
    """What the run is made with from here on."""
    replace_text(out / CONFIG, json.dumps(settings(config, others), indent=2, sort_keys=True) + "\n")


def settings(config: TrainConfig, others: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that decides a run, as config.json holds it."""
    found: dict[str, Any] = json.loads(json.dumps({**asdict(config), **others}))
    return found


def _read(out: Path) -> dict[str, Any]:
    found = json_object(out / CONFIG)
    if "row" not in found:
        raise RunError(f"{out} is not the folder of a training run; choose another folder")
    return found


def sizes(out: Path) -> dict[str, int]:
    """How long each growing file is."""
    return {name: (out / name).stat().st_size if (out / name).exists() else 0 for name in GROWING}


def cut_back(out: Path, sizes: Mapping[str, int]) -> None:
    """Cut the growing files to the lengths of the checkpoint.

    Raises RunError where it names another file, or a length that the file never had.
    """
    for name, size in sizes.items():
        held = (out / name).stat().st_size if name in GROWING and (out / name).exists() else 0
        if name not in GROWING or not isinstance(size, int) or not 0 <= size <= held:
            raise RunError(
                f"{out}: its checkpoint cuts {name!r} to {size!r} bytes, which are not those of a run's own file; "
                "resume from another checkpoint, or start in a new folder"
            )
    for name, size in sizes.items():
        if size or (out / name).exists():
            with opened(out / name, "ab") as file:
                file.truncate(size)


def save_model(policy: TransformersPolicy, folder: Path, chosen: Mapping[str, Json] | None = None) -> None:
    """Write the model's folder whole, in place of an older one; with what it was chosen by, in chosen.json."""
    with replacing_folder(folder) as place:
        policy.save(place)
        if chosen is not None:
            replace_text(place / "chosen.json", json.dumps(dict(chosen)) + "\n")
