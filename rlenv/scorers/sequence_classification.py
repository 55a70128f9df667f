"""Reward models with one number a text: `AutoModelForSequenceClassification` with `num_labels=1`.

    {"kind": "sequence_classification", "path": "Skywork/Skywork-Reward-V2-Qwen3-0.6B"}

A decoder's score is its head's output at the last real token, found whatever the padding side, also where the padding
token is missing or is the end of sequence. An encoder (BERT, DeBERTa) reads prompt and completion as a pair of texts
and scores as its own forward pass does. `mean` and `std`, in the settings or as OpenRLHF writes them into config.json,
standardise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import torch
from transformers import AutoModelForSequenceClassification

from rlenv.core.errors import ConfigError
from rlenv.core.task import prompt_text
from rlenv.scorers.encoding import check_specials, encode, fitted, limit_of
from rlenv.scorers.hostile_text import defused, special_tokens
from rlenv.scorers.model_files import LoadedModel, LoadModel, in_batches, padded
from rlenv.scorers.readable import readable
from rlenv.scorers.scorer import Job, Score
from rlenv.scorers.scoring_model import ScoringModel
from rlenv.scorers.settings import fingerprint


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
        return fingerprint(self._files.version, self.max_length, self.cut_prompt, self.mean, self.std)

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        loaded = self._files.loaded
        pairwise = not hasattr(loaded.model, "score")
        rows = readable(jobs, lambda job: self._pair_ids(loaded, job) if pairwise else self._ids(loaded, job))
        logits = _whole(loaded, rows.found) if pairwise else _last(loaded, rows.found)
        mean, std = self._scale(loaded)
        scores = [Score((logit - mean) / std, {f"{self.name}/logit": logit}) for logit in logits]
        return rows.with_failures(scores, Score.failure)

    def _ids(self, loaded: LoadedModel, job: Job) -> list[int]:
        limit = limit_of(loaded.tokenizer, loaded.model.config, self.max_length)
        return encode(loaded.tokenizer, job[0].prompt, job[1].content.text, limit, cut_prompt=self.cut_prompt)

    def _pair_ids(self, loaded: LoadedModel, job: Job) -> list[int]:
        tokenizer: Any = loaded.tokenizer
        limit = limit_of(tokenizer, loaded.model.config, self.max_length)
        prompt = defused(prompt_text(job[0].prompt), special_tokens(tokenizer))
        text = defused(job[1].content.text, special_tokens(tokenizer))
        ids = [int(i) for i in tokenizer(prompt, text)["input_ids"]]
        check_specials(tokenizer, ids, [int(i) for i in tokenizer(prompt, "x")["input_ids"]])
        return fitted(tokenizer, ids, 0, limit, cut_prompt=False)

    def _scale(self, loaded: LoadedModel) -> tuple[float, float]:
        """OpenRLHF keeps what standardises a reward model in its config."""
        config = loaded.model.config
        mean = self.mean if self.mean is not None else getattr(config, "mean", None)
        std = self.std if self.std is not None else getattr(config, "std", None)
        return float(mean or 0.0), float(std or 1.0)


def _last(loaded: LoadedModel, rows: Sequence[Sequence[int]]) -> list[float]:
    """The head at the last real token of each row."""
    states = loaded.states(rows, [[-1]] * len(rows))
    with torch.no_grad():
        return [float(loaded.head(state)[0, 0]) for state in states]


@torch.no_grad()
def _whole(loaded: LoadedModel, rows: Sequence[Sequence[int]]) -> list[float]:
    """The model's own forward pass, for heads that pool in their own way at the first token."""
    found: dict[int, float] = {}
    for chosen in in_batches(rows, loaded.max_batch_tokens):
        batch = padded([rows[i] for i in chosen], loaded.pad_id, "right", loaded.model.device)
        out: Any = loaded.model(input_ids=batch.ids, attention_mask=batch.mask)
        found |= {i: float(logit) for i, logit in zip(chosen, out.logits[:, 0].float(), strict=True)}
    return [found[i] for i in range(len(rows))]
