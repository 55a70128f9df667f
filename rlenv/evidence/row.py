"""Completions made of what a row says that the policy does not see: what a reward that hangs on the task pays for.

They are witnesses, never offenders. Where a witness is paid on its own task and on no other, the reward hangs on the
task; then a completion that is paid on every task has its pay from something else.

>>> row_texts(Task("What is 6 * 7?", "42"))[:2]
['42', '<think>42</think><answer>42</answer>']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from rlenv.core.jsontypes import Json
from rlenv.core.task import REFERENCE, Task

FRAMES = (
    "{}",
    "<think>{}</think><answer>{}</answer>",
    "<reasoning>\n{}\n</reasoning>\n<answer>\n{}\n</answer>\n",
    "\\boxed{{{}}}",
    "#### {}",
    "Answer: {}",
)
"""Where graders look for an answer."""
SHORT = 80
"""Characters of a value that may be an answer as a whole."""
MOST_CHARS = 4000
"""Of a row's text: longer ones are programs and documents, of which no frame makes an answer."""


def row_texts(task: Task) -> list[str]:
    """The reference in the usual frames, and all that the row says."""
    reference = task.reference
    values = [str(reference)] if isinstance(reference, (str, int, float)) else []
    whole = " ".join(strings((reference, task.metadata)))
    texts = [frame.format(*[value] * frame.count("{}")) for value in values for frame in FRAMES]
    texts += [whole, *(",".join(strings(reference)) for _ in range(not values and reference is not None))]
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


def rewritten(task: Task, change: Callable[[str], str], fields: Sequence[str] | None = None) -> Task:
    """The task with texts and numbers of its row changed, each to a value of its own type where that can be.

    `fields` are names of columns, the reference's `REFERENCE` among them; None stands for all. The prompt stays.

    >>> task = Task("?", "7", metadata={"also": ["7", 7, 8]})
    >>> changed = rewritten(task, lambda value: "9" if value == "7" else value)
    >>> changed.reference, changed.metadata["also"], changed.id == task.id
    ('9', ['9', 9, 8], True)
    """
    named = {REFERENCE: task.reference, **task.metadata}
    made = {name: _changed(value, change) for name, value in named.items() if fields is None or name in fields}
    metadata = {name: made.get(name, value) for name, value in task.metadata.items()}
    return replace(task, reference=made.get(REFERENCE, task.reference), metadata=metadata)


def replacing(other: Mapping[str, str]) -> Callable[[str], str]:
    """What `rewritten` takes to put these values in the place of those, each where it stands alone."""
    return lambda old: other.get(old, old)


def _changed(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        try:
            return type(value)(change(str(value)))
        except ValueError:
            return value
    if isinstance(value, Mapping):
        return {key: _changed(inner, change) for key, inner in value.items()}
    return [_changed(inner, change) for inner in value]


def collections(task: Task) -> dict[str, list[str]]:
    """The columns that are one short value or a flat list or object of them, as texts, by their names.

    Truth values are left out.

    >>> collections(Task("?", "Danube", metadata={"also": ["Donau", 7], "tests": [["f(1)", "2"]]}))
    {'also': ['Donau', '7'], 'reference': ['Danube']}
    """
    found = {}
    for name, value in {**task.metadata, REFERENCE: task.reference}.items():
        inner = list(value.values()) if isinstance(value, Mapping) else value
        items = list(inner) if isinstance(inner, list | tuple) else [inner]
        items = [item for item in items if not isinstance(item, bool)]
        texts = [str(item) for item in items if isinstance(item, str | int | float)]
        if texts and len(texts) == len(items) and all(0 < len(text) <= SHORT for text in texts):
            found[name] = texts
    return found


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
