"""Tools between turns: what is called, what is told of a bad call, and what a bad tool costs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import MachineryError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.env.environment import Environment
from rlenv.sandbox.errors import SandboxUnavailable
from rlenv.turns.play import play
from rlenv.turns.tools import Tool, ToolInteraction
from rlenv.workers.pool import WorkerPool

TASK = Task("What is 2 + 3?", "5")


def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


def put(item: str, state: dict[str, Any]) -> str:
    """Put something into the basket.

    Args:
        item: What.
    """
    state["basket"].append(item)
    if item == "stone":
        raise ValueError("no stones")
    return f"{len(state['basket'])} items"


def spell(word: str, times: int) -> str:
    """Say a word often.

    Args:
        word: What to say.
        times: How often.
    """
    return word * times


def broken() -> str:
    """Fails as machinery fails."""
    raise MachineryError("the server is gone")


def unboxed() -> str:
    """Fails as the sandbox fails."""
    raise SandboxUnavailable("no engine")


def hang() -> str:
    """Never returns."""
    while True:
        pass


def die() -> str:
    """Ends its process."""
    os._exit(3)


def leave() -> str:
    """Leaves as a program does."""
    raise SystemExit(2)


def greedy() -> str:
    """Takes all memory."""
    return "x" * (1 << 40)


def call(name: str, **arguments: Json) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def interaction(**changes: Any) -> ToolInteraction:
    settings = {"cheap": True, "initial": lambda task: {"basket": []}, **changes}
    return ToolInteraction([add, put, spell, broken, unboxed], **settings)


def told(text: str | Completion, tools: ToolInteraction | None = None) -> list[str]:
    """What the tools say of the first turn."""
    tools = tools or interaction()
    said = text if isinstance(text, Completion) else Completion(text)
    reply = tools.respond(tools.start(TASK), said)
    assert not reply.ended
    assert all(message["role"] == "tool" for message in reply.observation)  # type: ignore[index]
    return [message["content"] for message in reply.observation]  # type: ignore[index]


def test_calls_are_answered_in_order_one_message_each() -> None:
    assert told(f"I add.\n{call('add', a=2, b=3)}\n{call('put', item='tea')}{call('add', a=1)}") == [
        "5",
        "1 items",
        "2",
    ]


def test_calls_in_thoughts_are_never_made() -> None:
    tools = interaction()
    state = tools.start(TASK)
    assert tools.respond(state, Completion(f"<think>{call('put', item='tea')}</think>Done.")) == Reply(
        state, ended=True
    )
    assert told(f"<think>{call('put', item='tea')}</think>{call('put', item='salt')}") == ["1 items"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<tool_call>{"name": "add", "arguments": {"a": 1}', "error: the call is not valid JSON"),
        (call("ad", a=1), "error: there is no tool 'ad'; did you mean add?"),
        (call("add"), "error: the argument a is missing"),
        (call("add", a="2"), "error: expected a to be integer, got the string '2'"),
        (f"<tool_call>{call('add', a=1)}</tool_call>", "error: the call is not valid JSON"),
        (call("add", a=1, c=2), "error: there is no argument 'c'; the tool takes a, b"),
        (call("put", item="x" * 1_000_000), "error: expected a call of at most 100000 characters, got 10000"),
        (call("spell", word="ab", times=3_000), "a" + "b"),
        (call("put", item="stone"), "ValueError: no stones"),
        ("[TOOL_CALLS][]", "error: the list of calls is empty; no call was made"),
        (
            "".join(call("add", a=1) for _ in range(9)),
            "error: expected at most 8 calls a turn, got 9; no call was made",
        ),
        (f"{call('put', item='tea')} That is all.", "error: text stands between or behind the calls"),
        ('<tool_call>{"name": "add", "arguments": {"a": NaN}}</tool_call>', "error: expected a to be a finite number"),
        (f'<tool_call>{{"name": "add", "arguments": {{"a": {"[" * 90_000}', "error: the call is not valid JSON"),
        (
            f'<tool_call>{{"name": "add", "arguments": {{"a": {"1" * 5_000}}}}}</tool_call>',
            "error: the call is not valid",
        ),
    ],
    ids=lambda value: value[:40],
)
def test_bad_call_is_answered(text: str, message: str) -> None:
    (answer,) = told(text)
    assert answer.startswith(message)
    assert len(answer) < 4_200


def test_state_is_given_as_a_copy_and_undone_where_the_tool_raises() -> None:
    tools = interaction()
    first = tools.start(TASK)
    second = tools.respond(first, Completion(call("put", item="tea") + call("put", item="stone"))).state
    assert (first, second) == ({"shared": {"basket": []}, "own": {}}, {"shared": {"basket": ["tea"]}, "own": {}})
    again = tools.respond(second, Completion(call("put", item="salt"))).state
    assert (second["shared"], again["shared"]) == ({"basket": ["tea"]}, {"basket": ["tea", "salt"]})  # type: ignore[index,call-overload]


def test_state_of_its_own_is_kept_by_the_name_of_the_tool() -> None:
    closed: list[Json] = []
    tools = ToolInteraction([Tool(put, cheap=True, initial=lambda task: {"basket": [1]}, close=closed.append)])
    state = tools.respond(tools.start(TASK), Completion(call("put", item="tea"))).state
    tools.close(state)
    assert state == {"shared": None, "own": {"put": {"basket": [1, "tea"]}}}
    assert closed == [{"basket": [1, "tea"]}]


@pytest.mark.parametrize(("name", "cheap"), [("broken", True), ("broken", False), ("unboxed", True)])
def test_failure_of_the_machinery_is_raised_and_no_wrong_answer(name: str, cheap: bool, pool: WorkerPool) -> None:
    tools = interaction(cheap=cheap, pool=pool)
    said = play(definition(tools), ScriptedPolicy("s", lambda _: (call(name), "5")), [TASK])[0]
    batch = rlenv.BatchEnvironment(definition(tools))
    batch.reset(tasks=[TASK])
    verdict = batch.step([said])[0].verdict
    assert (verdict.status, len(said.said_turns)) == ("verifier_error", 1)
    assert "the server is gone" in verdict.reason or "no engine" in verdict.reason


def definition(tools: ToolInteraction) -> rlenv.Definition:
    check = rlenv.FunctionVerifier(lambda completion, answer: answer in completion, cheap=True)
    return rlenv.Definition(tasks=rlenv.ListTasks([TASK]), verifier=check, interaction=tools, id="test/tools-v0")


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1, memory_mb=512) as pool:
        yield pool


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (hang, "the tool hang was stopped: it ran past its limit (0.3 s)"),
        (die, "the tool die has died: its process was lost"),
        (greedy, "the tool greedy was stopped: it ran past its limit (MemoryError)"),
        (leave, "SystemExit: 2"),
    ],
)
def test_tool_that_hangs_floods_or_dies_costs_its_own_turn(function: Any, message: str, pool: WorkerPool) -> None:
    tools = ToolInteraction([Tool(function, time_limit_s=0.3), add], pool=pool)
    assert told(call(function.__name__) + call("add", a=1), tools) == [message, "2"]


def test_cut_call_is_not_made_and_ends_the_episode() -> None:
    env = Environment(definition(interaction()))
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(Completion(call("put", item="tea"), finished=False))
    assert (reward, terminated, info["graded"]) == (0.0, True, True)


def test_the_final_answer_is_judged() -> None:
    said = play(definition(interaction()), ScriptedPolicy("s", lambda _: (call("add", a=4), "It is 5.")), [TASK])[0]
    assert said.text == f"{call('add', a=4)}\n5\nIt is 5."
    batch = rlenv.BatchEnvironment(definition(interaction()))
    batch.reset(tasks=[TASK])
    assert batch.step([said])[0].verdict.reward == 1.0


PIECES = ["<tool_call>", "</tool_call>", "<think>", "</think>", "[TOOL_CALLS]", "<|python_tag|>", '{"name": "add"', "}"]


@given(st.lists(st.one_of(st.sampled_from([*PIECES, call("add", a=1), call("put", item="x")]), st.text())))
def test_no_text_breaks_the_tools(pieces: list[str]) -> None:
    tools = interaction()
    reply = tools.respond(tools.start(TASK), Completion("".join(pieces)))
    assert reply.ended == (reply.observation == "")
    json.dumps(reply.state)
