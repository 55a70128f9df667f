"""Requests and answers in the form of OpenAI's chat completions, with the fields that vLLM adds for `return_token_ids`.

What the policy said is read as everywhere in rlenv: thoughts become `reasoning_content`, calls `tool_calls` where the
request offered tools, and all else is `content`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from rlenv.agents.session import Call, Refusal
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.policy import Sampling
from rlenv.core.reading.calls import HERMES, HERMES_END
from rlenv.core.task import Message

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
LIMIT_KEYS = ("max_completion_tokens", "max_tokens")
OPENING = "<think>\n"
"""What a prompt that opens a trace ends with; behind it stands what was sampled."""


@dataclass(frozen=True)
class ChatRequest:
    """One request, read."""

    messages: tuple[Mapping[str, Json], ...]
    tools: tuple[Mapping[str, Json], ...]
    sampling: Sampling
    stream: bool
    model: str


def read_request(body: Mapping[str, object], sampling: Sampling, *, pinned: bool) -> ChatRequest:
    """The request in a body. Its sampling counts, within `max_new_tokens`, unless ours is `pinned`.

    Raises Refusal for what is no request, asks for several answers, or holds parts other than text.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, Mapping) for one in messages):
        raise Refusal(400, "request", "expected messages: a list of objects with role and content")
    tools = body.get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) for tool in tools):
        raise Refusal(400, "request", "expected tools: a list of function schemas")
    if body.get("n") not in (None, 1):
        raise Refusal(400, "request", "expected n of 1: ask once for each answer")
    return ChatRequest(
        tuple([read_message(one) for one in messages]),
        tuple(tools),
        _sampling(body, sampling, pinned=pinned),
        body.get("stream") is True,
        str(body.get("model") or ""),
    )


def read_message(message: Mapping[str, object]) -> Mapping[str, Json]:
    """A message as role, text and calls; an answer of ours as it will come back in a request."""
    role, content = ROLES.get(str(message.get("role"))), message.get("content")
    if role is None:
        raise Refusal(400, "request", f"expected a role of {', '.join(ROLES)}, got {message.get('role')!r:.80}")
    if isinstance(content, list):
        parts = [part if isinstance(part, Mapping) else {"type": "text", "text": part} for part in content]
        if strange := {str(part.get("type")) for part in parts} - {"text", "input_text", "output_text"}:
            raise Refusal(400, "request", f"parts of {', '.join(sorted(strange))} in a message: give text")
        content = "".join(str(part.get("text") or "") for part in parts)
    calls = message.get("tool_calls") or []
    if not isinstance(content, str | None) or not isinstance(calls, list):
        raise Refusal(400, "request", "expected content of text, and tool_calls as a list")
    read: dict[str, Json] = {"role": role, "content": content or ""}
    if role == "assistant" and calls:
        read["tool_calls"] = [_call(call) for call in calls]
    return read


def _call(call: object) -> Json:
    """A call as its name and its arguments: servers and clients write the rest in their own ways."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        raise Refusal(400, "request", "expected tool_calls with a function")
    arguments = function.get("arguments")
    try:
        read = json.loads(arguments) if isinstance(arguments, str) and arguments else (arguments or {})
    except (ValueError, RecursionError):
        read = arguments
    return {"name": str(function.get("name")), "arguments": cast("Json", read)}


def _sampling(body: Mapping[str, object], ours: Sampling, *, pinned: bool) -> Sampling:
    wanted = [value for key in LIMIT_KEYS if isinstance(value := body.get(key), int) and value > 0]
    most = min([ours.max_new_tokens, *wanted])
    if pinned:
        return replace(ours, max_new_tokens=most)
    temperature, top_p = (
        float(value) if isinstance(value := body.get(name), int | float) and math.isfinite(value) else own
        for name, own in (("temperature", ours.temperature), ("top_p", ours.top_p))
    )
    stop = body.get("stop") or ()
    stops = (stop,) if isinstance(stop, str) else tuple([str(each) for each in cast("Sequence[object]", stop)])
    try:
        drawn = replace(ours, temperature=temperature, top_p=top_p)
        return replace(drawn, max_new_tokens=most, stop=stops or ours.stop)
    except ConfigError as error:
        raise Refusal(400, "request", str(error)) from error


def identity(message: Mapping[str, Json]) -> tuple[str, str, str]:
    """What two copies of one message have in common, whoever sent them back."""
    return str(message["role"]), str(message["content"]).strip(), canonical(message.get("tool_calls") or [])


def as_text(message: Mapping[str, Json]) -> Message:
    """A message of role and text alone; calls stand behind the text in Hermes form."""
    calls = cast("Sequence[Json]", message.get("tool_calls") or [])
    written = [f"{HERMES}\n{json.dumps(call, ensure_ascii=False)}\n{HERMES_END}" for call in calls]
    return {"role": str(message["role"]), "content": "\n".join(filter(None, [str(message["content"]), *written]))}


def as_sampled(said: Completion) -> str:
    """The words of a turn as they stand in a conversation that is written anew: thoughts with their opening."""
    return f"{OPENING}{said.text}" if said.read_as == "opened" else said.text


def answer_of(said: Completion, *, tools: bool, number: int) -> dict[str, Json]:
    """The message that a completion is."""
    calls = said.tool_calls if tools else ()
    whole = all(not call.problem for call in calls)
    thought = said.reasoning.text
    plain = not thought and not (calls and whole)
    message: dict[str, Json] = {"role": "assistant", "content": said.text if plain else said.content.text.strip()}
    if thought:
        message["reasoning_content"] = thought
    if calls and whole:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)},
            }
            for place, call in enumerate(calls)
        ]
    return message


def response(call: Call, model: str, number: int) -> dict[str, Json]:
    """The body that answers a request."""
    ids = call.said.token_ids
    reason = "length" if not call.said.finished else "tool_calls" if "tool_calls" in call.answer else "stop"
    choice: dict[str, Json] = {"index": 0, "message": dict(call.answer), "finish_reason": reason}
    if ids:
        pairs = zip(ids, call.said.logprobs, strict=True)
        choice["token_ids"] = list(ids)
        choice["logprobs"] = {
            "content": [{"token": f"token_id:{i}", "logprob": value, "top_logprobs": []} for i, value in pairs]
        }
    usage = {"prompt_tokens": len(call.prompt_ids), "completion_tokens": len(ids)}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [choice],
        "prompt_token_ids": list(call.prompt_ids) or None,
        "weights_version": call.version,
        "usage": {**usage, "total_tokens": sum(usage.values())},
    }


def streamed(body: Mapping[str, Json]) -> Iterator[str]:
    """The same as server-sent events: one chunk with all that was said, for clients that asked for a stream."""
    choice = dict(cast("list[dict[str, Json]]", body["choices"])[0])
    message = dict(cast("dict[str, Json]", choice.pop("message")))
    if "tool_calls" in message:
        calls = cast("list[dict[str, Json]]", message["tool_calls"])
        message["tool_calls"] = [{**call, "index": place} for place, call in enumerate(calls)]
    head = {**body, "object": "chat.completion.chunk", "usage": None}
    first = {**choice, "delta": message, "finish_reason": None}
    last: dict[str, Json] = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    end = {**head, "choices": [], "usage": body["usage"]}
    for chunk in ({**head, "choices": [first]}, {**head, "choices": [last]}, end):
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"
