"""Requests and answers of OpenAI's two interfaces: messages to `/chat/completions`, text to `/completions`.

Base models, which know no chat template, are asked by the second: the prompt goes out as it stands.

An episode of several turns goes out as messages: calls as `tool_calls` with ids, their answers as `tool` messages. What
the policy thought is not sent back: servers that tell thoughts apart leave earlier ones out themselves. Where the
answers do not match the calls one by one (a call that could not be read, a turn without calls that a tool answered) the
calls stay words of the assistant, and what was heard comes from the user.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, cast

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.core.reading.calls import HERMES, HERMES_END
from rlenv.core.reading.message import message_text
from rlenv.core.task import Message, Prompt, prompt_messages, prompt_text
from rlenv.core.tool_call import ToolCall
from rlenv.door.posting import sendable
from rlenv.policies import dialects
from rlenv.turns.live import Live
from rlenv.turns.tool_prompt import as_user

MOST_CHOICES = 1024
CHAT, TEXT = "/chat/completions", "/completions"
ApiMessage = dict[str, Json]


class Answered(NamedTuple):
    """Completions of one prompt, and the tokens that a server counted: 0 where it does not say."""

    completions: list[Completion]
    prompt_tokens: int = 0
    said_tokens: int = 0
    cost: float | None = None
    """US dollars, where the server says so."""


class Request(NamedTuple):
    """What the model is asked: chat messages with tools, or a text."""

    said: Sequence[Mapping[str, Json]] | str
    tools: Sequence[Mapping[str, Json]] = ()
    path: str = CHAT
    """The interface that is asked."""

    @classmethod
    def of(cls, prompt: Prompt, path: str) -> Request:
        """The prompt as the interface under this path takes it."""
        return cls(prompt_text(prompt) if path == TEXT else prompt_messages(prompt), path=path)

    def body(self, model: str, n: int, sampling: Sampling, limit_key: str, *, logprobs: bool) -> dict[str, Json]:
        """What is sent; fields that stand at their default are left out, for servers that do not know them."""
        if self.path in (dialects.MESSAGES, dialects.RESPONSES):
            said = cast("dialects.Objects", _sendable(self.said))
            return dialects.body(self.path, model, said, self.tools, sampling, logprobs=logprobs)
        text = isinstance(self.said, str)
        body: dict[str, Json] = {
            "model": model,
            ("prompt" if text else "messages"): _sendable(self.said),
            ("max_tokens" if text else limit_key): sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "seed": sampling.seed % 2**31,
        }
        if self.tools:
            body["tools"] = list(self.tools)
        if n > 1:
            body["n"] = n
        if sampling.top_p < 1:
            body["top_p"] = sampling.top_p
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if logprobs:
            body["logprobs"] = 0 if text else True
        return body


def answered(answer: Json, n: int, path: str = CHAT) -> Answered:
    """The completions of an answer, in order. Raises one of MISREAD for none.

    A server may give more than `n`, up to MOST_CHOICES.
    """
    if path in (dialects.MESSAGES, dialects.RESPONSES):
        one, *tokens = dialects.answered(path, answer)
        return Answered([one], *tokens)
    fields = cast("Mapping[str, object]", answer)
    usage = cast("Mapping[str, int | float | None]", fields.get("usage") or {})
    prompt_tokens, said_tokens = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
    choices = cast("list[dict[str, object]]", fields["choices"])
    if not 0 < len(choices) <= max(n, MOST_CHOICES):
        raise ValueError(f"{len(choices)} choices for the {n} that were asked for")
    in_order = sorted(choices, key=lambda choice: cast("int", choice.get("index", 0)))
    cost = usage.get("cost")
    known = cost if isinstance(cost, int | float) and 0 <= cost < math.inf else None
    return Answered([_completion(choice) for choice in in_order], prompt_tokens, said_tokens, known)


def _completion(choice: Mapping[str, object]) -> Completion:
    given = cast("dict[str, object]", choice.get("logprobs") or {})
    finished = choice.get("finish_reason") != "length"
    if "message" not in choice:
        numbers = _numbers(cast("list[float | None]", given.get("token_logprobs") or []))
        text = choice["text"] or ""
        if not isinstance(text, str):
            raise TypeError(f"a {type(text).__name__} where a text was expected")
        return Completion(text, logprobs=numbers, finished=finished)
    text, segments = message_text(cast("dict[str, object]", choice["message"]))
    tokens = cast("list[dict[str, float]]", given.get("content") or [])
    return Completion(text, (), _numbers([token["logprob"] for token in tokens]), finished=finished, segments=segments)


def _numbers(logprobs: Sequence[float | None]) -> tuple[float, ...]:
    """Log-probs; where a server has none for one token (null), all are unknown."""
    numbers = tuple([math.nan if value is None else float(value) for value in logprobs])
    return numbers if all(map(math.isfinite, numbers)) else ()


def _sendable(value: Json) -> Json:
    """The same with texts that a request can carry."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, Mapping):
        return {key: _sendable(one) for key, one in value.items()}
    return [_sendable(one) for one in value] if isinstance(value, Sequence) else value


def api_messages(live: Live) -> list[ApiMessage]:
    """The conversation so far, the prompt first, in OpenAI's form."""
    messages: list[ApiMessage] = [dict(message) for message in prompt_messages(live.task.prompt)]
    said, number = Completion(""), 0
    for by_policy, turns in groupby(live.spoken(), key=lambda spoken: spoken[0].by_policy):
        group = list(turns)
        if by_policy:
            turn, text = group[0]
            said = Completion(text, read_as=turn.read_as, segments=turn.segments)
        else:
            messages += _exchange(said, [{"role": turn.role, "content": text} for turn, text in group], number)
            number += 1
    return messages


def _exchange(said: Completion, heard: Sequence[Message], number: int) -> list[ApiMessage]:
    """A turn of the policy and what was heard after it."""
    calls = said.tool_calls
    answers = [message for message in heard if message["role"] == "tool"]
    if len(calls) == len(answers) and not any(call.problem for call in calls):
        spoken: ApiMessage = {"role": "assistant", "content": said.content.text}
        if calls:
            spoken["tool_calls"] = [_call(call, number, place) for place, call in enumerate(calls)]
        return [spoken, *_with_ids(heard, number)]
    words = [said.content.text, *dict.fromkeys(_words(said.text[call.start : call.end]) for call in calls)]
    return [{"role": "assistant", "content": "\n".join(filter(None, words))}, {**as_user(heard)}]


def _words(call: str) -> str:
    """A call as it was written; one that came apart from the text, with the marks of Hermes."""
    return f"{HERMES}\n{call}\n{HERMES_END}" if call.startswith("{") else call


def _with_ids(heard: Sequence[Message], number: int) -> Iterator[ApiMessage]:
    place = 0
    for message in heard:
        if message["role"] == "tool":
            yield {"role": "tool", "tool_call_id": _id(number, place), "content": message["content"]}
            place += 1
        else:
            yield {"role": message["role"], "content": message["content"]}


def _call(call: ToolCall, number: int, place: int) -> ApiMessage:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    function: ApiMessage = {"name": call.name, "arguments": arguments}
    return {"id": _id(number, place), "type": "function", "function": function}


def _id(number: int, place: int) -> str:
    """Of a call: nine letters and digits, as the strictest of the servers (Mistral's) want it."""
    return f"call{number % 1000:03d}{place % 100:02d}"
