"""How a run computes, apart from what it computes: precision, memory, adapters, packing, who generates.

`TrainConfig(engine=EngineConfig(precision="bf16", lora_rank=16))`. The default is float32, every weight trained.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.policies.vllm_settings import VllmSettings

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.policies.vllm import VllmPolicy

CHOICES = {
    "precision": ("float32", "bf16"),
    "packing": ("prefix", "packed", "none"),
    "generator": ("transformers", "vllm"),
    "sharding": ("none", "full"),
}


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


def prepare(policy: TransformersPolicy, engine: EngineConfig, seed: int = 0) -> None:
    """Make the policy's model ready to be trained this way; with an adapter, `policy.model` is peft's from here on."""
    if engine.lora_rank and not hasattr(policy.model, "get_base_model"):
        policy.model = with_adapter(policy.model, engine, seed)
    prepare_model(policy.model, engine)


def generator_of(policy: TransformersPolicy, engine: EngineConfig, folder: Path) -> VllmPolicy | None:
    """The engine that generates in the policy's place, and reads weights at `folder`; None for the policy itself."""
    if engine.generator != "vllm":
        return None
    from rlenv.policies.vllm import VllmPolicy

    return VllmPolicy(policy, folder, engine.vllm)


def prepare_model(model: PreTrainedModel, engine: EngineConfig) -> None:
    """Set precision, checkpointing, packing and products of the model, in place."""
    import torch

    from rlenv.policies.linear import use_fast_products
    from rlenv.policies.model_state import AUTOCAST, inner_model
    from rlenv.trainers.networks.packing import PACKING

    setattr(model, AUTOCAST, torch.bfloat16 if engine.precision == "bf16" else None)
    setattr(model, PACKING, engine.packing)
    if engine.gradient_checkpointing:
        _without_dropout(model)
        inner = inner_model(model)
        enable = getattr(inner, "activation_checkpointing_enable", None) or inner.gradient_checkpointing_enable
        enable({"use_reentrant": False})
    if engine.fast_products:
        use_fast_products(model)


def with_adapter(model: PreTrainedModel, engine: EngineConfig, seed: int = 0) -> PreTrainedModel:
    """The model with an adapter drawn from `seed`, which at first changes nothing; only the adapter is trained."""
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise MissingExtra("peft", "lora") from error
    import torch

    settings = LoraConfig(
        r=engine.lora_rank,
        lora_alpha=engine.lora_alpha,
        lora_dropout=0.0,
        target_modules=list(engine.lora_targets) or "all-linear",
        task_type="CAUSAL_LM",
    )
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers by an older name
        torch.manual_seed(seed)
        return cast("PreTrainedModel", get_peft_model(model, settings))


def _without_dropout(model: PreTrainedModel) -> None:
    """A layer that is checkpointed runs in training mode; the policy that is trained must be the one that sampled."""
    from torch import nn

    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        for name, value in list(vars(module).items()):
            if "dropout" in name and isinstance(value, float):
                setattr(module, name, 0.0)
