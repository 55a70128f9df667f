"""Tools of MCP servers: what an honest one does, and what one that is not comes to."""

from __future__ import annotations

import os
import pickle
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import cloudpickle
import gymnasium
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from tables import tables

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.env.admission import admitted, operators_own
from rlenv.env.environment import Environment
from rlenv.envs.tools.mcp.failure import ServerFailure, ServerSpec
from rlenv.envs.tools.mcp.server import Server
from rlenv.envs.tools.mcp.tool import mcp
from rlenv.turns.tool_prompt import call_text
from rlenv.turns.tools import ToolInteraction, tool_names

CASES = tables(__file__)

SCRIPT = Path(__file__).parents[1] / "support" / "mcp_server.py"
TASK = Task("2 + 3?", "5")


def command(mode: str = "honest") -> str:
    return shlex.join([sys.executable, str(SCRIPT), mode])


def answer(tools: ToolInteraction, state: Json, name: str, **arguments: Json) -> tuple[str, Json]:
    reply = tools.respond(state, Completion(call_text(name, **arguments)))
    assert not isinstance(reply.observation, str)
    return reply.observation[0]["content"], reply.state


@pytest.fixture
def play() -> Iterator[Callable[..., str]]:
    """Calls in one episode, each with the tool's name and its arguments; what the last one came to."""
    episodes: list[tuple[ToolInteraction, Json]] = []

    def played(*calls: tuple[str, dict[str, Json]], **settings: Any) -> str:
        tools = ToolInteraction(mcp(command(), **settings))
        state, text = tools.start(TASK), ""
        for name, arguments in calls:
            text, state = answer(tools, state, name, **arguments)
        episodes.append((tools, state))
        return text

    yield played
    for tools, state in episodes:
        tools.close(state)


@pytest.fixture
def environment() -> Iterator[Environment]:
    if "mine/mcp-sum-v0" not in gymnasium.registry:
        rlenv.register("mine/mcp-sum-v0", tasks=[{"prompt": "2 + 3?", "answer": "5"}], verifier=is_right, cheap=True)
    env = rlenv.make("mine/mcp-sum-v0", tools=f"mcp:{command()}").unwrapped
    assert isinstance(env, Environment)
    yield env
    env.close()


def is_right(completion: str, answer: str) -> bool:
    return completion == answer


def gone(pid: int) -> bool:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_an_episode_calls_and_answers(environment: Environment) -> None:
    prompt, _ = environment.reset(seed=0)
    assert '"name": "add"' in prompt
    assert environment.step(call_text("add", a=2, b=3))[:3] == ("tool: 5", 0.0, False)
    assert environment.step("5")[1:3] == (1.0, True)


def test_arguments_are_checked_before_the_server_hears_of_them(play: Callable[..., str]) -> None:
    assert play(("add", {"a": 2, "b": "x"})) == "error: expected b to be integer, got the string 'x'"


def test_each_episode_has_a_server_of_its_own_whose_state_lasts(play: Callable[..., str]) -> None:
    assert [play(*[("count", {})] * 3), play(("count", {}))] == ["3", "1"]


def test_a_fork_of_an_episode_finds_the_state_that_it_left() -> None:
    tools = ToolInteraction(mcp(command()))
    _, fork = answer(tools, tools.start(TASK), "count")
    ends = [answer(tools, fork, "count"), answer(tools, fork, "count")]
    assert [text for text, _ in ends] == ["2", "2"]
    for _, state in ends:
        tools.close(state)


def test_tools_travel_to_other_processes() -> None:
    tools = pickle.loads(cloudpickle.dumps(ToolInteraction(mcp(command()))))
    text, state = answer(tools, tools.start(TASK), "add", a=1, b=1)
    tools.close(state)
    assert text == "2"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_closing_ends_the_server_and_a_child_in_a_session_of_its_own(environment: Environment) -> None:
    environment.reset(seed=0)
    said = environment.step(call_text("hidden", text=""))[0]
    pids = [int(pid) for pid in said.removeprefix("tool: ").split()]
    environment.close()
    assert [gone(pid) for pid in pids] == [True, True]


@pytest.mark.skipif(sys.platform != "linux", reason="what a server leaves behind is only found on Linux")
def test_a_server_ends_where_we_are_killed(tmp_path: Path) -> None:
    program = tmp_path / "killed.py"
    program.write_text(
        "import os, signal\n"
        "from rlenv.envs.tools.mcp.server import Server, ServerSpec\n"
        f"print(Server(ServerSpec({command()!r})).call('hidden', {{'text': ''}}), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = str(Path(rlenv.__file__).parents[1])
    settings = {**os.environ, "PYTHONPATH": root}
    ran = subprocess.run([sys.executable, program], capture_output=True, text=True, env=settings, check=False)
    assert [gone(int(pid)) for pid in ran.stdout.split()] == [True, True]


def test_a_server_gets_no_variable_that_is_not_given(play: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    assert play(("variable", {"text": "SOME_TOKEN"})) == "None"
    assert play(("variable", {"text": "SOME_TOKEN"}), env=["SOME_TOKEN"]) == "secret"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("error", "error: no such city"),
        ("mute", "mute"),
        ("picture", "[image left out]"),
        ("flood", "answered too much: at a call of fail: more than 200000 bytes to one request; it was ended"),
        ("hang", "did not answer in time: at a call of fail: no answer within 0.5 s; it was ended"),
    ],
)
def test_what_arguments_can_cause_is_told_to_the_policy(play: Callable[..., str], how: str, said: str) -> None:
    settings = {"time_limit_s": 0.5 if how == "hang" else 60.0, "answer_mb": 0.2}
    assert said in play(("fail", {"text": how}), **settings)
    assert play(("fail", {"text": how}), ("count", {}), **settings) == "1"


@pytest.mark.parametrize("code", [-32602, -32000])
def test_an_error_of_the_protocol_is_told(play: Callable[..., str], code: int) -> None:
    """-32000 is what the package itself says where a connection is closed, and many servers of anything."""
    assert play(("state-of", {"text": str(code)})) == "error: no state of that name"


@pytest.mark.parametrize(
    ("how", "what", "words"),
    [
        ("die", "died", "exit status 3; it said: out of ink"),
        ("closed", "died", "it closed its stdout"),
        ("rubbish", "no_protocol", "Hello! I am a server."),
        ("deep", "no_protocol", "it wrote to its stdout"),
        ("no_content", "malformed", "valid list"),
    ],
)
def test_a_server_that_fails_in_a_call_is_the_machines_failure(how: str, what: str, words: str) -> None:
    tools = ToolInteraction(mcp(command()))
    with pytest.raises(ServerFailure, match=words) as failure:
        answer(tools, tools.start(TASK), "fail", text=how)
    assert failure.value.what == what


def test_a_server_that_ends_between_two_calls_has_died() -> None:
    with closing(Server(ServerSpec(command()))) as server:
        assert server.call("fail", {"text": "end behind this"}) == "end behind this"
        with pytest.raises(ServerFailure) as failure:
            server.call("count", {})
    assert failure.value.what == "died"


def test_such_an_episode_is_no_wrong_answer(environment: Environment) -> None:
    environment.reset(seed=0)
    _, reward, ended, _, info = environment.step(call_text("fail", text="die"))
    assert (reward, ended, info["graded"], info["status"]) == (0.0, True, False, "verifier_error")


@pytest.mark.parametrize(("mode", "what", "words"), CASES["not_taken"])
def test_a_server_that_cannot_be_taken_says_why(mode: str, what: str, words: str) -> None:
    with pytest.raises(ServerFailure, match=words) as failure:
        mcp(command(mode), start_s=1.0 if what == "hung" else 60.0)
    assert failure.value.what == what


@pytest.mark.parametrize("tools", [f"mcp:{command()}", "mcp", ["mcp:id"], {"mcp": {"server": "id"}}])
def test_no_row_asks_for_a_server(tools: Json) -> None:
    assert "mcp" not in tool_names()
    with pytest.raises(ConfigError, match="may only name"):
        admitted("math/arithmetic-v0", {"tools": tools}, {})
    assert operators_own("math/arithmetic-v0", {"tools": tools}) == {"tools": tools}
    given = {"math/arithmetic-v0": {"tools": tools}}
    assert admitted("math/arithmetic-v0", {"tools": tools}, given) == {"tools": tools}


@pytest.mark.parametrize(("settings", "words"), CASES["settings"])
def test_settings_out_of_range_are_named(settings: dict[str, Any], words: str) -> None:
    assert "NOT_SET_ANYWHERE" not in os.environ
    with pytest.raises(ConfigError, match=words):
        mcp(**settings)
