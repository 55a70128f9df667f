"""A cache of keys and values that is reserved once: a new token is written in place, nothing is copied.

The growing cache of transformers copies itself at every token; its static one attends to places that are empty yet.
"""

from __future__ import annotations

from functools import cache as cached
from inspect import signature
from typing import Any, cast

import torch
from torch import nn
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer


class ReservedLayer(DynamicLayer):
    """Keys and values of one layer for up to `length` tokens, of which `keys` and `values` show those there are."""

    def __init__(self, filled: DynamicLayer, repeats: int, length: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        keys, values = cast("tuple[torch.Tensor, torch.Tensor]", (filled.keys, filled.values))
        self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True
        self._keys, self._values = _reserved(keys, repeats, length), _reserved(values, repeats, length)
        self._show(keys.shape[-2])

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        start, end = self._end, self._end + key_states.shape[-2]
        self._keys[:, :, start:end] = key_states
        self._values[:, :, start:end] = value_states
        return self._show(end)

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        self._keys, self._values = self._keys[indices], self._values[indices]
        self._show(self._end)

    def _show(self, end: int) -> tuple[torch.Tensor, torch.Tensor]:
        self._end = end
        found = self.keys, self.values = self._keys[:, :, :end], self._values[:, :, :end]
        return found


def repeated(cache: DynamicCache, repeats: int, length: int) -> None:
    """Give every row of the cache `repeats` times, with room for `length` tokens in its plain layers."""
    layers: list[Any] = cache.layers
    for place, layer in enumerate(layers):
        if type(layer) is DynamicLayer and layer.is_initialized:
            layers[place] = ReservedLayer(layer, repeats, length)
        else:
            layer.batch_repeat_interleave(repeats)


def cache_argument(model: nn.Module, cache: DynamicCache | None) -> dict[str, DynamicCache | None]:
    """The cache as the keyword that the model's forward pass takes: `cache`, or before transformers 5.24 its old name.

    Models whose code comes with their weights may keep the old name.
    """
    return {_cache_name(type(model)): cache}  # type: ignore[arg-type]  # mypy: a Module's __hash__ takes any object


@cached
def _cache_name(model: type[nn.Module]) -> str:
    return "cache" if "cache" in signature(model.forward).parameters else "past_key_values"


def is_plain(cache: DynamicCache) -> bool:
    """Whether every layer attends to all that came before, so that one mask is right for all of them."""
    return all(type(layer) in (DynamicLayer, ReservedLayer) for layer in cache.layers)


def _reserved(states: torch.Tensor, repeats: int, length: int) -> torch.Tensor:
    rows, heads, filled, size = states.shape
    room = states.new_empty(rows * repeats, heads, length, size)
    room[:, :, :filled] = states.repeat_interleave(repeats, dim=0)
    return room
