r"""`code/snippets-v0`: 151 small functions to write, from `x plus 3` to shortest paths, with hidden tests of our own.

>>> import rlenv
>>> env = rlenv.make("code/snippets-v0", level=1, style="bare", split="all")
>>> task = env.unwrapped.definition.tasks[0]
>>> task.prompt, env.unwrapped.definition.solution(task)
('f(x): x plus 2', 'def f(x): return x+2')

    completion                                reward
    def f(x): return x+2                      1.0
    def f(x): return 9                        0.0 (right for x = 7 alone)
    import sys; sys.exit(0)                   0.0, flag exited_early

Level 1 is one expression and can be learned by a model of a fraction of a million parameters, level 2 are short
functions on numbers, strings and lists, level 3 real little algorithms. Nothing is downloaded: data/snippets.jsonl
holds each with a right program and its tests, which are what that program returns for arguments written down and drawn.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.env.tasksets import ListTasks
from rlenv.envs.code.definition import FENCE, code_definition
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split

LEVELS = (1, 2, 3)
STYLES = ("instruct", "bare")


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """One task: everything that its prompt and its hidden tests are made of."""

    name: str
    level: int
    template: str
    """The same for tasks that differ by constants only."""
    signature: str
    statement: str
    solution: str
    """A right program."""
    tests: list[list[str]]
    """Calls, each with the value that it returns; the first is the example shown."""


@cache
def catalogue() -> dict[str, Snippet]:
    """Every snippet by its name."""
    text = files("rlenv.envs.code").joinpath("data", "snippets.jsonl").read_text(encoding="ascii")
    return {row["name"]: Snippet(**row) for row in map(json.loads, text.splitlines())}


def snippets(
    split: str = "train",
    level: int | None = None,
    style: str = "instruct",
    demonstration_percent: int = DEMONSTRATION_PERCENT,
    pay: str = "all",
    sandbox: str = "auto",
    wall_s: float = 5.0,
    memory_mb: int = 512,
    probe: bool = False,
) -> Definition:
    """The snippets of a split and, if given, of one level.

    `style="bare"` asks in a few characters and answers without a fence, for models that are trained from nothing.
    The demonstrations of a warm start are those of the split of that name, `demonstration_percent` of all.
    """
    check_split(split, demonstration_percent)
    if level not in (None, *LEVELS):
        raise ConfigError(f"expected a level out of {LEVELS}, got {level!r}")
    if style not in STYLES:
        raise ConfigError(f"expected style in {STYLES}, got {style!r}")

    def tasks(of_split: str) -> ListTasks:
        return ListTasks(
            make_task(snippet, style)
            for snippet in catalogue().values()
            if level in (None, snippet.level) and belongs(snippet.name, of_split, demonstration_percent)
        )

    definition = code_definition(
        tasks(split),
        lambda task: str(task.metadata["solution"]),
        "small functions of our own with hidden tests",
        pay=pay,
        sandbox=sandbox,
        wall_s=wall_s,
        memory_mb=memory_mb,
        probe=probe,
    )
    demonstrations = None if split == "all" else tasks("demonstrations")
    return replace(definition, demonstrations=demonstrations)


def make_task(snippet: Snippet, style: str) -> Task:
    """The task of a snippet. In the style `instruct` the first test is shown."""
    shown = style == "instruct"
    tests: list[Json] = [{"call": call, "expect": expect} for call, expect in snippet.tests]
    prompt, solution = f"{snippet.signature}: {snippet.statement}", snippet.solution
    if shown:
        call, expect = snippet.tests[0]
        tests[0] = {"call": call, "expect": expect, "shown": True}
        prompt = (
            f"Write a Python function {snippet.signature}. {_sentence(snippet)}\n"
            f"Example: {call} returns {expect}\nAnswer with the whole function in one {FENCE}python block."
        )
        solution = f"{FENCE}python\n{solution}\n{FENCE}"
    reference: dict[str, Json] = {"kind": "calls", "function": snippet.signature.partition("(")[0], "tests": tests}
    return Task(prompt, reference, snippet.name, {"level": snippet.level, "solution": solution})


def _sentence(snippet: Snippet) -> str:
    return f"It returns {snippet.statement}." if snippet.level == 1 else snippet.statement
