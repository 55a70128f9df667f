"""The constants that a program shares with its tests, changed in both.

Who works a result out fails then: what comes out is no longer what the tests want. Who states the results passes.

>>> shared([[1, 12], [2, 15], [3, 20]], "12 if n == 1 else 15 if n == 2 else 20")
['1', '2', '12', '15', '20']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rlenv.evidence.edit import Edit, Scene, Variant, with_content
from rlenv.evidence.parts import program
from rlenv.evidence.row import SHORT, rewritten, strings
from rlenv.jsontypes import Json
from rlenv.reading import Span
from rlenv.task import REFERENCE

LEAST = 3
"""Different constants that are shared: fewer stand in many a program."""
NEARLY = 0.8
"""The share of the tests' constants that stands in a program which knows its tests."""
COLUMNS = 2
_CONSTANT = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])|'[^'\n]+'|\"[^\"\n]+\"")  # 3.5, 'ab' and "ab", not x2
_CHECKS = re.compile(r"(?m)^[ \t]*(?:assert\b|>>>|#)[^\n]*|\"{3}.*?\"{3}|'{3}.*?'{3}", re.DOTALL)
# takes "assert f(1) == 2", ">>> f(1)", "# f(1) is 2" and docstrings: what a program says of its tests


def shared(column: Json, code: str) -> list[str]:
    """The constants of a column of tests, where nearly all of them stand in a program: in the order of their length."""
    texts = [text for text in strings(column) if 0 < len(text) <= SHORT]
    inside = {text: [match[0].strip("'\"") for match in _CONSTANT.finditer(text)] for text in texts}
    if _are_tests(column):
        found = {one for text in texts for one in inside[text] or [text]}
    elif isinstance(column, list | tuple):  # a list of words may be the rule itself; what has digits has fellows
        found = {text for text in texts if any(sign.isdigit() for sign in text)}
        texts = [text for text in texts if text in found]
    else:
        return []
    here = {text for text in found if _bounded(text).search(code)}
    whole = {text for text in texts if _bounded(text).search(code)}
    return sorted(here | whole, key=lambda text: (len(text), text)) if len(here) >= NEARLY * len(found) else []


def _are_tests(column: Json) -> bool:
    """Whether a column holds a list of lists or objects."""
    if isinstance(column, Mapping):
        return any(_are_tests(inner) for inner in column.values())
    return isinstance(column, list | tuple) and any(isinstance(inner, list | tuple | Mapping) for inner in column)


def _bounded(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\d)")


def _renamed(scene: Scene) -> Iterator[Variant]:
    place = program(scene.text)
    columns = {**scene.task.metadata, REFERENCE: scene.task.reference}
    asked = 0
    for name, column in columns.items():
        if place is None or asked == COLUMNS or not isinstance(column, list | tuple | Mapping):
            continue
        code = scene.text[slice(*place)]
        constants = shared(column, _CHECKS.sub("", code))
        if len(constants) >= LEAST and (name != REFERENCE or _are_tests(column)):
            asked += 1
            yield _variant(scene, name, constants, Span(*place))


def _variant(scene: Scene, name: str, constants: list[str], place: Span) -> Variant:
    drawn = iter(scene.rng.permutation(90_000)[: len(constants)] + 1_000)
    other = {old: f"{next(drawn)}" if old.replace(".", "").isdigit() else f"zq{next(drawn)}" for old in constants}
    pattern = re.compile("|".join(_bounded(old).pattern for old in reversed(constants)))

    def change(text: str) -> str:
        return pattern.sub(lambda match: other[match[0]], text) if len(text) <= SHORT else text

    code = pattern.sub(lambda match: other[match[0]], scene.text[slice(*place)])
    said = with_content(scene.completion, f"{scene.text[: place.start]}{code}{scene.text[place.end :]}")
    return Variant(rewritten(scene.task, change, (name,)), said, place, f"{len(constants)} constants")


RENAMED = Edit("renamed", "unpaid", COLUMNS, _renamed)
"""A program that works its results out has others then than the tests want."""
