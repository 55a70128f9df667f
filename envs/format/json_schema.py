r"""`format/json-v0`: put what a text says into a JSON value that conforms to a JSON Schema.

>>> import rlenv
>>> task = {
...     "prompt": "Ann is 34. Reply with JSON ...",
...     "answer": {"name": "Ann", "age": 34},
...     "schema": {"type": "object", "required": ["name", "age"], "additionalProperties": False,
...                "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}},
... }
>>> def reward(completion, **kwargs):
...     env = rlenv.make("format/json-v0", **kwargs)
...     _ = env.reset(options={"task": task})
...     return env.step(completion)[1]
>>> reward('{"name": "Ann", "age": 34}'), reward('{"name": "Ann", "age": 43}'), reward('{"name": "Ann"}')
(1.0, 0.0, 0.0)
>>> reward('Here it is:\n```json\n{"name": "Ann", "age": 34}\n```')
0.0
>>> reward('Here it is:\n```json\n{"name": "Ann", "age": 34}\n```', extra_text="allow")
1.0

A schema alone is met by any filler, so it pays only together with the right values; `pay="shape"` asks for the
opposite in so many words. Rows of others (prompt, schema and answer) may hold any schema of draft 2020-12, whose
patterns RE2 reads. All but plain schemas are judged in a process that can be killed, for a bounded number of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import over_limit
from rlenv.envs.format.json_text import Unreadable, find_value, same
from rlenv.envs.format.paid import paid
from rlenv.envs.format.records import INSTRUCTION, draw_record
from rlenv.envs.format.schema_check import MAX_STEPS, TooManySteps, problem
from rlenv.envs.format.tasks import check_choice, task_sets
from rlenv.envs.levels import SIZE

MAX_CHARS = 100_000
PLAIN = frozenset({
    "type", "properties", "required", "additionalProperties", "items", "enum", "minItems", "minLength", "uniqueItems",
    "description", "minimum", "maximum", "exclusiveMinimum",
})  # fmt: skip
"""Keywords whose check is bounded by the sizes of schema and value: no pattern, no reference, no choice of schemas."""
MAX_INLINE_CHARS, MAX_PLAIN_NODES = 2_000, 200
"""Of a completion, and of a schema: `uniqueItems` compares each item with each."""


def _draw(rng: np.random.Generator) -> tuple[str, Callable[[], Task]]:
    record = draw_record(rng)
    prompt = f"{record.text}\n\n{INSTRUCTION}\n{canonical(record.schema)}"
    return canonical(record.value), lambda: Task(prompt, record.value, metadata={"schema": record.schema})


def json_format(
    split: str = "train",
    seed: int = 0,
    size: int = SIZE,
    data: str | None = None,
    extra_text: str = "refuse",
    pay: str = "correct",
) -> Definition:
    """Records made by code out of a split, or the rows of a file with columns prompt, schema and answer.

    `extra_text="allow"` takes the value out of a fenced block, or the one JSON value that stands in running
    text. `pay="shape"` pays the part `format` (0.2) for any value that conforms.
    """
    check_choice("extra_text", extra_text, "refuse", "allow")
    check_choice("pay", pay, "correct", "shape")
    sets = task_sets(_draw, split, seed, size, data)
    return Definition(
        tasks=sets.tasks,
        verifier=JsonVerifier(allow_text=extra_text == "allow", pay_shape=pay == "shape"),
        solution=lambda task: canonical(task.reference),
        demonstrations=sets.demonstrations,
        max_completion_chars=MAX_CHARS,
        description="JSON that conforms to a schema and holds what a text says",
    )


@dataclass(frozen=True)
class JsonVerifier:
    """Readable, conforming, and equal to the reference: the value of numbers and the order of keys are free."""

    allow_text: bool = False
    pay_shape: bool = False
    cheap: bool = False

    @property
    def version(self) -> str:
        return f"json-2{'-text' if self.allow_text else ''}{'-shape' if self.pay_shape else ''}"

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        bounded = len(completion.text) <= MAX_INLINE_CHARS and _plain(task.metadata.get("schema"))
        return self.verify(task, completion) if bounded else None

    def verify(self, task: Task, completion: Completion) -> Verdict:
        schema = task.metadata.get("schema")
        if not isinstance(schema, (dict, bool)):
            raise TaskError(f"task {task.id}: expected a JSON Schema in the column 'schema', got {schema!r:.80}")
        content = completion.content
        return self._judged(task, schema, content.text).placed(content)

    def _judged(self, task: Task, schema: dict[str, Json] | bool, said: str) -> Verdict:
        try:
            value, start, end = find_value(said, self.allow_text)
        except Unreadable as error:
            flag = Flag("format", error.start, error.end, str(error))
            return paid(False, False, self.pay_shape, flag.detail, (flag,))
        try:
            wrong = problem(schema, value)
        except TooManySteps:
            return over_limit(f"{MAX_STEPS} steps of the check by its schema")
        except TaskError as error:
            raise TaskError(f"task {task.id}: {error}") from error
        if wrong:
            flags = (Flag("schema", 0, len(said), wrong),)
            return paid(False, False, self.pay_shape, wrong, flags, (start, end))
        right = same(value, task.reference)
        reason = "" if right else "conforms, with other values"
        return paid(True, right, self.pay_shape, reason, answer=(start, end))


def _plain(schema: Json) -> bool:
    """Whether checking a short value by this schema is bounded string work.

    >>> _plain({"type": "array", "items": {"type": "string"}}), _plain({"pattern": "(a|a)*b"})
    (True, False)
    """
    waiting: list[Json] = [schema]
    for node in waiting:
        if isinstance(node, dict):
            if not node.keys() <= PLAIN or not isinstance(node.get("properties", {}), dict):
                return False
            waiting += [node["items"]] if "items" in node else []
            waiting += cast("dict[str, Json]", node.get("properties", {})).values()
            waiting += [node["additionalProperties"]] if "additionalProperties" in node else []
        elif not isinstance(node, bool):
            return False
        if len(waiting) > MAX_PLAIN_NODES:
            return False
    return True
