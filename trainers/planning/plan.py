"""What a run will take: memory a process by part, which settings fit, the time of a step. Computed, not measured.

    plan = planned(model_config_named("7b"), TrainConfig(), Machine(gpus=8, chip="h100"))

W are the bytes of the weights, T the numbers that are trained (an adapter's or all, and a critic's), H and M the widths
of a layer and of its MLP. What is kept, and gradients, are divided by the GPUs where weights are sharded:

    kept        = W + 8 T (AdamW; 2.03 T in eight bits) + a reference's weights + a critic's
    gradients   = 4 bytes a number of the policy's or of the critic's, whichever are more: one learns at a time
    activations = 4 x tokens x layers x (8 H + 5 M), or checkpointed 4 x tokens x (layers x H + 8 H + 5 M)
                  + twice the keys and values of all rows, where completions share the pass over their prompt
                  + three chunks of logits + the gradient of the head + the weights in bfloat16
    generation  = the keys and values of all rows + their logits + the weights in bfloat16
    peak        = kept + the most of (gradients + activations, generation, copies while saving)

Where a pass is an autocast, M counts in bfloat16 and the weights are copied into it; where they are sharded, two blocks
are gathered instead, and generating and saving hold a whole copy.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.door.models import loading
from rlenv.policies.load import smollm2_path
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers.networks.logprobs import CHUNK_ELEMENTS
from rlenv.trainers.networks.memory import ROOM, SMALLEST, activation_bytes, cache_bytes, free_memory
from rlenv.trainers.networks.models import Critic, with_adapter
from rlenv.trainers.networks.packing import trunk_of
from rlenv.trainers.settings.changes import changed
from rlenv.trainers.settings.config import TrainConfig

GIB = 1 << 30
STATE_BYTES = {"adamw": 8.0, "adamw-8bit": 2.03}
"""Of AdamW a trained weight: two float32 numbers, or two bytes and a scale for each 256 of them."""
MATHS_SHARE, BANDWIDTH_SHARE = 0.4, 0.6
"""What well-made kernels reach of a chip's peak in large products, and of its bandwidth in decoding: an assumption."""
ERROR = (1.0, 1.2)
"""Peaks of runs on a CPU over those computed, least and most (benchmarks/plan.py)."""
LOGITS = 3
"""Chunks of logits that are held at once: the probabilities, and two while a gradient is made of them."""
DRAWN_BYTES = 20
"""Of a next token that may be drawn: its logit three times in float32, the sums of the probabilities in float64."""
CHIPS = {
    "a100": (80, 312, 19.5, 2.04),
    "h100": (80, 989, 67, 3.35),
    "h200": (141, 989, 67, 4.8),
    "b200": (180, 2250, 75, 8.0),
    "l40s": (48, 362, 91.6, 0.864),
    "cpu": (math.nan,) * 4,
}
"""GiB, dense products in bfloat16 and float32 (1e12 a second), 1e12 bytes a second; of `cpu`, what is free is asked."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the run has: so many processes, one a GPU, or one on a CPU."""

    gpus: int = 1
    chip: str = "h100"
    memory: float | None = None
    """GiB of each, where it is not the chip's."""
    sharded: bool = False
    """Weights, gradients and optimiser sharded over the processes (FSDP2)."""

    def __post_init__(self) -> None:
        if self.gpus < 1 or self.chip not in CHIPS:
            raise ConfigError(
                f"expected at least 1 GPU and a chip out of {', '.join(CHIPS)}, got {self.gpus} and {self.chip!r}"
            )

    @property
    def room(self) -> float:
        """Bytes that may be planned with."""
        if self.chip == "cpu" and self.memory is None:
            return ROOM * free_memory(torch.device("cpu"))
        return ROOM * GIB * (CHIPS[self.chip][0] if self.memory is None else self.memory)


@dataclass(frozen=True, slots=True)
class Plan:
    """Bytes and seconds a process."""

    policy: float
    reference: float
    critic: float
    optimiser: float
    gradients: float
    activations: float
    """Of one micro-batch, forward and backward, over weights and gradients."""
    generation: float
    """Cache and logits at the end of the longest completions, and the whole copy that draws for sharded weights."""
    saving: float
    """Whole copies while the model is saved: of sharded weights, and one with its adapter merged in."""
    micro_batch_tokens: int
    generation_seconds: float
    update_seconds: float
    """Scoring by reference and critic included."""

    @property
    def kept(self) -> float:
        """What is held all the time."""
        return self.policy + self.reference + self.critic + self.optimiser

    @property
    def peak(self) -> float:
        return self.kept + max(self.gradients + self.activations, self.generation, self.saving)


def model_config_named(name: str) -> PreTrainedConfig:
    """A model's configuration: 0.5b, 7b, 32b (Qwen2.5), tiny, smollm2-135m, a folder, a config.json or a hub id."""
    shapes = json.loads((Path(__file__).parent / "shapes.json").read_text("utf-8"))
    if name in shapes:
        return AutoConfig.for_model(**shapes[name])
    if name == "tiny":
        return tiny_policy().model.config
    name = smollm2_path() if name == "smollm2-135m" else name
    what = f"{', '.join(shapes)}, a folder, a config.json or a hub id"
    with loading(name, lambda said: PolicyError(f"no configuration {name!r}: {said}; give {what}")):
        found: PreTrainedConfig = AutoConfig.from_pretrained(name, trust_remote_code=False)
    return found


def planned(
    model_config: PreTrainedConfig, config: TrainConfig, machine: Machine, prompt: int = 256, cached: int = 524_288
) -> Plan:
    """Compute one run on one machine: prompts of so many tokens, at most so many tokens in the cache at once."""
    row, engine, said, size = config.row, config.engine, config.max_new_tokens, config.group_size
    width = prompt + said
    own = max(1, math.ceil(config.groups / machine.gpus))  # groups of one process
    parts = machine.gpus if machine.sharded else 1
    here = 0 if parts > 1 and engine.cpu_offload else 1 / parts
    with torch.device("meta"):
        model: PreTrainedModel = AutoModelForCausalLM.from_config(model_config, dtype=torch.float32)
        model = with_adapter(model, engine) if engine.lora_rank else model
        critic = Critic(model) if row.critic is not None and not row.critic.shared_trunk else None
    trunk: Any = trunk_of(model)
    layers = trunk.layers if hasattr(trunk, "layers") else getattr(trunk, "h", ())
    blocks = [_bytes(b.parameters()) for b in (model.get_input_embeddings(), model.get_output_embeddings(), *layers)]
    policy, trained = _bytes(model.parameters()), _bytes(p for p in model.parameters() if p.requires_grad)
    of_critic = 0 if critic is None else _bytes(critic.parameters())
    by_critic = 0 if critic is None else _bytes(critic.trained_parameters())
    reference = trained if row.needs_reference or config.log_kl else 0  # what is not trained is shared
    cast = policy / 2 if engine.precision == "bf16" else 0  # an autocast keeps a copy of the weights
    head = 0 if engine.lora_rank else blocks[1]
    at_once = min(own, max(1, cached // (width * size)))
    drawn = at_once * size * (width * cache_bytes(model_config) + DRAWN_BYTES * int(model_config.vocab_size))
    more = (reference > 0) + (1 + 3 * config.epochs) * (critic is not None)
    seconds = _seconds(model_config, config, machine, policy, (own, at_once), prompt, more)
    return Plan(
        policy=policy * here,
        reference=reference * here,
        critic=of_critic * here,
        optimiser=(trained + by_critic) / 4 * STATE_BYTES[config.optimiser.kind] * here,
        gradients=max(trained, by_critic) * here,
        activations=_pass(model_config, config, own, prompt) + head + (2 * max(blocks) if parts > 1 else cast),
        generation=drawn + cast + (policy if parts > 1 else 0),
        saving=((parts > 1) + (engine.lora_rank > 0)) * policy,
        micro_batch_tokens=config.micro_batch_tokens,
        generation_seconds=seconds[0],
        update_seconds=seconds[1],
    )


def _pass(shape: Any, config: TrainConfig, groups: int, prompt: int) -> float:
    """Bytes of one micro-batch, forward and backward, but for the gradient of the head."""
    said, size, again = config.max_new_tokens, config.group_size, config.engine.gradient_checkpointing
    in_pass = max(1, min(groups * size // config.minibatches, config.micro_batch_tokens // (prompt + said)))
    prompts = max(1, in_pass // size)
    rows = prompts * max(1, in_pass // prompts)
    shared = config.engine.packing == "prefix" and rows > prompts and not again
    tokens = (prompts if shared else rows) * prompt + rows * said
    a_token = activation_bytes(shape, checkpointed=again, bf16=config.engine.precision == "bf16")
    logits = LOGITS * 4 * min(rows * said * int(shape.vocab_size), CHUNK_ELEMENTS)
    return tokens * a_token + 2 * shared * rows * (prompt + said) * cache_bytes(shape) + logits


def _bytes(parameters: Iterable[nn.Parameter]) -> int:
    return sum(p.numel() * p.element_size() for p in parameters)


def _seconds(
    shape: Any, config: TrainConfig, machine: Machine, policy: int, groups: tuple[int, int], prompt: int, more: int
) -> tuple[float, float]:
    """Of generation and of the update, from counts of operations and bytes at the stated shares of the peak.

    `groups` of this process, in all and at once; `more` passes than those of the policy's update.
    """
    _, half, single, bandwidth = CHIPS[machine.chip]
    bf16, again = config.engine.precision == "bf16", config.engine.gradient_checkpointing
    own, at_once = groups
    said, width, rows = config.max_new_tokens, prompt + config.max_new_tokens, at_once * config.group_size
    maths = MATHS_SHARE * 1e12 * (half if bf16 else single)
    heads, layers = int(shape.num_attention_heads), int(shape.num_hidden_layers)
    size = int(getattr(shape, "head_dim", None) or shape.hidden_size // heads)
    # Products of a token: two a weight, and scores and sums over half of the width in the mean.
    a_token = 2 * policy / 4 + 4 * layers * heads * size * width / 2
    cache = cache_bytes(shape) // (2 if bf16 else 1) * width * rows
    a_step = max((policy + cache) / (BANDWIDTH_SHARE * 1e12 * bandwidth), rows * a_token / maths)
    drawn = own * prompt * a_token / maths + math.ceil(own / at_once) * said * a_step
    tokens = own * config.group_size * (width if again else said) + (0 if again else own) * prompt
    passes = (4 if again else 3) * config.epochs + more
    return drawn, tokens * passes * a_token / maths


def options(config: TrainConfig, machine: Machine) -> Iterator[tuple[str, TrainConfig, Machine]]:
    """Settings that take less and less memory, the first as asked for."""
    yield "as asked", config, machine
    told = []
    engine = config.engine
    if machine.gpus > 1 and not machine.sharded:
        machine = replace(machine, sharded=True)
        told.append("engine.sharding=full")
        yield ", ".join(told), config, machine
    eight_bits = config.optimiser.kind == "adamw" and not machine.sharded
    changes: list[tuple[bool, str, Json]] = [
        (not engine.gradient_checkpointing, "engine.gradient_checkpointing", True),
        (eight_bits, "optimiser.kind", "adamw-8bit"),
        (not engine.lora_rank, "engine.lora_rank", 16),
    ]
    for useful, name, value in changes:
        if useful:
            config = changed(config, name, value)
            told.append(f"{name}={str(value).lower()}")
            yield ", ".join(told), config, machine


def fitted(plan: Plan, machine: Machine) -> int:
    """The most tokens in a micro-batch that fit, a power of two, at most those planned with; 0 where none does."""
    tokens = plan.micro_batch_tokens
    while tokens >= SMALLEST:
        activations = plan.activations * tokens / plan.micro_batch_tokens
        beside = max(plan.gradients + activations, min(plan.generation, machine.room / 10), plan.saving)
        if plan.kept + beside <= machine.room:
            return tokens
        tokens //= 2
    return 0
