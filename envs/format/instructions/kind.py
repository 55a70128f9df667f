"""What a kind of instruction is: how it is asked for, when a text follows it, and how a draft is made to follow it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from rlenv.core.jsontypes import Json

Params: TypeAlias = "Mapping[str, Json]"
WORD = re.compile(r"\w+(?:['’-]\w+)*")
_SENTENCE_END = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++(?=[\"'”’)*\]]*(?:\s|$))")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


class Fitted(NamedTuple):
    """A draft that follows the instruction with these parameters."""

    draft: str
    params: dict[str, Json]


@dataclass(frozen=True)
class Kind:
    """One kind of instruction. `holds` is pure, linear in the text, and the only judge."""

    name: str
    ask: Callable[[Params], str]
    """The sentence that asks for it in the prompt."""
    holds: Callable[[str, Params], bool]
    fit: Callable[[str, np.random.Generator], Fitted | None]
    """Changes a draft so that it follows the instruction, or reads off what it follows already; None if neither."""
    stage: int
    """Drafts are fitted in this order: 0 language, 1 body, 2 layout, 3 letters, 4 edges, 5 what is only counted."""


def words(text: str) -> list[str]:
    """Runs of letters and digits, with apostrophes and hyphens inside: `don't` and `well-known` are one word."""
    return WORD.findall(text)


def count_word(text: str, word: str) -> int:
    """How often a word stands in the text as a whole word, in any case."""
    return sum(found.casefold() == word.casefold() for found in words(text))


def sentences(text: str) -> int:
    """How many sentences end in the text: runs of `.`, `!`, `?` before white space or the end."""
    return len(_SENTENCE_END.findall(text))


def paragraphs(text: str) -> list[str]:
    """Blocks of text between blank lines."""
    return [block for block in _BLANK_LINE.split(text.strip()) if block.strip()]


def lines(text: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


def number(params: Params, name: str) -> int:
    """A parameter that is a count."""
    value = params[name]
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected the parameter {name!r} to be a whole number, got {value!r}")
    return value


def text_of(params: Params, name: str) -> str:
    """A parameter that is a text."""
    value = params[name]
    if not isinstance(value, str) or not value:
        raise TypeError(f"expected the parameter {name!r} to be a text, got {value!r}")
    return value


def texts_of(params: Params, name: str) -> list[str]:
    """A parameter that is a list of texts."""
    value = params[name]
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(item, str) and item for item in value):
        raise TypeError(f"expected the parameter {name!r} to be a list of texts, got {value!r}")
    return [str(item) for item in value]


def few(count: int, noun: str) -> str:
    """`1 line`, `3 lines`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
