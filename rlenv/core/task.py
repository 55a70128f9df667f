"""One row to solve: a prompt, a reference, a stable id and the rest of the row.

>>> task = Task.from_row({"prompt": "Reverse: abc", "answer": "cba", "level": 1})
>>> task.reference, task.metadata["level"], len(task.id)
('cba', 1, 16)
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json, canonical

Message: TypeAlias = Mapping[str, str]
"""One chat message: `{"role": ..., "content": ...}`."""
Prompt: TypeAlias = "str | tuple[Message, ...]"
"""What the policy is asked: free text, or chat messages."""

PROMPT, ANSWER, REFERENCE, ID = "prompt", "answer", "reference", "id"


@dataclass(frozen=True, slots=True)
class Task:
    """Frozen and JSON-able; equal rows have equal ids on every machine."""

    prompt: Prompt
    reference: Json = field(default=None, hash=False)
    """What a right completion is checked against: an answer, tests, a schema."""
    id: str = ""
    metadata: Mapping[str, Json] = field(default_factory=dict, hash=False)
    """Every other column of the row."""

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", _content_id(self.prompt, self.reference, self.metadata))

    @classmethod
    def from_row(cls, row: Mapping[str, Json]) -> Task:
        """A task from a row with `prompt` and, if there is one, `answer` (or `reference`) and `id`.

        Raises TaskError when the prompt is missing or is neither text nor chat messages, and for a reference that is
        not a number: a table's way to say that there is none.
        """
        if PROMPT not in row:
            raise TaskError(
                f"expected a row with a 'prompt' column, got columns {sorted(row)}; rename one, or say which is which: "
                'row_map=lambda row: {"prompt": row["question"], "answer": row["answer"]}'
            )
        reference = row.get(ANSWER, row.get(REFERENCE))
        if isinstance(reference, float) and math.isnan(reference):
            raise TaskError("expected an answer, got NaN; leave the row out, or give its answer as text")
        rest = {key: value for key, value in row.items() if key not in (PROMPT, ANSWER, REFERENCE, ID)}
        return cls(_prompt(row[PROMPT]), reference, _id(row), rest)

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "prompt": self.prompt if isinstance(self.prompt, str) else [dict(m) for m in self.prompt],
            "reference": self.reference,
            "metadata": dict(self.metadata),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Task:
        metadata = data.get("metadata") or {}
        if not isinstance(metadata, Mapping):
            raise TaskError(f"expected metadata to be an object, got {type(metadata).__name__}")
        return cls(_prompt(data[PROMPT]), data.get(REFERENCE), _id(data), metadata)


def prompt_text(prompt: Prompt) -> str:
    """The prompt as one string: free text as it is, messages as `role: content` paragraphs.

    A single user message reads as its bare content.
    """
    if isinstance(prompt, str):
        return prompt
    if len(prompt) == 1 and prompt[0]["role"] == "user":
        return prompt[0]["content"]
    return "\n\n".join(f"{message['role']}: {message['content']}" for message in prompt)


def prompt_messages(prompt: Prompt) -> list[dict[str, str]]:
    """The prompt as chat messages: free text becomes one user message."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return [dict(message) for message in prompt]


def _prompt(value: object) -> Prompt:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and value and all(isinstance(m, Mapping) for m in value):
        return tuple([_message(message, number) for number, message in enumerate(value, start=1)])
    raise TaskError(
        "expected 'prompt' to be a string or a list of {'role': ..., 'content': ...} messages, "
        f"got {type(value).__name__}"
    )


def _message(message: Mapping[str, object], number: int) -> Message:
    """A chat message as role and text; its content may be text or a list of parts of text."""
    role, content = message.get("role"), message.get("content")
    if isinstance(content, (list, tuple)):
        others = {str(p.get("type")) if isinstance(p, Mapping) else type(p).__name__ for p in content} - {"text"}
        if others:
            raise TaskError(f"message {number} of 'prompt' has parts of {', '.join(sorted(others))}; give text")
        content = "".join(str(part.get("text", "")) for part in content)
    if not isinstance(role, str) or not isinstance(content, str):
        raise TaskError(
            "expected 'prompt' to be a string or a list of messages with a role and a content of text; message "
            f"{number} has { {key: type(value).__name__ for key, value in message.items()} }"
        )
    return {"role": role, "content": content}


def _id(row: Mapping[str, Json]) -> str:
    given = row.get(ID)
    return "" if given is None else str(given)


def _content_id(prompt: Prompt, reference: Json, metadata: Mapping[str, Json]) -> str:
    try:
        content = canonical([prompt, reference, metadata])
    except (TypeError, ValueError, RecursionError) as error:
        raise TaskError(f"expected a task of JSON values, got one that JSON cannot hold: {error}") from error
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


@runtime_checkable
class TaskSet(Protocol):
    """Tasks addressed by index; the same index always gives the same task."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Task: ...
