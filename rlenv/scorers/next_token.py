"""What a causal language model gives the next token, in float32, for the few tokens that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch.nn.functional import linear
from transformers import PreTrainedTokenizerBase

from rlenv.core.errors import ScorerError
from rlenv.scorers.encoding import plain_ids
from rlenv.scorers.model_files import LoadedModel


def next_token_logits(loaded: LoadedModel, state: torch.Tensor, ids: Sequence[int]) -> torch.Tensor:
    """Logits (N, len(ids)) behind hidden states (N, H), in float32."""
    head: Any = loaded.head
    chosen = list(ids)
    bias = None if getattr(head, "bias", None) is None else head.bias[chosen].float()
    return _scaled(loaded, linear(state, head.weight[chosen].float(), bias))


def mass_of(loaded: LoadedModel, state: torch.Tensor, ids: Sequence[int]) -> torch.Tensor:
    """The share of the next token's probability that these ids have together, (N,).

    The rest of the vocabulary is read in the model's own precision: in float32 its head would be copied.
    """
    head: Any = loaded.head
    every = _scaled(loaded, head(state.to(head.weight.dtype)).float())
    return (next_token_logits(loaded, state, ids).logsumexp(-1) - every.logsumexp(-1)).exp()


def _scaled(loaded: LoadedModel, logits: torch.Tensor) -> torch.Tensor:
    """What some families do behind their head: Gemma 2 caps, Cohere multiplies, Granite divides."""
    config = loaded.model.config.get_text_config()
    logits = logits * (getattr(config, "logit_scale", None) or 1.0) / (getattr(config, "logits_scaling", None) or 1.0)
    cap = getattr(config, "final_logit_softcapping", None)
    return logits if cap is None else cap * torch.tanh(logits / cap)


def label_ids(tokenizer: PreTrainedTokenizerBase, labels: Sequence[str], before: str = "") -> tuple[list[int], ...]:
    """The ids that lead to the labels behind `before`: what all share, and the one with which each begins to differ.

    The tokens shared by all labels are the first list, the deciding ids the second. Raises ScorerError where two
    labels do not differ.
    """
    rows = [plain_ids(tokenizer, before + label) for label in labels]
    shared = 0
    while all(len(row) > shared + 1 for row in rows) and len({row[shared] for row in rows}) == 1:
        shared += 1
    deciding = [row[shared] for row in rows]
    if len(set(deciding)) < len(labels) or cast("int | None", tokenizer.unk_token_id) in deciding:
        raise ScorerError(f"expected labels that begin with tokens of their own, got {list(labels)} as {rows}")
    return rows[0][:shared], deciding
