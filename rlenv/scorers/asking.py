"""Questions to a judge: each is asked once, side by side with the others, and with a cache never again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.core.task import Message, Prompt
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.scorers.answer_cache import AnswerCache, key_of

GREEDY = Sampling(temperature=0.0, max_new_tokens=1024)
"""The same question has the same answer, as far as the server keeps to it."""


class Answering(Protocol):
    """Somebody who answers questions one by one, such as an EndpointPolicy."""

    @property
    def name(self) -> str: ...

    def answers(self, prompts: Sequence[Prompt], sampling: Sampling) -> Iterator[tuple[int, Completion | PolicyError]]:
        """The place and the answer of each prompt, or why there is none, in any order."""


@dataclass(frozen=True)
class Question:
    """One request to a judge, and what it takes to read the answer."""

    mark: str
    messages: tuple[Message, ...]
    judged: str
    """The text that is judged, or both of them: no verdict may come from there."""


Answer: TypeAlias = "str | PolicyError"
Readable: TypeAlias = "Callable[[Question, str], bool]"
"""Says whether an answer can be read: no other is kept, and none that is kept is taken without."""


@dataclass(frozen=True)
class Asking:
    """Whom to ask, and how."""

    asked: Answering
    model: str
    """Whose judgements these are: part of the key of the cache, where the address is not."""
    sampling: Sampling = GREEDY
    cache: AnswerCache | None = None

    def ask_all(self, questions: Sequence[Question], readable: Readable) -> list[Answer]:
        """One answer a question, in order. Raises ConfigError where the cache cannot be used."""
        keys = [self._key(question) for question in questions]
        by_key = dict(zip(keys, questions, strict=True))
        with nullcontext() if self.cache is None else self.cache.open() as kept:
            known = {} if kept is None else {key: kept.known(key) for key in by_key}
            found: dict[str, Answer] = {
                key: answer for key, answer in known.items() if answer is not None and readable(by_key[key], answer)
            }
            missing = [key for key in by_key if key not in found]
            for place, answer in self.asked.answers([by_key[key].messages for key in missing], self.sampling):
                key, text = missing[place], _text(answer)
                found[key] = text
                if kept is not None and isinstance(text, str) and readable(by_key[key], text):
                    kept.keep(key, text)
        return [found[key] for key in keys]

    @property
    def version(self) -> str:
        """Changes with whom is asked and how, not with the address."""
        sampling = self.sampling
        return key_of(self.model, sampling.temperature, sampling.top_p, sampling.max_new_tokens, sampling.seed)

    def _key(self, question: Question) -> str:
        messages: list[Json] = [dict(message) for message in question.messages]
        return key_of(self.version, messages)


def _text(answer: Completion | PolicyError) -> Answer:
    if isinstance(answer, PolicyError):
        return answer
    if not answer.finished:
        return PolicyError("the judge was cut at its token limit; give it more tokens")
    return answer.content.text


def asking(
    url: str,
    model: str,
    cache: str | None = None,
    max_tokens: int = GREEDY.max_new_tokens,
    endpoint: Mapping[str, Json] | None = None,
) -> Asking:
    """The same from settings that JSON can hold; `endpoint` holds those of EndpointPolicy, such as `concurrency`.

    Raises ConfigError for settings that it does not have.
    """
    try:
        policy = EndpointPolicy(url, model, **dict(endpoint or {}))  # type: ignore[arg-type]
    except TypeError as error:
        raise ConfigError(f"endpoint: {error}; it takes the settings of rlenv.policies.endpoint") from error
    sampling = Sampling(temperature=0.0, max_new_tokens=max_tokens)
    return Asking(policy, model, sampling, None if cache is None else AnswerCache(cache))
