"""Process reward models in TRL's format: `AutoModelForTokenClassification` with two labels, read behind each step.

    {"kind": "token_classification", "path": "models/prm", "separator": "\\n"}

    prompt step_1 separator step_2 separator ...        the label of a step stands on its separator's last token

Prompt, steps and separators are tokenized apart from each other, as TRL's PRM trainer does, so that no step can write
a separator that would be read as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, cast

import torch
from transformers import AutoModelForTokenClassification, PreTrainedTokenizerBase

from rlenv.core.errors import ConfigError
from rlenv.core.task import Prompt, prompt_text
from rlenv.scorers.encoding import check_specials, fitted, limit_of, plain_ids
from rlenv.scorers.hostile_text import defused, special_tokens
from rlenv.scorers.model_files import LoadedModel, LoadModel
from rlenv.scorers.scorer import Stepped, StepScores
from rlenv.scorers.scoring_model import ScoringModel
from rlenv.scorers.settings import fingerprint
from rlenv.scorers.step_rows import StepRow, step_scores

RIGHT = 1
"""The label of a right step."""


def encode_steps(
    tokenizer: PreTrainedTokenizerBase,
    prompt: Prompt,
    steps: Sequence[str],
    separator: str = "\n",
    max_length: int | None = None,
    *,
    cut_prompt: bool = False,
) -> tuple[list[int], list[int]]:
    """The ids of prompt and steps, and the place of each separator's last token; for training and for scoring.

    Raises ScorerError for what does not fit in `max_length` tokens.
    """
    behind = plain_ids(tokenizer, separator)
    if not behind:
        raise ConfigError(f"expected a separator that has tokens, got {separator!r}")
    bos = cast("int | None", tokenizer.bos_token_id)
    ids = ([] if bos is None else [bos]) + plain_ids(tokenizer, prompt_text(prompt))
    prompt_tokens, ends = len(ids), []
    marks = special_tokens(tokenizer)
    for step in steps:
        said = plain_ids(tokenizer, defused(step, marks))
        check_specials(tokenizer, said, [])
        ids += said + behind
        ends.append(len(ids) - 1)
    kept = fitted(tokenizer, ids, prompt_tokens, max_length, cut_prompt=cut_prompt)
    return kept, [end - (len(ids) - len(kept)) for end in ends]


@dataclass(frozen=True, kw_only=True)
class TokenClassificationScorer(ScoringModel):
    """The probability of the label `right` behind each step."""

    load_model: ClassVar[LoadModel] = staticmethod(
        partial(AutoModelForTokenClassification.from_pretrained, num_labels=RIGHT + 1)
    )
    name: str = "prm"
    separator: str = "\n"
    """What the model was trained to see behind each step."""
    cut_prompt: bool = False
    """Cut prompts that are too long from the left; otherwise such a job has no score. Steps are whole."""

    @property
    def version(self) -> str:
        return fingerprint(self._files.version, self.separator, self.max_length, self.cut_prompt)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        loaded = self._files.loaded
        return step_scores(loaded, jobs, lambda job: self._row(loaded, job), lambda state: right(loaded, state))

    def _row(self, loaded: LoadedModel, job: Stepped) -> StepRow:
        limit = limit_of(loaded.tokenizer, loaded.model.config, self.max_length)
        prompt = job.task.prompt
        return StepRow(
            *encode_steps(loaded.tokenizer, prompt, job.texts, self.separator, limit, cut_prompt=self.cut_prompt)
        )


def right(loaded: LoadedModel, state: torch.Tensor) -> torch.Tensor:
    """The probability of the label `right`, (N,), from hidden states (N, H)."""
    labels: torch.Tensor = loaded.head(state).softmax(-1)
    return labels[:, RIGHT]
