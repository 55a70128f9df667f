"""Causal models as judges, by the first token of their answer.

    {"kind": "label_tokens", "path": "meta-llama/Llama-Guard-3-8B", "family": "llama_guard"}
    {"kind": "label_tokens", "path": "google/shieldgemma-2b", "family": "shield_gemma"}
    {"kind": "label_tokens", "path": "...", "positive": "Yes", "negative": "No", "template": "... {prompt} ..."}

`label_tokens` scores P(positive) against P(negative), by softmax over the two tokens. Both families are read so that
high is good (safe; not in violation); swap `positive` and `negative` for a cost. The share of the whole vocabulary's
probability that the two tokens have is reported as `<name>/mass`: where it is small, the model means something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase

from rlenv.core.errors import ConfigError, ScorerError
from rlenv.core.task import prompt_messages, prompt_text
from rlenv.judges.client import PROMPTS
from rlenv.scorers.encoding import (
    FIRST,
    SECOND,
    check_specials,
    defused,
    fitted,
    marks_between,
    plain_ids,
    render,
    special_tokens,
    turn_marks,
)
from rlenv.scorers.model_files import LoadModel, ScoringModel, next_token_logits, scored
from rlenv.scorers.scorer import Job, Score, fingerprint


class Family(NamedTuple):
    """How a published family is asked. An empty template is the tokenizer's chat template."""

    positive: str = ""
    negative: str = ""
    template: str = ""
    answer_prefix: str = ""


SHIELD_GEMMA, GUIDELINE = PROMPTS["shield_gemma"], PROMPTS["shield_gemma_guideline"]
FAMILIES = {
    "llama_guard": Family("safe", "unsafe", "", "\n\n"),
    "llama_guard_1": Family("safe", "unsafe"),
    "shield_gemma": Family("No", "Yes", SHIELD_GEMMA),
}
"""Templates and labels by family; Llama Guard 2 and 3 answer behind two newlines."""
_PLACE = re.compile(r"\{(prompt|completion)\}")  # "Question: {prompt}"


def judging_ids(tokenizer: PreTrainedTokenizerBase, template: str, job: Job, limit: int | None) -> list[int]:
    """What the model reads before it answers. Neither prompt nor completion can write the template's marks.

    `template` holds {prompt} and {completion} once each; empty, the conversation goes through the chat template.
    Raises ScorerError for what does not fit, or what the chat template refuses.
    """
    check_template(template)
    marks = turn_marks(tokenizer)
    if template:
        marks = (*special_tokens(tokenizer), *marks_between(_filled(template, FIRST, SECOND), tokenizer))

    def ids_of(completion: str) -> list[int]:
        if not template:
            messages = [*prompt_messages(job[0].prompt), {"role": "assistant", "content": completion}]
            return plain_ids(tokenizer, render(tokenizer, messages))
        text = _filled(template, defused(prompt_text(job[0].prompt), marks), completion)
        bos = tokenizer.bos_token
        return plain_ids(tokenizer, text, special=not (isinstance(bos, str) and text.startswith(bos)))

    ids = ids_of(defused(job[1].content.text, marks))
    check_specials(tokenizer, ids, ids_of("x"))
    return fitted(tokenizer, ids, limit)


def check_template(template: str) -> None:
    """Raise ConfigError for a template without both places, once each."""
    if template and sorted(_PLACE.findall(template)) != ["completion", "prompt"]:
        raise ConfigError(f"expected a template with {{prompt}} and {{completion}} once each, got {template!r:.200}")


def _filled(template: str, prompt: str, completion: str) -> str:
    """In one pass, never replacing in what was filled in before: a prompt may hold {completion}."""
    texts = {"prompt": prompt, "completion": completion}
    return _PLACE.sub(lambda place: texts[place[1]], template)


@dataclass(frozen=True, kw_only=True)
class LabelTokensScorer(ScoringModel):
    """P(positive) against P(negative) as the first token of the answer."""

    load_model: ClassVar[LoadModel] = AutoModelForCausalLM.from_pretrained
    name: str = "label_judge"
    family: str = ""
    """A row of FAMILIES; the settings below come first."""
    positive: str = ""
    negative: str = ""
    template: str | None = None
    """A text with {prompt} and {completion}; empty for the tokenizer's chat template."""
    guideline: str = GUIDELINE
    """What {guideline} in a template stands for."""
    answer_prefix: str | None = None
    """What the model says before its label."""
    min_mass: float = 0.0
    """Below this share of the probability for the two labels together there is no score."""

    def __post_init__(self) -> None:
        if self.family and self.family not in FAMILIES:
            raise ConfigError(f"expected a family of {', '.join(FAMILIES)}, got {self.family!r}")
        if not self.family and not (self.positive and self.negative):
            raise ConfigError("expected a family, or the labels positive and negative")
        super().__post_init__()

    @property
    def version(self) -> str:
        return fingerprint(self.files.version, *self._format, self.guideline, self.min_mass, self.max_length)

    @property
    def _format(self) -> Family:
        known = FAMILIES.get(self.family, Family())
        return Family(
            self.positive or known.positive,
            self.negative or known.negative,
            known.template if self.template is None else self.template,
            known.answer_prefix if self.answer_prefix is None else self.answer_prefix,
        )

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        loaded, form = self.files.loaded, self._format
        tokenizer, template = loaded.tokenizer, form.template.replace("{guideline}", self.guideline)
        shared, labels = label_ids(tokenizer, (form.positive, form.negative), form.answer_prefix)

        def scores(rows: Sequence[list[int]]) -> list[Score]:
            return [self._score(state, labels) for state in loaded.states(rows, [[-1]] * len(rows))]

        def row(job: Job) -> list[int]:
            return [*judging_ids(tokenizer, template, job, self.limit), *shared]

        return scored(jobs, row, scores, Score.failure)

    @torch.no_grad()
    def _score(self, state: torch.Tensor, labels: Sequence[int]) -> Score:
        logits = next_token_logits(self.files.loaded, state, labels)[0]  # (2,)
        every = next_token_logits(self.files.loaded, state)[0]  # (V,)
        mass = min(1.0, float((logits.logsumexp(-1) - every.logsumexp(-1)).exp()))  # rounding may reach beyond
        if mass < self.min_mass:
            return Score.failure(f"{mass:.2g} of the probability is on the labels, expected {self.min_mass:g} or more")
        return Score(float(logits.softmax(0)[0]), {f"{self.name}/mass": mass})


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
