"""What a run will take: memory a process by part, which settings fit, the time of a step. Computed, not measured.

plan = planned(model_config_named("7b"), TrainConfig(), Machine(gpus=8, chip="h100"))
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from transformers import AutoConfig, PreTrainedConfig

from rlenv.errors import ConfigError, PolicyError
from rlenv.hub import asking_hub
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.networks.memory import free_memory
from rlenv.trainers.planning.traced import Held, Shape, held

GIB = 1 << 30
STATE_BYTES = {"adamw": 8.0, "adamw-8bit": 2.03}
"""Of AdamW a trained weight: two float32 numbers, or two bytes and a scale for each 256 of them."""
MATHS_SHARE, BANDWIDTH_SHARE = 0.4, 0.6
"""What well-made kernels reach of a chip's peak in large products, and of its bandwidth in decoding: an assumption."""
ROOM = 0.9
"""Of a chip's memory that may be planned with: the allocator's gaps and the libraries' own take the rest."""
SMALLEST_MICRO_BATCH = 1_024


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
        from rlenv.policies.smollm2 import smollm2_path

        name = smollm2_path()
    try:
        with asking_hub(name):
            found: PreTrainedConfig = AutoConfig.from_pretrained(name)
    except (OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0]
        raise PolicyError(
            f"no configuration {name!r}: {first}; give {', '.join(shapes)}, a folder, a config.json or a hub id"
        ) from error
    return found


def planned(
    model_config: PreTrainedConfig,
    config: TrainConfig,
    machine: Machine,
    prompt_tokens: int = 256,
    generation_tokens: int = 524_288,
) -> Plan:
    """Count one run on one machine; `generation_tokens` are held in the cache at once, as many as fit are taken."""
    own = max(1, math.ceil(config.groups / machine.gpus))  # groups of one process
    width = prompt_tokens + config.max_new_tokens
    at_once = min(own, max(1, generation_tokens // (width * config.group_size)))
    generation = Shape(at_once, config.group_size, prompt_tokens, config.max_new_tokens)
    rows = max(1, own * config.group_size // config.minibatches)
    in_pass = max(1, min(rows, config.micro_batch_tokens // width))
    prompts = max(1, in_pass // config.group_size)
    update = Shape(prompts, max(1, in_pass // prompts), prompt_tokens, config.max_new_tokens)
    passes = math.ceil(rows / update.rows)
    found = held(model_config, config, update, passes, generation, processor=machine.is_processor)
    return _plan(found, model_config, config, machine, update, generation, own)


def _plan(
    found: Held,
    model_config: PreTrainedConfig,
    config: TrainConfig,
    machine: Machine,
    update: Shape,
    generation: Shape,
    own: int,
) -> Plan:
    parts = machine.gpus if machine.sharded else 1
    gathered = 2 * found.largest_block if parts > 1 else 0  # one is computed with while the next is on its way
    copies = int(parts > 1)  # sharding.whole
    of_gradients = min(found.trained, found.update)
    here = 0 if parts > 1 and config.engine.cpu_offload else 1 / parts
    seconds = _seconds(found, model_config, config, machine, update, generation, own)
    return Plan(
        policy=found.policy * here,
        reference=found.reference * here,
        critic=found.critic * here,
        optimiser=found.trained_numbers * STATE_BYTES[config.optimiser.kind] * here,
        gradients=of_gradients * here,
        activations=found.update - of_gradients + gathered,
        generation=found.generation + copies * found.policy,
        saving=(copies + (config.engine.lora_rank > 0)) * found.policy,
        micro_batch_tokens=config.micro_batch_tokens,
        generation_seconds=seconds[0],
        update_seconds=seconds[1],
    )


def _seconds(
    found: Held,
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
    weights = found.policy / 4
    width = generation.prompt_tokens + generation.new_tokens
    heads = int(model_config.num_attention_heads)
    key_values = int(getattr(model_config, "num_key_value_heads", None) or heads)
    size = int(getattr(model_config, "head_dim", None) or model_config.hidden_size // heads)
    layers = int(model_config.num_hidden_layers)
    of_attention = 4 * layers * heads * size * width / 2  # scores and sums over half of the width in the mean
    a_token = 2 * weights + of_attention
    cache = 2 * layers * key_values * size * (2 if bf16 else 4) * width * generation.rows
    read = (found.policy + cache) / (BANDWIDTH_SHARE * 1e12 * chip.bandwidth)
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
    passes += (found.reference > 0) + (1 + 3 * config.epochs) * (found.critic > 0)
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
