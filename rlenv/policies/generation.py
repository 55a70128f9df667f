"""Batched sampling from a causal language model, with the log-probability of every sampled token.

One forward over the prompts, shared by the n completions of each; then one token a step, with finished
rows dropped from the batch as soon as half of it is done. Prompts are padded on the left and positions
come from the attention mask, so that learned position embeddings see what they were trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers import DynamicCache, PreTrainedModel

from rlenv.policies.policy import Sampling


@dataclass(slots=True)
class Sampled:
    """What was drawn for one row; `finished` says that it ended with an end-of-sequence token."""

    token_ids: list[int]
    logprobs: list[float]
    finished: bool


@torch.no_grad()  # not inference_mode: its tensors could not enter a later backward pass
def sample_tokens(
    model: PreTrainedModel,
    prompt_ids: Sequence[Sequence[int]],
    n: int,
    sampling: Sampling,
    eos_ids: Sequence[int],
    generator: torch.Generator,
) -> list[Sampled]:
    """`n` samples of each prompt, prompt by prompt, up to `sampling.max_new_tokens` tokens each.

    The end-of-sequence token, where there is one, is the last token of a sample. Log-probs are float32 and
    taken at the sampling temperature (at temperature 1 for greedy decoding).
    """
    device = model.device
    ids, mask = left_padded(prompt_ids, pad_id=eos_ids[0] if eos_ids else 0, device=device)
    positions = positions_of(mask)
    cache = DynamicCache(config=model.config)
    out = model(
        input_ids=ids,
        attention_mask=mask,
        position_ids=positions,
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=1,
    )
    logits = out.logits[:, -1].repeat_interleave(n, dim=0)
    cache.batch_repeat_interleave(n)
    mask = mask.repeat_interleave(n, dim=0)
    position = positions[:, -1:].repeat_interleave(n, dim=0)
    eos = torch.tensor(list(eos_ids), device=device)
    rows = torch.arange(len(mask), device=device)  # place of each live row among the samples
    done = torch.zeros(len(mask), dtype=torch.bool, device=device)
    drawn: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []  # rows, tokens, log-probs of each step
    for step in range(sampling.max_new_tokens):
        tokens, logprobs = draw(logits, sampling, generator)
        drawn.append((rows[~done], tokens[~done], logprobs[~done]))
        done = done | torch.isin(tokens, eos)
        live = int((~done).sum())
        if live == 0 or step + 1 == sampling.max_new_tokens:
            break
        if live <= len(rows) // 2:
            keep = (~done).nonzero().squeeze(1)
            cache.batch_select_indices(keep)
            rows, tokens, mask, position, done = (x[keep] for x in (rows, tokens, mask, position, done))
        mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
        position = position + 1
        logits = model(
            input_ids=tokens[:, None],
            attention_mask=mask,
            position_ids=position,
            past_key_values=cache,
            use_cache=True,
        ).logits[:, -1]
    return _collect(drawn, len(prompt_ids) * n, set(eos_ids))


def draw(logits: torch.Tensor, sampling: Sampling, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """One token a row and its log-probability, from logits (B, V)."""
    logits = logits.float()
    if sampling.temperature == 0:
        logprobs = logits.log_softmax(-1)
        tokens = logits.argmax(-1)
    else:
        logprobs = (logits / sampling.temperature).log_softmax(-1)
        if sampling.top_p < 1:
            logprobs = _nucleus(logprobs, sampling.top_p)
        tokens = torch.multinomial(logprobs.exp(), 1, generator=generator).squeeze(1)
    return tokens, logprobs.gather(1, tokens[:, None]).squeeze(1)


def _nucleus(logprobs: torch.Tensor, top_p: float) -> torch.Tensor:
    """The smallest set of tokens with probability `top_p`, renormalised."""
    ordered, order = logprobs.sort(dim=-1, descending=True)
    before = ordered.exp().cumsum(-1) - ordered.exp()
    kept = torch.zeros_like(logprobs, dtype=torch.bool).scatter(1, order, before < top_p)
    return logprobs.masked_fill(~kept, -torch.inf).log_softmax(-1)


def left_padded(rows: Sequence[Sequence[int]], pad_id: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and attention mask (B, T) of rows padded on the left."""
    width = max(len(row) for row in rows)
    ids = torch.tensor([[pad_id] * (width - len(row)) + list(row) for row in rows], device=device)
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device)
    return ids, mask


def positions_of(mask: torch.Tensor) -> torch.Tensor:
    """Position of each token counted from the first real one. (B, T)"""
    return (mask.cumsum(-1) - 1).clamp(min=0)


def _collect(
    drawn: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]], count: int, eos_ids: set[int]
) -> list[Sampled]:
    samples = [Sampled([], [], False) for _ in range(count)]
    for rows, tokens, logprobs in drawn:
        for row, token, logprob in zip(rows.tolist(), tokens.tolist(), logprobs.tolist(), strict=True):
            samples[row].token_ids.append(token)
            samples[row].logprobs.append(logprob)
    for sample in samples:
        sample.finished = bool(sample.token_ids) and sample.token_ids[-1] in eos_ids
    return samples
