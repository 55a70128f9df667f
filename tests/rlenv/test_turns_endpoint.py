"""Episodes of several turns with a model behind an endpoint: what is sent, and what is not."""

from __future__ import annotations

from typing import Any, cast

import pytest
from json_server import Body, Server, serving
from number_game import guessing

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.turns.play import TurnPolicy, play
from rlenv.turns.replay import ReplayVerifier

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


def policy(server: Server, **options: Any) -> EndpointPolicy:
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
        asking = policy(server)
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
        play(calculator(), policy(server), [calculator().tasks[0]])
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
        found = play(definition, policy(server), [definition.tasks[i] for i in range(3)], 4)
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
        (found,) = play(calculator(), policy(server), [calculator().tasks[0]])
    assert (found.finished, [turn.text for turn in found.said_turns]) == (False, ["Hm."])
