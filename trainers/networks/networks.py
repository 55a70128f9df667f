"""The models and optimisers of a run beside the policy: reference, critic or value head; made, saved, restored."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel

from rlenv.core.errors import RunError
from rlenv.door.files import leads_within
from rlenv.trainers.networks import sharded_checkpoint
from rlenv.trainers.networks.critic import Critic, ValueHead
from rlenv.trainers.networks.finite import tensors_not_finite
from rlenv.trainers.networks.optimiser import adamw
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.networks.sharding import gathered, is_sharded, shard
from rlenv.trainers.settings.config import TrainConfig

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
            return {SHARDS: sharded_checkpoint.write(out, steps, self.parts(), processes)}
        return {name: part.state_dict() for name, part in self.parts().items()}

    def load(self, state: dict[str, Any], out: Path, processes: Processes) -> None:
        """Go on from what `saved` gave. Raises RunError for what it does not give."""
        if SHARDS in state:
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
