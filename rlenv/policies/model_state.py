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
class Kept:
    """The cache of one row."""

    layers: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    """Keys and values of each layer. (heads, L, D)"""
    length: int
    """L: how many tokens of the transcript, from its first, have been read."""


def kept_of(layers: Iterable[tuple[torch.Tensor, torch.Tensor]], columns: torch.Tensor) -> Kept:
    """One row's cache out of keys and values (heads, width, D) with padding; `columns` are the places of its tokens."""
    return Kept(tuple([(keys[:, columns], values[:, columns]) for keys, values in layers]), len(columns))


def joined(config: PretrainedConfig, rows: Sequence[Kept]) -> DynamicCache:
    """One cache of several rows, padded on the left to the longest."""
    width, cache = max(row.length for row in rows), DynamicCache(config=config)
    for place in range(len(rows[0].layers)):
        keys, values = (_padded([row.layers[place][part] for row in rows], width) for part in (0, 1))
        cache.update(keys, values, place)
    return cache


def unread(rows: Sequence[Kept], ids: Sequence[Sequence[int]]) -> list[list[int]]:
    """What of each transcript is not in its cache yet."""
    return [list(transcript[row.length :]) for row, transcript in zip(rows, ids, strict=True)]


def _padded(states: Sequence[torch.Tensor], width: int) -> torch.Tensor:
    """States (heads, L, D) of several rows as one. (B, heads, width, D)"""
    heads, _, size = states[0].shape
    whole = states[0].new_zeros(len(states), heads, width, size)
    for place, own in enumerate(states):
        whole[place, :, width - own.shape[1] :] = own
    return whole
