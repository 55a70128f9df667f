"""The tool `python`: sessions that are kept, rebuilt, bounded and lost, and what the policy is told."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from code_rows import BACKEND, sandbox_problem
from tables import tables

import rlenv
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.policy import ScriptedPolicy
from rlenv.env.environment import Environment
from rlenv.envs.tools import python as tool
from rlenv.envs.tools.sessions import Sessions
from rlenv.sandbox import Execution, Sandbox
from rlenv.sandbox import ExecutionStatus as Status
from rlenv.turns.play import play

CASES = tables(__file__)


@dataclass
class FakeSession:
    """Evaluates here what a session of the sandbox would run there; `die` kills it, `lose` is a failure."""

    log: list[str]
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, code: str) -> Execution:
        self.log.append(code)
        if code == "die":
            return Execution(Status.MEMORY_LIMIT, alive=False, detail="512 MB")
        if code == "lose":
            raise OSError("the cell is gone")
        try:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                value = None
                if "=" in code:
                    exec(code, self.names)
                else:
                    value = eval(code, self.names)
        except Exception as error:
            return Execution(Status.RAISED, alive=True, stderr=f"{type(error).__name__}: {error}\n".encode())
        return Execution(Status.OK, True, out.getvalue().encode(), value="" if value is None else repr(value))

    def close(self) -> None:
        self.log.append("closed")


@pytest.fixture
def log() -> list[str]:
    return []


def table(log: list[str], most: int = 2) -> Sessions[Execution]:
    def opened() -> FakeSession:
        log.append("opened")
        return FakeSession(log)

    return Sessions(opened, most)


def state(mark: str = "a", *cells: str) -> dict[str, Json]:
    return {"mark": mark, "cells": list(cells)}


def test_cells_of_a_state_run_in_one_session(log: list[str]) -> None:
    sessions, now = table(log), state()
    sessions.run(now, "x = 2")
    assert sessions.run(now, "x + 1")[0].value == "3"
    assert (log, now["cells"]) == (["opened", "x = 2", "x + 1"], ["x = 2", "x + 1"])


def test_state_whose_session_is_not_there_is_rebuilt_from_its_cells(log: list[str]) -> None:
    assert table(log).run(state("a", "x = 2", "1 / 0"), "x + 1")[0].value == "3"
    assert log == ["opened", "x = 2", "1 / 0", "x + 1"]


def test_forks_of_a_state_and_episodes_of_the_same_cells_do_not_see_each_other(log: list[str]) -> None:
    sessions = table(log)
    first, other = state("a"), state("b")
    for now in (first, other):
        sessions.run(now, "x = [1]")
    fork = copy.deepcopy(first)
    for number, now in ((2, first), (3, fork), (4, other)):
        assert sessions.run(now, f"x.append({number}) or x")[0].value == f"[1, {number}]"


def test_sessions_are_bounded_in_number_and_the_oldest_goes(log: list[str]) -> None:
    sessions, first = table(log, most=1), state()
    sessions.run(first, "x = 1")
    sessions.run(state("b"), "x = 2")
    assert (len(sessions), log.count("closed")) == (1, 1)
    assert sessions.run(first, "x")[0].value == "1"


def test_killed_session_leaves_an_empty_state(log: list[str]) -> None:
    sessions, now = table(log), state()
    sessions.run(now, "x = 1")
    assert sessions.run(now, "die")[1] is False
    assert (now["cells"], len(sessions)) == ([], 0)
    assert sessions.run(now, "x")[0].status == "raised"


def test_session_that_dies_of_an_earlier_cell_does_not_run_the_new_one(log: list[str]) -> None:
    now = state("a", "die")
    assert table(log).run(now, "x = 1")[1] is True
    assert (log, now["cells"]) == (["opened", "die", "closed"], [])


def test_session_that_was_lost_while_it_lay_there_is_rebuilt_once(log: list[str]) -> None:
    sessions, now = table(log), state()
    sessions.run(now, "x = 1")
    with pytest.raises(OSError, match="the cell is gone"):
        sessions.run(now, "lose")
    assert log == ["opened", "x = 1", "lose", "closed", "opened", "x = 1", "lose", "closed"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forked_process_does_not_use_the_sessions_of_its_parent(log: list[str]) -> None:
    sessions = table(log)
    sessions.run(state(), "x = 1")
    child = os.fork()
    if child == 0:
        os._exit(0 if len(sessions) == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(sessions) == 1


@pytest.mark.parametrize(
    ("ran", "again", "said"),
    [
        (Execution(Status.OK, True, b"1\n2\n", value="3"), False, "1\n2\n3"),
        (Execution(Status.OK, True), False, "(no output)"),
        (Execution(Status.RAISED, True, stderr=b"ZeroDivisionError: x\n"), False, "ZeroDivisionError: x"),
        (Execution(Status.TIMEOUT, True, detail="10 s"), False, "[timeout, 10 s]"),
        (Execution(Status.OUTPUT_LIMIT, True, truncated=True), False, "[the output was cut]\n[output_limit]"),
        (Execution(Status.MEMORY_LIMIT, False), False, f"[memory_limit: {tool.LOST}]"),
        (
            Execution(Status.TIMEOUT, False, b"old"),
            True,
            f"[the session could not be rebuilt from its earlier cells]\n[timeout: {tool.LOST}]",
        ),
        (Execution(Status.OK, True, b"\xff\n"), False, "\ufffd"),
        (
            Execution(Status.OUTPUT_LIMIT, False, b"a" * 9_000 + b"z"),
            False,
            f"{'a' * 750}\n[... 7501 characters ...]\n{'a' * 749}z\n[output_limit: {tool.LOST}]",
        ),
    ],
)
def test_what_the_policy_is_told(ran: Execution, again: bool, said: str) -> None:
    assert tool.told(ran, again) == said


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, log: list[str]) -> Callable[[], list[str]]:
    tool._sessions.cache_clear()
    monkeypatch.setattr(tool, "_opened", lambda settings: FakeSession(log))
    return lambda: log


@pytest.fixture
def gsm8k(tmp_path: Any) -> str:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"question": "What is 6 * 7?", "answer": "6 * 7 = 42\n#### 42"}) + "\n")
    return str(path)


def cell(code: str) -> str:
    return f"<tool_call>{json.dumps({'name': 'python', 'arguments': {'code': code}})}</tool_call>"


def test_any_environment_of_one_turn_takes_the_tool(fake: Callable[[], list[str]], gsm8k: str) -> None:
    env = rlenv.make("math/gsm8k-v0", data=gsm8k, tools="python")
    prompt, _ = env.reset(seed=0)
    assert '"name": "python"' in prompt
    assert "What is 6 * 7?" in prompt
    observation, reward, terminated, *_ = env.step(cell("x = 6 * 7") + cell("x"))
    assert (observation, reward, terminated) == ("tool: (no output)\n\ntool: 42", 0.0, False)
    *_, reward, terminated, _, info = env.step("<think>x is 42</think>It is \\boxed{42}.")
    assert (reward, terminated, info["verdict"].reward) == (1.0, True, 1.0)
    assert fake()[-1] == "closed"


def test_failed_sandbox_is_no_wrong_answer(fake: Callable[[], list[str]], gsm8k: str) -> None:
    env = rlenv.make("math/gsm8k-v0", data=gsm8k, tools="python")
    env.reset(seed=0)
    *_, info = env.step(cell("lose"))
    assert (info["graded"], info["verdict"].reason) == (
        False,
        "interaction: MachineryError: the session of the sandbox failed: OSError: the cell is gone",
    )


def test_batch_evaluation_and_max_turns(fake: Callable[[], list[str]], gsm8k: str) -> None:
    settings: dict[str, Any] = {"data": gsm8k, "tools": "python", "max_turns": 3}
    assert rlenv.evaluate("math/gsm8k-v0", "reference", env_kwargs=settings, quiet=True).mean_reward == 1.0
    batch = rlenv.make_batch("math/gsm8k-v0", **settings)
    endless = play(batch.definition, ScriptedPolicy("s", lambda _: cell("1")), [batch.definition.tasks[0]])[0]
    assert len(endless.said_turns) == 3
    batch.reset(groups=1)
    assert batch.step([endless])[0].verdict.reward == 0.0


def test_saved_episodes_are_judged_again_alike(fake: Callable[[], list[str]], gsm8k: str, tmp_path: Any) -> None:
    script = ScriptedPolicy("s", lambda _: (cell("6 * 7"), "\\boxed{42}"))
    settings: dict[str, Any] = {"data": gsm8k, "tools": "python"}
    rlenv.evaluate("math/gsm8k-v0", script, env_kwargs=settings, out=tmp_path / "run", quiet=True)
    assert rlenv.rescore(tmp_path / "run", quiet=True).changes == ()


def answer(question: str) -> str:
    """Look it up.

    Args:
        question: What to look up.
    """
    return "42"


@pytest.mark.parametrize(("settings", "message"), CASES["refused"])
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        rlenv.load("math/arithmetic-v0", **settings)


NO_SESSIONS = "" if hasattr(Sandbox, "session") else "the sandbox has no sessions"
PROBLEM = NO_SESSIONS or sandbox_problem()


@pytest.fixture
def real(gsm8k: str) -> Iterator[Environment]:
    tool._sessions.cache_clear()
    settings: Any = {"python": {"sandbox": BACKEND, "wall_s": 1.0, "memory_mb": 256}}
    env = rlenv.make("math/gsm8k-v0", data=gsm8k, tools=settings, max_turns=20).unwrapped
    assert isinstance(env, Environment)
    env.reset(seed=0)
    yield env
    env.close()


@pytest.mark.skipif(bool(PROBLEM), reason=f"no sessions here: {PROBLEM}")
def test_cells_run_in_the_sandbox(real: Environment) -> None:
    assert real.step(cell("import math\nx = math.factorial(5)"))[0] == "tool: (no output)"
    assert real.step(cell("print(x)\nx + 1"))[0] == "tool: 120\n121"
    assert "ZeroDivisionError" in real.step(cell("x / 0"))[0]
    assert "timeout" in real.step(cell("while True: pass"))[0]
    assert "gone" in real.step(cell("import os; os._exit(1)"))[0]
    assert "NameError" in real.step(cell("x"))[0]
    assert real.step("\\boxed{42}")[1] == 1.0
