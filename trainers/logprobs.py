"""Log-probs and entropies of chosen tokens, without ever holding a [batch, time, vocabulary] tensor."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from rlenv.policies.generation import positions_of

CHUNK_ELEMENTS = 1 << 24
"""Logits held at once: 64 MiB in float32."""


def completion_logprobs(
    model: PreTrainedModel,
    ids: torch.Tensor,
    attention_mask: torch.Tensor,
    mask: torch.Tensor,
    temperature: float = 1.0,
    *,
    entropy_gradient: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each completion token and entropy of the distribution it was drawn from.

    ids and attention_mask are (B, P + T) with the completion in the last T places, mask is (B, T); both
    results are float32 (B, T), 0 where mask is 0. Entropies carry a gradient only where `entropy_gradient` is set.
    """
    length = mask.shape[1]
    hidden = hidden_states(model, ids, attention_mask)[:, -length - 1 : -1]
    chosen = mask > 0
    targets = ids[:, -length:][chosen]
    logprobs, entropy = _of_rows(model, hidden[chosen], targets, temperature, entropy_gradient)
    zeros = torch.zeros(mask.shape, dtype=torch.float32, device=ids.device)
    return zeros.masked_scatter(chosen, logprobs), zeros.masked_scatter(chosen, entropy)


def hidden_states(model: PreTrainedModel, ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    """Last hidden states (B, L, H), with positions counted from the first real token."""
    trunk: Any = model.base_model
    out = trunk(
        input_ids=ids, attention_mask=attention_mask, position_ids=positions_of(attention_mask), use_cache=False
    )
    hidden: torch.Tensor = out.last_hidden_state
    return hidden


def vocabulary_logprobs(model: PreTrainedModel, hidden: torch.Tensor, temperature: float = 1.0) -> torch.Tensor:
    """Log-probs of every token of the vocabulary, for N rows of hidden states (N, H). (N, V), at least float32"""
    head: Any = model.get_output_embeddings()
    logits = head(hidden)
    logits = _finished(logits.to(torch.promote_types(logits.dtype, torch.float32)), model.config)
    return (logits / temperature).log_softmax(-1)


def _of_rows(
    model: PreTrainedModel, hidden: torch.Tensor, targets: torch.Tensor, temperature: float, entropy_gradient: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """As completion_logprobs, for N rows of hidden states (N, H)."""
    head: Any = model.get_output_embeddings()

    def rows(h: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        distribution = vocabulary_logprobs(model, h, temperature)
        with torch.set_grad_enabled(entropy_gradient and torch.is_grad_enabled()):
            entropy = -(distribution.exp() * distribution).sum(-1)
        return distribution.gather(1, t[:, None]).squeeze(1), entropy

    size = max(1, CHUNK_ELEMENTS // int(head.weight.shape[0]))
    if len(hidden) <= size:
        return rows(hidden, targets)
    parts = [
        checkpoint(rows, h, t, use_reentrant=False)
        for h, t in zip(hidden.split(size), targets.split(size), strict=True)
    ]
    return torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])


def _finished(logits: torch.Tensor, config: Any) -> torch.Tensor:
    """What some families do to their logits behind the head: Granite divides, Cohere scales, Gemma caps."""
    if (divisor := getattr(config, "logits_scaling", None)) is not None:
        logits = logits / divisor
    if (scale := getattr(config, "logit_scale", None)) is not None:
        logits = logits * scale
    if (cap := getattr(config, "final_logit_softcapping", None)) is not None:
        logits = torch.tanh(logits / cap) * cap
    return logits
