"""Requests and answers of OpenAI's `/responses` and Anthropic's `/messages`, beside chat (`rlenv.policies.chat_api`).

An address says which: `https://api.anthropic.com/v1/messages#MODEL`, `https://api.openai.com/v1/responses#MODEL`. Both
give one completion a request and take no seed. Responses takes no stop texts, Messages no log-probs: they are refused.
Temperature and top_p go out where they are not 1, the default of both: newer models take neither, and their refusal is
told. Nothing is stored at the provider (`store` false). What the policy thought is not sent back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.core.reading.message import blocks_message, message_text, response_message

if TYPE_CHECKING:
    import httpx2

MESSAGES, RESPONSES = "/messages", "/responses"
VERSION = "2026-10-21"
"""Of Anthropic's interface, as its package 2.14 sends it with each request."""
CUT = ("max_tokens", "model_context_window_exceeded")
"""Why a message of Anthropic's stopped that was cut."""
Objects = Sequence[Mapping[str, Json]]


def dialect_of(url: str) -> str | None:
    """The interface that the end of an address names; None for those of chat and text."""
    return next((path for path in (MESSAGES, RESPONSES) if url.endswith(path)), None)


def key_of(path: str, api_key_env: str) -> str:
    """The environment variable that holds the key, where it is left as it is for chat."""
    return "ANTHROPIC_API_KEY" if path == MESSAGES and api_key_env == "OPENAI_API_KEY" else api_key_env


def dress(http: httpx2.Client, path: str) -> None:
    """Give a client the headers of this interface beside its key, which goes out as for chat."""
    if path == MESSAGES:
        http.headers["anthropic-version"] = VERSION


def check(path: str, *, logprobs: bool) -> None:
    """Raise ConfigError for what this interface does not give."""
    if path == MESSAGES and logprobs:
        raise ConfigError("expected no logprobs from an address that ends in /messages: Anthropic gives none")


def body(
    path: str, model: str, said: Objects, tools: Objects, sampling: Sampling, *, logprobs: bool
) -> dict[str, Json]:
    """A request; `said` and `tools` are in the form of chat. Raises PolicyError for stop texts to Responses."""
    sent: dict[str, Json] = {"model": model}
    if path == MESSAGES:
        sent |= {"max_tokens": sampling.max_new_tokens, "messages": _turns(said)}
        if system := "\n\n".join(str(one["content"]) for one in said if one["role"] == "system"):
            sent["system"] = system
        if sampling.stop:
            sent["stop_sequences"] = list(sampling.stop)
    else:
        if sampling.stop:
            raise PolicyError("an address that ends in /responses takes no stop texts; leave them out, or ask by chat")
        sent |= {"max_output_tokens": sampling.max_new_tokens, "input": list(_items(said)), "store": False}
        if logprobs:
            sent["include"] = ["message.output_text.logprobs"]
    if sampling.temperature != 1:
        sent["temperature"] = sampling.temperature
    if sampling.top_p < 1:
        sent["top_p"] = sampling.top_p
    if tools:
        sent["tools"] = [_tool(path, cast("Mapping[str, Json]", tool["function"])) for tool in tools]
    return sent


def answered(path: str, answer: Json) -> tuple[Completion, int, int]:
    """The completion, and the tokens of the prompt and of what was said. Raises one of MISREAD for none."""
    fields = cast("Mapping[str, Json]", answer)
    usage = cast("Mapping[str, int | None]", fields.get("usage") or {})
    asked, said = int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)
    if path == MESSAGES:
        cached = ("cache_read_input_tokens", "cache_creation_input_tokens")
        text, segments = message_text(blocks_message(_objects(fields["content"])))
        finished = fields.get("stop_reason") not in CUT
        asked += sum(int(usage.get(name) or 0) for name in cached)
        return Completion(text, finished=finished, segments=segments), asked, said
    if fields.get("status") in ("failed", "cancelled"):
        raise ValueError(f"the response has {fields['status']}: {json.dumps(fields.get('error'))[:200]}")
    output = _objects(fields["output"])
    text, segments = message_text(response_message(output))
    reason = cast("Mapping[str, Json]", fields.get("incomplete_details") or {}).get("reason")
    found = Completion(text, (), _logprobs(output), finished=reason != "max_output_tokens", segments=segments)
    return found, asked, said


def _objects(value: Json) -> list[Mapping[str, Json]]:
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise TypeError("expected a list of objects")
    return cast("list[Mapping[str, Json]]", value)


def _logprobs(output: Objects) -> tuple[float, ...]:
    """Of what was said; none where some of it has none."""
    parts = [part for item in output if item.get("type") == "message" for part in _objects(item.get("content") or [])]
    return tuple(
        [
            float(cast("float", token["logprob"]))
            for part in parts
            for token in cast("list[Mapping[str, Json]]", part.get("logprobs") or [])
        ]
    )


def _tool(path: str, function: Mapping[str, Json]) -> dict[str, Json]:
    if path == RESPONSES:
        return {"type": "function", "strict": False, **function}
    known: dict[str, Json] = {key: value for key, value in function.items() if key in ("name", "description")}
    return {**known, "input_schema": function.get("parameters") or {"type": "object", "properties": {}}}


def _turns(said: Objects) -> list[Json]:
    """Messages of chat as those of Anthropic: calls and their answers are blocks, neighbours of one role are one."""
    turns: list[dict[str, Json]] = []
    for message in said:
        if message["role"] == "system":
            continue
        role, blocks = _blocks(message)
        if turns and turns[-1]["role"] == role:
            cast("list[Json]", turns[-1]["content"]).extend(blocks)
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return list(turns)


def _blocks(message: Mapping[str, Json]) -> tuple[str, list[Json]]:
    """Who speaks, and in which blocks; an empty text, which is refused, is none."""
    text = str(message.get("content") or "")
    if message["role"] == "tool":
        return "user", [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": text}]
    blocks: list[Json] = [{"type": "text", "text": text}] if text.strip() else []
    for call, function in _calls(message):
        arguments = json.loads(str(function["arguments"]))
        given = arguments if isinstance(arguments, dict) else {}
        blocks.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": given})
    return str(message["role"]), blocks


def _items(said: Objects) -> Iterator[Json]:
    """Messages of chat as the input of Responses."""
    for message in said:
        if message["role"] == "tool":
            output = {"call_id": message["tool_call_id"], "output": message["content"]}
            yield {"type": "function_call_output", **output}
            continue
        calls = list(_calls(message))
        if message.get("content") or not calls:
            yield {"role": message["role"], "content": message.get("content") or ""}
        for call, function in calls:
            yield {"type": "function_call", "call_id": call["id"], **function}


def _calls(message: Mapping[str, Json]) -> Iterator[tuple[Mapping[str, Json], Mapping[str, Json]]]:
    """Each call of a message with its function."""
    for call in _objects(message.get("tool_calls") or []):
        yield call, cast("Mapping[str, Json]", call["function"])
