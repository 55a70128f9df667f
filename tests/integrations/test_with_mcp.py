"""Servers of other people, whole: a policy by script calls them in episodes of two turns, and its answer is judged."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from conformity import needs

needs("mcp")

import rlenv  # noqa: E402
from rlenv.core.policy import ScriptedPolicy  # noqa: E402
from rlenv.core.task import Task  # noqa: E402
from rlenv.turns.play import play  # noqa: E402
from rlenv.turns.tool_prompt import call_text  # noqa: E402

PROGRAMS = Path(sys.prefix) / "beside" / "bin"
if not PROGRAMS.exists() and not os.environ.get("RLENV_INTEGRATION"):
    pytest.skip("needs servers of the Model Context Protocol: make test-integrations", allow_module_level=True)
pytestmark = pytest.mark.slow


def is_answer(completion: str, answer: str) -> bool:
    return completion.strip() == answer


def product(task: Task) -> tuple[str, ...]:
    return call_text("calculate", expression=str(task.prompt)), str(task.reference)


def test_the_calculator_is_called_and_the_last_turn_is_judged() -> None:
    rows = [{"prompt": f"{a} * {b}", "answer": str(a * b)} for a, b in ((17, 23), (1_234, 5_678), (99, 99))]
    rlenv.register("mine/products-v0", tasks=rows, verifier=is_answer, cheap=True)
    definition = rlenv.load("mine/products-v0", tools=f"mcp:{PROGRAMS / 'mcp-server-calculator'}")
    tasks = [definition.tasks[place] for place in range(len(rows))]
    completions = play(definition, ScriptedPolicy("script", product), tasks)
    for row, task, completion in zip(rows, tasks, completions, strict=True):
        heard = [completion.text[turn.start : turn.end] for turn in completion.turns if not turn.by_policy]
        assert heard == [row["answer"]]
        assert definition.verifier.verify(task, completion).reward == 1.0


def test_an_environment_of_two_turns_pays_what_it_pays_without_tools() -> None:
    rlenv.register("mine/product-v0", tasks=[{"prompt": "6 * 7", "answer": "42"}], verifier=is_answer, cheap=True)
    env = rlenv.make("mine/product-v0", tools=f"mcp:{PROGRAMS / 'mcp-server-calculator'}")
    for said, paid in (("42", 1.0), ("43", 0.0)):
        env.reset(seed=0)
        assert env.step(call_text("calculate", expression="6 * 7"))[:3] == ("tool: 42", 0.0, False)
        assert env.step(said)[1:3] == (paid, True)
    env.close()


def test_the_clock_converts_and_complains_to_the_policy() -> None:
    rlenv.register(
        "mine/clock-v0", tasks=[{"prompt": "Noon of UTC?", "answer": "21:00"}], verifier=is_answer, cheap=True
    )
    tools = {"mcp": {"server": f"{PROGRAMS / 'mcp-server-time'} --local-timezone UTC", "time_limit_s": 60}}
    env = rlenv.make("mine/clock-v0", tools=tools)
    prompt, _ = env.reset(seed=0)
    assert "convert_time" in prompt
    asked = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    told = env.step(call_text("convert_time", **asked))[0]
    assert "T21:00:00+09:00" in json.loads(told.removeprefix("tool: "))["target"]["datetime"]
    assert env.step(call_text("convert_time", **{**asked, "time": "noon"}))[0].startswith("tool: error: ")
    assert env.step("21:00")[1] == 1.0
    env.close()
