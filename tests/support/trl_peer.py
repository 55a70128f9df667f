"""TRL's own losses on tensors of ours, and TRL's own trainer on rollouts of ours."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import torch

from rlenv.policies.transformers import TransformersPolicy

T = TypeVar("T")
Tensors = dict[str, torch.Tensor]


class _Alone:
    """An accelerator of one process."""

    num_processes = 1
    sync_gradients = True

    def gather(self, value: torch.Tensor) -> torch.Tensor:
        return value

    def pad_across_processes(self, value: torch.Tensor, dim: int, pad_index: float) -> torch.Tensor:
        return value

    def reduce(self, value: torch.Tensor, reduction: str = "sum") -> torch.Tensor:
        return value


def _returning(logprobs: torch.Tensor, entropies: torch.Tensor) -> Callable[..., Any]:
    def scored(*_: object, **__: object) -> tuple[torch.Tensor, torch.Tensor, None]:
        return logprobs, entropies, None

    return scored


def gmpo_loss(given: Tensors, low: float, high: float) -> tuple[torch.Tensor, torch.Tensor]:
    """GMPOTrainer._compute_loss with its clip in logs, as grpo_loss."""
    from trl.experimental.gmpo.gmpo_trainer import GMPOTrainer

    return grpo_loss(given, GMPOTrainer, loss_type="grpo", epsilon_low=low, epsilon_high=high)


def grpo_loss(
    given: Tensors, trainer: Any = None, *, loss_type: str, learned: dict[str, float] | None = None, **settings: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """GRPOTrainer._compute_loss: the loss and its gradient with respect to the log-probs. (), (B, T)

    `given` holds mask, logprobs, old_logprobs, advantages (B,), and ref_logprobs and entropies where they are used.
    `learned` takes what the adaptive entropy coefficient and the last entropy are after it.
    """
    from trl.trainer.grpo_trainer import GRPOTrainer

    defaults: dict[str, Any] = {
        "loss_type": loss_type,
        "beta": 0.0,
        "epsilon_low": 0.2,
        "epsilon_high": 0.2,
        "importance_sampling_level": "token",
        "max_completion_length": 16,
        "entropy_coef": 0.0,
        "delta": None,
        "use_bias_correction_kl": True,
        "top_entropy_quantile": 1.0,
        "use_adaptive_entropy": False,
        "_last_world_entropy": 0.0,
    }
    chosen = {**defaults, **settings}
    logprobs = given["logprobs"].clone().requires_grad_()
    ones = torch.ones_like(given["mask"])
    stub: Any = SimpleNamespace(
        **chosen,
        args=SimpleNamespace(**{name: value for name, value in chosen.items() if name[0] != "_"}),
        _get_per_token_logps_and_entropies=_returning(logprobs, given.get("entropies", ones)),
        _entropy_bonus_enabled=chosen["entropy_coef"] > 0 or chosen["use_adaptive_entropy"],
        _entropy_window_stats=None,
        _metrics=defaultdict(lambda: defaultdict(list)),
        accelerator=_Alone(),
        aux_loss_enabled=False,
        current_gradient_accumulation_steps=1,
        model=SimpleNamespace(training=True),
        off_policy_mask_threshold=None,
        use_vllm=False,
        vllm_importance_sampling_correction=False,
    )
    stub.args.steps_per_generation = 1
    stub.get_high_entropy_mask = partial(GRPOTrainer.get_high_entropy_mask, stub)
    inputs = {
        "prompt_ids": torch.ones(len(ones), 1, dtype=torch.long),
        "prompt_mask": torch.ones(len(ones), 1, dtype=torch.long),
        "completion_ids": ones.long(),
        "completion_mask": ones,
        "tool_mask": given["mask"],
        "advantages": given["advantages"],
        "old_per_token_logps": given["old_logprobs"],
        "ref_per_token_logps": given.get("ref_logprobs"),
        "num_items_in_batch": given["mask"].sum(),
    }
    loss = (trainer or GRPOTrainer)._compute_loss(stub, None, inputs)
    if learned is not None:
        learned |= {"entropy_coef": stub.entropy_coef, "_last_world_entropy": stub._last_world_entropy}
    return loss.detach(), torch.autograd.grad(loss, logprobs)[0]


def rloo_loss(given: Tensors, low: float = 0.2, high: float = 0.2) -> tuple[torch.Tensor, torch.Tensor]:
    """RLOOTrainer._compute_loss, as grpo_loss; the mask must be of completions without gaps."""
    from trl.trainer.rloo_trainer import RLOOTrainer

    logprobs = given["logprobs"].clone().requires_grad_()
    ones = torch.ones_like(given["mask"])
    stub: Any = SimpleNamespace(
        _get_per_token_logps_and_entropies=_returning(logprobs, ones),
        _metrics=defaultdict(lambda: defaultdict(list)),
        accelerator=_Alone(),
        aux_loss_enabled=False,
        epsilon_low=low,
        epsilon_high=high,
        model=SimpleNamespace(training=True),
    )
    inputs = {
        "prompt_ids": torch.ones(len(ones), 1, dtype=torch.long),
        "prompt_mask": torch.ones(len(ones), 1, dtype=torch.long),
        "completion_ids": ones.long(),
        "completion_mask": given["mask"],
        "advantages": given["advantages"],
        "old_logps": (given["old_logprobs"] * given["mask"]).sum(1),
    }
    loss = RLOOTrainer._compute_loss(stub, None, inputs)
    return loss.detach(), torch.autograd.grad(loss, logprobs)[0]


@dataclass
class Script:
    """What was said and paid, step by step: one list of completions for each rollout, group by group."""

    group_size: int
    prompts: list[list[str]] = field(default_factory=list)
    prompt_ids: list[list[list[int]]] = field(default_factory=list)
    completion_ids: list[list[list[int]]] = field(default_factory=list)
    masks: list[list[list[int]]] = field(default_factory=list)
    """1 where the policy chose the token, 0 where the environment wrote it."""
    rewards: list[list[float]] = field(default_factory=list)


class _Played:
    """The script as the functions that TRL calls."""

    def __init__(self, script: Script) -> None:
        self.script, self.step = script, -1

    def rollout(self, prompts: Sequence[str], _: object) -> dict[str, Any]:
        self.step += 1
        if list(prompts) != self._each(self.script.prompts[self.step]):
            raise AssertionError(f"TRL asked for {prompts}, the script has {self.script.prompts[self.step]}")
        said = self.script.completion_ids[self.step]
        return {
            "prompt_ids": self._each(self.script.prompt_ids[self.step]),
            "completion_ids": said,
            "logprobs": None,
            "env_mask": self.script.masks[self.step],
        }

    def rewards(self, completions: list[str], **_: object) -> list[float]:
        return self.script.rewards[self.step]

    def _each(self, of_groups: list[T]) -> list[T]:
        return [item for item in of_groups for _ in range(self.script.group_size)]


def trained_by_trl(
    policy: TransformersPolicy,
    script: Script,
    folder: Path,
    *,
    learning_rate: float,
    trainer: str = "GRPO",
    **settings: Any,
) -> torch.Tensor:
    """All weights, flat, after TRL's trainer has taken plain SGD steps on the rollouts of the script."""
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    import trl
    from datasets import Dataset

    played = _Played(script)
    arguments = getattr(trl, f"{trainer}Config")(
        output_dir=str(folder),
        max_steps=len(script.prompts) * settings.get("num_iterations", 1),
        per_device_train_batch_size=len(script.prompts[0]) * script.group_size,
        num_generations=script.group_size,
        shuffle_dataset=False,
        lr_scheduler_type="constant",
        save_strategy="no",
        report_to="none",
        logging_strategy="no",
        bf16=False,
        gradient_checkpointing=False,
        use_cpu=True,
        disable_tqdm=True,
        dataloader_pin_memory=False,
        **settings,
    )
    optimizer = torch.optim.SGD(policy.model.parameters(), learning_rate)
    constant = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
    peer = getattr(trl, f"{trainer}Trainer")(
        model=policy.model,
        reward_funcs=played.rewards,
        args=arguments,
        train_dataset=Dataset.from_list([{"prompt": p} for prompts in script.prompts for p in prompts]),
        processing_class=policy.tokenizer,
        optimizers=(optimizer, constant),
        **({"rollout_func": played.rollout} if trainer == "GRPO" else {}),
    )
    if trainer != "GRPO":  # RLOOTrainer has no rollout_func
        peer._tokenize_prompts = lambda prompts: (played.rollout(prompts, peer)["prompt_ids"], None, {})
        peer._generate_single_turn = lambda *_: script.completion_ids[played.step]
    peer.train()
    return torch.cat([parameter.detach().flatten() for parameter in policy.model.parameters()])
