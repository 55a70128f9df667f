"""Completions made of what a row says that the policy does not see: what a reward that hangs on the task pays for.

They are witnesses, never offenders. Where a witness is paid on its own task and on no other, the reward hangs on the
task; then a completion that is paid on every task has its pay from something else.

>>> row_texts(Task("What is 6 * 7?", "42"))[:2]
['42', '<think>42</think><answer>42</answer>']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.evidence.parts import FRAMES

TRACES = ("<think>{}</think><answer>{}</answer>", "<reasoning>\n{}\n</reasoning>\n<answer>\n{}\n</answer>\n")
"""Where graders look for an answer, beside the usual frames."""
SHORT = 80
"""Characters of a value that may be an answer as a whole."""
MOST_CHARS = 4000
"""Of a row's text: longer ones are programs and documents, of which no frame makes an answer."""


def row_texts(task: Task) -> list[str]:
    """The reference in the usual frames, and all that the row says."""
    reference = task.reference
    whole = " ".join(strings((reference, task.metadata)))
    if isinstance(reference, (str, int, float)):
        value = str(reference)
        marked = [one.around(value) for one in FRAMES if one.name != "answer tags"]  # those stand in a trace
        texts = [value, *(trace.replace("{}", value) for trace in TRACES), *marked]
    else:
        texts = [] if reference is None else [",".join(strings(reference))]
    texts.append(whole)
    return [text for text in dict.fromkeys(texts) if text.strip() and len(text) <= MOST_CHARS]


def decides(task: Task) -> bool:
    """Whether a short reference, a number or a name, decides what is paid: a bare answer may be right then."""
    reference = task.reference
    return isinstance(reference, str | int | float) and len(str(reference)) <= SHORT / 2


def strings(value: object) -> Iterator[str]:
    """The texts and numbers in a JSON value, in order; keys are not among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from strings(inner)


def under(task: Task, value: str) -> Task | None:
    """The task with this value, of the type of its reference, as its reference; None where it cannot be another one.

    >>> under(Task("?", 7), "9").reference, under(Task("?", 7), "seven"), under(Task("?", "7"), "7")
    (9, None, None)
    """
    reference = task.reference
    if isinstance(reference, bool) or not isinstance(reference, str | int | float):
        return None
    try:
        made = type(reference)(value)
    except ValueError:
        return None
    return None if made == reference else replace(task, reference=made)


def pairs(task: Task) -> Iterator[tuple[Json, Json]]:
    """What is given to the tests of a row and what is wanted of them: items of a list that hold both.

    >>> list(pairs(Task("?", metadata={"tests": [[[3, 4], 7], {"call": "f(1)", "expect": "3"}]})))
    [([3, 4], 7), ('f(1)', '3')]
    """
    values: list[Json] = [task.reference, *task.metadata.values()]
    for value in values:
        if isinstance(value, Mapping):
            values.extend(value.values())
        for item in value if isinstance(value, list | tuple) else ():
            sides = list(item.values()) if isinstance(item, Mapping) else item
            if isinstance(sides, list | tuple) and len(sides) >= 2:
                yield sides[0], sides[1]
