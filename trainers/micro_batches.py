"""Splitting a batch by token count: how much memory a pass takes, never what it computes."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from rlenv.trainers.rollout import Rollout


def micro_batches(rollout: Rollout, max_tokens: int, rows: torch.Tensor | None = None) -> Iterator[torch.Tensor]:
    """Places of the episodes (all, or those of `rows`), longest first, at most `max_tokens` with padding."""
    index = torch.arange(len(rollout), device=rollout.ids.device) if rows is None else rows
    lengths = rollout.attention_mask[index].sum(1)
    order = index[lengths.argsort(descending=True, stable=True)]
    start = 0
    while start < len(order):
        longest = int(rollout.attention_mask[order[start]].sum())
        size = max(1, max_tokens // max(1, longest))
        yield order[start : start + size]
        start += size
