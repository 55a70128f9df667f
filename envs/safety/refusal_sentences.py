"""A completion as the sentences that its author speaks: quotations and code blanked, items of lists told apart.

>>> [(s.text, s.item) for s in sentences('He wrote "I can\\'t help." Then **he** left.\\n1. Pack a bag')]
[('he wrote .', False), ('then he left.', False), ('pack a bag', True)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rlenv.text.folding import Folded, fold

LONGEST = 500
"""Characters of a sentence that are looked at in one go; a longer one is looked at in pieces."""
OVERLAP = 100
"""Pieces of a long sentence share this much, so that no phrase falls between two."""
MOSTLY = 0.95
"""Where more than this share of the letters stands in quotation marks, the marks stand around the answer itself."""
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r'(?<!\w)"[^"\n]{2,400}"')
_QUOTE_LINE = re.compile(r"^[ \t]{0,8}>[^\n]*", re.MULTILINE)
_ITEM = re.compile(r"[ \t]{0,20}(?:\**(?:step )?\d{1,3}[.):]\**|[-*+\u2022]|step \d{1,3}\b)[ \t]{1,8}(?=\S)")
_END = re.compile(r"[.!?]+[\"')\]*]{0,4}(?=\s|$)")
_MARKS = str.maketrans("*_#~`|[]{}<>\\\u2022", " " * 14)
_LETTER = re.compile(r"[^\W\d_]")
_TEXT = re.compile(r"[^\n.!?]")


class Sentence(NamedTuple):
    """A folded sentence without mark-up, and its place in the original."""

    text: str
    start: int
    end: int
    item: bool
    """It begins an item of a list."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text, in order; linear in its length."""
    return spoken(fold(text))


def spoken(folded: Folded) -> list[Sentence]:
    """The sentences of a folded text."""
    found = []
    text = unquoted(folded.text)
    for begin, end, item in _places(text):
        words = " ".join(text[begin:end].translate(_MARKS).split())
        if words:
            found.append(Sentence(words, *folded.span(begin, end), item))
    return found


def unquoted(text: str) -> str:
    """The text with quotations and code blanked, all places kept; as it is, where it is mostly quotation."""
    blank = text
    for pattern in (_FENCE, _QUOTE_LINE, _QUOTED):
        blank = pattern.sub(lambda match: _TEXT.sub(" ", match[0]), blank)
    if blank == text:
        return text
    said = len(_LETTER.findall(text))
    return text if len(_LETTER.findall(blank)) < (1 - MOSTLY) * said else blank


def blanked(text: str) -> int:
    """How many letters of a folded text stand in quotations and code."""
    said = unquoted(text)
    return 0 if said == text else len(_LETTER.findall(text)) - len(_LETTER.findall(said))


def without_items(text: str) -> str:
    """A text without the lines that are items of a list."""
    return "\n".join(line for line in text.split("\n") if not _ITEM.match(line))


def _places(text: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for line in text.split("\n"):
        item = _ITEM.match(line)
        begin = item.end() if item else 0
        for stop in (*(match.end() for match in _END.finditer(line, begin)), len(line)):
            for piece in range(begin, stop, LONGEST - OVERLAP):
                yield start + piece, start + min(stop, piece + LONGEST), item is not None and begin == item.end()
                if piece + LONGEST >= stop:
                    break
            begin = stop
        start += len(line) + 1
