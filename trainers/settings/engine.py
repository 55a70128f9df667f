"""How a run computes, apart from what it computes: precision, memory, adapters, packing, who generates, the optimiser.

`TrainConfig(engine=EngineConfig(precision="bf16", lora_rank=16))`. The default is float32, every weight trained.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rlenv.core.errors import ConfigError
from rlenv.policies.vllm_settings import VllmSettings

CHOICES = {
    "precision": ("float32", "bf16"),
    "packing": ("prefix", "packed", "none"),
    "generator": ("transformers", "vllm"),
    "sharding": ("none", "full"),
}
OPTIMISERS = ("adamw", "adamw-8bit")


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """None of this changes what a run computes, but for its rounding, what an engine draws, and what is adapted."""

    precision: Literal["float32", "bf16"] = "float32"
    """`bf16` computes the passes in bfloat16; weights, head, log-probs and the optimiser stay as they are (float32)."""
    gradient_checkpointing: bool = False
    """Compute each layer again in the backward pass: less memory, about a third more time, no shared prompts."""
    lora_rank: int = 0
    """Above 0, train a low-rank adapter of this rank (peft) in place of the weights; what is saved is merged."""
    lora_alpha: int = 32
    """The adapter counts lora_alpha / lora_rank times."""
    lora_targets: tuple[str, ...] = ()
    """Names of the layers that get an adapter; empty means every linear layer but the head."""
    packing: Literal["prefix", "packed", "none"] = "prefix"
    """How scoring avoids needless tokens (rlenv.trainers.networks.packing)."""
    generator: Literal["transformers", "vllm"] = "transformers"
    """Who draws the tokens of a rollout; `vllm` gets the weights before each and asks for an importance correction."""
    vllm: VllmSettings = field(default_factory=VllmSettings)
    """Memory, devices, length, sleep, or the server that generates (rlenv.policies.vllm)."""
    fast_products: bool = True
    """Let oneDNN multiply float32 matrices on processors where it is the faster library (rlenv.policies.linear)."""

    sharding: Literal["none", "full"] = "none"
    """Of several processes: each holds every weight, or (`full`, FSDP2) a part of weights, gradients and optimiser."""
    cpu_offload: bool = False
    """Keep the parts in the processor's memory but for the block at work, and step there: less GPU memory, slower."""

    def __post_init__(self) -> None:
        for name, legal in CHOICES.items():
            if getattr(self, name) not in legal:
                raise ConfigError(f"expected {name} out of {', '.join(legal)}, got {getattr(self, name)!r}")
        if self.lora_rank < 0 or self.lora_alpha < 1:
            raise ConfigError(
                f"expected lora_rank of 0 or more and lora_alpha of 1 or more, got {self.lora_rank}, {self.lora_alpha}"
            )
        if self.cpu_offload and self.sharding == "none":
            raise ConfigError("cpu_offload is for sharded weights: set engine.sharding='full' and several processes")
        if self.vllm.adapter == "lora" and not self.lora_rank:
            raise ConfigError("vllm.adapter 'lora' sends an adapter alone: set lora_rank, or vllm.adapter='merged'")


@dataclass(frozen=True, kw_only=True)
class OptimiserConfig:
    """Of AdamW on policy and critic."""

    kind: Literal["adamw", "adamw-8bit"] = "adamw"
    """`adamw-8bit` holds its state in a quarter of the memory (bitsandbytes: on CPU and CUDA, without a compiler)."""
    beta1: float = 0.9
    beta2: float = 0.99
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    """A step, times the learning rate; of matrices alone: norms and biases do not decay."""

    def __post_init__(self) -> None:
        if self.kind not in OPTIMISERS:
            raise ConfigError(f"expected optimiser.kind out of {', '.join(OPTIMISERS)}, got {self.kind!r}")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"expected optimiser.{name} in [0, 1), got {getattr(self, name)}")
        if not 0 < self.epsilon < 1 or not 0 <= self.weight_decay < float("inf"):
            raise ConfigError(
                f"expected optimiser.epsilon in (0, 1) and optimiser.weight_decay of 0 or more, got {self.epsilon} "
                f"and {self.weight_decay}"
            )
