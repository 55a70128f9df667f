"""What generation asks of a model: what stands around its weights, and the keys and values of one episode.

Keys and values are kept between two turns of a policy, so that nothing is read twice: for models whose every layer
attends to all that came before (`is_plain`), while all the episodes of a call have together no more tokens than the
policy's `max_batch_tokens`. Everywhere else (sliding windows, state-space layers, more episodes than fit) the next turn
reads the whole transcript again: the same numbers, more time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import cast

import torch
from torch import nn
from transformers import DynamicCache, PretrainedConfig, PreTrainedModel

AUTOCAST = "rlenv_autocast"
"""The attribute of a model that says in which type its passes are computed."""


def inner_model(model: nn.Module) -> PreTrainedModel:
    """The model itself, with the layers of its adapter (of peft) in place where it has one."""
    unwrapped = getattr(model, "get_base_model", None)
    return cast("PreTrainedModel", model if unwrapped is None else unwrapped())


def autocast_of(model: nn.Module, device: torch.device) -> AbstractContextManager[object]:
    """The autocast that the passes of this model run in; none unless one was set."""
    dtype = getattr(model, AUTOCAST, None)
    return nullcontext() if dtype is None else torch.autocast(device.type, dtype)


def version_of(model: nn.Module) -> int:
    """A number that an optimiser step changes: keys and values are those of the weights that made them."""
    return sum(int(parameter._version) for parameter in model.parameters())


@dataclass(frozen=True, slots=True)
class RowCache:
    """The cache of one row."""

    layers: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    """Keys and values of each layer. (heads, L, D)"""
    length: int
    """L: how many tokens of the transcript, from its first, have been read."""


PROMPTS = "rlenv_prompts"
"""The attribute of a model that holds its `PromptPass`, where one is kept."""


@dataclass(frozen=True, slots=True)
class PromptPass:
    """A pass over prompts that sampling leaves with its graph, so that a loss need not make it again.

    A backward pass frees the graph: it serves one (`prompt_pass`).
    """

    ids: torch.Tensor
    """Of the prompts, padded on the left. (G, P)"""
    real: torch.Tensor
    """Where they are not padded, bool. (G, P)"""
    state: torch.Tensor
    """The hidden state that each first new token is predicted from. (G, 1, H)"""
    layers: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    """Keys and values of each layer. (G, heads, P, D)"""
    version: int
    """Of the weights."""

    def of(self, ids: torch.Tensor, real: torch.Tensor) -> PromptPass | None:
        """The pass over these prompts, (G', P') and no wider than its own; None where it lacks one of them."""
        width, over = ids.shape[1], self.ids.shape[1] - ids.shape[1]
        if over < 0:
            return None
        mine, own = self.ids[:, over:], self.real[:, over:]
        same = ((mine[None] == ids[:, None]) | ~own[None]) & (own[None] == real[:, None])  # (G', G, P')
        found = same.all(2) & ~self.real[:, :over].any(1)
        if not bool(found.any(1).all()):
            return None
        rows = found.int().argmax(1)
        if over == 0 and torch.equal(rows, torch.arange(len(self.ids), device=rows.device)):
            return self
        layers = tuple([(keys[rows, :, -width:], values[rows, :, -width:]) for keys, values in self.layers])
        return PromptPass(mine[rows], own[rows], self.state[rows], layers, self.version)


def prompt_pass(model: nn.Module, ids: torch.Tensor, real: torch.Tensor) -> PromptPass | None:
    """The kept pass over these prompts, once; None under no_grad and where the weights are others by now."""
    if not torch.is_grad_enabled():
        return None
    kept = cast("PromptPass | None", vars(model).pop(PROMPTS, None))
    return None if kept is None or kept.version != version_of(model) else kept.of(ids, real)


def kept_of(layers: Iterable[tuple[torch.Tensor, torch.Tensor]], columns: torch.Tensor) -> RowCache:
    """One row's cache out of keys and values (heads, width, D) with padding; `columns` are the places of its tokens."""
    return RowCache(tuple([(keys[:, columns], values[:, columns]) for keys, values in layers]), len(columns))


def joined(config: PretrainedConfig, rows: Sequence[RowCache]) -> DynamicCache:
    """One cache of several rows, padded on the left to the longest."""
    width, cache = max(row.length for row in rows), DynamicCache(config=config)
    for place in range(len(rows[0].layers)):
        keys, values = (_padded([row.layers[place][part] for row in rows], width) for part in (0, 1))
        cache.update(keys, values, place)
    return cache


def unread(rows: Sequence[RowCache], ids: Sequence[Sequence[int]]) -> list[list[int]]:
    """What of each transcript is not in its cache yet."""
    return [list(transcript[row.length :]) for row, transcript in zip(rows, ids, strict=True)]


def _padded(states: Sequence[torch.Tensor], width: int) -> torch.Tensor:
    """States (heads, L, D) of several rows as one. (B, heads, width, D)"""
    heads, _, size = states[0].shape
    whole = states[0].new_zeros(len(states), heads, width, size)
    for place, own in enumerate(states):
        whole[place, :, width - own.shape[1] :] = own
    return whole
