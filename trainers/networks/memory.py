"""How many tokens a run takes at once where memory is short: in a micro-batch, and in the cache while it samples.

Both are bounds from the shapes of the model, coarser than `rlenv plan` and made in no time. Where memory is ample
nothing changes. What is drawn follows from the tokens in the cache, so that a run keeps its number when it goes on.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.settings.config import TrainConfig

ROOM = 0.8
"""Of the free memory: the allocator's gaps and the logits take the rest."""
SMALLEST = 1_024
OF_WIDTH, OF_MLP = 8, 5
"""Numbers that one layer of a decoder keeps for the backward pass a token, times its width and that of its MLP."""


def with_fitting_batches(policy: TransformersPolicy, config: TrainConfig) -> TrainConfig:
    """The config with a micro-batch that fits; the policy's own batch becomes the one asked for, or one that fits."""
    left = ROOM * free_memory(policy.model.device) - _to_come(policy, config)
    shape: Any = policy.model.config.get_text_config()
    if config.generation_batch_tokens is not None:
        policy.max_batch_tokens = config.generation_batch_tokens
    else:
        policy.max_batch_tokens = at_most(policy.max_batch_tokens, left / cache_bytes(shape))
    bytes_a_token = activation_bytes(shape, checkpointed=config.engine.gradient_checkpointing)
    return replace(config, micro_batch_tokens=at_most(config.micro_batch_tokens, left / bytes_a_token))


def at_most(wanted: int, fitting: float) -> int:
    """As many as wanted, or the largest power of two that fits; never less than a small batch.

    >>> at_most(32_768, 1e9), at_most(32_768, 20_000), at_most(32_768, -5), at_most(512, 20)
    (32768, 16384, 1024, 512)
    """
    if fitting >= wanted:
        return wanted
    power: int = 1 << max(0, int(fitting).bit_length() - 1)
    return min(wanted, max(SMALLEST, power))


def free_memory(device: torch.device) -> int:
    """Bytes of the device that nobody holds; of the processor's, at most what this process's control group allows."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    found = [1 << 62]
    with suppress(OSError):  # `MemAvailable:   20571234 kB`
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError):  # what is left of the limit of the control group, in its second version
        group = Path("/sys/fs/cgroup")
        limit, used = (group / "memory.max").read_text().strip(), (group / "memory.current").read_text()
        found += [] if limit == "max" else [max(0, int(limit) - int(used))]
    return min(found)


def cache_bytes(shape: Any) -> int:
    """Of keys and values a token, in float32."""
    heads = int(shape.num_attention_heads)
    key_values = int(getattr(shape, "num_key_value_heads", None) or heads)
    size = int(getattr(shape, "head_dim", None) or shape.hidden_size // heads)
    return 2 * 4 * int(shape.num_hidden_layers) * key_values * size


def activation_bytes(shape: Any, *, checkpointed: bool, bf16: bool = False) -> int:
    """Kept for the backward pass a token; where layers are computed again, their inputs and one layer.

    In float32, but with `bf16` what an autocast has computed of the MLP.
    """
    width, layers = int(shape.hidden_size), int(shape.num_hidden_layers)
    mlp = int(getattr(shape, "intermediate_size", None) or 4 * width)
    layer = 4 * OF_WIDTH * width + (2 if bf16 else 4) * OF_MLP * mlp
    return 4 * layers * width + layer if checkpointed else layers * layer


def _to_come(policy: TransformersPolicy, config: TrainConfig) -> float:
    """Bytes of gradients, optimiser, reference and critic, which are made when the run begins."""
    row, whole = config.row, sum(p.numel() for p in policy.model.parameters())
    trained = 0 if config.engine.lora_rank else sum(p.numel() for p in policy.model.parameters() if p.requires_grad)
    a_weight = 4 + (2 if config.optimiser.kind == "adamw-8bit" else 8)
    copies = 4 * whole * (row.needs_reference or config.log_kl) * (config.engine.lora_rank == 0)
    critic = (4 + a_weight) * whole * (row.critic is not None and not row.critic.shared_trunk)
    return float(a_weight * trained + copies + critic)
