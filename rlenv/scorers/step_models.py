r"""Process reward models: the probability that each step is right, read at a token behind the step, in TRL's format.

    {"kind": "token_classification", "path": "models/prm", "separator": "\\n"}     what `rlenv train-prm` leaves
        prompt step_1 separator step_2 separator ...        two labels on the last token of each separator

TRL's trainer tokenizes prompt, steps and separators apart, so that no step can write a separator that would be read as
one. Models of other formats are asked behind a server (rlenv.scorers.http).
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
from rlenv.scorers.encoding import check_specials, defused, fitted, plain_ids, special_tokens
from rlenv.scorers.model_files import LoadModel, ScoringModel, scored
from rlenv.scorers.scorer import Stepped, StepScores, fingerprint

RIGHT = 1
"""The label of a right step, of two."""
StepRow = tuple[list[int], list[int]]
"""The ids of prompt and steps, and the place of each step's score among them."""


def encode_steps(
    tokenizer: PreTrainedTokenizerBase,
    prompt: Prompt,
    steps: Sequence[str],
    separator: str = "\n",
    max_length: int | None = None,
    *,
    cut_prompt: bool = False,
) -> StepRow:
    """In TRL's format the ids, and the place of each separator's last token; for training and for scoring.

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
    kept = fitted(tokenizer, ids, max_length, prompt_tokens if cut_prompt else 0)
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
        return fingerprint(self.files.version, self.separator, self.max_length, self.cut_prompt)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        loaded = self.files.loaded

        def row(job: Stepped) -> StepRow:
            if not job.spans:
                return [0], []
            prompt, steps = job.task.prompt, job.texts
            return encode_steps(loaded.tokenizer, prompt, steps, self.separator, self.limit, cut_prompt=self.cut_prompt)

        @torch.no_grad()
        def scores(rows: Sequence[StepRow]) -> list[StepScores]:
            states = loaded.states([ids for ids, _ in rows], [places for _, places in rows])  # (steps, H) each
            right = [loaded.head(state).softmax(-1)[:, RIGHT].tolist() if len(state) else [] for state in states]
            return [StepScores(tuple(values)) for values in right]

        return scored(jobs, row, scores, StepScores.failure)
