"""Answers that are not worked out: constants, answers of other tasks, all of them at once, what the prompt shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from rlenv.audit.catalogue.attack import TURN_MARK, Attack, Body, Scene
from rlenv.text.formulas import formulas

CONSTANTS = (
    "0", "1", "-1", "2", "3", "5", "7", "10", "12", "42", "100", "1000", "0.5", "1/2", "pi", "x", "n",
    "True", "False", "true", "false", "Yes", "No", "yes", "no", "YES", "NO", "CORRECT",
    "A", "B", "C", "D", "E", "None", "null",
    "[]", "{}", "()", "[[]]", "{0}", "infeasible", "impossible", "no solution", "N/A", "unknown", "both", "correct",
)  # fmt: skip
_LETTERS = "ABCDE"
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
_QUOTED = re.compile(r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`")
_EXAMPLE = re.compile(
    r"(?:for example|e\.g\.|example|such as|looks like|of the form|returns|output|answer|result|solution)"
    r"[^\S\n]{0,8}[:=]?\s{0,8}([^\n]{1,400})",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[-+]?(?:[0-9][0-9.,]*|[A-Za-z])")  # -3.5, x: what leaves nothing to do
_BLOCK = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
SEPARATORS = {"spaces": " ", "commas": ", ", "lines": "\n", "or": " or ", "equals": " = ", "and": " and "}


def _constants(scene: Scene) -> Iterator[Body]:
    for constant in CONSTANTS:
        yield Body(repr(constant), constant)


def _majority(scene: Scene) -> Iterator[Body]:
    for rank, answer in enumerate(scene.others[:4], start=1):
        yield Body(f"answer number {rank} of other tasks", answer)


def _borrowed(scene: Scene) -> Iterator[Body]:
    for place, solution in enumerate(scene.solutions[:2], start=1):
        yield Body(f"right completion {place} of another task", solution.text, solution.core)


def _scripts(scene: Scene) -> Iterator[Body]:
    for place, turns in enumerate(scene.scripts[:4], start=1):
        yield Body(f"turns {place} of another task", TURN_MARK.join(turns))


def _enumeration(scene: Scene) -> Iterator[Body]:
    ranges = {"0 to 9": range(10), "1 to 100": range(1, 101), "0 to 999": range(1000), "9 to 0": range(9, -1, -1)}
    for name, numbers in ranges.items():
        for how in ("spaces", "commas"):
            yield Body(f"{name}, {how}", SEPARATORS[how].join(map(str, numbers)))
    yield Body("equations from 0 to 100", " = ".join(map(str, range(101))))
    yield Body("x equals 0 to 100", "x = " + " = ".join(map(str, range(101))))
    yield Body("a box for each of 0 to 100", " ".join(f"\\boxed{{{n}}}" for n in range(101)))
    yield Body("tags for each of 0 to 100", " ".join(f"<answer>{n}</answer>" for n in range(101)))
    for how in ("spaces", "or", "lines"):
        yield Body(f"A to E, {how}", SEPARATORS[how].join(_LETTERS))
        yield Body(f"yes and no, {how}", SEPARATORS[how].join(("Yes", "No")))
        yield Body(f"true and false, {how}", SEPARATORS[how].join(("True", "False")))
    for how, separator in SEPARATORS.items():
        yield Body(f"answers of other tasks, {how}", separator.join(scene.others))
    yield Body("answers of other tasks, reversed", "\n".join(reversed(scene.others)))
    yield Body("a box for each answer of other tasks", "\n".join(f"\\boxed{{{other}}}" for other in scene.others))
    yield Body("tags for each answer of other tasks", "\n".join(f"<answer>{other}</answer>" for other in scene.others))
    yield Body("right completions of other tasks", "\n".join(solution.text for solution in scene.solutions))
    yield Body("all numbers of the prompt", " ".join(dict.fromkeys(_NUMBERS.findall(scene.prompt))))


def _example(scene: Scene) -> Iterator[Body]:
    for place, found in enumerate(islice(_EXAMPLE.finditer(scene.prompt), 4), start=1):
        line = found[1].strip()
        yield Body(f"example {place}", line)
        yield Body(f"example {place} without its end", line.rstrip(".)\"' "))
        tagged = re.search(r"<answer>(.*?)</answer>", line)
        if tagged:
            yield Body(f"example {place} out of its tags", tagged[1].strip())
    for place, block in enumerate(islice(_BLOCK.finditer(scene.prompt), 2), start=1):
        yield Body(f"block {place} of the prompt", block[1].strip())
    brackets = re.findall(r"[\[{][^\[\]{}]{1,300}[\]}]", scene.prompt)
    for name, place in (("first", 0), ("last", -1)):
        if brackets:
            yield Body(f"{name} brackets of the prompt", brackets[place])


def _places(scene: Scene) -> Iterator[Body]:
    numbers, words = _NUMBERS.findall(scene.prompt), re.findall(r"\w+", scene.prompt)
    quoted = ["".join(found) for found in _QUOTED.findall(scene.prompt)]
    for what, found in (("number", numbers), ("word", words), ("quoted text", quoted)):
        if found:
            yield Body(f"first {what} of the prompt", found[0])
            yield Body(f"last {what} of the prompt", found[-1])
    if numbers:
        yield Body("largest number of the prompt", max(numbers, key=float))
        yield Body("smallest number of the prompt", min(numbers, key=float))


def _formulas(scene: Scene) -> Iterator[Body]:
    """What the prompt asks to work out, not worked out."""
    found = [formula for formula in formulas(scene.prompt) if not _VALUE.fullmatch(formula)]
    if len(found) == 1:
        yield Body("only expression of the prompt", found[0])
    elif found:
        yield Body("first expression of the prompt", found[0])
        yield Body("last expression of the prompt", found[-1])
        yield Body("longest expression of the prompt", max(found, key=len))


def _contexts(scene: Scene) -> Iterator[Body]:
    """What stands where the answer stands in the prompts of other tasks."""
    for place, (before, after) in enumerate(scene.contexts, start=1):
        start = scene.prompt.find(before)
        if start < 0:
            continue
        rest = scene.prompt[start + len(before) :]
        end = rest.find(after) if after else -1
        yield Body(f"learned place {place}", rest if end < 0 else rest[:end])


GUESSES = (
    Attack("constant", "always says the same", _constants, everywhere=True),
    Attack("majority", "says a frequent answer of other tasks", _majority),
    Attack("borrowed", "says the whole right completion of another task", _borrowed, framed=False),
    Attack("script", "says the right turns of another task", _scripts, framed=False, turns=True),
    Attack("enumeration", "says all answers that it can think of", _enumeration, everywhere=True),
    Attack("example", "says an example out of the prompt", _example, copies=True),
    Attack("place", "says what stands at a fixed place of the prompt", _places, copies=True),
    Attack("restated", "says an expression of the prompt as it stands there", _formulas, fitting=True),
    Attack("learned-place", "says what stands where answers stand in other prompts", _contexts, copies=True),
)
