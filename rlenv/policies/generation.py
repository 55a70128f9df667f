"""Batched sampling from a causal language model, with the log-probability of every sampled token.

One forward over the prompts, shared by the n completions of each; then one token a step into a cache that is
reserved once, with finished rows dropped from the batch as soon as half of it is done. Prompts are padded on the
left and positions come from the attention mask, so that learned position embeddings see what they were trained on.
A transcript that goes on may bring the cache of what was read of it (`past`), and only the rest is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import nn
from transformers import DynamicCache, PreTrainedModel

from rlenv.core.policy import Sampling
from rlenv.policies.decoding import Decoder, can_decode
from rlenv.policies.kv_cache import cache_argument, is_plain, repeated
from rlenv.policies.model_state import (
    PROMPTS,
    PromptPass,
    RowCache,
    autocast_of,
    inner_model,
    joined,
    kept_of,
    unread,
    version_of,
)

LOOK_EVERY = {"cpu": 1}
"""Steps between looks at which rows are done: elsewhere than on a CPU a look stops the device's queue."""
WITH_ALIBI = ("bloom", "mpt", "falcon")
"""Families that read positions off the two-dimensional mask, so that they must be given it."""


@dataclass(slots=True)
class Sampled:
    """What was drawn for one row; `finished` says that it ended with an end-of-sequence token."""

    token_ids: list[int]
    logprobs: list[float]
    finished: bool
    kept: RowCache | None = None
    """The cache of the transcript up to its last token, which is not read yet; where it was asked for."""


@torch.no_grad()  # not inference_mode: its tensors could not enter a later backward pass
def sample_tokens(
    model: PreTrainedModel,
    prompt_ids: Sequence[Sequence[int]],
    n: int,
    sampling: Sampling,
    eos_ids: Sequence[int],
    generator: torch.Generator,
    min_new_tokens: int = 0,
    *,
    limits: Sequence[int] = (),
    past: Sequence[RowCache] = (),
    keep: bool = False,
    graph: bool = False,
) -> list[Sampled]:
    """`n` samples of each prompt, prompt by prompt, up to `sampling.max_new_tokens` tokens each.

    The end-of-sequence token, where there is one, is the last token of a sample; among the first `min_new_tokens` it
    is not sampled. Log-probs are float32 and taken at the sampling temperature (at temperature 1 for greedy decoding).
    `limits`, one a sample, count in place of `max_new_tokens`. `past`, one a prompt, is what was read of them before;
    n is 1 then. With `keep` a sample that ended carries its own cache, where the model's can be kept. With `graph` the
    model keeps the pass over the prompts for a loss (PromptPass), where every layer attends to all that came before.
    """
    eos = torch.tensor(list(eos_ids), device=model.device)
    most = max(limits, default=sampling.max_new_tokens)
    batch = _Batch(model, prompt_ids, n, most, eos_ids[0] if eos_ids else 0, past, graph=graph)
    drawn = _Drawn(len(batch.rows), most, limits, eos)
    every = LOOK_EVERY.get(model.device.type, 16)
    kept: dict[int, RowCache] = {}
    for step in range(most):
        logits = batch.logits
        if step < min_new_tokens:
            logits = logits.index_fill(1, eos, -torch.inf)
        chosen, logprobs = draw(logits, sampling, generator)
        batch.done |= drawn.add(step, batch.rows, chosen, logprobs)
        if step + 1 == most:
            break
        if step >= min_new_tokens and step % every == 0:
            live = int((~batch.done).sum())
            if live == 0:
                break
            if live <= len(batch.rows) // 2:
                kept |= batch.kept(drawn) if keep else {}
                chosen = batch.without_finished(chosen)
        batch.advance(chosen)
    kept |= batch.kept(drawn) if keep else {}
    return drawn.samples(kept)


class _Drawn:
    """What was drawn so far, a row for each sample."""

    def __init__(self, rows: int, most: int, limits: Sequence[int], eos: torch.Tensor) -> None:
        self._eos = eos
        self._tokens = torch.zeros(rows, most, dtype=torch.long, device=eos.device)
        self._logprobs = torch.zeros(rows, most, dtype=torch.float32, device=eos.device)
        self._limits = torch.tensor(list(limits), device=eos.device) if len(set(limits)) > 1 else None
        self._steps = 0

    def add(self, step: int, rows: torch.Tensor, tokens: torch.Tensor, logprobs: torch.Tensor) -> torch.Tensor:
        """One more token of each of these rows; which of them need no other, if they ever did. (B,)"""
        self._tokens[rows, step], self._logprobs[rows, step] = tokens, logprobs
        self._steps = step + 1
        ended = torch.isin(tokens, self._eos)
        return ended if self._limits is None else ended | (self._limits[rows] <= step + 1)

    def stops(self) -> tuple[torch.Tensor, torch.Tensor]:
        """How many tokens each row has up to its first end of sequence or its limit, and whether it is the former."""
        tokens = self._tokens[:, : self._steps]
        ended = torch.isin(tokens, self._eos)
        longest = torch.full_like(tokens[:, 0], self._steps)
        if self._limits is not None:
            longest = torch.minimum(longest, self._limits)
            ended &= torch.arange(self._steps, device=tokens.device) < longest[:, None]
        finished = ended.any(1)
        return torch.where(finished, ended.int().argmax(1) + 1, longest), finished

    def samples(self, kept: Mapping[int, RowCache]) -> list[Sampled]:
        """Each row up to and with the token at which it stopped."""
        lengths, finished = self.stops()
        columns = zip(self._tokens.tolist(), self._logprobs.tolist(), lengths.tolist(), finished.tolist(), strict=True)
        return [
            Sampled(ids[:length], logs[:length], end, kept.get(row))
            for row, (ids, logs, length, end) in enumerate(columns)
        ]


class _Batch:
    """The rows that are being generated, with their cache, and the logits of what comes next."""

    def __init__(
        self,
        model: PreTrainedModel,
        prompt_ids: Sequence[Sequence[int]],
        n: int,
        new_tokens: int,
        pad_id: int,
        past: Sequence[RowCache] = (),
        *,
        graph: bool = False,
    ) -> None:
        self._model = inner_model(model)
        self._autocast = autocast_of(model, model.device)
        ids, mask = left_padded(unread(past, prompt_ids) if past else prompt_ids, pad_id=pad_id, device=model.device)
        self._cache = DynamicCache(config=model.config)
        if past:
            self._cache = joined(model.config, past)
            _, read = left_padded([[0] * row.length for row in past], pad_id=0, device=model.device)
            mask = torch.cat([read, mask], 1)
        positions = positions_of(mask)[:, -ids.shape[1] :]
        self._width, self._n, self._real = mask.shape[1], n, mask
        padded = not bool(mask.all())
        if graph and not past and is_plain(self._cache):
            logits, state = self._with_graph(ids, mask if padded else None, positions)
            layers = tuple([(layer.keys, layer.values) for layer in cast("list[Any]", self._cache.layers)])
            setattr(model, PROMPTS, PromptPass(ids, mask.bool(), state, layers, version_of(model)))
        else:
            logits = self._forward(ids, mask if padded else None, positions)
        self.logits = logits.repeat_interleave(n, dim=0)
        self.rows = torch.arange(len(ids) * n, device=model.device)  # place of each live row among the samples
        self.done = torch.zeros(len(self.rows), dtype=torch.bool, device=model.device)
        self._decoder: Decoder | None = None
        if can_decode(model, self._cache):
            self._decoder = Decoder(model, self._cache, mask if padded else None, n, new_tokens)
            return
        repeated(self._cache, n, self._width + new_tokens)
        self._position = positions[:, -1:].repeat_interleave(n, dim=0)
        self._mask: torch.Tensor | None = None
        if padded:
            mask = torch.cat([mask, mask.new_ones(len(mask), new_tokens)], 1).repeat_interleave(n, dim=0)
            self._mask = mask.bool()[:, None, None] if takes_whole_masks(model, self._cache) else mask

    def advance(self, tokens: torch.Tensor) -> None:
        """Read one token a row, (B,)."""
        if self._decoder is not None:
            self.logits = self._decoder.step(tokens)
            return
        self._width += 1
        self._position = self._position + 1
        mask = None if self._mask is None else self._mask[..., : self._width]
        self.logits = self._forward(tokens[:, None], mask, self._position)

    def without_finished(self, tokens: torch.Tensor) -> torch.Tensor:
        """Drop the rows that are done; the tokens of the others."""
        keep = (~self.done).nonzero().squeeze(1)
        self.rows, self.done = self.rows[keep], self.done[keep]
        if self._decoder is not None:
            self._decoder.keep(keep)
            return tokens[keep]
        self._cache.batch_select_indices(keep)
        self._position = self._position[keep]
        self._mask = None if self._mask is None else self._mask[keep]
        return tokens[keep]

    def kept(self, drawn: _Drawn) -> dict[int, RowCache]:
        """The caches of the rows that have ended, by their places among the samples."""
        if not is_plain(self._cache):
            return {}
        found: dict[int, RowCache] = {}
        before = self._real.shape[1]
        lengths, finished = (part.tolist() for part in drawn.stops())
        for row, place in enumerate(self.rows.tolist()):
            if finished[place]:
                own = torch.arange(before, before + lengths[place] - 1, device=self._real.device)
                columns = torch.cat([self._real[place // self._n].nonzero().squeeze(1), own])
                found[place] = kept_of(self._layers_of(row), columns)
        return found

    def _layers_of(self, row: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Keys and values of one row, padding included. (heads, width, D)"""
        if self._decoder is not None:
            return self._decoder.layers_of(row)
        layers: list[Any] = self._cache.layers
        return [(layer.keys[row], layer.values[row]) for layer in layers]

    def _with_graph(
        self, ids: torch.Tensor, mask: torch.Tensor | None, positions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As `_forward`, with the graph of keys and values; and the states (B, 1, H) that the logits were made of."""
        read: list[torch.Tensor] = []
        head = cast("nn.Module", self._model.get_output_embeddings())
        hook = head.register_forward_pre_hook(lambda _, given: read.append(given[0]))
        try:
            with torch.enable_grad():
                logits = self._forward(ids, mask, positions)
        finally:
            hook.remove()
        return logits.detach(), read[0]

    def _forward(self, ids: torch.Tensor, mask: torch.Tensor | None, positions: torch.Tensor) -> torch.Tensor:
        """The logits (B, V) behind the last token of each row."""
        with self._autocast:
            out: Any = self._model(
                input_ids=ids,
                attention_mask=mask,
                position_ids=positions,
                use_cache=True,
                logits_to_keep=1,
                **cache_argument(self._model, self._cache),
            )
        logits: torch.Tensor = out.logits[:, -1]
        return logits


def takes_whole_masks(model: PreTrainedModel, cache: DynamicCache) -> bool:
    """Whether a boolean mask (B, 1, queries, keys) is used as it is, by every layer."""
    config = model.config
    return (
        is_plain(cache)
        and getattr(config, "_attn_implementation", None) == "sdpa"
        and getattr(config, "model_type", None) not in WITH_ALIBI
    )


def draw(logits: torch.Tensor, sampling: Sampling, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """One token a row and its log-probability, from logits (B, V)."""
    logits = logits.float()
    if sampling.temperature == 0:
        tokens = logits.argmax(-1, keepdim=True)
        return tokens.squeeze(1), logits.log_softmax(-1).gather(1, tokens).squeeze(1)
    if sampling.temperature != 1:
        logits = logits / sampling.temperature
    probabilities = logits.softmax(-1)
    if sampling.top_p < 1:
        probabilities = _nucleus(probabilities, sampling.top_p)
    tokens = _inverted(probabilities, generator)
    return tokens.squeeze(1), probabilities.gather(1, tokens).log().squeeze(1)


def _inverted(probabilities: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A token a row by the inverse of the distribution function: one random number a row, not one a token. (B, 1)

    Sums are float64 where the device has it, so that the rarest tokens of a large vocabulary keep their chance.
    """
    precise = torch.float32 if probabilities.device.type == "mps" else torch.float64
    function = probabilities.cumsum(-1, dtype=precise)
    total = function[:, -1:]
    chance = torch.rand(total.shape, dtype=precise, device=total.device, generator=generator)
    below = torch.minimum(chance * total, torch.nextafter(total, torch.zeros_like(total)))  # rounding may reach it
    return torch.searchsorted(function, below, right=True)


def _nucleus(probabilities: torch.Tensor, top_p: float) -> torch.Tensor:
    """The smallest set of tokens with probability `top_p`, renormalised."""
    ordered, order = probabilities.sort(dim=-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    kept = torch.zeros_like(probabilities, dtype=torch.bool).scatter(1, order, before < top_p)
    left = probabilities.masked_fill(~kept, 0.0)
    return left / left.sum(-1, keepdim=True)


def left_padded(rows: Sequence[Sequence[int]], pad_id: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and attention mask (B, T) of rows padded on the left."""
    width = max(len(row) for row in rows)
    ids = torch.tensor([[pad_id] * (width - len(row)) + list(row) for row in rows], device=device)
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device)
    return ids, mask


def positions_of(mask: torch.Tensor) -> torch.Tensor:
    """Position of each token counted from the first real one. (B, T)"""
    return (mask.cumsum(-1) - 1).clamp(min=0)
