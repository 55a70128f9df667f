"""Requests and answers of OpenAI's two interfaces: messages to `/chat/completions`, text to `/completions`.

Base models, which know no chat template, are asked by the second: the prompt goes out as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.reading.message import message_text
from rlenv.core.task import Prompt, prompt_messages, prompt_text
from rlenv.policies.policy import Answered, Sampling
from rlenv.policies.posting import sendable

if TYPE_CHECKING:
    from rlenv.policies.endpoint import EndpointPolicy

MOST_CHOICES = 1024
CHAT, TEXT = "/chat/completions", "/completions"


class Request(NamedTuple):
    """What the model is asked: chat messages with tools, or a text."""

    said: Sequence[Mapping[str, Json]] | str
    tools: Sequence[Mapping[str, Json]] = ()

    @classmethod
    def of(cls, prompt: Prompt, path: str) -> Request:
        """The prompt as the interface under this path takes it."""
        return cls(prompt_text(prompt) if path == TEXT else prompt_messages(prompt))


def body_of(policy: EndpointPolicy, request: Request, n: int, sampling: Sampling, limit_key: str) -> dict[str, Json]:
    """What is sent; fields that stand at their default are left out, for servers that do not know them."""
    text = isinstance(request.said, str)
    body: dict[str, Json] = {
        "model": policy.model,
        ("prompt" if text else "messages"): _sendable(request.said),
        ("max_tokens" if text else limit_key): sampling.max_new_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed % 2**31,
    }
    if request.tools:
        body["tools"] = list(request.tools)
    if n > 1:
        body["n"] = n
    if sampling.top_p < 1:
        body["top_p"] = sampling.top_p
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if policy.logprobs:
        body["logprobs"] = 0 if text else True
    return {**body, **policy.extra_body}


def answered(told: Json, n: int) -> Answered:
    """The completions of an answer, in order. Raises ValueError, KeyError, TypeError or AttributeError for none.

    A server may give more than `n`, up to MOST_CHOICES.
    """
    answer = cast("Mapping[str, object]", told)
    usage = cast("Mapping[str, object]", answer.get("usage") or {})
    prompt_tokens, said_tokens = [
        int(cast("int", usage.get(name) or 0)) for name in ("prompt_tokens", "completion_tokens")
    ]
    choices = cast("list[dict[str, object]]", answer["choices"])
    if not 0 < len(choices) <= max(n, MOST_CHOICES):
        raise ValueError(f"{len(choices)} choices for the {n} that were asked for")
    in_order = sorted(choices, key=lambda choice: cast("int", choice.get("index", 0)))
    return Answered([_completion(choice) for choice in in_order], prompt_tokens, said_tokens)


def _completion(choice: Mapping[str, object]) -> Completion:
    given = cast("dict[str, object]", choice.get("logprobs") or {})
    finished = choice.get("finish_reason") != "length"
    if "message" not in choice:
        logprobs = cast("list[float | None]", given.get("token_logprobs") or [])
        return Completion(text=cast("str", choice["text"]) or "", logprobs=_numbers(logprobs), finished=finished)
    text, segments = message_text(cast("dict[str, object]", choice["message"]))
    tokens = cast("list[dict[str, float]]", given.get("content") or [])
    return Completion(
        text=text, logprobs=_numbers([token["logprob"] for token in tokens]), finished=finished, segments=segments
    )


def _numbers(logprobs: Sequence[float | None]) -> tuple[float, ...]:
    """Log-probs; where a server has none for one token (null), all are unknown."""
    found = tuple([math.nan if value is None else float(value) for value in logprobs])
    return found if all(map(math.isfinite, found)) else ()


def _sendable(value: Json) -> Json:
    """The same with texts that a request can carry."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, Mapping):
        return {key: _sendable(one) for key, one in value.items()}
    return [_sendable(one) for one in value] if isinstance(value, Sequence) else value
