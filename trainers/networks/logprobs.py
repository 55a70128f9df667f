"""Log-probs and entropies of chosen tokens, without ever holding a [batch, time, vocabulary] tensor.

At the head, a chunk of rows at a time, with a backward pass of its own: forward and backward hold one chunk of logits;
the gradient of the head's weight is summed in place. Where all rows fit into one chunk, their probabilities are kept
and nothing is computed twice. Logits and all sums are float32 at least, whatever the type of the hidden states, of the
weight and of an autocast around.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from rlenv.policies.linear import FastLinear, product, weight_gradient
from rlenv.trainers.networks.packing import Packing, completion_states, hidden_states
from rlenv.trainers.networks.sharding import passing

CHUNK_ELEMENTS = 1 << 24
"""Logits held at once: 64 MiB in float32."""


WEIGHT_ELEMENTS = 1 << 24
"""Of a larger weight on a CPU so many numbers are multiplied at once: oneDNN copies what it multiplies with."""


def is_plain_head(head: nn.Module) -> bool:
    """Whether the head is one matrix: no bias, no adapter, no hook."""
    hooked = bool(head._forward_hooks or head._forward_pre_hooks)
    return type(head) in (nn.Linear, FastLinear) and head.bias is None and not hooked


def head_logprobs(
    hidden: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor, scale: float = 1.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each target and entropy (N,), of the logits `scale * hidden @ weight.T`; with gradients.

    hidden (N, H), weight (V, H), targets (N,).
    """
    with torch.autocast(hidden.device.type, enabled=False):
        found = _Head.apply(hidden.to(weight.dtype), weight, targets, scale)  # type: ignore[no-untyped-call]
    return cast("tuple[torch.Tensor, torch.Tensor]", found)


class _Head(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor, scale: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        size = max(1, CHUNK_ELEMENTS // len(weight))
        keep = len(hidden) <= size and any(ctx.needs_input_grad)
        dtype = torch.promote_types(hidden.dtype, torch.float32)
        logprobs, entropy, normaliser = hidden.new_empty((3, len(hidden)), dtype=dtype).unbind()
        kept: torch.Tensor | None = None
        for start in range(0, len(hidden), size):
            rows = slice(start, start + size)
            logits = _logits(hidden[rows], weight, scale)
            top = logits.amax(1, keepdim=True)
            logits -= top
            chosen = logits.gather(1, targets[rows, None]).squeeze(1)
            p = logits.exp()
            total = p.sum(1)
            log_total = total.log()
            logprobs[rows] = chosen - log_total
            normaliser[rows] = top.squeeze(1) + log_total
            entropy[rows] = log_total - logits.mul_(p).sum(1) / total
            kept = p.div_(total[:, None]) if keep else None
            del logits, p
        ctx.save_for_backward(hidden, weight, targets, entropy, normaliser, kept)
        ctx.scale, ctx.size = scale, size
        ctx.set_materialize_grads(False)
        return logprobs, entropy

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(
        ctx: Any, of_logprobs: torch.Tensor | None, of_entropy: torch.Tensor | None
    ) -> tuple[torch.Tensor | None, torch.Tensor | None, None, None]:
        hidden, weight, targets, entropy, normaliser, kept = ctx.saved_tensors
        to_hidden, to_weight = ctx.needs_input_grad[:2]
        by_hidden = torch.empty_like(hidden) if to_hidden else None
        by_weight: torch.Tensor | None = None
        with torch.autocast(hidden.device.type, enabled=False):
            for start in range(0, len(hidden), ctx.size):
                rows = slice(start, start + ctx.size)
                if kept is None:
                    log_p = _logits(hidden[rows], weight, ctx.scale).sub_(normaliser[rows, None])
                else:
                    log_p = kept.log()
                bent = None if of_entropy is None else (of_entropy[rows, None], entropy[rows, None])
                grad = _logit_gradient(
                    log_p, targets[rows, None], None if of_logprobs is None else of_logprobs[rows, None], bent
                )
                grad *= ctx.scale
                if by_hidden is not None:
                    by_hidden[rows] = _to_hidden(grad.to(weight.dtype), weight)
                if to_weight:
                    by_weight = _added(by_weight, grad, hidden[rows])
                del log_p, grad
        return by_hidden, None if by_weight is None else by_weight.to(weight.dtype), None, None


def _logits(hidden: torch.Tensor, weight: torch.Tensor, scale: float) -> torch.Tensor:
    """The logits of some rows, in float32 at least."""
    blocks = _blocks(weight)
    if len(blocks) == 1:
        logits = product(hidden, weight)
    else:
        logits = hidden.new_empty(len(hidden), len(weight))
        for block in blocks:
            logits[:, block] = product(hidden, weight[block])
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return logits if scale == 1 else logits.mul_(scale)


def _to_hidden(grad: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The gradient of hidden states from that of their logits. (N, H)"""
    first, *others = _blocks(weight)
    total = product(grad[:, first], weight[first].t())
    for block in others:
        total += product(grad[:, block], weight[block].t())
    return total


def _blocks(weight: torch.Tensor) -> list[slice]:
    """Rows of the weight that are multiplied at once."""
    size = max(1, WEIGHT_ELEMENTS // weight.shape[1]) if weight.device.type == "cpu" else len(weight)
    return [slice(start, start + size) for start in range(0, len(weight), size)]


def _logit_gradient(
    log_p: torch.Tensor,
    targets: torch.Tensor,
    of_logprobs: torch.Tensor | None,
    of_entropy: tuple[torch.Tensor, torch.Tensor] | None,
) -> torch.Tensor:
    """The gradient with respect to the logits, where possible in the memory of `log_p`. (N, V)

    d log p(t) / dz_j = [j = t] - p_j and dH / dz_j = -p_j (log p_j + H).
    """
    pushed = torch.zeros_like(log_p[:, :1]) if of_logprobs is None else of_logprobs
    if of_entropy is None:
        grad = log_p.exp_().mul_(-pushed)
    else:
        pull, entropy = of_entropy
        p = log_p.exp()
        grad = log_p.clamp_(min=-1e4).add_(entropy).mul_(pull).add_(pushed).mul_(p).neg_()  # 0 * -inf is no number
    return grad.scatter_add_(1, targets, pushed)


def _added(total: torch.Tensor | None, grad: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """The gradient of the weight with the share of some rows, summed in float32 at least."""
    rows = hidden.to(grad.dtype)
    return weight_gradient(grad, rows) if total is None else total.addmm_(grad.t(), rows)


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

    ids and attention_mask are (B, P + T) with the completion in the last T places, mask is (B, T). In the attention
    mask 0 is padding, and tokens with the same number share a context (rlenv.trainers.networks.packing). Both results
    are float32 (B, T), 0 where mask is 0. Entropies carry a gradient only where `entropy_gradient` is set.
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

    size = max(1, CHUNK_ELEMENTS // int(head.weight.shape[0]))
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
