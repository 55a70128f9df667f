"""A value network: a copy of the policy's trunk with a scalar head of its own."""

from __future__ import annotations

import copy
from typing import cast

import torch
from torch import nn
from transformers import PreTrainedModel

from rlenv.trainers.logprobs import hidden_states


class Critic(nn.Module):
    """V(s) of the state before each completion token. The head starts at 0, so the first values are 0."""

    def __init__(self, policy: PreTrainedModel) -> None:
        super().__init__()
        self.trunk = copy.deepcopy(policy)
        head = self.trunk.get_output_embeddings()
        weight = cast("torch.Tensor", head.weight)
        self.head = nn.Linear(weight.shape[1], 1, device=weight.device, dtype=torch.float32)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: torch.Tensor, attention_mask: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Values (B, T), 0 where mask is 0; ids and attention_mask are (B, P + T)."""
        hidden = hidden_states(self.trunk, ids, attention_mask)[:, -mask.shape[1] - 1 : -1]
        values: torch.Tensor = self.head(hidden.float()).squeeze(-1)
        return values * (mask > 0)

    def trained_parameters(self) -> list[nn.Parameter]:
        """The trunk without the language head, and the value head."""
        return [*self.trunk.base_model.parameters(), *self.head.parameters()]
