"""Which settings of a run may change when it goes on, and why the others may not."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import line
from rlenv.store.files import append
from rlenv.store.versions import compared
from rlenv.text.escaping import shown_line
from rlenv.trainers.settings.config import TrainConfig

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
    "verifier": "verdicts of two verifiers would be mixed; --changed-verifier allows it",
    "wrappers": "rewards of two kinds would be mixed; --changed-verifier allows it",
    "teacher": "what was learned came from the other",
    "pairs": "what was learned came from the others",
    "cache_tokens": "what is drawn follows from it; --generation-batch-tokens sets it",
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
