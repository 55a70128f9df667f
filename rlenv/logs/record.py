"""One completion as somebody's log holds it, and what logs have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.reading.message import message_text

SEVERAL_TURNS = "it has several turns"


@dataclass(frozen=True, slots=True)
class Record:
    """A completion, what it was asked, and what it was paid."""

    where: str
    """File and line, for messages."""
    prompt: str
    """As the log tells it, often in the model's chat template."""
    completion: Completion | None
    """None where it cannot be judged again; `problem` says why."""
    reward: float | None
    """None where the log has none: its checker failed."""
    problem: str = ""
    row: str = ""
    """The row of rlenv (docs/rows.md) that travelled along; empty where there is none."""
    task_id: str = ""
    step: int = 0
    columns: Mapping[str, Json] = field(default_factory=dict)
    """Everything else that the log says of it."""
    policy: str = ""


def number(value: object) -> float | None:
    """A reward as a number; None for what is none, NaN included, which is how tables write that.

    >>> number("0.5"), number(float("nan")), number(None), number(True)
    (0.5, None, None, 1.0)
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, bool | int | float) and math.isfinite(value) else None


def prompt_of(value: object) -> str:
    """A prompt that is text, or messages of which the contents count."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n\n".join(_text(message.get("content")) for message in value if isinstance(message, Mapping))
    return str(value or "")


def completion_of(message: Mapping[str, object], *, finished: bool = True) -> Completion:
    """A message of the assistant, whose content may be parts of reasoning and of text, as a completion."""
    content = message.get("content")
    if isinstance(content, list):
        thoughts = [str(part.get("reasoning", "")) for part in content if part.get("type") == "reasoning"]
        message = {**message, "content": _text(content), "reasoning_content": "\n".join(thoughts)}
    text, segments = message_text(message)
    return Completion(text, segments=segments, finished=finished)


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if part.get("type") == "text")
    return str(content or "")
