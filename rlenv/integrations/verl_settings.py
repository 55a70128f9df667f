"""What of verl's settings our reward manager depends on, told before the run and not in the middle of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import read_json


def check_settings(config: Any) -> None:
    """Raise ConfigError where the members of a group would wait for others that never come."""
    if config.actor_rollout_ref.rollout.n == 1:
        return
    workers = config.reward.get("num_workers", 1)
    if workers != 1:
        raise ConfigError(
            f"expected reward.num_workers=1, got {workers}: verl deals the samples of a group out to its workers at "
            "random, and a group must be judged whole; the checkers have processes of their own"
        )
    algorithm = config.get("algorithm") or {}
    if str(algorithm.get("adv_estimator", "")).lower() == "remax":
        raise ConfigError("remax adds a greedy sample to each group; take grpo, rloo or another, or rollout.n=1")
    data = config.get("data") or {}
    shared = _files(data.get("train_files")) & _files(data.get("val_files"))
    if shared:
        raise ConfigError(
            f"{', '.join(sorted(shared))} is the file of training and of validation, whose groups differ; "
            "write one for validation with to_verl(..., split='val')"
        )


def _files(given: Any) -> set[str]:
    return set() if not given else {str(given)} if isinstance(given, str) else {str(file) for file in given}


def end_ids(config: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a completion: the tokenizer's, and those of the model's generation_config.json."""
    found = {tokenizer.eos_token_id}
    written = Path(str(config.actor_rollout_ref.model.get("path") or "")) / "generation_config.json"
    if written.is_file():
        settings = read_json(written.read_text(encoding="utf-8"))
        more = settings.get("eos_token_id") if isinstance(settings, dict) else None
        found |= set(more) if isinstance(more, list) else {more}
    return frozenset(int(i) for i in found if i is not None)
