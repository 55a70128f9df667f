r"""The boxes of a text: what each `\boxed{}` holds, and which of them stand side by side.

>>> boxes, unclosed = find_boxes(r"So \boxed{\frac{1}{2}} and \boxed{2}", 0, 36)
>>> [box.text for box in boxes], unclosed
(['\\frac{1}{2}', '2'], None)
>>> [box.text for box in side_by_side(r"So \boxed{\frac{1}{2}} and \boxed{2}", boxes)]
['\\frac{1}{2}', '2']

One pass over the text from the first box on, linear in its length. A box within a box is not counted again.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NAMES = r"(?:\\{1,3}+(?:boxed|fbox|framebox)|\x08oxed)"
_TOKEN = re.compile(_NAMES + r"\s*+\{|\\.|[{}]", re.DOTALL)  # \boxed{
_INNER = re.compile(_NAMES + r"\s*\{([^{}]*)\}")  # \boxed{12}
# \quad and
_BETWEEN = re.compile(
    r"(?:[\s,;.&$]|\\\\|\\[()\[\],;: ]|\\q?quad\b|\b(?:and|or)\b"
    r"|\\(?:text|mbox|textrm|mathrm)\s*\{\s*(?:and|or|,)?\s*\})*"
)
_PLAIN = re.compile(r"\\boxed\{(?=[^{}\\]*[^\s{}\\])([^{}\\]+)\}")  # \boxed{42}, and no brace or command in it
MAX_BETWEEN = 80
"""Boxes further apart than this do not stand side by side."""


class Box(NamedTuple):
    """The content of a box, with the span `[start, end)` of the whole `\\boxed{...}` in the text."""

    text: str
    start: int
    end: int

    def place(self, text: str) -> tuple[int, int]:
        """Where the content itself stands in the text that the box stands in."""
        return place_of(self.text, text, self.start, self.end)


def place_of(value: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Where the value stands in characters `[start, end)` of a text, last; the whole span where it is not there."""
    value = value.strip()
    place = text.rfind(value, start, end) if value else -1
    return (start, end) if place < 0 else (place, place + len(value))


def find_boxes(text: str, start: int, end: int) -> tuple[list[Box], int | None]:
    """The closed boxes that hold something, in order, and where an unclosed one after the last of them begins."""
    only = _only(text, start, end)
    if only is not None:
        return [only], None
    first = _first(text, start, end)
    if first < 0:
        return [], None
    boxes: list[Box] = []
    opened: list[tuple[int, int] | None] = []  # (start of the box, start of its content); None is a plain brace
    for token in _TOKEN.finditer(text, first, end):
        symbol = token[0]
        if symbol == "{":
            opened.append(None)
        elif symbol == "}":
            box = opened.pop() if opened else None
            if box is not None and text[box[1] : token.start()].strip():
                while boxes and boxes[-1].start >= box[0]:
                    boxes.pop()
                boxes.append(Box(text[box[1] : token.start()], box[0], token.end()))
        elif symbol[-1] == "{" and len(symbol) > 2:
            opened.append((token.start(), token.end()))
    closed_to = boxes[-1].end if boxes else 0
    unclosed = next((box[0] for box in opened if box is not None and box[0] >= closed_to), None)
    return [box for box in map(_unwrapped, boxes) if box.text.strip()], unclosed


def side_by_side(text: str, boxes: list[Box]) -> list[Box]:
    """The last boxes with nothing but commas, `and`, `or` and the like between them."""
    run = boxes[-1:]
    for box in reversed(boxes[:-1]):
        between = text[box.end : run[0].start]
        if len(between) > MAX_BETWEEN or _BETWEEN.fullmatch(between) is None:
            break
        run.insert(0, box)
    return run


def _only(text: str, start: int, end: int) -> Box | None:
    """The one plain box of a text that has no other, as most answers are; None leaves it to the whole search."""
    place = text.find("box", start, end) - 1
    if place < start or text.find("box", place + 2, end) >= 0 or "\x08" in text:
        return None
    plain = None if text[place - 1 : place] == "\\" else _PLAIN.match(text, place, end)
    return None if plain is None else Box(plain[1], place, plain.end())


def _first(text: str, start: int, end: int) -> int:
    found = [text.find(word, start, end) for word in ("oxed", "fbox", "framebox")]
    first = min((place for place in found if place >= 0), default=-1)
    return first if first < 0 else max(start, first - 4)


def _unwrapped(box: Box) -> Box:
    """`\\boxed{\\boxed{5}}` holds 5."""
    if "box" not in box.text and "\x08oxed" not in box.text:
        return box
    return box._replace(text=_INNER.sub(r"\1", box.text))
