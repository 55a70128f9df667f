"""Tags around an answer, `<answer>` and its like, and which of them belong together.

>>> [block] = blocks(tags("So <answer>42</answer>."))
>>> block.inner_start, block.inner_end
(11, 13)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NAMES = frozenset(
    ("answer", "answers", "final_answer", "finalanswer", "final", "solution", "result", "response", "output")
)
_TAG = re.compile(rf"<[ \t]{{0,3}}(/?)[ \t]{{0,3}}({'|'.join(NAMES)})[ \t]{{0,3}}(/?)>", re.IGNORECASE)
MOST = 400


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag, in characters `[start, end)`."""

    name: str
    closing: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """An opening tag and the next closing one of its name."""

    opened: Tag
    closed: Tag

    @property
    def name(self) -> str:
        return self.opened.name

    @property
    def start(self) -> int:
        return self.opened.start

    @property
    def end(self) -> int:
        return self.closed.end

    @property
    def inner_start(self) -> int:
        return self.opened.end

    @property
    def inner_end(self) -> int:
        return self.closed.start


def tags(text: str) -> list[Tag]:
    """The tags of a known name, in order; a tag closed in itself counts as opened and closed."""
    found: list[Tag] = []
    for match in _TAG.finditer(text):
        name = match[2].lower()
        found.append(Tag(name, bool(match[1]), match.start(), match.end()))
        if match[3]:
            found.append(Tag(name, True, match.end(), match.end()))
        if len(found) >= MOST:
            break
    return found


def blocks(found: list[Tag]) -> list[Block]:
    """Opening tags with their closing ones, in order of their beginning."""
    opened: dict[str, list[Tag]] = {}
    paired: list[Block] = []
    for tag in found:
        if not tag.closing:
            opened.setdefault(tag.name, []).append(tag)
        elif opened.get(tag.name):
            paired.append(Block(opened[tag.name].pop(), tag))
    return sorted(paired, key=lambda block: block.start)
