"""Logistic models over hashed features of pieces, by Adam on batches: small enough to be made in a minute on a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from rlenv.envs.safety.judge_features import BUCKETS, buckets

HIDDEN = 32


@dataclass(frozen=True)
class Row:
    """The features of one piece with what it is to be: a label a head, NaN where it says nothing."""

    features: tuple[int, ...]
    labels: tuple[float, ...]
    weight: float = 1.0
    meant: np.ndarray | None = None


def fitted(
    rows: Sequence[Row], *, epochs: int = 6, decay: float = 2e-5, rate: float = 0.02, seed: int = 0
) -> tuple[np.ndarray, ...]:
    """Weights (BUCKETS, heads) and biases; with vectors also a hidden layer, its biases, and what leaves it."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    heads = len(rows[0].labels)
    table = torch.nn.EmbeddingBag(BUCKETS, heads, mode="sum")
    torch.nn.init.zeros_(table.weight)
    bias = torch.nn.Parameter(torch.zeros(heads))
    given = [row.meant for row in rows if row.meant is not None]  # all rows have it, or none has
    dense = torch.from_numpy(np.stack(given)) if given else None
    width = 1 if dense is None else dense.shape[1]
    hidden, out = torch.nn.Linear(width, HIDDEN), torch.nn.Linear(HIDDEN, heads, bias=False)
    layers = [] if dense is None else [*hidden.parameters(), *out.parameters()]
    optimizer = torch.optim.Adam([table.weight, bias, *layers], lr=rate)
    labels = torch.tensor([row.labels for row in rows])
    weights = torch.tensor([row.weight for row in rows])
    known = ~labels.isnan()
    labels = labels.nan_to_num()
    sizes = np.array([len(row.features) for row in rows])
    flat = torch.from_numpy(np.concatenate([np.array(row.features) for row in rows]))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for epoch in range(epochs):
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - epoch / epochs)
        for batch in torch.randperm(len(rows), generator=generator).split(1024):
            spots = [flat[starts[i] : starts[i + 1]] for i in batch.tolist()]
            offsets = torch.tensor(np.concatenate([[0], np.cumsum([len(s) for s in spots])[:-1]]))
            said = table(torch.cat(spots), offsets) + bias
            if dense is not None:
                meant = torch.nn.functional.dropout(dense[batch], 0.2)
                said = said + out(torch.nn.functional.dropout(hidden(meant).relu(), 0.3))
            loss = torch.nn.functional.binary_cross_entropy_with_logits(said, labels[batch], reduction="none")
            total = (loss * known[batch] * weights[batch][:, None]).sum() / 1024
            total = total + decay * table.weight.square().sum()
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
    found = [table.weight, bias] if dense is None else [table.weight, bias, hidden.weight.T, hidden.bias, out.weight.T]
    return tuple(one.detach().numpy() for one in found)


def spots(features: Sequence[str]) -> tuple[int, ...]:
    """Features as places of the table."""
    return tuple(buckets(features))
