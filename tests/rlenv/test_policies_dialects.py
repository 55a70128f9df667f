"""Policies behind endpoints in their dialects, and episodes of several turns with them: what is sent and what not."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from dialect_server import ARGUMENTS, answer
from json_server import Body, Server, serving
from number_game import guessing

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.policies.load import load_policy
from rlenv.turns.play import TurnPolicy, play
from rlenv.turns.replay import ReplayVerifier

CHAT = ({"role": "system", "content": "Be short."}, {"role": "user", "content": "2+2=? \ud800"})
FUNCTION: dict[str, Any] = {
    "name": "add",
    "description": "Adds.",
    "parameters": {"type": "object", "properties": {"a": {}}},
}
PATHS = ("/messages", "/responses")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("OPENAI_API_KEY", "of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of-anthropic")


class Adder:
    """Answers calls by 3, and ends the episode at the first turn without one."""

    tools: tuple[dict[str, Any], ...] = ({"type": "function", "function": FUNCTION},)

    def start(self, task: Task) -> Json:
        return 0

    def respond(self, state: Json, said: Completion) -> Reply:
        if said.tool_calls:
            return Reply(state, tuple({"role": "tool", "content": "3"} for _ in said.tool_calls))
        return Reply(state, "", ended=True, reward=1.0)


def policy(server: Server, path: str, **options: Any) -> EndpointPolicy:
    made = load_policy(f"{server.url}/v1{path}#model", endpoint={"backoff_s": 0.0, **options})
    return cast("EndpointPolicy", made)


@pytest.mark.parametrize("path", PATHS)
def test_thoughts_text_and_usage_are_read(path: str) -> None:
    with serving(answer) as server:
        with policy(server, path).session() as asking:
            found = asking.some("2+2=?", 1, Sampling(max_new_tokens=64))
        several = policy(server, path).generate(["2+2=?", "and?"], n=2, sampling=Sampling(max_new_tokens=16))
    [one] = found.completions
    assert (one.content.text, one.reasoning.text, one.finished) == ("It is 4.", "2 + 2", True)
    assert (found.prompt_tokens, found.said_tokens) == (15, 7)
    assert [completion.finished for completion in several] == [False] * 4
    assert server.paths == [f"/v1{path}"] * 5


def test_what_is_sent_to_messages() -> None:
    settings = Sampling(max_new_tokens=64, temperature=0.5, top_p=0.9, stop=("END",), seed=3)
    with serving(answer) as server:
        policy(server, "/messages", extra_body={"thinking": {"type": "adaptive"}}).generate([CHAT], sampling=settings)
    assert server.bodies == [
        {
            "model": "model",
            "max_tokens": 64,
            "system": "Be short.",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "2+2=? ?"}]}],
            "stop_sequences": ["END"],
            "temperature": 0.5,
            "top_p": 0.9,
            "thinking": {"type": "adaptive"},
        }
    ]
    headers = server.headers[0]
    assert (headers["authorization"], headers["anthropic-version"]) == ("Bearer of-anthropic", "2026-10-21")


def test_what_is_sent_to_responses() -> None:
    with serving(answer) as server:
        asked = policy(server, "/responses", logprobs=True)
        [found] = asked.generate([CHAT], sampling=Sampling(max_new_tokens=64, temperature=1.0))
    assert server.bodies == [
        {
            "model": "model",
            "max_output_tokens": 64,
            "input": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "2+2=? ?"}],
            "store": False,
            "include": ["message.output_text.logprobs"],
        }
    ]
    assert server.headers[0]["authorization"] == "Bearer of-openai"
    assert found.logprobs == (-0.5,)


@pytest.mark.parametrize("path", PATHS)
def test_calls_and_their_answers_go_back_in_the_form_of_the_dialect(path: str) -> None:
    game = Adder()
    definition = rlenv.Definition(
        tasks=rlenv.ListTasks([Task("Add.", 1)]), verifier=ReplayVerifier(game), interaction=game, max_turns=3
    )
    with serving(answer) as server:
        [found] = play(definition, policy(server, path), [definition.tasks[0]], 1, Sampling(max_new_tokens=64))
    first, second = server.bodies
    assert [turn.role for turn in found.turns] == ["assistant", "tool", "assistant"]
    if path == "/messages":
        assert first["tools"] == [{"name": "add", "description": "Adds.", "input_schema": FUNCTION["parameters"]}]
        _, said, heard = second["messages"]
        text, call = said["content"]
        assert (said["role"], text, call["input"]) == ("assistant", {"type": "text", "text": "It is 4."}, ARGUMENTS)
        assert (heard["role"], heard["content"]) == (
            "user",
            [{"type": "tool_result", "tool_use_id": call["id"], "content": "3"}],
        )
    else:
        assert first["tools"] == [{"type": "function", "strict": False, **FUNCTION}]
        _, said, call, heard = second["input"]
        assert (said, json.loads(call["arguments"])) == ({"role": "assistant", "content": "It is 4."}, ARGUMENTS)
        assert heard == {"type": "function_call_output", "call_id": call["call_id"], "output": "3"}
    assert "2 + 2" not in json.dumps(second)


@pytest.mark.parametrize(
    ("answered", "path"),
    [
        ({"content": "It is 4."}, "/messages"),
        ({"output": None}, "/responses"),
        ({"status": "failed", "error": {"message": "no"}, "output": []}, "/responses"),
    ],
)
def test_what_is_no_answer_is_said(answered: object, path: str) -> None:
    with serving(lambda number, body: (200, answered)) as server, pytest.raises(PolicyError, match="not an answer"):
        policy(server, path).generate(["a"])


def test_what_a_dialect_does_not_give_is_refused() -> None:
    with pytest.raises(ConfigError, match="Anthropic gives none"):
        EndpointPolicy("http://localhost/v1/messages", "model", logprobs=True)
    with serving(answer) as server, pytest.raises(PolicyError, match="takes no stop texts"):
        policy(server, "/responses").generate(["a"], sampling=Sampling(stop=("END",)))


ADD: dict[str, Any] = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}
CALL = {"id": "x", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}


class Calculator:
    """Answers every call, and asks again where there is none; the words `done` end it."""

    tools = (ADD,)

    def start(self, task: Task) -> Json:
        return 0

    def respond(self, state: Json, said: Completion) -> Reply:
        number = cast("int", state) + 1
        if said.content.text == "done":
            return Reply(number, "Right.", ended=True, reward=1.0)
        if said.tool_calls:
            return Reply(number, tuple({"role": "tool", "content": "3"} for _ in said.tool_calls))
        return Reply(number, "Call something.")


def calculator() -> rlenv.Definition:
    game = Calculator()
    return rlenv.Definition(
        tasks=rlenv.ListTasks([Task("Add.", 1)]), verifier=ReplayVerifier(game), interaction=game, max_turns=6
    )


def asking_policy(server: Server, **options: Any) -> EndpointPolicy:
    return EndpointPolicy(server.url + "/v1", "model", **{"backoff_s": 0.0, **options})


def choices(*messages: dict[str, Any], **usage: int) -> tuple[int, object]:
    given = [{"index": i, "message": m, "finish_reason": "stop"} for i, m in enumerate(messages)]
    return 200, {"choices": given, "usage": usage}


def test_calls_and_answers_go_back_in_the_form_of_the_api_and_thoughts_do_not() -> None:
    said: list[dict[str, Any]] = [
        {"content": "Let me see.", "reasoning_content": "secret", "tool_calls": [CALL, CALL]},
        {"content": "<think>secret</think>Well?"},
        {"content": "done"},
    ]
    with serving(lambda number, body: choices(said[number])) as server:
        asking = asking_policy(server)
        assert isinstance(asking, TurnPolicy)
        (found,) = play(calculator(), asking, [calculator().tasks[0]])
    assert [body["tools"] for body in server.bodies] == [[ADD]] * 3
    messages = server.bodies[2]["messages"]
    assert messages == [
        {"role": "user", "content": "Add."},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {"id": f"call0000{i}", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
                for i in range(2)
            ],
        },
        {"role": "tool", "tool_call_id": "call00000", "content": "3"},
        {"role": "tool", "tool_call_id": "call00001", "content": "3"},
        {"role": "assistant", "content": "Well?"},
        {"role": "user", "content": "Call something."},
    ]
    assert [turn.role for turn in found.turns] == ["assistant", "tool", "tool", "assistant", "user", "assistant"]
    assert "secret" in found.text
    assert calculator().verifier.verify(calculator().tasks[0], found).reward == 1.0


@pytest.mark.parametrize("arguments", ["{no json", '["a"]', "\ud800"])
def test_a_call_that_cannot_be_read_goes_back_as_words(arguments: str) -> None:
    bad = {"id": "x", "function": {"name": "add", "arguments": arguments}}
    said: list[dict[str, Any]] = [{"content": "", "tool_calls": [bad]}, {"content": "done"}]
    with serving(lambda number, body: choices(said[number])) as server:
        play(calculator(), asking_policy(server), [calculator().tasks[0]])
    _, spoken, heard = server.bodies[1]["messages"]
    assert spoken["role"] == "assistant"
    assert spoken["content"].startswith("<tool_call>")
    assert heard == {"role": "user", "content": "<tool_response>\n3\n</tool_response>"}


def test_copies_of_a_prompt_go_out_together_and_then_each_alone() -> None:
    def answer(number: int, body: Body) -> tuple[int, object]:
        turn = (len(body["messages"]) - 1) // 2
        return choices(*({"content": f"{turn} {i}" * i} for i in range(body.get("n", 1))))

    definition = guessing(max_turns=2)
    with serving(answer) as server:
        found = play(definition, asking_policy(server), [definition.tasks[i] for i in range(3)], 4)
    assert sorted(body.get("n", 1) for body in server.bodies) == [1] * 12 + [4] * 3
    assert len({body["seed"] for body in server.bodies}) >= 12
    assert [len(one.said_turns) for one in found] == [2] * 12


@pytest.mark.parametrize(
    "refusal",
    [
        {"error": {"message": "This model's maximum context length is 90 tokens. However, you requested 95"}},
        {"error": {"code": "context_length_exceeded"}},
        "the request exceeds the available context size",
    ],
)
def test_a_full_context_ends_the_episode_as_cut(refusal: object) -> None:
    with serving(lambda number, body: choices({"content": "Hm."}) if number == 0 else (400, refusal)) as server:
        (found,) = play(calculator(), asking_policy(server), [calculator().tasks[0]])
    assert (found.finished, [turn.text for turn in found.said_turns]) == (False, ["Hm."])
