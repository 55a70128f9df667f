"""The stand-ins for Anthropic and OpenAI, our requests, and a served policy, held against the packages of both.

Their clients read the stand-ins' answers as ours does, and what a served policy says; their types check what we send.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from conformity import needs
from dialect_server import ARGUMENTS, Body, answer
from json_server import serving

anthropic, openai = needs("anthropic"), needs("openai")

from pydantic import TypeAdapter  # noqa: E402

from rlenv.agents import PolicyServer  # noqa: E402
from rlenv.core.policy import Sampling, ScriptedPolicy  # noqa: E402
from rlenv.core.task import Task  # noqa: E402
from rlenv.policies import dialects  # noqa: E402

TOOL: Body = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object"}}}
CALL = {"id": "call1", "type": "function", "function": {"name": "add", "arguments": json.dumps(ARGUMENTS)}}
SAID: list[Body] = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "2+2=?"},
    {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call1", "content": "4"},
    {"role": "user", "content": "Well?"},
]
SETTINGS = {
    dialects.MESSAGES: Sampling(max_new_tokens=64, stop=("END",)),  # the package knows no temperature any more
    dialects.RESPONSES: Sampling(max_new_tokens=64, temperature=0.5, top_p=0.9),
}


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def asked(path: str, **changes: Any) -> Body:
    given = {
        "said": SAID,
        "tools": [TOOL],
        "sampling": SETTINGS[path],
        "logprobs": path == dialects.RESPONSES,
        **changes,
    }
    return dialects.body(path, "model", **given)


def test_anthropics_client_sends_what_we_send_and_reads_what_we_read() -> None:
    body = asked(dialects.MESSAGES)
    with serving(answer) as server:
        client = anthropic.Anthropic(api_key="key", base_url=server.url, max_retries=0)
        message = client.messages.create(**body)
        called = client.messages.create(**asked(dialects.MESSAGES, said=SAID[:2]))
    assert server.bodies[0] == body
    assert server.paths[0] == f"/v1{dialects.MESSAGES}"
    headers = server.headers[0]
    assert (headers["anthropic-version"], headers["authorization"]) == (dialects.VERSION, "Bearer key")
    found, prompt_tokens, said_tokens = dialects.answered(dialects.MESSAGES, message.model_dump())
    thought, text = message.content
    assert (found.reasoning.text, found.content.text) == (thought.thinking, text.text)
    assert (prompt_tokens, said_tokens) == (15, message.usage.output_tokens)
    assert called.content[-1].input == ARGUMENTS
    assert dialects.answered(dialects.MESSAGES, called.model_dump())[0].tool_calls[0].arguments == ARGUMENTS


def test_openais_client_sends_what_we_send_and_reads_what_we_read() -> None:
    body = asked(dialects.RESPONSES)
    with serving(answer) as server:
        client = openai.OpenAI(api_key="key", base_url=f"{server.url}/v1", max_retries=0)
        response = client.responses.create(**body)
        called = client.responses.create(**asked(dialects.RESPONSES, said=SAID[:2]))
    assert server.bodies[0] == body
    assert server.paths[0] == f"/v1{dialects.RESPONSES}"
    assert server.headers[0]["authorization"] == "Bearer key"
    found, prompt_tokens, said_tokens = dialects.answered(dialects.RESPONSES, response.model_dump())
    assert found.content.text == response.output_text
    assert (prompt_tokens, said_tokens) == (response.usage.input_tokens, response.usage.output_tokens)
    assert found.logprobs == (-0.5,)
    assert json.loads(called.output[-1].arguments) == ARGUMENTS
    assert dialects.answered(dialects.RESPONSES, called.model_dump())[0].tool_calls[0].arguments == ARGUMENTS


def test_the_types_of_both_packages_take_what_we_send() -> None:
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from openai.types.responses.function_tool_param import FunctionToolParam
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    def check(kind: Any, body: Body, *lists: str) -> None:
        made = TypeAdapter(kind).validate_python(body)
        for name in lists:
            assert len(list(made[name])) == len(body[name])  # an iterable is checked as it is read

    check(MessageCreateParamsNonStreaming, asked(dialects.MESSAGES), "messages", "tools")
    check(ResponseCreateParamsNonStreaming, asked(dialects.RESPONSES))  # pydantic cannot read its iterable of tools
    check(FunctionToolParam, asked(dialects.RESPONSES)["tools"][0])
    with pytest.raises(ValueError, match="input"):
        check(ResponseCreateParamsNonStreaming, {**asked(dialects.RESPONSES), "input": [{"role": "tool"}]})
    with pytest.raises(ValueError, match="UserMessageParam"):
        check(MessageCreateParamsNonStreaming, {**asked(dialects.MESSAGES), "messages": [{"role": "tool"}]}, "messages")


def speak(task: Task) -> str:
    """Calls a tool, and is done where it has heard of one."""
    if "a.txt" in str(task.prompt):
        return "done"
    return 'I look. <tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'


def test_anthropics_client_streams_from_a_policy_of_ours() -> None:
    tools = [{"name": "bash", "input_schema": {"type": "object"}}]
    said: list[Any] = [{"role": "user", "content": "What is here?"}]
    with PolicyServer(ScriptedPolicy("policy", speak)) as server:
        base = server.url.removesuffix("/v1")
        client = anthropic.Anthropic(api_key=server.open().key, base_url=base, max_retries=0)
        with client.messages.stream(model="policy", max_tokens=64, messages=said, tools=tools) as stream:
            assert "".join(stream.text_stream) == "I look."
            first = stream.get_final_message()
        text, call = first.content
        assert (text.text, call.name, call.input, first.stop_reason) == (
            "I look.",
            "bash",
            {"command": "ls"},
            "tool_use",
        )
        heard = {"type": "tool_result", "tool_use_id": call.id, "content": "a.txt"}
        said += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [heard]}]
        done = client.messages.create(model="policy", max_tokens=64, messages=said, tools=tools)
    assert (done.content[0].text, done.stop_reason) == ("done", "end_turn")


def test_openais_client_streams_from_a_policy_of_ours() -> None:
    tools: list[Any] = [{"type": "function", "name": "bash", "parameters": {"type": "object"}, "strict": False}]
    said: list[Any] = [{"role": "user", "content": "What is here?"}]
    with PolicyServer(ScriptedPolicy("policy", speak)) as server:
        client = openai.OpenAI(api_key=server.open().key, base_url=server.url, max_retries=0)
        with client.responses.stream(model="policy", input=said, tools=tools) as stream:
            words = [event.delta for event in stream if event.type == "response.output_text.delta"]
            first = stream.get_final_response()
        _, call = first.output
        assert "".join(words) == first.output_text == "I look."
        assert (call.name, json.loads(call.arguments)) == ("bash", {"command": "ls"})
        output = {"type": "function_call_output", "call_id": call.call_id, "output": "a.txt"}
        given = [*said, *(item.model_dump(exclude_none=True) for item in first.output), output]
        done = client.responses.create(model="policy", input=given, tools=tools)
    assert (done.output_text, done.status) == ("done", "completed")
