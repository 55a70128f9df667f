"""Reward models with one number a text: `AutoModelForSequenceClassification` with `num_labels=1`.

    {"kind": "sequence_classification", "path": "Skywork/Skywork-Reward-V2-Qwen3-0.6B"}

A decoder's score is its head's output at the last real token, found whatever the padding side, also where the padding
token is missing or is the end of sequence. An encoder (BERT, DeBERTa) reads prompt and completion as a pair of texts
and scores as its own forward pass does. `mean` and `std`, in the settings or as OpenRLHF writes them into config.json,
standardise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import torch
from transformers import AutoModelForSequenceClassification

from rlenv.core.errors import ConfigError, ScorerError
from rlenv.core.task import prompt_text
from rlenv.env.keywords import fits
from rlenv.scorers.encoding import check_specials, defused, encode, fitted, special_tokens
from rlenv.scorers.model_files import LoadedModel, LoadModel, ScoringModel, padded, scored
from rlenv.scorers.scorer import Job, Score, fingerprint


@dataclass(frozen=True, kw_only=True)
class SequenceClassificationScorer(ScoringModel):
    """Scores by the one label of a sequence classifier."""

    load_model: ClassVar[LoadModel] = staticmethod(
        partial(AutoModelForSequenceClassification.from_pretrained, num_labels=1)  # not every config says so
    )
    name: str = "reward_model"
    cut_prompt: bool = False
    """Cut prompts that are too long from the left; otherwise such a job has no score. Completions are whole."""
    mean: float | None = None
    std: float | None = None
    """The score is `(logit - mean) / std`; None takes those of the model's config, else 0 and 1."""

    def __post_init__(self) -> None:
        if self.std is not None and not self.std > 0:
            raise ConfigError(f"expected a std above 0, got {self.std!r}")
        super().__post_init__()

    @property
    def version(self) -> str:
        return fingerprint(self.files.version, self.max_length, self.cut_prompt, self.mean, self.std)

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        loaded, config = self.files.loaded, self.files.loaded.model.config
        decoder = hasattr(loaded.model, "score")
        mean = (getattr(config, "mean", None) if self.mean is None else self.mean) or 0.0
        std = (getattr(config, "std", None) if self.std is None else self.std) or 1.0
        if not fits(mean, "float") or not fits(std, "float") or not 0 < std < math.inf:
            raise ScorerError(f"{self.path}: expected a mean and a std above 0, got {mean!r:.80} and {std!r:.80}")

        def scores(rows: Sequence[list[int]]) -> list[Score]:
            logits = _last(loaded, rows) if decoder else _whole(loaded, rows)
            return [Score((logit - mean) / std, {f"{self.name}/logit": logit}) for logit in logits]

        return scored(jobs, self._ids if decoder else self._pair_ids, scores, Score.failure)

    def _ids(self, job: Job) -> list[int]:
        prompt, text = job[0].prompt, job[1].content.text
        return encode(self.files.loaded.tokenizer, prompt, text, self.limit, cut_prompt=self.cut_prompt)

    def _pair_ids(self, job: Job) -> list[int]:
        tokenizer: Any = self.files.loaded.tokenizer
        prompt, text = (
            defused(each, special_tokens(tokenizer)) for each in (prompt_text(job[0].prompt), job[1].content.text)
        )
        ids = [int(i) for i in tokenizer(prompt, text)["input_ids"]]
        check_specials(tokenizer, ids, [int(i) for i in tokenizer(prompt, "x")["input_ids"]])
        return fitted(tokenizer, ids, self.limit)


@torch.no_grad()
def _last(loaded: LoadedModel, rows: Sequence[Sequence[int]]) -> list[float]:
    """The head at the last real token of each row."""
    return [float(loaded.head(state)[0, 0]) for state in loaded.states(rows, [[-1]] * len(rows))]


@torch.no_grad()
def _whole(loaded: LoadedModel, rows: Sequence[Sequence[int]]) -> list[float]:
    """The model's own forward pass, for heads that pool in their own way at the first token."""
    logits: dict[int, float] = {}
    for chosen in loaded.batches(rows):
        batch = padded([rows[i] for i in chosen], loaded.pad_id, "right", loaded.model.device)
        out: Any = loaded.model(input_ids=batch.ids, attention_mask=batch.mask)
        logits |= {i: float(logit) for i, logit in zip(chosen, out.logits[:, 0].float(), strict=True)}
    return [logits[i] for i in range(len(rows))]
