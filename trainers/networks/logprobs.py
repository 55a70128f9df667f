"""Log-probs and entropies of chosen tokens, without ever holding a [batch, time, vocabulary] tensor."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from rlenv.trainers.networks import head as chunks
from rlenv.trainers.networks.head import head_logprobs, is_plain_head
from rlenv.trainers.networks.packing import Packing, completion_states, hidden_states
from rlenv.trainers.networks.sharding import passing

__all__ = ["completion_logprobs", "hidden_states", "vocabulary_logprobs"]


def completion_logprobs(
    model: PreTrainedModel,
    ids: torch.Tensor,
    attention_mask: torch.Tensor,
    mask: torch.Tensor,
    temperature: float = 1.0,
    *,
    entropy_gradient: bool = False,
    packing: Packing | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each completion token and entropy of the distribution it was drawn from.

    ids and attention_mask are (B, P + T) with the completion in the last T places, mask is (B, T); both
    results are float32 (B, T), 0 where mask is 0. Entropies carry a gradient only where `entropy_gradient` is set.
    `packing` (the model's own when not given) decides what a forward pass costs, not what it gives.
    """
    return passing(model, _logprobs, model, ids, attention_mask, mask, temperature, entropy_gradient, packing)


def _logprobs(
    model: PreTrainedModel,
    ids: torch.Tensor,
    attention_mask: torch.Tensor,
    mask: torch.Tensor,
    temperature: float,
    entropy_gradient: bool,
    packing: Packing | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """As completion_logprobs, with the weights at hand."""
    length = mask.shape[1]
    chosen = mask > 0
    hidden = completion_states(model, ids, attention_mask, length, packing)[chosen]
    logprobs, entropy = _of_rows(model, hidden, ids[:, -length:][chosen], temperature)
    if not entropy_gradient:
        entropy = entropy.detach()
    zeros = torch.zeros(mask.shape, dtype=logprobs.dtype, device=ids.device)
    return zeros.masked_scatter(chosen, logprobs), zeros.masked_scatter(chosen, entropy)


def vocabulary_logprobs(model: PreTrainedModel, hidden: torch.Tensor, temperature: float = 1.0) -> torch.Tensor:
    """Log-probs of every token of the vocabulary, for N rows of hidden states (N, H). (N, V), at least float32"""
    head: Any = model.get_output_embeddings()
    logits: torch.Tensor = head(hidden)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32)) * _scale(model.config)
    if (cap := _cap(model.config)) is not None:
        logits = torch.tanh(logits / cap) * cap
    return (logits / temperature).log_softmax(-1)


def _of_rows(
    model: PreTrainedModel, hidden: torch.Tensor, targets: torch.Tensor, temperature: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """As completion_logprobs, for N rows of hidden states (N, H)."""
    head: Any = model.get_output_embeddings()
    if is_plain_head(head) and _cap(model.config) is None:
        return head_logprobs(hidden, head.weight, targets, _scale(model.config) / temperature)

    def rows(h: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        distribution = vocabulary_logprobs(model, h, temperature)
        return distribution.gather(1, t[:, None]).squeeze(1), -(distribution.exp() * distribution).sum(-1)

    size = max(1, chunks.CHUNK_ELEMENTS // int(head.weight.shape[0]))
    if len(hidden) <= size:
        return rows(hidden, targets)
    parts = [
        checkpoint(rows, h, t, use_reentrant=False)
        for h, t in zip(hidden.split(size), targets.split(size), strict=True)
    ]
    return torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])


def _scale(config: Any) -> float:
    """What some families multiply their logits by behind the head: Granite divides, Cohere scales."""
    return float(getattr(config, "logit_scale", None) or 1.0) / float(getattr(config, "logits_scaling", None) or 1.0)


def _cap(config: Any) -> float | None:
    """Where Gemma keeps its logits: within this of 0."""
    cap: float | None = getattr(config, "final_logit_softcapping", None)
    return cap
