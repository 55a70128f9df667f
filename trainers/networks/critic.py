"""Value networks: a copy of the policy's trunk with a scalar head, or a head on the policy's own trunk."""

from __future__ import annotations

import copy
from typing import cast

import torch
from torch import nn
from transformers import PreTrainedModel

from rlenv.trainers.networks.logprobs import hidden_states
from rlenv.trainers.networks.sharding import passing


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
