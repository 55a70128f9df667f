"""What OpenAI's Responses and Anthropic's Messages answer, for json_server: a thought, a text, and a call where told.

tests/integrations/test_with_sdks.py holds these answers, and our requests, against the packages of both providers.
"""

from __future__ import annotations

import json
from typing import Any

Body = dict[str, Any]
ARGUMENTS = {"a": 1, "b": "\u00e9"}
LOGPROBS = [{"token": "4", "bytes": [52], "logprob": -0.5, "top_logprobs": []}]


def answer(number: int, body: Body) -> tuple[int, object]:
    """Calls the tool that is offered until it has answered; cut where the limit is 16 tokens."""
    calls = bool(body.get("tools")) and "tool_result" not in json.dumps(body) and "call_output" not in json.dumps(body)
    return 200, responses(body, calls) if "input" in body else messages(body, calls)


def messages(body: Body, calls: bool) -> Body:
    content: list[Body] = [
        {"type": "thinking", "thinking": "2 + 2", "signature": "s"},
        {"type": "text", "text": "It is 4."},
    ]
    if calls:
        content.append({"type": "tool_use", "id": "toolu_1", "name": body["tools"][0]["name"], "input": ARGUMENTS})
    reason = "tool_use" if calls else "max_tokens" if body["max_tokens"] == 16 else "end_turn"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 7,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 0,
        },
    }


def responses(body: Body, calls: bool) -> Body:
    part: Body = {"type": "output_text", "text": "It is 4.", "annotations": []}
    if body.get("include"):
        part["logprobs"] = LOGPROBS
    output: list[Body] = [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "2 + 2"}]},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]},
    ]
    if calls:
        call = {"name": body["tools"][0]["name"], "arguments": json.dumps(ARGUMENTS), "call_id": "call_1"}
        output.append({"type": "function_call", "id": "fc_1", "status": "completed", **call})
    cut = body["max_output_tokens"] == 16
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 15,
            "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 22,
        },
    }
