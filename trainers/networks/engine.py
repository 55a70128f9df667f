"""Makes a model ready to be trained as its engine says (rlenv.trainers.settings.engine), and gives who generates."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rlenv.core.errors import MissingExtra
from rlenv.trainers.settings.engine import EngineConfig

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.policies.vllm import VllmPolicy


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
