"""A program's tests, with other results than they want.

Tests are read in three forms: pairs of what is given and what is wanted, files and texts of assertions.

>>> wrong([["f(2)", "4"], [[3], True]], lambda: 5), wrong({"test_f.py": "assert f(2) == 4"}, lambda: 5)
([['f(2)', '9'], [[3], False]], {'test_f.py': 'assert f(2) == 9'})
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from rlenv.evidence.catalogue.program import files, is_test
from rlenv.evidence.edit import Edit, Scene, Variant
from rlenv.evidence.parts import program
from rlenv.jsontypes import Json
from rlenv.reading import Span
from rlenv.task import REFERENCE, Task

TRIED = 2
"""A program may want by chance what one change wants; not what two do."""
_ASSERTED = re.compile(r"(?im)^.*\bassert\w*.*$")  # "assert f(2) == 4" and "self.assertEqual(f(2), 4)"
_LAST = re.compile(r"(?s)(.*?)(True|False|\d+|[^\W\d_])([^\w]*)\Z")  # "[3, 4]" is "[3, ", 4 and "]"


def wrong(value: Json, drawn: Callable[[], int]) -> Json:
    """What stands in a column, with other results wherever it holds tests."""
    if isinstance(value, str):
        return _ASSERTED.sub(lambda line: str(_other(line[0], drawn)), value)
    if isinstance(value, Mapping):
        return {key: wrong(inner, drawn) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_wrong_pair(item, drawn) for item in value]
    return value


def _wrong_pair(item: Json, drawn: Callable[[], int]) -> Json:
    if isinstance(item, Mapping) and len(item) > 1:
        wanted = list(item)[1]
        return {**item, wanted: _other(item[wanted], drawn)}
    if isinstance(item, list | tuple) and len(item) > 1:
        return [item[0], _other(item[1], drawn), *item[2:]]
    return wrong(item, drawn) if isinstance(item, str) else item


def _other(wanted: Json, drawn: Callable[[], int]) -> Json:
    """Another value in the place of a result, of its own type: its last number, letter or truth value is changed."""
    if isinstance(wanted, bool):
        return not wanted
    if isinstance(wanted, int | float):
        return wanted + drawn()
    if isinstance(wanted, list | tuple) and wanted:
        return [*wanted[:-1], _other(wanted[-1], drawn)]
    found = _LAST.match(wanted) if isinstance(wanted, str) else None
    if found is None:
        return wanted
    before, last, after = found.groups()
    if last.isdigit():
        return f"{before}{int(last[-9:]) + drawn()}{after}"
    return before + {"True": "False", "False": "True"}.get(last, f"{last}zq") + after


def _wrong_tests(scene: Scene) -> Iterator[Variant]:
    place = _own_program(scene.text)
    for _ in range(TRIED if place else 0):
        changed = _edited(scene.task, lambda: int(scene.rng.integers(1, 10)))
        if changed is not None and place is not None:
            yield Variant(changed, scene.completion, place, "tests that want something else")


def _edited(task: Task, drawn: Callable[[], int]) -> Task | None:
    """The task with other results in its columns; None where none are there."""
    columns = {**task.metadata, REFERENCE: task.reference}
    made = {name: wrong(value, drawn) for name, value in columns.items()}
    if all(made[name] == (list(value) if isinstance(value, tuple) else value) for name, value in columns.items()):
        return None
    return replace(task, reference=made.pop(REFERENCE), metadata=made)


def _own_program(text: str) -> Span | None:
    """Where the program stands that a text hands in; None where it hands in tests too, which are then its own."""
    place = program(text)
    return None if place is None or any(is_test(path) for path, _ in files(text)) else Span(*place)


WRONG_TESTS = Edit("wrong_tests", "unpaid", TRIED, _wrong_tests, alike=True)
"""A program that passes its tests does not pass those that want other results."""
