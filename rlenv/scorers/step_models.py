r"""Process reward models: the probability that each step is right, read at a token behind the step.

    {"kind": "token_classification", "path": "models/prm", "separator": "\\n"}     TRL's format; `rlenv train-prm`
        prompt step_1 separator step_2 separator ...        two labels on the last token of each separator
    {"kind": "qwen_prm", "path": "Qwen/Qwen2.5-Math-PRM-7B"}
        a conversation, step_1<extra_0>step_2<extra_0>      two labels at each <extra_0>
    {"kind": "math_shepherd", "path": "peiyi9979/math-shepherd-mistral-7b-prm"}
        QUESTION Step 1: ... ки\nStep 2: ... ки             next-token softmax of + and - at each ки

TRL's trainer tokenizes prompt, steps and separators apart, so that no step can write a separator that would be read as
one. In the other two the marks are broken in prompt and steps (`ки` is also a syllable of Russian), and there is no
score unless the row has exactly one mark a step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

import torch
from torch import nn
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForTokenClassification,
    PretrainedConfig,
    PreTrainedTokenizerBase,
    Qwen2Config,
    Qwen2Model,
    Qwen2PreTrainedModel,
)

from rlenv.core.errors import ConfigError, ScorerError
from rlenv.core.task import Prompt, prompt_messages, prompt_text
from rlenv.scorers.encoding import (
    check_specials,
    conversation_ids,
    defused,
    fitted,
    plain_ids,
    special_tokens,
    turn_marks,
)
from rlenv.scorers.model_files import LoadedModel, LoadModel, ScoringModel, next_token_logits, scored
from rlenv.scorers.scorer import Stepped, StepScores, fingerprint

RIGHT = 1
"""The label of a right step, of two."""
MARK = "<extra_0>"
SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
"""The system message that Qwen's models were trained with; a prompt that has one of its own keeps it."""
_NUMBERED = re.compile(r"\s*step\s*\d+\s*:", re.IGNORECASE)  # takes "Step 2: so"
Read: TypeAlias = "Callable[[torch.Tensor], torch.Tensor]"
"""The probabilities of right (N,) from hidden states (N, H)."""


class StepRow(NamedTuple):
    """The ids of prompt and steps, and the place of each step's score among them."""

    ids: list[int]
    places: list[int]


def encode_steps(
    tokenizer: PreTrainedTokenizerBase,
    prompt: Prompt,
    steps: Sequence[str],
    separator: str = "\n",
    max_length: int | None = None,
    *,
    cut_prompt: bool = False,
) -> tuple[list[int], list[int]]:
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


class Qwen2ForProcessRewardModel(Qwen2PreTrainedModel):
    """The published architecture, a Qwen2 with a head of two layers, by the names of its weights."""

    def __init__(self, config: Qwen2Config) -> None:
        super().__init__(config)
        width, labels = config.hidden_size, int(config.num_labels or 2)
        self.model = Qwen2Model(config)
        self.score = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, labels))
        self.post_init()  # type: ignore[no-untyped-call]


def read_qwen_prm(path: str, *, trust_remote_code: bool = False, **options: object) -> object:
    """The model in the folder; the code that was published with it is not run unless that is allowed.

    Raises ScorerError for one that only its own code could load.
    """
    config, _ = PretrainedConfig.get_config_dict(path)
    names = config.get("architectures") or []
    if any(name.endswith("ForTokenClassification") for name in names):
        return AutoModelForTokenClassification.from_pretrained(path, **options)
    if config.get("model_type") == "qwen2":
        return Qwen2ForProcessRewardModel.from_pretrained(path, **cast("dict[str, Any]", options))
    if not trust_remote_code:
        raise ScorerError(
            f"{path} is {json.dumps(names)} on {config.get('model_type')!r}, which only its own code can load; "
            'if you trust it give "trust_remote_code": true'
        )
    return AutoModel.from_pretrained(path, trust_remote_code=True, **options)


@dataclass(frozen=True, kw_only=True)
class StepModel(ScoringModel):
    """What the three formats share; the labels of a classifier are read unless a format says otherwise."""

    name: str = "prm"

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        loaded = self.files.loaded
        read, row_of = self.reading(loaded)

        @torch.no_grad()
        def scores(rows: Sequence[StepRow]) -> list[StepScores]:
            states = loaded.states([row.ids for row in rows], [row.places for row in rows])
            return [StepScores(tuple(read(state).tolist()) if len(state) else ()) for state in states]

        return scored(jobs, lambda job: row_of(job) if job.spans else StepRow([0], []), scores, StepScores.failure)

    def reading(self, loaded: LoadedModel) -> tuple[Read, Callable[[Stepped], StepRow]]:
        """How scores are read from states, and rows from jobs."""
        raise NotImplementedError

    def marked_row(self, ids_of: Callable[[Sequence[str]], list[int]], steps: Sequence[str], mark: int) -> StepRow:
        """The row of steps that are free of marks. Raises ScorerError unless it has exactly one mark a step."""
        tokenizer = self.files.loaded.tokenizer
        ids = ids_of(steps)
        check_specials(tokenizer, ids, ids_of(["x"] * len(steps)))
        places = [place for place, token in enumerate(fitted(tokenizer, ids, self.limit)) if token == mark]
        if len(places) != len(steps):
            raise ScorerError(f"expected one mark a step, {len(steps)} of them, got {len(places)}")
        return StepRow(ids, places)


def _labels(loaded: LoadedModel, state: torch.Tensor) -> torch.Tensor:
    right: torch.Tensor = loaded.head(state).softmax(-1)[:, RIGHT]
    return right


@dataclass(frozen=True, kw_only=True)
class TokenClassificationScorer(StepModel):
    """The probability of the label `right` behind each step."""

    load_model: ClassVar[LoadModel] = staticmethod(
        partial(AutoModelForTokenClassification.from_pretrained, num_labels=RIGHT + 1)
    )
    separator: str = "\n"
    """What the model was trained to see behind each step."""
    cut_prompt: bool = False
    """Cut prompts that are too long from the left; otherwise such a job has no score. Steps are whole."""

    @property
    def version(self) -> str:
        return fingerprint(self.files.version, self.separator, self.max_length, self.cut_prompt)

    def reading(self, loaded: LoadedModel) -> tuple[Read, Callable[[Stepped], StepRow]]:
        how = partial(encode_steps, separator=self.separator, max_length=self.limit, cut_prompt=self.cut_prompt)
        return partial(_labels, loaded), lambda job: StepRow(*how(loaded.tokenizer, job.task.prompt, job.texts))


@dataclass(frozen=True, kw_only=True)
class QwenPRMScorer(StepModel):
    """The probability of the label `right` at the mark behind each step."""

    load_model: ClassVar[LoadModel] = staticmethod(read_qwen_prm)
    system: str = SYSTEM

    @property
    def version(self) -> str:
        return fingerprint(self.files.version, self.system, self.max_length)

    def reading(self, loaded: LoadedModel) -> tuple[Read, Callable[[Stepped], StepRow]]:
        tokenizer = loaded.tokenizer
        mark = cast("int | None", tokenizer.convert_tokens_to_ids(MARK))
        if mark is None or mark == tokenizer.unk_token_id:
            raise ScorerError(f"expected a tokenizer with the token {MARK}, that of {self.path} has none")
        marks = (MARK, *turn_marks(tokenizer))

        def row(job: Stepped) -> StepRow:
            prompt = tuple(
                {**each, "content": defused(each["content"], (MARK,))} for each in prompt_messages(job.task.prompt)
            )
            if self.system and not any(message["role"] == "system" for message in prompt):
                prompt = ({"role": "system", "content": self.system}, *prompt)
            steps = [defused(step, marks) for step in job.texts]
            return self.marked_row(lambda s: conversation_ids(tokenizer, prompt, MARK.join([*s, ""])), steps, mark)

        return partial(_labels, loaded), row


@dataclass(frozen=True, kw_only=True)
class MathShepherdScorer(StepModel):
    """The probability of `good` against `bad` as the next token at each tag."""

    load_model: ClassVar[LoadModel] = AutoModelForCausalLM.from_pretrained
    tag: str = "ки"
    good: str = "+"
    bad: str = "-"
    numbered: bool = True
    """Write `Step 1: ` before steps that are not numbered so, as the model was trained to see them."""

    @property
    def version(self) -> str:
        return fingerprint(self.files.version, self.tag, self.good, self.bad, self.numbered, self.max_length)

    def reading(self, loaded: LoadedModel) -> tuple[Read, Callable[[Stepped], StepRow]]:
        tokenizer = loaded.tokenizer
        labels = [plain_ids(tokenizer, f"{label} {label}")[-1] for label in (self.good, self.bad)]  # as words
        if labels[0] == labels[1]:
            raise ScorerError(f"expected {self.good!r} and {self.bad!r} to be different tokens, both are {labels[0]}")
        tag = plain_ids(tokenizer, f" {self.tag}")[-1]
        marks = (self.tag, *special_tokens(tokenizer))

        def row(job: Stepped) -> StepRow:
            question = defused(prompt_text(job.task.prompt), (self.tag,))
            steps = [defused(step, marks) for step in job.texts]
            return self.marked_row(lambda s: plain_ids(tokenizer, self._text(question, s), special=True), steps, tag)

        return lambda state: next_token_logits(loaded, state, labels).softmax(-1)[:, 0], row

    def _text(self, question: str, steps: Sequence[str]) -> str:
        written = [
            step if not self.numbered or _NUMBERED.match(step) else f"Step {number}: {step.lstrip()}"
            for number, step in enumerate(steps, start=1)
        ]
        return f"{question} " + "\n".join(f"{step.rstrip()} {self.tag}" for step in written)
