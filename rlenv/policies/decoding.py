"""One token a row through a plain decoder on a CPU, in few operations: their count is most of what a token costs.

The layers of Llama and Qwen2 are read here from their own modules: one product makes queries, keys and values, the
angles of all positions are computed once, and completions of one prompt attend to one copy of its keys and values.
The numbers are those of the model's own forward pass to float32 rounding; every other model is called as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import DynamicCache, PreTrainedModel

from rlenv.policies.kv_cache import is_plain
from rlenv.policies.linear import FastLinear, product
from rlenv.policies.model_state import AUTOCAST, inner_model

FAMILIES = ("LlamaForCausalLM", "Qwen2ForCausalLM")
MOVING_ANGLES = ("dynamic", "longrope")
"""Rotary embeddings whose angles depend on how long the text has become."""


def can_decode(model: PreTrainedModel, cache: DynamicCache) -> bool:
    """Whether `Decoder` does what the model does: a known family, float32 on a CPU, nothing around its parts."""
    inner: Any = inner_model(model)
    known = type(inner).__module__.startswith("transformers.models.") and type(inner).__name__ in FAMILIES
    if not known or inner is not model or getattr(model, AUTOCAST, None) is not None or not is_plain(cache):
        return False
    here = all(p.dtype is torch.float32 and p.device.type == "cpu" for p in model.parameters())
    angles = inner.model.rotary_emb.rope_type not in MOVING_ANGLES
    return here and angles and not any(_altered(module) for module in model.modules())


def _altered(module: nn.Module) -> bool:
    """Whether somebody changed what this module of a known family does."""
    linear = isinstance(module, nn.Linear) and type(module) not in (nn.Linear, FastLinear)
    return linear or bool(module._forward_hooks or module._forward_pre_hooks or "forward" in vars(module))


class Decoder:
    """Reads one token a row and says what comes next; starts from the cache of the prompts, `n` rows for each."""

    def __init__(
        self, model: PreTrainedModel, cache: DynamicCache, mask: torch.Tensor | None, n: int, new_tokens: int
    ) -> None:
        """`mask` (prompts, P) is 0 where a prompt is padded on the left, None where none is."""
        self._model: Any = model
        width = _filled(cache)[0][0].shape[2]
        self._layers = [
            _Layer(layer, keys, values, n, new_tokens)
            for layer, (keys, values) in zip(self._model.model.layers, _filled(cache), strict=True)
        ]
        self._hidden = None if mask is None else mask[:, None, None] == 0
        self._cos, self._sin = _angles(self._model.model, width + new_tokens)
        self._position = width if mask is None else mask.sum(1).repeat_interleave(n)
        self._written = 0

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        """The logits (B, V) behind one more token a row, (B,)."""
        trunk = self._model.model
        x = trunk.embed_tokens(tokens)
        cos, sin = self._cos[self._position], self._sin[self._position]
        if cos.dim() > 1:
            cos, sin = cos[:, None], sin[:, None]
        self._written += 1
        self._position = self._position + 1
        for layer in self._layers:
            x = layer.step(x, cos, sin, self._written, self._hidden)
        logits: torch.Tensor = self._model.lm_head(trunk.norm(x))
        return logits

    def layers_of(self, row: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Keys and values of one row: its prompt with padding, then the new tokens. (heads, width, D)"""
        return [layer.of_row(row, self._written) for layer in self._layers]

    def keep(self, rows: torch.Tensor) -> None:
        """Continue with these rows only; each then has its prompt to itself."""
        if self._hidden is not None:
            self._hidden = self._hidden.repeat_interleave(self._layers[0].n, dim=0)[rows]
        if isinstance(self._position, torch.Tensor):
            self._position = self._position[rows]
        for layer in self._layers:
            layer.keep(rows)


class _Layer:
    """One layer of the decoder with the keys and values of the prompts and of the new tokens."""

    def __init__(self, layer: Any, keys: torch.Tensor, values: torch.Tensor, n: int, new_tokens: int) -> None:
        attention = layer.self_attn
        self._layer, self._attention, self.n = layer, attention, n
        parts = (attention.q_proj, attention.k_proj, attention.v_proj)
        self._weight = torch.cat([part.weight for part in parts])
        self._bias = None if parts[0].bias is None else torch.cat([part.bias for part in parts])
        self._prompt_keys, self._prompt_values = keys, values
        prompts, self._heads, _, self._size = keys.shape
        self._queries = parts[0].weight.shape[0] // self._size
        room = (prompts * n, self._heads, new_tokens, self._size)
        self._keys, self._values = keys.new_empty(room), keys.new_empty(room)

    def step(
        self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, written: int, hidden: torch.Tensor | None
    ) -> torch.Tensor:
        """As a decoder layer of transformers, for one token a row, (B, H); `written` counts this token."""
        layer, queries, size = self._layer, self._queries, self._size
        turned, values = (
            product(layer.input_layernorm(x), self._weight, self._bias)
            .view(len(x), -1, size)
            .split([queries + self._heads, self._heads], 1)
        )
        turned = torch.addcmul(turned * cos, turned.roll(size // 2, -1), sin)
        self._keys[:, :, written - 1] = turned[:, queries:]
        self._values[:, :, written - 1] = values
        x = x + self._attention.o_proj(self._attended(turned[:, :queries], written, hidden))
        found: torch.Tensor = x + layer.mlp(layer.post_attention_layernorm(x))
        return found

    def _attended(self, queries: torch.Tensor, written: int, hidden: torch.Tensor | None) -> torch.Tensor:
        """What the queries (B, heads, D) find in their prompt and in their own tokens. (B, heads * D)"""
        rows = len(queries)
        own = (queries * self._attention.scaling).view(rows, self._heads, -1, self._size)
        prompts, shared = rows // self.n, self.n * own.shape[2]
        by_prompt = own.view(prompts, self.n, self._heads, -1, self._size).transpose(1, 2)
        to_prompt = by_prompt.reshape(prompts, self._heads, shared, self._size) @ self._prompt_keys.transpose(2, 3)
        if hidden is not None:
            to_prompt = to_prompt.masked_fill(hidden, -torch.inf)
        width = to_prompt.shape[3]
        scores = torch.cat(
            [self._by_row(to_prompt, rows), own @ self._keys[:, :, :written].transpose(2, 3)], dim=3
        ).softmax(3)
        weights = scores[..., :width].view(prompts, self.n, self._heads, -1, width).transpose(1, 2)
        found = weights.reshape(prompts, self._heads, shared, width) @ self._prompt_values
        mine = scores[..., width:] @ self._values[:, :, :written]
        return (self._by_row(found, rows) + mine).reshape(rows, -1)

    def _by_row(self, of_prompts: torch.Tensor, rows: int) -> torch.Tensor:
        """From (prompts, heads, n * repeats, X) to (B, heads, repeats, X)."""
        prompts, heads, _, width = of_prompts.shape
        return of_prompts.view(prompts, heads, self.n, -1, width).transpose(1, 2).reshape(rows, heads, -1, width)

    def of_row(self, row: int, written: int) -> tuple[torch.Tensor, torch.Tensor]:
        prompt = row // self.n
        return (
            torch.cat([self._prompt_keys[prompt], self._keys[row, :, :written]], 1),
            torch.cat([self._prompt_values[prompt], self._values[row, :, :written]], 1),
        )

    def keep(self, rows: torch.Tensor) -> None:
        self._keys, self._values = self._keys[rows], self._values[rows]
        prompt_of = rows // self.n
        self._prompt_keys, self._prompt_values = self._prompt_keys[prompt_of], self._prompt_values[prompt_of]
        self.n = 1


def _filled(cache: DynamicCache) -> list[tuple[torch.Tensor, torch.Tensor]]:
    layers: list[Any] = cache.layers
    return [(layer.keys, layer.values) for layer in layers]


def _angles(trunk: Any, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines (positions, D), the sines with the sign that turning by half a head needs."""
    like = trunk.embed_tokens.weight
    cos, sin = trunk.rotary_emb(like, torch.arange(count, device=like.device)[None])
    sign = torch.ones_like(sin[0])
    sign[:, : sin.shape[-1] // 2] = -1
    return cos[0], sin[0] * sign
