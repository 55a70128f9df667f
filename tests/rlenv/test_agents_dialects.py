"""Harnesses that speak Anthropic's Messages or OpenAI's Responses: what they hear, and that it is one row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

pytest.importorskip("transformers", reason="needs the extra: train")
pytest.importorskip("uvicorn", reason="needs the extra: serve")

from saying import Saying

from rlenv.agents import PolicyServer
from rlenv.agents.rows import rows_of

CALL = '<think>\nhm\n</think>\n\nI look. <tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
TOOLS = {
    "messages": [{"name": "bash", "input_schema": SCHEMA}, {"type": "web_search_20250305", "name": "web_search"}],
    "responses": [{"type": "function", "name": "bash", "parameters": SCHEMA}, {"type": "web_search"}],
}


def say(text: str) -> str:
    return "done" if "tool_response" in text else CALL


def ask(server: PolicyServer, path: str, key: str, **body: Any) -> Any:
    answer = httpx2.post(f"{server.url}/{path}", json=body, headers={"x-api-key": key}, timeout=60)
    return answer.json() if answer.headers["content-type"] == "application/json" else answer.text


def events(text: str) -> list[Mapping[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in text.split("\n") if line.startswith("data: ")]


def test_a_tool_is_called_and_answered_in_one_row_of_messages() -> None:
    with PolicyServer(Saying(say)) as server:
        session = server.open()
        system = [{"type": "text", "text": "You are terse.", "cache_control": {"type": "ephemeral"}}]
        said: list[Mapping[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "What is here?"}]}]
        settings = {"model": "any", "max_tokens": 90, "system": system, "tools": TOOLS["messages"]}
        first = ask(server, "messages", session.key, messages=said, **settings)
        thought, text, call = first["content"]
        assert (thought["thinking"].strip(), text["text"], first["stop_reason"]) == ("hm", "I look.", "tool_use")
        assert (call["name"], call["input"]) == ("bash", {"command": "ls"})
        heard = {"type": "tool_result", "tool_use_id": call["id"], "content": [{"type": "text", "text": "a.txt"}]}
        said += [{"role": "assistant", "content": first["content"]}, {"role": "user", "content": [heard]}]
        second = ask(server, "messages", session.key, messages=said, **settings)
        assert (second["content"], second["stop_reason"]) == ([{"type": "text", "text": "done"}], "end_turn")
    calls = session.calls
    assert calls[0].messages[0] == {"role": "system", "content": "You are terse."}
    assert [tool["function"]["name"] for tool in calls[0].tools] == ["bash"]  # type: ignore[call-overload,index]
    assert first["usage"] == {"input_tokens": len(calls[0].prompt_ids), "output_tokens": len(calls[0].said.token_ids)}
    assert len(rows_of(calls)) == 1


def test_a_tool_is_called_and_answered_in_one_row_of_responses() -> None:
    with PolicyServer(Saying(say)) as server:
        session = server.open()
        said: list[Mapping[str, Any]] = [{"role": "user", "content": [{"type": "input_text", "text": "What is here?"}]}]
        settings = {"model": "any", "instructions": "Be terse.", "tools": TOOLS["responses"]}
        first = ask(server, "responses", session.key, input=said, **settings)
        thought, message, call = first["output"]
        assert (thought["summary"][0]["text"].strip(), message["content"][0]["text"]) == ("hm", "I look.")
        assert (call["name"], json.loads(call["arguments"])) == ("bash", {"command": "ls"})
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": "a.txt"}
        second = ask(server, "responses", session.key, input=[*said, *first["output"], output], **settings)
        assert (second["output"][0]["content"][0]["text"], second["status"]) == ("done", "completed")
    assert session.calls[0].messages[0] == {"role": "system", "content": "Be terse."}
    assert [tool["function"]["name"] for tool in session.calls[0].tools] == ["bash"]  # type: ignore[call-overload,index]
    assert len(rows_of(session.calls)) == 1


def test_streams_of_messages_end_as_whole_answers_do() -> None:
    with PolicyServer(Saying(say)) as server:
        said = [{"role": "user", "content": "What is here?"}]
        settings = {"model": "any", "max_tokens": 90, "messages": said, "tools": TOOLS["messages"]}
        whole = ask(server, "messages", server.open().key, **settings)
        stream = events(ask(server, "messages", server.open().key, stream=True, **settings))
    assert [one["type"] for one in stream[:2]] == ["message_start", "content_block_start"]
    deltas = {one["index"]: one["delta"] for one in stream if one["type"] == "content_block_delta"}
    assert deltas[1] == {"type": "text_delta", "text": "I look."}
    assert json.loads(deltas[2]["partial_json"]) == whole["content"][2]["input"]
    assert stream[-2]["delta"]["stop_reason"] == whole["stop_reason"]
    assert stream[-1]["type"] == "message_stop"


def test_streams_of_responses_end_with_the_whole_answer() -> None:
    with PolicyServer(Saying(lambda _: "five " * 40)) as server:
        settings = {"model": "any", "input": "Guess a number.", "max_output_tokens": 3}
        whole = ask(server, "responses", server.open().key, **settings)
        stream = events(ask(server, "responses", server.open().key, stream=True, **settings))
    assert (whole["status"], whole["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    assert (stream[0]["type"], stream[-1]["type"]) == ("response.created", "response.incomplete")
    told = "".join(one["delta"] for one in stream if one["type"] == "response.output_text.delta")
    assert stream[-1]["response"]["output"][0]["content"][0]["text"] == told == whole["output"][0]["content"][0]["text"]


BAD = [
    ("messages", {"messages": [{"role": "user", "content": [{"type": "image"}]}]}, "image"),
    ("messages", {"messages": "hello"}, "messages: a list"),
    ("responses", {"input": "go on", "previous_response_id": "resp_1"}, "previous_response_id"),
    ("responses", {"input": [{"type": "item_reference"}]}, "item_reference"),
    ("responses", {}, "input: a list"),
]


@pytest.mark.parametrize(("path", "body", "said"), BAD)
def test_a_request_that_cannot_be_answered_says_why(path: str, body: Mapping[str, Any], said: str) -> None:
    with PolicyServer(Saying(say)) as server:
        answer = ask(server, path, server.open().key, **body)
    assert answer["error"]["type"] == "request"
    assert said in answer["error"]["message"]
