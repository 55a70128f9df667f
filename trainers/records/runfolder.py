"""The folder of a run: opened for this very run, cut back to the checkpoint, given the finished model.

And which settings may change when a run goes on, and why the others may not.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json, line
from rlenv.door.files import opened
from rlenv.door.reading import json_object, plain_json
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.files import append, replace_text, replacing_folder
from rlenv.store.saved_episodes import FILES
from rlenv.store.versions import compared
from rlenv.text.escaping import shown_line
from rlenv.trainers.settings.config import TrainConfig

COMMAND = "command"
"""The key of config.json under which stands what `rlenv train` was given: it decides nothing by itself."""
FILE = "resumed.jsonl"
"""One line for each time that a run went on with other settings: where it stood, and what changed from what."""

MAY_CHANGE = {
    "steps": "how long it goes on",
    "learning_rate": "how far each step goes: lower after a run that diverged",
    "critic_learning_rate": "the same of the critic",
    "max_grad_norm": "how far a step may go",
    "micro_batch_tokens": "memory: results change by rounding alone",
    "generation_batch_tokens": "memory: what is drawn follows from cache_tokens",
    "generators": "who draws: what is drawn is the same",
    "save_every": "when it is saved",
    "keep_checkpoints": "what stays on the disk",
    "keep_best": "what stays on the disk",
    "stall_steps": "when it warns",
    "max_error_share": "when it stops",
    "max_skipped_steps": "when it stops",
    "measure_all": "what is measured",
    "metrics_by": "what is measured",
    "trackers": "where it is shown",
}
"""Settings that a run may be resumed with other values of; what each decides."""

REFUSED = {
    "seed": "every draw follows from it",
    "sampler": "which tasks come follows from it",
    "schedule": "the learning rate would jump",
    "decay_share": "the learning rate would jump",
    "steps": "its schedule counts from the end",
    "env": "other tasks are another run",
    "verifier": "verdicts of two verifiers would be mixed; --set changed_verifier=true allows it",
    "wrappers": "rewards of two kinds would be mixed; --set changed_verifier=true allows it",
    "teacher": "what was learned came from the other",
    "pairs": "what was learned came from the others",
    "cache_tokens": "what is drawn follows from it; generation_batch_tokens sets it",
    "chat_template_kwargs": "prompts would be others",
    "sft": "the warm start is over",
    "sft_steps": "the warm start is over",
    "sft_learning_rate": "the warm start is over",
    "engine": "the saved weights are laid out by it",
    "optimiser": "the saved state is that of the other",
    "algorithm": "the saved state is that of the other",
    "row": "the saved state is that of the other",
}
"""Why a setting may not change; any other: the rollout under way was made with it."""

VERIFIER = ("verifier", "wrappers")


def changes(
    out: Path, config: TrainConfig, old: Mapping[str, Any], new: Mapping[str, Any], *, changed_verifier: bool
) -> dict[str, list[Any]]:
    """What differs between the settings that a run has and is to continue with: name -> [old, new].

    Raises ConfigError, with the reasons, where something differs that may not. A setting that the run was started
    without (by an older version) differs from nothing.
    """
    found = {name: [old[name], value] for name, value in new.items() if name in old and _differs(old[name], value)}
    found.pop(COMMAND, None)
    verdicts = {name: compared(str(new.get("env")), *found[name]) for name in VERIFIER if name in found}
    if not changed_verifier:
        found = {name: values for name, values in found.items() if name not in verdicts or verdicts[name].refused}
        told = "; ".join(change.told for change in verdicts.values() if change.told and not change.refused)
        if told:
            logging.getLogger(__name__).warning("%s", shown_line(f"{out} goes on: {told}"))
    from_the_end = config.falls or config.row.entropy.final_coefficient is not None
    free = {*MAY_CHANGE, *(VERIFIER if changed_verifier else ())} - ({"steps"} if from_the_end else set())
    reasons = {name: change.refused for name, change in verdicts.items()}
    wrong = [_told(name, found[name], reasons.get(name, "")) for name in sorted(found) if name not in free]
    if wrong:
        raise ConfigError(
            f"{out} was started with other settings: {'; '.join(wrong)}; set them back, or use a new folder "
            f"(what may change: {', '.join(name for name in MAY_CHANGE if name in free)})"
        )
    return found


def _differs(old: Any, new: Any) -> bool:
    """Whether a value is another than it was; settings that are new since then do not count.

    >>> _differs({"rank": 1}, {"rank": 1, "sharding": "none"}), _differs({"rank": 1}, {"rank": 2})
    (False, True)
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return any(name not in new or _differs(value, new[name]) for name, value in old.items())
    return bool(old != new)


def write_down(out: Path, step: int, optimiser_steps: int, changed: Mapping[str, list[Any]]) -> None:
    """Keep a record of what changed, and from which optimiser step on."""
    if changed:
        append(out / FILE, [line({"step": step, "optimiser_steps": optimiser_steps, "changed": dict(changed)})])


def _told(name: str, values: Sequence[Any], change: str) -> str:
    old, new = values
    differ = (
        f" was {old!r}, is {new!r}" if not isinstance(new, dict | list) and not isinstance(old, dict | list) else ""
    )
    reason = REFUSED.get(name, "the rollout under way was made with it")
    return f"{name}{differ} ({f'{change}: ' if change else ''}{reason})"


BEST = "best"
"""The folder of the best policy so far: by the gold where a monitor measures one there, else by training rewards."""
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
