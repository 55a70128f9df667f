"""TRL's real GRPOTrainer on a CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

# TRL 1.16 asks transformers for an attribute by its old name.
MARKS = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:`(is_)?gradient_checkpointing` is deprecated:FutureWarning"),
]


def offline(patch: pytest.MonkeyPatch) -> None:
    """No network, and no word on what is experimental."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "TRL_EXPERIMENTAL_SILENCE"):
        patch.setenv(name, "1")


def trainer(policy: Any, given: Any, folder: Path, group_size: int, **changes: Any) -> Any:
    """A trainer of this policy on what `to_trl` gave; changes are keywords of it, or of its configuration."""
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    ours = {"reward_funcs": given.reward_func, "train_dataset": given.train_dataset}
    ours |= {name: changes.pop(name) for name in ("reward_funcs", "environment_factory") if name in changes}
    if "environment_factory" not in ours:
        ours["rollout_func"] = given.rollout_func
    settings = {
        "output_dir": str(folder),
        "per_device_train_batch_size": group_size,
        "num_generations": group_size,
        "logging_steps": 1,
        "report_to": "none",
        "save_strategy": "no",
        "bf16": False,
        "gradient_checkpointing": False,
        "use_cpu": True,
        "dataloader_pin_memory": False,
        "disable_tqdm": True,
        **changes,
    }
    return GRPOTrainer(model=policy.model, processing_class=policy.tokenizer, args=GRPOConfig(**settings), **ours)
