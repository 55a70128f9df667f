"""Splitting a batch by token count: how much memory and time a pass takes, never what it computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch

from rlenv.trainers.networks.packing import first_of_runs
from rlenv.trainers.rollouts.rollout import Rollout


def micro_batches(rollout: Rollout, max_tokens: int, rows: torch.Tensor | None = None) -> Iterator[torch.Tensor]:
    """Places of the episodes (all, or those of `rows`), at most `max_tokens` with padding, longest first.

    Members of a group stay together, so that they share the pass over their prompt, unless that would take more tokens
    than the padding which is saved where every row stands among rows of its own length.
    """
    index = torch.arange(len(rollout), device=rollout.ids.device) if rows is None else rows
    if not len(index):  # several processes, and fewer groups
        return
    found = _measured(rollout, index)
    parts = min((_split(order, found, max_tokens) for order in _orders(found)), key=lambda parts: _cost(parts, found))
    for part in parts:
        yield index[part]


@dataclass(frozen=True, slots=True)
class _Rows:
    prompts: list[int]
    """Tokens of each row's prompt."""
    completions: list[int]
    runs: list[int]
    """Equal for neighbours with the same prompt."""


def _measured(rollout: Rollout, index: torch.Tensor) -> _Rows:
    width = rollout.mask.shape[1]
    attended = rollout.attention_mask[index]
    of_prompts = attended[:, :-width]
    runs = first_of_runs(rollout.ids[index, :-width], of_prompts).cumsum(0)
    return _Rows(of_prompts.sum(1).tolist(), attended[:, -width:].sum(1).tolist(), runs.tolist())


def _orders(rows: _Rows) -> tuple[list[int], list[int]]:
    """Places by length, and by group with the longest group first; stable."""
    lengths = [p + c for p, c in zip(rows.prompts, rows.completions, strict=True)]
    longest: dict[int, int] = {}
    for run, length in zip(rows.runs, lengths, strict=True):
        longest[run] = max(length, longest.get(run, 0))
    places = range(len(lengths))
    by_group = sorted(places, key=lambda i: (-longest[rows.runs[i]], rows.runs[i], -lengths[i]))
    return sorted(places, key=lambda i: -lengths[i]), by_group


def _split(order: Sequence[int], rows: _Rows, max_tokens: int) -> list[list[int]]:
    """The places cut into parts of at most `max_tokens`, padding included, of at least one row."""
    parts: list[list[int]] = []
    prompt = completion = 0
    for place in order:
        prompt, completion = max(prompt, rows.prompts[place]), max(completion, rows.completions[place])
        if parts and (len(parts[-1]) + 1) * (prompt + completion) <= max_tokens:
            parts[-1].append(place)
        else:
            parts.append([place])
            prompt, completion = rows.prompts[place], rows.completions[place]
    return parts


def _cost(parts: Sequence[Sequence[int]], rows: _Rows) -> int:
    """Tokens, padding included, that go through the model."""
    cost = 0
    for part in parts:
        runs = 1 + sum(rows.runs[a] != rows.runs[b] for a, b in pairwise(part))
        cost += runs * max(rows.prompts[i] for i in part) + len(part) * max(rows.completions[i] for i in part)
    return cost
