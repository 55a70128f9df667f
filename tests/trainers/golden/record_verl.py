"""Record what verl's own functions say about fixed random tensors, for machines that have no verl.

    pip install verl==0.9.1 --no-deps && pip install tensordict codetiming hydra-core omegaconf numpy torch
    python tests/trainers/golden/record_verl.py

Writes verl.json beside this file: the inputs, and for every case the value and the gradient with respect to
the log-probs (losses) or the tensor itself (advantages), in float64. Six completions stand in two groups; the
mask has a tail of padding, a gap (text that the policy did not choose), and one reward inside a completion.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

GROUPS, GROUP_SIZE, TOKENS = 2, 3, 6
MASK = [
    [1, 1, 1, 1, 1, 1],
    [1, 1, 1, 0, 0, 0],
    [1, 1, 0, 0, 1, 1],
    [1, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 0, 0],
    [1, 0, 1, 1, 1, 0],
]
LOW, HIGH, DUAL, CONSTANT = 0.2, 0.28, 3.0, 16
AVERAGING = {
    "token": "token-mean",
    "response": "seq-mean-token-mean",
    "sequence": "seq-mean-token-sum",
    "constant": "seq-mean-token-sum-norm",
}


def inputs() -> dict[str, torch.Tensor]:
    """Log-probs far enough apart that every clip is met on both sides."""
    generator = torch.Generator().manual_seed(20)
    shape = (GROUPS * GROUP_SIZE, TOKENS)

    def normal(scale: float) -> torch.Tensor:
        return scale * torch.randn(shape, generator=generator, dtype=torch.float64)

    mask = torch.tensor(MASK, dtype=torch.float64)
    logprobs = -1.5 + normal(0.5)
    last = torch.zeros_like(mask)
    last[range(len(MASK)), [max(i for i, m in enumerate(row) if m) for row in MASK]] = 1
    rewards = torch.tensor([1.0, 0.0, 0.3, 0.0, 0.0, 2.5], dtype=torch.float64)
    token_rewards = last * rewards[:, None]
    token_rewards[0, 2] = 0.4
    return {
        "mask": mask,
        "logprobs": logprobs,
        "old_logprobs": logprobs + normal(0.9),
        "ref_logprobs": logprobs + normal(0.4),
        "advantages": normal(1.0) * mask,
        "token_rewards": token_rewards,
        "values": normal(0.7),
        "new_values": normal(0.7),
        "returns": normal(1.0),
    }


def recorded_advantages(algos: Any, given: dict[str, torch.Tensor]) -> dict[str, Any]:
    """What verl multiplies the score function with."""
    import numpy as np

    groups = np.repeat(np.arange(GROUPS), GROUP_SIZE)
    rewards, mask = given["token_rewards"], given["mask"]
    grpo, config = algos.compute_grpo_outcome_advantage, SimpleNamespace(gamma=0.9)
    gae, returns = algos.compute_gae_advantage_return(rewards, given["values"], mask, 0.95, 0.8)
    found = {
        "group_standardised": grpo(rewards, mask, groups, norm_adv_by_std_in_grpo=True)[0],
        "group_centred": grpo(rewards, mask, groups, norm_adv_by_std_in_grpo=False)[0],
        "leave_one_out": algos.compute_rloo_outcome_advantage(rewards, mask, groups)[0],
        "reinforce++": algos.compute_reinforce_plus_plus_outcome_advantage(rewards, mask, config)[0],
        "reinforce++-baseline": algos.compute_reinforce_plus_plus_baseline_outcome_advantage(rewards, mask, groups)[0],
        "gae": gae * mask,
        "gae_returns": returns * mask,
    }
    return {name: value.tolist() for name, value in found.items()}


def recorded_losses(algos: Any, given: dict[str, torch.Tensor]) -> dict[str, Any]:
    """Value and gradient of every policy loss under every way to average."""
    settings = importlib.import_module("verl.workers.config")
    found = {}
    for name in ("vanilla", "gspo", "cispo"):
        for ours, theirs in AVERAGING.items():
            config = settings.FSDPActorConfig(
                clip_ratio_low=LOW,
                clip_ratio_high=HIGH,
                clip_ratio_c=DUAL,
                ppo_micro_batch_size_per_gpu=1,
                rollout_n=GROUP_SIZE,
            )
            config.global_batch_info["loss_scale_factor"] = CONSTANT
            logprobs = given["logprobs"].clone().requires_grad_()
            loss, _ = algos.get_policy_loss_fn(name)(
                given["old_logprobs"], logprobs, given["advantages"], given["mask"], theirs, config
            )
            (gradient,) = torch.autograd.grad(loss, logprobs)
            found[f"{name}/{ours}"] = {"loss": loss.item(), "gradient": gradient.tolist()}
    return found


def recorded_terms(algos: Any, given: dict[str, torch.Tensor]) -> dict[str, Any]:
    """The KL estimators token by token, and the loss of the critic."""
    logprobs, reference = given["logprobs"], given["ref_logprobs"]
    value_loss, _ = algos.compute_value_loss(
        given["new_values"], given["returns"], given["values"], given["mask"], cliprange_value=0.5
    )
    kls = {name: algos.kl_penalty(logprobs, reference, name).tolist() for name in ("k1", "k2", "k3")}
    return {**kls, "value_loss": value_loss.item()}


def main() -> None:
    """Write verl.json."""
    algos = importlib.import_module("verl.trainer.ppo.core_algos")
    given = inputs()
    recording = {
        "verl": importlib.import_module("importlib.metadata").version("verl"),
        "torch": torch.__version__.split("+")[0],
        "settings": {"group_size": GROUP_SIZE, "low": LOW, "high": HIGH, "dual": DUAL, "constant": CONSTANT},
        "inputs": {name: value.tolist() for name, value in given.items()},
        "advantages": recorded_advantages(algos, given),
        "losses": recorded_losses(algos, given),
        "terms": recorded_terms(algos, given),
    }
    Path(__file__).with_name("verl.json").write_text(json.dumps(recording) + "\n")


if __name__ == "__main__":
    main()
