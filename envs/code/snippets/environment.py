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
functions on numbers, strings and lists, level 3 real little algorithms. Nothing is downloaded: the references
are functions of this package, and the tests are what they return for arguments written down and drawn.
"""

from __future__ import annotations

import importlib
from copy import deepcopy
from dataclasses import replace

from rlenv.definition import Definition
from rlenv.envs.code.definition import FENCE, code_definition
from rlenv.envs.code.snippets.snippet import CATALOGUE, Snippet
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split
from rlenv.errors import ConfigError
from rlenv.jsontypes import Json
from rlenv.task import Task
from rlenv.tasksets import ListTasks

MODULES = ("one_liners", "on_numbers", "on_strings", "on_lists", "algorithms", "structures")
LEVELS = (1, 2, 3)
STYLES = ("instruct", "bare")


def catalogue() -> dict[str, Snippet]:
    """Every snippet by its name."""
    for module in MODULES:
        importlib.import_module(f"rlenv.envs.code.snippets.{module}")
    return CATALOGUE


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
    function = snippet.signature.partition("(")[0]
    tests: list[Json] = []
    for arguments in snippet.arguments():
        call = f"{function}({', '.join(map(repr, arguments))})"
        test: dict[str, Json] = {"call": call, "expect": repr(snippet.function(*deepcopy(arguments)))}
        tests.append({**test, "shown": True} if shown and not tests else test)
    prompt, solution = f"{snippet.signature}: {snippet.statement}", snippet.source
    if shown:
        prompt = (
            f"Write a Python function {snippet.signature}. {_sentence(snippet)}\n"
            f"Example: {_example(tests[0])}\nAnswer with the whole function in one {FENCE}python block."
        )
        solution = f"{FENCE}python\n{solution}\n{FENCE}"
    reference: dict[str, Json] = {"kind": "calls", "function": function, "tests": tests}
    return Task(prompt, reference, snippet.name, {"level": snippet.level, "solution": solution})


def _example(test: Json) -> str:
    return f"{test['call']} returns {test['expect']}" if isinstance(test, dict) else ""


def _sentence(snippet: Snippet) -> str:
    return f"It returns {snippet.statement}." if snippet.level == 1 else snippet.statement
