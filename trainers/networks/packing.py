"""The forward pass of scoring, each token once: members of a group share their prompt, or rows are packed.

`prefix`: neighbours with the same prompt forward it once; the completions attend to its keys and values, and the
gradient flows back through them. `packed`: the real tokens of all rows stand in one row, whose positions start again
with each of them; attention stays inside each, by a block-diagonal mask or, with flash attention, by its lengths.
`none`: rows as they are, padded. All three give the same numbers to float32 rounding.

An attention mask says more than what is real: equal numbers stand in one context, 0 is padding. What stands in a second
context of a row (an agent's history that was written anew) sees nothing of the first, and its positions start again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, cast

import torch
import torch.nn.functional as F
from torch import nn
from transformers import DynamicCache, PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

from rlenv.policies.generation import positions_of, takes_whole_masks
from rlenv.policies.kv_cache import cache_argument, is_plain
from rlenv.policies.model_state import autocast_of, inner_model, prompt_pass
from rlenv.trainers.networks.sharding import agreed, is_sharded

Packing: TypeAlias = Literal["prefix", "packed", "none"]
PACKING = "rlenv_packing"
"""The attribute of a model that says how its scoring is packed; `prefix` where there is none."""


def completion_states(
    model: PreTrainedModel,
    ids: torch.Tensor,
    attention_mask: torch.Tensor,
    length: int,
    packing: Packing | None = None,
) -> torch.Tensor:
    """The hidden state that each of the last `length` tokens is predicted from; ids are (B, P + T). (B, T, H)

    `packing` is the model's own when not given.
    """
    packing, apart = packing or getattr(model, PACKING, "prefix"), bool((attention_mask > 1).any())
    if packing == "packed" and not apart:
        return _packed(model, ids, attention_mask)[:, -length - 1 : -1]
    if (
        packing == "prefix"
        and is_plain(DynamicCache(config=model.config))
        and not _checkpointing_layers(trunk_of(model))
    ):
        first = first_of_runs(ids[:, :-length], attention_mask[:, :-length])
        shared = length > 1 and int(first.sum()) < len(ids) and not apart
        twice = agreed(model, shared)
        if shared:
            return _shared(model, ids, attention_mask, length, first)
        if twice:  # where others gather the weights twice
            once = hidden_states(model, ids[:, :-1], attention_mask[:, :-1])[:, -length:]
            return once + 0 * hidden_states(model, ids[:1, -1:], attention_mask[:1, -1:] | 1)
    return hidden_states(model, ids[:, :-1], attention_mask[:, :-1])[:, -length:]


def hidden_states(model: PreTrainedModel, ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    """Last hidden states (B, L, H), with positions counted from the first token of each context."""
    if bool((attention_mask > 1).any()):
        return _of_contexts(model, ids, attention_mask)
    return _forward(model, ids, _needed(attention_mask), positions_of(attention_mask))


def _of_contexts(model: PreTrainedModel, ids: torch.Tensor, contexts: torch.Tensor) -> torch.Tensor:
    """As hidden_states, each context as a row of its own; 0 where nothing is real. (B, L, H)

    Contexts of like length (within a factor of two, so that padding at most doubles the tokens) pass together.
    """
    real = contexts > 0
    begins = real & (contexts != F.pad(contexts[:, :-1], (1, 0)))
    row_of = (begins.flatten().cumsum(0) - 1)[real.flatten()]  # (N,), of each real token
    lengths = row_of.bincount()
    places = torch.arange(len(row_of), device=ids.device) - (lengths.cumsum(0) - lengths)[row_of]
    kinds = torch.zeros_like(lengths) if is_sharded(model) else lengths.float().log2().long()
    tokens, order, states = ids[real], list[torch.Tensor](), list[torch.Tensor]()
    for kind in kinds.unique().tolist():
        of_kind = kinds == kind
        here = of_kind[row_of].nonzero().flatten()
        rows, at = (of_kind.cumsum(0) - 1)[row_of[here]], places[here]
        batch = tokens.new_zeros(int(of_kind.sum()), int(lengths[of_kind].max()))
        batch[rows, at] = tokens[here]
        positions = torch.arange(batch.shape[1], device=ids.device).expand_as(batch)
        order.append(here)
        states.append(_forward(model, batch, None, positions)[rows, at])
    found = torch.cat(states)
    found = torch.zeros_like(found).index_copy(0, torch.cat(order), found)
    return found.new_zeros(*ids.shape, found.shape[-1]).masked_scatter(real[..., None], found)


def trunk_of(model: PreTrainedModel) -> nn.Module:
    """The model without its head, adapters included where it has some."""
    return inner_model(model).base_model


def first_of_runs(prompts: torch.Tensor, of_prompts: torch.Tensor) -> torch.Tensor:
    """True where a row has another prompt than the one before it. (B,)"""
    differs = (prompts[1:] != prompts[:-1]) | (of_prompts[1:] != of_prompts[:-1])
    return torch.cat([differs.new_ones(1), differs.any(1)])


def _forward(
    model: PreTrainedModel,
    ids: torch.Tensor,
    mask: torch.Tensor | None,
    positions: torch.Tensor,
    cache: DynamicCache | None = None,
) -> torch.Tensor:
    trunk = trunk_of(model)
    with _checkpointed(trunk), autocast_of(model, ids.device):
        out = trunk(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            use_cache=cache is not None,
            **cache_argument(trunk, cache),
        )
    hidden: torch.Tensor = out.last_hidden_state
    return hidden


def _needed(attention_mask: torch.Tensor) -> torch.Tensor | None:
    """The mask where something is padded on the left; what stands behind a row's last token is seen by none of it."""
    return None if bool(attention_mask[:, 0].all()) else attention_mask


def _shared(
    model: PreTrainedModel, ids: torch.Tensor, attention_mask: torch.Tensor, length: int, first: torch.Tensor
) -> torch.Tensor:
    """As completion_states, with one forward pass over the prompt of each run of rows."""
    front = ids.shape[1] - length
    prompt_of = first.cumsum(0) - 1
    prompts, before = ids[first, :front], attention_mask[first, :front]
    cache = DynamicCache(config=model.config)
    if (kept := prompt_pass(model, prompts, before.bool())) is not None:  # the pass that sampling has made
        states, layers = kept.state, kept.layers
    else:
        states = _forward(model, prompts, _needed(before), positions_of(before), cache)
        layers = tuple([(layer.keys, layer.values) for layer in cast("list[Any]", cache.layers)])
    _hand_out(cache, layers, prompt_of)
    mask = _mask_of_completions(model, cache, attention_mask[:, :-1], length - 1)
    positions = positions_of(attention_mask)[:, front:-1]
    behind = _forward(model, ids[:, front:-1], mask, positions, cache)
    return torch.cat([_repeated(states[:, -1:], prompt_of), behind], dim=1)


def _hand_out(
    cache: DynamicCache, layers: Sequence[tuple[torch.Tensor, torch.Tensor]], prompt_of: torch.Tensor
) -> None:
    """Fill the cache with the keys and values of each row's prompt."""
    for place, (keys, values) in enumerate(layers):
        layer: Any = cache.layers[place]
        layer.dtype, layer.device, layer.is_initialized = keys.dtype, keys.device, True
        layer.keys, layer.values = _repeated(keys, prompt_of), _repeated(values, prompt_of)


def _repeated(states: torch.Tensor, prompt_of: torch.Tensor) -> torch.Tensor:
    """`states[prompt_of]`; where all runs are equally long, in a way whose gradient is a plain sum."""
    count, rest = divmod(len(prompt_of), len(states))
    even = torch.arange(len(states), device=states.device).repeat_interleave(max(1, count))
    if rest == 0 and torch.equal(prompt_of, even):
        return states.unsqueeze(1).expand(-1, count, *states.shape[1:]).flatten(0, 1)
    return states[prompt_of]


def _mask_of_completions(
    model: PreTrainedModel, cache: DynamicCache, attention_mask: torch.Tensor, queries: int
) -> torch.Tensor | None:
    """What the last `queries` tokens attend to."""
    if not takes_whole_masks(model, cache):
        return attention_mask
    keys = attention_mask.shape[1]
    causal = torch.ones(queries, keys, dtype=torch.bool, device=attention_mask.device).tril(keys - queries)
    padded = _needed(attention_mask)
    return causal[None, None] if padded is None else causal & padded.bool()[:, None, None]


def _packed(model: PreTrainedModel, ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    """Hidden states (B, L, H) from one row without padding; 0 where the mask is 0."""
    real = attention_mask > 0
    states = _forward(model, ids[real][None], None, positions_of(attention_mask)[real][None])[0]
    empty = states.new_zeros(*ids.shape, states.shape[-1])
    return empty.masked_scatter(real[..., None], states)


def _checkpointing_layers(trunk: nn.Module) -> list[GradientCheckpointingLayer]:
    return [m for m in trunk.modules() if isinstance(m, GradientCheckpointingLayer) and m.gradient_checkpointing]


@contextmanager
def _checkpointed(trunk: nn.Module) -> Iterator[None]:
    """Gradient checkpointing for a model in evaluation mode: transformers does it in training mode only.

    Training mode of the whole would let dropout in, and the policy that is trained must be the one that sampled.
    """
    layers = _checkpointing_layers(trunk)
    modes = [layer.training for layer in layers]
    for layer in layers:
        layer.training = True
    try:
        yield
    finally:
        for layer, mode in zip(layers, modes, strict=True):
            layer.training = mode
