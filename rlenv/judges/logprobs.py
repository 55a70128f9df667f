"""A causal model of this process as judge: the form of the verdict is written for it, its choices are weighed.

    judge = PairJudge(LogprobClient(path="models/smollm2-135m"))

A small model does not keep to a form. So the form is given (`{"mark": "ab", "better": "`), and the probabilities of
the choices that may come next, among themselves, are the answer: a pair earns their mean, a criterion the mean of its
scale. Several criteria are asked for in one verdict, each behind the likeliest choices before it.

The marks of the model's own template are broken in all that is asked, as they are for `LabelTokensScorer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase

from rlenv.core.errors import ConfigError, PolicyError, ScorerError
from rlenv.door.templates import rendered
from rlenv.judges.client import Answer, Question, Readable, Weighed
from rlenv.judges.labels import label_ids
from rlenv.scorers.encoding import defused, plain_ids, turn_marks
from rlenv.scorers.model_files import LoadedModel, LoadModel, ScoringModel, next_token_logits
from rlenv.scorers.scorer import fingerprint


@dataclass(frozen=True, kw_only=True)
class LogprobClient(ScoringModel):
    """Whom a judge asks: the model in this folder."""

    load_model: ClassVar[LoadModel] = AutoModelForCausalLM.from_pretrained

    @property
    def version(self) -> str:
        """Changes with the model's files and with how much of a question it may read."""
        return fingerprint("logprobs", self.files.version, self.max_length)

    def ask_all(self, questions: Sequence[Question], readable: Readable) -> list[Answer]:
        """The chances of each question's choices; a question that is too long is a failure of its own."""
        return [self._ask(question) for question in questions]

    def _ask(self, question: Question) -> Answer:
        loaded, before, chances = self.files.loaded, "", list[dict[str, float]]()
        try:
            asked = asked_ids(loaded.tokenizer, question)
            for slot in question.form:
                before += slot.before
                shared, deciding = label_ids(loaded.tokenizer, [before + each for each in slot.choices])
                row = [*asked, *shared]
                if self.limit is not None and len(row) > self.limit:
                    raise ScorerError(f"the question is {len(row)} tokens, the judge takes {self.limit}")
                chances.append(dict(zip(slot.choices, _weighed(loaded, row, deciding), strict=True)))
                before += max(slot.choices, key=lambda choice: chances[-1][choice])
        except (ConfigError, ScorerError) as error:
            return PolicyError(str(error))
        return Weighed(tuple(chances))


def asked_ids(tokenizer: PreTrainedTokenizerBase, question: Question) -> list[int]:
    """What the model reads up to where its answer begins; without a chat template the messages stand in a row."""
    marks = turn_marks(tokenizer)
    messages = [{**message, "content": defused(message["content"], marks)} for message in question.messages]
    if tokenizer.chat_template is None:
        return plain_ids(tokenizer, "\n\n".join(message["content"] for message in messages) + "\n\n", special=True)
    return plain_ids(tokenizer, rendered(tokenizer, messages, answer=True))


@torch.no_grad()
def _weighed(loaded: LoadedModel, row: list[int], deciding: Sequence[int]) -> list[float]:
    """The probabilities of these tokens behind the row, among themselves."""
    state = loaded.states([row], [[-1]])[0]  # (1, H)
    chances: list[float] = next_token_logits(loaded, state, deciding)[0].double().softmax(0).tolist()
    return chances
