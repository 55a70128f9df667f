"""One completion as somebody's log holds it, and what logs have in common."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from rlenv.core.completion import Completion
from rlenv.core.errors import MISREAD, ConfigError, RlenvError
from rlenv.core.jsontypes import Json, read_json
from rlenv.core.reading.message import message_text

SEVERAL_TURNS = "it has several turns"
MOST_VALUES, BYTES_A_VALUE = 1_000_000, 8
"""In the JSON of one record, and one more for so many bytes of the file: an empty list takes 80 in memory."""


@contextmanager
def logged(where: str) -> Iterator[None]:
    """Raises ConfigError, with the place, where what is read inside is not as its library writes it."""
    try:
        yield
    except RlenvError:
        raise
    except MISREAD as error:
        what = f"{type(error).__name__}: {error}"
        raise ConfigError(f"{where}: not as its library writes it ({what:.200}); remove it, or log it again") from error


def parsed(text: str | bytes, bytes_there: int) -> Json:
    """What the JSON of one record says. Raises ValueError for what is none, or too much."""
    return read_json(text, MOST_VALUES + bytes_there // BYTES_A_VALUE)


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
    try:
        found = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def text_of(value: object) -> str:
    """A field of text; empty where there is none. Raises TypeError for lists, objects and bytes."""
    if value is None or isinstance(value, str | int | float):
        return "" if value is None else str(value)
    raise TypeError(f"expected text, got {type(value).__name__}")


def prompt_of(value: object) -> str:
    """A prompt that is text, or messages of which the contents count."""
    if isinstance(value, list):
        return "\n\n".join(_text(message.get("content")) for message in value)
    return text_of(value)


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
        return "".join(text_of(part.get("text")) for part in content if part.get("type") == "text")
    return text_of(content)
