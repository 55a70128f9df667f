"""Code items: small functions with a right program, tests that the prompt shows and tests that it does not."""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from random import Random

from rlenv.envs.code.snippets.environment import catalogue
from rlenv.envs.code.snippets.snippet import Snippet

from .item import Item

SHOWN = 3


@dataclass(frozen=True, slots=True)
class Test:
    """One call as an assertion, and its parts."""

    call: str
    arguments: str
    expect: str

    @property
    def text(self) -> str:
        return f"assert {self.call} == {self.expect}"


@dataclass(frozen=True, slots=True)
class Program:
    """What a code item is made of."""

    name: str
    parameters: tuple[str, ...]
    statement: str
    source: str
    shown: tuple[Test, ...]
    hidden: tuple[Test, ...]

    @property
    def prompt(self) -> str:
        tests = "\n".join(test.text for test in self.shown)
        signature = f"{self.name}({', '.join(self.parameters)})"
        return f"Write a Python function {signature}. {self.statement}\nYour code should pass these tests:\n{tests}"

    @property
    def reference(self) -> dict[str, str | list[str]]:
        return {
            "function": self.name,
            "tests": [test.text for test in self.shown],
            "hidden": [test.text for test in self.hidden],
        }


@cache
def programs() -> dict[str, Program]:
    """Those snippets whose arguments and results are plain data, by name."""
    found = (_program(snippet) for snippet in catalogue().values())
    return {program.name: program for program in found if program}


def program_items(half: str) -> list[Item]:
    """The items of a half; a program is in one half only."""
    names = sorted(programs())[0 if half == "tuning" else 1 :: 2]
    Random(half).shuffle(names)
    return [
        Item(f"program-{name}", "program", programs()[name].prompt, "", (), fixed=fenced(programs()[name].source))
        for name in names
    ]


def program_of(item: Item) -> Program:
    return programs()[item.id.removeprefix("program-")]


def fenced(source: str) -> str:
    return f"```python\n{source.strip()}\n```"


def _program(snippet: Snippet) -> Program | None:
    parameters = tuple(name.strip() for name in snippet.signature.partition("(")[2].rstrip(")").split(","))
    tests = []
    for arguments in snippet.arguments():
        given = ", ".join(map(repr, arguments))
        expect = repr(snippet.function(*deepcopy(arguments)))
        if not (_plain(expect) and all(_plain(repr(a)) for a in arguments)) or len(given) + len(expect) > 200:
            continue
        tests.append(Test(f"{snippet.name}({given})", given, expect))
    if len(tests) < SHOWN + 3 or len({test.expect for test in tests}) < 3 or not all(parameters):
        return None
    return Program(
        snippet.name, parameters, snippet.statement, snippet.source, tuple(tests[:SHOWN]), tuple(tests[SHOWN:])
    )


def _plain(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True
