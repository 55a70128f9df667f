"""Math-Shepherd: a causal model that says `+` or `-` behind the tag `ки` at the end of each step.

    {"kind": "math_shepherd", "path": "peiyi9979/math-shepherd-mistral-7b-prm"}

    QUESTION Step 1: ... ки
    Step 2: ... ки                    P(right) of a step = softmax of the next-token logits of + and - at its tag

The ids come from the tokenizer. `ки` is also a syllable of Russian: in prompt and steps it is broken, so that the tags
are the only ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase

from rlenv.core.errors import ScorerError
from rlenv.core.task import prompt_text
from rlenv.scorers.encoding import check_specials, fitted, limit_of, plain_ids
from rlenv.scorers.hostile_text import defused, special_tokens
from rlenv.scorers.model_files import LoadedModel, LoadModel
from rlenv.scorers.next_token import next_token_logits
from rlenv.scorers.scorer import Stepped, StepScores
from rlenv.scorers.scoring_model import ScoringModel
from rlenv.scorers.settings import fingerprint
from rlenv.scorers.step_rows import StepRow, places_of, step_scores

_NUMBERED = re.compile(r"\s*step\s*\d+\s*:", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class MathShepherdScorer(ScoringModel):
    """The probability of `good` against `bad` as the next token at each tag."""

    load_model: ClassVar[LoadModel] = AutoModelForCausalLM.from_pretrained
    name: str = "prm"
    tag: str = "ки"
    good: str = "+"
    bad: str = "-"
    numbered: bool = True
    """Write `Step 1: ` before steps that are not numbered so, as the model was trained to see them."""

    @property
    def version(self) -> str:
        return fingerprint(self._files.version, self.tag, self.good, self.bad, self.numbered, self.max_length)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        loaded = self._files.loaded
        ids = self._label_ids(loaded.tokenizer)
        tag = plain_ids(loaded.tokenizer, f" {self.tag}")[-1]

        def good(state: torch.Tensor) -> torch.Tensor:
            return next_token_logits(loaded, state, ids).softmax(-1)[:, 0]

        return step_scores(loaded, jobs, lambda job: self._row(loaded, job, tag), good)

    def _label_ids(self, tokenizer: PreTrainedTokenizerBase) -> list[int]:
        """The ids of the two labels as words of their own."""
        ids = [plain_ids(tokenizer, f"{label} {label}")[-1] for label in (self.good, self.bad)]
        if ids[0] == ids[1]:
            raise ScorerError(f"expected {self.good!r} and {self.bad!r} to be different tokens, both are {ids[0]}")
        return ids

    def _row(self, loaded: LoadedModel, job: Stepped, tag: int) -> StepRow:
        tokenizer = loaded.tokenizer
        marks = (self.tag, *special_tokens(tokenizer))
        question = defused(prompt_text(job.task.prompt), (self.tag,))
        ids = plain_ids(tokenizer, self._text(question, [defused(step, marks) for step in job.texts]), special=True)
        frame = plain_ids(tokenizer, self._text(question, ["x"] * len(job.spans)), special=True)
        check_specials(tokenizer, ids, frame)
        limit = limit_of(tokenizer, loaded.model.config, self.max_length)
        return StepRow(fitted(tokenizer, ids, 0, limit, cut_prompt=False), places_of(tag, ids, len(job.spans)))

    def _text(self, question: str, steps: Sequence[str]) -> str:
        return f"{question} " + "\n".join(f"{self._step(i, step)} {self.tag}" for i, step in enumerate(steps, start=1))

    def _step(self, number: int, step: str) -> str:
        written = step if not self.numbered or _NUMBERED.match(step) else f"Step {number}: {step.lstrip()}"
        return written.rstrip()
