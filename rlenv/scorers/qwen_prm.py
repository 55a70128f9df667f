"""Qwen2.5-Math-PRM: a conversation whose steps end in `<extra_0>`, and two labels at each of these marks.

    {"kind": "qwen_prm", "path": "Qwen/Qwen2.5-Math-PRM-7B"}

The architecture is a Qwen2 with a head of two layers. Its published code is not run: the class below reads the same
weights. Folders with the usual token classification head load too; anything else needs `"trust_remote_code": true`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from torch import nn
from transformers import (
    AutoModel,
    AutoModelForTokenClassification,
    PretrainedConfig,
    Qwen2Config,
    Qwen2Model,
    Qwen2PreTrainedModel,
)

from rlenv.core.errors import ScorerError
from rlenv.core.task import Prompt, prompt_messages
from rlenv.scorers.encoding import check_specials, conversation_ids, fitted, limit_of, turn_marks
from rlenv.scorers.hostile_text import defused
from rlenv.scorers.model_files import LoadedModel, LoadModel
from rlenv.scorers.scorer import Stepped, StepScores
from rlenv.scorers.scoring_model import ScoringModel
from rlenv.scorers.settings import fingerprint
from rlenv.scorers.step_rows import StepRow, places_of, step_scores
from rlenv.scorers.token_classification import right

MARK = "<extra_0>"
SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
"""The system message that the model was trained with; a prompt that has one of its own keeps it."""


class Qwen2ForProcessRewardModel(Qwen2PreTrainedModel):
    """The published architecture, by the names of its weights."""

    def __init__(self, config: Qwen2Config) -> None:
        super().__init__(config)
        width, labels = config.hidden_size, int(config.num_labels or 2)
        self.model = Qwen2Model(config)
        self.score = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, labels))
        self.post_init()  # type: ignore[no-untyped-call]


def read_model(path: str, *, trust_remote_code: bool = False, **options: object) -> object:
    """The model in the folder, by the architecture that its config names.

    Raises ScorerError for one that only its own code could load, where that is not allowed.
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
class QwenPRMScorer(ScoringModel):
    """The probability that each step is right, read at the mark behind it."""

    load_model: ClassVar[LoadModel] = staticmethod(read_model)
    name: str = "prm"
    system: str = SYSTEM

    @property
    def version(self) -> str:
        return fingerprint(self._files.version, self.system, self.max_length)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        loaded = self._files.loaded
        mark = cast("int | None", loaded.tokenizer.convert_tokens_to_ids(MARK))
        if mark is None or mark == loaded.tokenizer.unk_token_id:
            raise ScorerError(f"expected a tokenizer with the token {MARK}, that of {self.path} has none")
        return step_scores(loaded, jobs, lambda job: self._row(loaded, job, mark), lambda state: right(loaded, state))

    def _row(self, loaded: LoadedModel, job: Stepped, mark: int) -> StepRow:
        tokenizer = loaded.tokenizer
        prompt = self._prompt(job.task.prompt)
        marks = (MARK, *turn_marks(tokenizer))
        ids = conversation_ids(tokenizer, prompt, marked([defused(step, marks) for step in job.texts]))
        frame = conversation_ids(tokenizer, prompt, marked(["x"] * len(job.spans)))
        check_specials(tokenizer, ids, frame)
        limit = limit_of(tokenizer, loaded.model.config, self.max_length)
        return StepRow(fitted(tokenizer, ids, 0, limit, cut_prompt=False), places_of(mark, ids, len(job.spans)))

    def _prompt(self, prompt: Prompt) -> Prompt:
        """The messages with a system message, and without marks."""
        messages = [{**message, "content": defused(message["content"], (MARK,))} for message in prompt_messages(prompt)]
        own = any(message["role"] == "system" for message in messages)
        return tuple(messages) if own or not self.system else ({"role": "system", "content": self.system}, *messages)


def marked(steps: Sequence[str]) -> str:
    """The steps as the assistant's turn."""
    return "".join(f"{step}{MARK}" for step in steps)
