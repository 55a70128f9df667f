"""What a run will take: memory a process by part, which settings fit, the time of a step. Computed, not measured.

plan = planned(model_config_named("7b"), TrainConfig(), Machine(gpus=8, chip="h100"))

Weights are counted on a model without data. What a pass holds is a sum over its tokens:

    activations = tokens x layers x (8 H + 5 M), or checkpointed tokens x (layers x H + 8 H + 5 M)
                  + twice the keys and values of all rows, where completions share the pass over their prompt
                  + three chunks of logits + the gradient of the head + the weights in bfloat16
    generation  = the keys and values of all rows + their logits + the weights in bfloat16

with H and M the widths of a layer and of its MLP. Where a pass is an autocast, M counts in bfloat16 and the weights are
copied into it; where they are sharded, two blocks are gathered instead.
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
from rlenv.door.models import loading
from rlenv.trainers.networks.critic import Critic
from rlenv.trainers.networks.engine import with_adapter
from rlenv.trainers.networks.head import CHUNK_ELEMENTS
from rlenv.trainers.networks.memory import activation_bytes, cache_bytes, free_memory
from rlenv.trainers.networks.packing import trunk_of
from rlenv.trainers.settings.config import TrainConfig

GIB = 1 << 30
STATE_BYTES = {"adamw": 8.0, "adamw-8bit": 2.03}
"""Of AdamW a trained weight: two float32 numbers, or two bytes and a scale for each 256 of them."""
MATHS_SHARE, BANDWIDTH_SHARE = 0.4, 0.6
"""What well-made kernels reach of a chip's peak in large products, and of its bandwidth in decoding: an assumption."""
ERROR = (1.0, 1.2)
"""Peaks of runs on a CPU over those computed, least and most (benchmarks/plan.py)."""
ROOM = 0.8
"""Of a chip's memory that may be planned with: the error and the libraries' own take the rest."""
SMALLEST_MICRO_BATCH = 1_024
LOGITS = 3
"""Chunks of logits that are held at once: the probabilities, and two while a gradient is made of them."""
DRAWN_BYTES = 20
"""Of a next token that may be drawn: its logit three times in float32, the sums of the probabilities in float64."""


@dataclass(frozen=True, slots=True)
class Chip:
    """What its maker says of it."""

    memory: float
    """GiB."""
    bf16: float
    """Dense products in bfloat16, 1e12 a second."""
    float32: float
    bandwidth: float
    """1e12 bytes a second."""


CHIPS = {
    "a100": Chip(80, 312, 19.5, 2.04),
    "h100": Chip(80, 989, 67, 3.35),
    "h200": Chip(141, 989, 67, 4.8),
    "b200": Chip(180, 2250, 75, 8.0),
    "l40s": Chip(48, 362, 91.6, 0.864),
    "cpu": Chip(math.nan, math.nan, math.nan, math.nan),
}
"""`cpu` is the processor at hand: its memory is what is free, and how fast it is nobody says."""


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
    def is_processor(self) -> bool:
        return self.chip == "cpu"

    @property
    def room(self) -> float:
        """Bytes that may be planned with."""
        if self.is_processor and self.memory is None:
            return ROOM * free_memory(torch.device("cpu"))
        return ROOM * GIB * (CHIPS[self.chip].memory if self.memory is None else self.memory)


@dataclass(frozen=True, slots=True)
class Shape:
    """What goes through the model at once: so many prompts, each with so many completions."""

    prompts: int
    completions: int
    prompt_tokens: int
    new_tokens: int

    @property
    def rows(self) -> int:
        return self.prompts * self.completions

    @property
    def width(self) -> int:
        return self.prompt_tokens + self.new_tokens


@dataclass(frozen=True, slots=True)
class Weights:
    """Bytes of the networks of one process, all weights in it."""

    policy: int
    trained_numbers: int
    """How many numbers are trained, those of a critic included."""
    gradients: int
    """Of the policy or of the critic, whichever has more: one of them learns at a time."""
    reference: int
    critic: int
    head: int
    largest_block: int
    """Of the embedding or one layer, the most that is gathered at once where weights are sharded."""


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
    """Cache and logits at the end of the longest completions, and the whole copy that draws for shared-out weights."""
    saving: float
    """Whole copies while the model is saved: of shared-out weights, and one with its adapter merged in."""
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
        shape = dict(shapes[name])
        return AutoConfig.for_model(shape.pop("model_type"), **shape)
    if name == "tiny":
        from rlenv.policies.tiny import tiny_policy

        return tiny_policy().model.config
    if name == "smollm2-135m":
        from rlenv.policies.load import smollm2_path

        name = smollm2_path()

    def failure(said: str) -> PolicyError:
        return PolicyError(
            f"no configuration {name!r}: {said}; give {', '.join(shapes)}, a folder, a config.json or a hub id"
        )

    with loading(name, failure):
        found: PreTrainedConfig = AutoConfig.from_pretrained(name, trust_remote_code=False)
    return found


def planned(
    model_config: PreTrainedConfig,
    config: TrainConfig,
    machine: Machine,
    prompt_tokens: int = 256,
    generation_tokens: int = 524_288,
) -> Plan:
    """Compute one run on one machine; `generation_tokens` are held in the cache at once, as many as fit are taken."""
    own = max(1, math.ceil(config.groups / machine.gpus))  # groups of one process
    width = prompt_tokens + config.max_new_tokens
    at_once = min(own, max(1, generation_tokens // (width * config.group_size)))
    generation = Shape(at_once, config.group_size, prompt_tokens, config.max_new_tokens)
    rows = max(1, own * config.group_size // config.minibatches)
    in_pass = max(1, min(rows, config.micro_batch_tokens // width))
    prompts = max(1, in_pass // config.group_size)
    update = Shape(prompts, max(1, in_pass // prompts), prompt_tokens, config.max_new_tokens)
    weights = _weights(model_config, config)
    parts = machine.gpus if machine.sharded else 1
    cast = weights.policy / 2 if config.engine.precision == "bf16" else 0  # an autocast keeps a copy of the weights
    gathered = 2 * weights.largest_block  # one is computed with while the next is on its way
    copies = int(parts > 1)  # sharding.whole
    here = 0 if parts > 1 and config.engine.cpu_offload else 1 / parts
    seconds = _seconds(weights, model_config, config, machine, update, generation, own)
    return Plan(
        policy=weights.policy * here,
        reference=weights.reference * here,
        critic=weights.critic * here,
        optimiser=weights.trained_numbers * STATE_BYTES[config.optimiser.kind] * here,
        gradients=weights.gradients * here,
        activations=_of_update(weights, model_config, config, update) + (gathered if parts > 1 else cast),
        generation=_of_generation(model_config, generation) + cast + copies * weights.policy,
        saving=(copies + (config.engine.lora_rank > 0)) * weights.policy,
        micro_batch_tokens=config.micro_batch_tokens,
        generation_seconds=seconds[0],
        update_seconds=seconds[1],
    )


def _weights(model_config: PreTrainedConfig, config: TrainConfig) -> Weights:
    """Count the networks of a run on tensors without data."""
    row, engine = config.row, config.engine
    with torch.device("meta"):
        model: PreTrainedModel = AutoModelForCausalLM.from_config(model_config, dtype=torch.float32)
        if engine.lora_rank:
            model = with_adapter(model, engine)
    trained = [p for p in model.parameters() if p.requires_grad]
    critic = Critic(model) if row.critic is not None and not row.critic.shared_trunk else None
    of_critic = [] if critic is None else critic.trained_parameters()
    trunk: Any = trunk_of(model)
    layers = trunk.layers if hasattr(trunk, "layers") else getattr(trunk, "h", ())
    blocks = [model.get_input_embeddings(), model.get_output_embeddings(), *layers]
    return Weights(
        policy=_bytes(model.parameters()),
        trained_numbers=sum(p.numel() for p in [*trained, *of_critic]),
        gradients=max(_bytes(trained), _bytes(of_critic)),
        reference=_bytes(trained) if row.needs_reference or config.log_kl else 0,  # what is not trained is shared
        critic=0 if critic is None else _bytes(critic.parameters()),
        head=_bytes(blocks[1].parameters()),
        largest_block=max(_bytes(block.parameters()) for block in blocks),
    )


def _bytes(parameters: Iterable[nn.Parameter]) -> int:
    return sum(p.numel() * p.element_size() for p in parameters)


def _of_update(weights: Weights, model_config: PreTrainedConfig, config: TrainConfig, shape: Shape) -> float:
    """Bytes of one micro-batch, forward and backward, over weights and gradients."""
    engine = config.engine
    checkpointed = engine.gradient_checkpointing
    shared = engine.packing == "prefix" and shape.completions > 1 and not checkpointed
    prompts = shape.prompts if shared else shape.rows
    tokens = prompts * shape.prompt_tokens + shape.rows * shape.new_tokens
    predicted = shape.rows * shape.new_tokens * int(model_config.vocab_size)
    layers = tokens * activation_bytes(model_config, checkpointed=checkpointed, bf16=engine.precision == "bf16")
    copied = 2 * shared * shape.rows * shape.width * cache_bytes(model_config)
    head = LOGITS * 4 * min(predicted, CHUNK_ELEMENTS) + (0 if engine.lora_rank else weights.head)
    return layers + copied + head


def _of_generation(model_config: PreTrainedConfig, shape: Shape) -> float:
    """Bytes of the cache and of what is drawn from, at the end of the longest completions."""
    return shape.rows * (shape.width * cache_bytes(model_config) + DRAWN_BYTES * int(model_config.vocab_size))


def _seconds(
    weights: Weights,
    model_config: PreTrainedConfig,
    config: TrainConfig,
    machine: Machine,
    update: Shape,
    generation: Shape,
    own: int,
) -> tuple[float, float]:
    """Of generation and of the update, from counts of operations and bytes at the stated shares of the peak."""
    chip, bf16 = CHIPS[machine.chip], config.engine.precision == "bf16"
    maths = MATHS_SHARE * 1e12 * (chip.bf16 if bf16 else chip.float32)
    width = generation.width
    heads = int(model_config.num_attention_heads)
    key_values = int(getattr(model_config, "num_key_value_heads", None) or heads)
    size = int(getattr(model_config, "head_dim", None) or model_config.hidden_size // heads)
    layers = int(model_config.num_hidden_layers)
    of_attention = 4 * layers * heads * size * width / 2  # scores and sums over half of the width in the mean
    a_token = 2 * weights.policy / 4 + of_attention
    cache = 2 * layers * key_values * size * (2 if bf16 else 4) * width * generation.rows
    read = (weights.policy + cache) / (BANDWIDTH_SHARE * 1e12 * chip.bandwidth)
    batches = math.ceil(own / generation.prompts)
    a_step = max(read, generation.rows * a_token / maths)
    prompts = own * generation.prompt_tokens * a_token / maths
    drawn = prompts + batches * generation.new_tokens * a_step
    checkpointed = config.engine.gradient_checkpointing
    rows = own * config.group_size
    tokens = (
        rows * (width if checkpointed else generation.new_tokens) + (0 if checkpointed else own) * update.prompt_tokens
    )
    passes = (4 if checkpointed else 3) * config.epochs
    passes += (weights.reference > 0) + (1 + 3 * config.epochs) * (weights.critic > 0)
    return drawn, tokens * passes * a_token / maths


def options(config: TrainConfig, machine: Machine) -> Iterator[tuple[str, TrainConfig, Machine]]:
    """Settings that take less and less memory, the first as asked for."""
    yield "as asked", config, machine
    told = []
    if machine.gpus > 1 and not machine.sharded:
        machine = replace(machine, sharded=True)
        told.append("engine.sharding=full")
        yield ", ".join(told), config, machine
    if not config.engine.gradient_checkpointing:
        config = replace(config, engine=replace(config.engine, gradient_checkpointing=True))
        told.append("engine.gradient_checkpointing=true")
        yield ", ".join(told), config, machine
    if config.optimiser.kind == "adamw" and not machine.sharded:
        config = replace(config, optimiser=replace(config.optimiser, kind="adamw-8bit"))
        told.append("optimiser.kind=adamw-8bit")
        yield ", ".join(told), config, machine
    if not config.engine.lora_rank:
        config = replace(config, engine=replace(config.engine, lora_rank=16))
        told.append("engine.lora_rank=16")
        yield ", ".join(told), config, machine


def fitted(plan: Plan, machine: Machine) -> int:
    """The most tokens in a micro-batch that fit, a power of two, at most those planned with; 0 where none does."""
    tokens = plan.micro_batch_tokens
    while tokens >= SMALLEST_MICRO_BATCH:
        activations = plan.activations * tokens / plan.micro_batch_tokens
        beside = max(plan.gradients + activations, min(plan.generation, machine.room / 10), plan.saving)
        if plan.kept + beside <= machine.room:
            return tokens
        tokens //= 2
    return 0
