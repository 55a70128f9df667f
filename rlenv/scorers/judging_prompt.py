"""A conversation put to a model that judges it: by the tokenizer's chat template, or by a text with places."""

from __future__ import annotations

from dataclasses import dataclass

from transformers import PreTrainedTokenizerBase

from rlenv.core.errors import ConfigError
from rlenv.core.task import prompt_messages, prompt_text
from rlenv.scorers.encoding import check_specials, fitted, plain_ids, render, turn_marks
from rlenv.scorers.hostile_text import FIRST, SECOND, defused, marks_between, special_tokens
from rlenv.scorers.scorer import Job

PROMPT, COMPLETION = "{prompt}", "{completion}"


@dataclass(frozen=True)
class JudgingPrompt:
    """`template` holds {prompt} and {completion} once each; empty, the conversation goes through the chat template."""

    template: str = ""

    def __post_init__(self) -> None:
        if self.template and not all(self.template.count(place) == 1 for place in (PROMPT, COMPLETION)):
            raise ConfigError(
                f"expected a template with {PROMPT} and {COMPLETION} once each, got {self.template!r:.200}"
            )

    def ids(self, tokenizer: PreTrainedTokenizerBase, job: Job, max_length: int | None) -> list[int]:
        """What the model reads before it answers. Neither prompt nor completion can write the template's marks.

        Raises ScorerError for what does not fit, or what the chat template refuses.
        """
        marks = self._marks(tokenizer)
        ids = self._tokens(tokenizer, job, defused(job[1].content.text, marks), marks)
        check_specials(tokenizer, ids, self._tokens(tokenizer, job, "x", marks))
        return fitted(tokenizer, ids, 0, max_length, cut_prompt=False)

    def _tokens(
        self, tokenizer: PreTrainedTokenizerBase, job: Job, completion: str, marks: tuple[str, ...]
    ) -> list[int]:
        if self.template:
            text = _filled(self.template, defused(prompt_text(job[0].prompt), marks), completion)
            bos = tokenizer.bos_token
            return plain_ids(tokenizer, text, special=not (isinstance(bos, str) and text.startswith(bos)))
        messages = [*prompt_messages(job[0].prompt), {"role": "assistant", "content": completion}]
        return plain_ids(tokenizer, render(tokenizer, messages))

    def _marks(self, tokenizer: PreTrainedTokenizerBase) -> tuple[str, ...]:
        """The special tokens, and what the template writes around the two texts."""
        if not self.template:
            return turn_marks(tokenizer)
        return (*special_tokens(tokenizer), *marks_between(_filled(self.template, FIRST, SECOND), tokenizer))


def _filled(template: str, prompt: str, completion: str) -> str:
    """By places, never by replacing in what was filled in before: a prompt may hold {completion}."""
    places = sorted([(template.index(PROMPT), PROMPT, prompt), (template.index(COMPLETION), COMPLETION, completion)])
    (first, name, one), (second, other, two) = places
    return template[:first] + one + template[first + len(name) : second] + two + template[second + len(other) :]
