"""The models and optimisers of a run: the policy made ready, reference, critic or value head; made, saved, restored.

What is not finite changes no weight: a step that is skipped leaves weights and optimiser bitwise as they were. AdamW
would keep a NaN for ever.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn
from torch.distributed.tensor import DTensor
from transformers import PreTrainedModel

from rlenv.core.errors import ConfigError, MissingExtra, RunError
from rlenv.door.files import leads_within
from rlenv.policies.linear import use_fast_products
from rlenv.policies.model_state import AUTOCAST, inner_model
from rlenv.trainers.networks.logprobs import hidden_states
from rlenv.trainers.networks.packing import PACKING
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.networks.sharding import gathered, is_sharded, passing, shard
from rlenv.trainers.settings.config import EngineConfig, OptimiserConfig, TrainConfig

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.policies.vllm import VllmPolicy


SKIPPED = "skipped_steps"
"""The metric: optimiser steps of a rollout that were not taken."""


def step_if_finite(
    optimizer: torch.optim.Optimizer, parameters: Iterable[nn.Parameter], max_norm: float, loss: float
) -> tuple[float, bool]:
    """Scale the gradients down to the norm and step, where loss and norm are finite; (norm before, whether it stepped).

    The gradients are gone afterwards in any case.
    """
    total = nn.utils.clip_grad_norm_(list(parameters), max_norm)
    norm = float(total.full_tensor() if isinstance(total, DTensor) else total)
    taken = math.isfinite(loss) and math.isfinite(norm)
    if taken:
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm, taken


def tensors_not_finite(parts: Mapping[str, object]) -> str:
    """The first tensor that is not finite among the weights of modules and the states of optimisers; empty if none."""
    for part_name, part in parts.items():
        if isinstance(part, nn.Module):
            named = dict(part.named_parameters())
        elif isinstance(part, torch.optim.Optimizer):
            states = enumerate(part.state.values())
            named = {f"{number}.{key}": value for number, state in states for key, value in state.items()}
        else:
            continue
        for name, value in named.items():
            own: object = value.to_local() if isinstance(value, DTensor) else value
            if isinstance(own, torch.Tensor) and not bool(torch.isfinite(own).all()):
                return f"{part_name} {name}"
    return ""


class ValueHead(nn.Module):
    """V(s) of the state before each completion token, from hidden states. It starts at 0, so the first values are 0."""

    def __init__(self, policy: PreTrainedModel) -> None:
        super().__init__()
        weight = cast("torch.Tensor", policy.get_output_embeddings().weight)
        dtype = torch.promote_types(weight.dtype, torch.float32)
        self.linear = nn.Linear(weight.shape[1], 1, device=weight.device, dtype=dtype)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(
        self, trunk: PreTrainedModel, ids: torch.Tensor, attention_mask: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """Values (B, T), 0 where mask is 0; ids and attention_mask are (B, P + T)."""
        hidden = passing(trunk, hidden_states, trunk, ids, attention_mask)[:, -mask.shape[1] - 1 : -1]
        values: torch.Tensor = self.linear(hidden.to(self.linear.weight.dtype)).squeeze(-1)
        return values * (mask > 0)


class Critic(nn.Module):
    """A value network of its own, which starts from the policy's trunk."""

    def __init__(self, policy: PreTrainedModel) -> None:
        super().__init__()
        self.trunk = copy.deepcopy(policy)
        self.head = ValueHead(policy)

    def forward(self, ids: torch.Tensor, attention_mask: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Values (B, T), 0 where mask is 0; ids and attention_mask are (B, P + T)."""
        values: torch.Tensor = self.head(self.trunk, ids, attention_mask, mask)
        return values

    def trained_parameters(self) -> list[nn.Parameter]:
        """The trunk without the language head, and the value head."""
        return [*self.trunk.base_model.parameters(), *self.head.parameters()]


def adamw(parameters: Sequence[nn.Parameter], learning_rate: float, config: OptimiserConfig) -> torch.optim.Optimizer:
    """AdamW on these parameters. Raises ConfigError for weights too coarse for small steps, MissingExtra."""
    refuse_coarse(parameters)
    betas, groups = (config.beta1, config.beta2), decaying(parameters, config.weight_decay)
    if config.kind == "adamw":
        return torch.optim.AdamW(groups, learning_rate, betas, config.epsilon, fused=True)
    if any(isinstance(p, DTensor) for p in parameters):
        raise ConfigError("the 8-bit optimiser is not made for shared-out weights: use optimiser.kind='adamw' there")
    try:
        from bitsandbytes.optim import AdamW8bit
    except ImportError as error:
        raise MissingExtra("bitsandbytes", "eight-bit") from error
    return cast("torch.optim.Optimizer", AdamW8bit(groups, learning_rate, betas, config.epsilon))


def decaying(parameters: Sequence[nn.Parameter], weight_decay: float) -> list[dict[str, Any]]:
    """Groups for an optimiser: matrices, which decay, apart from norms and biases, which do not."""
    if not weight_decay:
        return [{"params": list(parameters), "weight_decay": 0.0}]
    matrices, others = [p for p in parameters if p.ndim > 1], [p for p in parameters if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]


def refuse_coarse(parameters: Sequence[nn.Parameter]) -> None:
    """Raise ConfigError where weights that are to be trained round small steps away.

    bfloat16 has 8 bits of a number: of a weight of 0.02, a step of 1e-6 is a hundredth of the last.
    """
    coarse = next((p.dtype for p in parameters if p.dtype not in (torch.float32, torch.float64)), None)
    if coarse is not None:
        raise ConfigError(
            f"expected weights in float32 to train, got {str(coarse).removeprefix('torch.')}, which rounds small steps "
            "away: load them with dtype='float32' (--dtype float32) and compute in bfloat16 with engine.precision="
            "'bf16'; an adapter (engine.lora_rank) trains beside weights of any type"
        )


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
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        for name, value in list(vars(module).items()):
            if "dropout" in name and isinstance(value, float):
                setattr(module, name, 0.0)


SHARDS = "shards"
"""Where a checkpoint names the folder of the parts."""


class Networks:
    """Everything that learns, and what it is compared with. The policy's model belongs to the caller."""

    def __init__(self, model: PreTrainedModel, config: TrainConfig) -> None:
        row, engine = config.row, config.engine
        self.model, self.config = model, config
        self.reference: PreTrainedModel | None = None
        self.critic: Critic | None = None
        self.critic_optimizer: torch.optim.Optimizer | None = None
        self.value_head: ValueHead | None = None
        self.optimizer = _adamw([p for p in model.parameters() if p.requires_grad], config)
        self._of_policy = len(self.optimizer.param_groups)
        if row.needs_reference or config.log_kl:
            self.reference = shard(_copy_of(model).eval().requires_grad_(False), engine)
        if row.critic is not None and row.critic.shared_trunk:
            self.value_head = shard(ValueHead(gathered(model)), engine)
            self.optimizer.add_param_group({"params": list(self.value_head.parameters()), "weight_decay": 0.0})
        elif row.critic is not None:
            self.critic = shard(Critic(gathered(model)), engine)
            self.critic_optimizer = _adamw(self.critic.trained_parameters(), config)
        model.eval()  # dropout off: the policy that is trained is the one that sampled

    def set_learning_rate(self, share: float) -> float:
        """Multiply the learning rates by this share; returns the policy's."""
        of_policy = self.config.learning_rate * share
        of_critic = (self.config.critic_learning_rate or self.config.learning_rate) * share
        for place, group in enumerate(self.optimizer.param_groups):
            group["lr"] = of_policy if place < self._of_policy else of_critic
        for group in [] if self.critic_optimizer is None else self.critic_optimizer.param_groups:
            group["lr"] = of_critic
        return of_policy

    def reset_reference(self) -> None:
        """Let the reference become the present policy, and its optimiser forget what led there.

        As ProRL does: Liu et al. 2025, arXiv 2505.24864, section 3.
        """
        if self.reference is not None:
            self.reference.load_state_dict(self.model.state_dict())
        self.optimizer.state.clear()

    def return_to_initial(self) -> None:
        """Let the policy become the reference again, with an optimiser that remembers nothing."""
        if self.reference is not None:
            self.model.load_state_dict(self.reference.state_dict())
        self.optimizer.state.clear()

    def saved(self, out: Path, steps: int, processes: Processes) -> dict[str, Any]:
        """Every tensor, by the name of its part, for the checkpoint; where weights are sharded, where they are."""
        if self.config.engine.sharding == "full":
            from rlenv.trainers.networks import sharded_checkpoint

            return {SHARDS: sharded_checkpoint.write(out, steps, self.parts(), processes)}
        return {name: part.state_dict() for name, part in self.parts().items()}

    def load(self, state: dict[str, Any], out: Path, processes: Processes) -> None:
        """Go on from what `saved` gave. Raises RunError for what it does not give."""
        if SHARDS in state:
            from rlenv.trainers.networks import sharded_checkpoint

            if not leads_within(out, state[SHARDS]):
                raise RunError(f"the checkpoint in {out} names shards elsewhere; start in a new folder")
            sharded_checkpoint.read(out / state[SHARDS], self.parts(), processes)
            return
        for name, part in self.parts().items():
            part.load_state_dict(state[name])

    def not_finite(self, processes: Processes = ALONE) -> str:
        """The first weight or optimiser state that is not finite, by name; empty where all are good."""
        found = tensors_not_finite(self.parts())
        return next(filter(None, processes.gathered([found])), "") if processes.sharded else found

    def parts(self) -> dict[str, Any]:
        """Networks and optimisers by name."""
        parts = {
            "model": self.model,
            "optimizer": self.optimizer,
            "reference": self.reference,
            "critic": self.critic,
            "critic_optimizer": self.critic_optimizer,
            "value_head": self.value_head,
        }
        return {name: part for name, part in parts.items() if part is not None}


def _copy_of(model: PreTrainedModel) -> PreTrainedModel:
    """A copy that shares the weights which nobody trains: beside an adapter, it costs the memory of the adapter.

    Of a model that is sharded, a whole copy with nothing in common.
    """
    if is_sharded(model):
        return gathered(model)
    return copy.deepcopy(model, {id(p): p for p in model.parameters() if not p.requires_grad})


def _adamw(parameters: list[torch.nn.Parameter], config: TrainConfig) -> torch.optim.Optimizer:
    return adamw(parameters, config.learning_rate, config.optimiser)
