"""The other side of `rlenv.policies.dialects`: Anthropic's Messages and OpenAI's Responses where a policy is served.

A request becomes one of chat completions, and the answer to that is written back in the dialect, whole or as the events
of a stream. What a provider does itself is not here: a conversation that it keeps (`previous_response_id`) is refused,
and its own tools (web search) are not offered to the policy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from rlenv.core.jsontypes import Json
from rlenv.core.reading.message import blocks_message

Body = Mapping[str, Json]
Event = tuple[str, dict[str, Json]]
STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
"""Why an answer ended, in the words of chat and of Messages."""
_UNSAID = ("tool_result", "tool_use", "thinking", "redacted_thinking")


@dataclass(frozen=True)
class Dialect:
    """How a request becomes one of chat, and the answer of chat one of the dialect.

    `asked` raises ValueError for what is no request, and does not look into messages of chat.
    """

    asked: Callable[[Body], Mapping[str, object]]
    answer: Callable[[Body], Body]
    streamed: Callable[[Body], Iterable[str]]


def _messages_asked(body: Body) -> Mapping[str, object]:
    said: list[Mapping[str, object]] = []
    if body.get("system"):
        said.append({"role": "system", "content": body["system"]})
    for message in _objects(body.get("messages"), "messages"):
        said.extend(_of_blocks(str(message.get("role")), message.get("content")))
    tools = [
        _function(tool, "input_schema") for tool in _objects(body.get("tools") or [], "tools") if "input_schema" in tool
    ]
    return {**body, "messages": said, "tools": tools, "stop": body.get("stop_sequences")}


def _of_blocks(role: str, content: object) -> Iterator[Mapping[str, object]]:
    """The messages of chat that one of Anthropic's is: what tools said comes first, as it does there."""
    if not isinstance(content, list):
        yield {"role": role, "content": content}
        return
    blocks = _objects(content, "content")
    for block in blocks:
        if block.get("type") == "tool_result":
            yield {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": block.get("content") or ""}
    calls = blocks_message(blocks)["tool_calls"]
    said = [block for block in blocks if block.get("type") not in _UNSAID]
    if said or calls:
        yield {"role": role, "content": said, "tool_calls": calls}


def _messages_answer(body: Body) -> Body:
    message, reason = _said(body)
    blocks: list[Json] = [{"type": "thinking", "thinking": thought, "signature": ""} for thought in _thoughts(message)]
    if message["content"] or not message.get("tool_calls"):
        blocks.append({"type": "text", "text": message["content"]})
    for call, function in _calls(message):
        given = json.loads(str(function["arguments"]))
        blocks.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": given})
    asked, sampled = _usage(body)
    return {
        "id": body["id"],
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": blocks,
        "stop_reason": STOPS[reason],
        "stop_sequence": None,
        "weights_version": body["weights_version"],
        "usage": {"input_tokens": asked, "output_tokens": sampled},
    }


def _messages_events(body: Body) -> Iterator[Event]:
    yield "message_start", {"message": {**body, "content": [], "stop_reason": None}}
    for place, block in enumerate(cast("list[dict[str, Json]]", body["content"])):
        if block["type"] == "tool_use":
            begun: Json = {**block, "input": {}}
            delta: Json = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            kind = str(block["type"])
            begun, delta = {**block, kind: ""}, {"type": f"{kind}_delta", kind: block[kind]}
        yield "content_block_start", {"index": place, "content_block": begun}
        yield "content_block_delta", {"index": place, "delta": delta}
        yield "content_block_stop", {"index": place}
    ended: Json = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": ended, "usage": body["usage"]}
    yield "message_stop", {}


def _responses_asked(body: Body) -> Mapping[str, object]:
    if body.get("previous_response_id") is not None:
        raise ValueError("expected no previous_response_id: nothing is kept here, send all that was said")
    said: list[dict[str, object]] = []
    if body.get("instructions"):
        said.append({"role": "system", "content": body["instructions"]})
    given = body.get("input")
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else _objects(given, "input"):
        kind = item.get("type", "message")
        if kind == "function_call":
            if not said or said[-1]["role"] != "assistant":
                said.append({"role": "assistant", "content": ""})
            said[-1]["tool_calls"] = [*cast("list[object]", said[-1].get("tool_calls", [])), {"function": item}]
        elif kind == "function_call_output":
            said.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output") or ""})
        elif kind == "message":
            said.append({"role": item.get("role"), "content": item.get("content")})
        elif kind != "reasoning":
            raise ValueError(f"expected messages, calls and their outputs as input, got {kind!r:.80}")
    tools = _objects(body.get("tools") or [], "tools")
    functions = [_function(tool, "parameters") for tool in tools if tool.get("type") == "function"]
    return {**body, "messages": said, "tools": functions, "max_tokens": body.get("max_output_tokens")}


def _responses_answer(body: Body) -> Body:
    message, reason = _said(body)
    number = str(body["id"])
    output: list[Json] = [
        {"type": "reasoning", "id": f"rs_{number}", "summary": [{"type": "summary_text", "text": thought}]}
        for thought in _thoughts(message)
    ]
    if message["content"] or not message.get("tool_calls"):
        text: Json = {"type": "output_text", "text": message["content"], "annotations": []}
        done = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
        output.append({**done, "content": [text]})
    for call, function in _calls(message):
        made: Json = {"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], "status": "completed"}
        output.append({**cast("Body", made), **function})
    asked, sampled = _usage(body)
    return {
        "id": number,
        "object": "response",
        "created_at": body["created"],
        "model": body["model"],
        "status": "incomplete" if reason == "length" else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if reason == "length" else None,
        "error": None,
        "output": output,
        "weights_version": body["weights_version"],
        "usage": {"input_tokens": asked, "output_tokens": sampled, "total_tokens": asked + sampled},
    }


def _responses_events(body: Body) -> Iterator[Event]:
    yield "response.created", {"response": {**body, "status": "in_progress", "output": [], "usage": None}}
    for place, item in enumerate(cast("list[dict[str, Json]]", body["output"])):
        part = cast("list[dict[str, Json]]", item["content"])[0] if item["type"] == "message" else None
        begun = {**item, "arguments": ""} if item["type"] == "function_call" else item
        begun = begun if part is None else {**item, "content": [{**part, "text": ""}]}
        yield "response.output_item.added", {"output_index": place, "item": begun}
        if part is not None:
            where: dict[str, Json] = {"output_index": place, "item_id": item["id"], "content_index": 0}
            yield "response.output_text.delta", {**where, "delta": part["text"], "logprobs": []}
        yield "response.output_item.done", {"output_index": place, "item": item}
    yield f"response.{body['status']}", {"response": dict(body)}


def _events(of: Callable[[Body], Iterator[Event]]) -> Callable[[Body], Iterator[str]]:
    """Events as a stream: `sequence_number` is of Responses, and Messages leaves it unread."""

    def lines(body: Body) -> Iterator[str]:
        for number, (name, data) in enumerate(of(body)):
            yield f"event: {name}\ndata: {json.dumps({'type': name, 'sequence_number': number, **data})}\n\n"

    return lines


def _objects(value: object, name: str) -> list[Mapping[str, object]]:
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise ValueError(f"expected {name}: a list of objects")
    return cast("list[Mapping[str, object]]", value)


def _function(tool: Mapping[str, object], schema: str) -> Mapping[str, object]:
    known = {key: value for key, value in tool.items() if key in ("name", "description")}
    return {"type": "function", "function": {**known, "parameters": tool.get(schema)}}


def _said(body: Body) -> tuple[dict[str, Json], str]:
    """The message of an answer of chat, and why it ended."""
    choice = cast("list[dict[str, Json]]", body["choices"])[0]
    return cast("dict[str, Json]", choice["message"]), str(choice["finish_reason"])


def _thoughts(message: Body) -> list[Json]:
    return [message["reasoning_content"]] if message.get("reasoning_content") else []


def _calls(message: Body) -> list[tuple[Body, Body]]:
    """Each call of a message with its function."""
    calls = cast("list[Body]", message.get("tool_calls") or [])
    return [(call, cast("Body", call["function"])) for call in calls]


def _usage(body: Body) -> tuple[int, int]:
    usage = cast("Mapping[str, int]", body["usage"])
    return usage["prompt_tokens"], usage["completion_tokens"]


SERVED = {
    "/v1/messages": Dialect(_messages_asked, _messages_answer, _events(_messages_events)),
    "/v1/responses": Dialect(_responses_asked, _responses_answer, _events(_responses_events)),
}
"""By the path of their requests."""
