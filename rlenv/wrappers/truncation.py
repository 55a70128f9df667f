"""Truncation: a completion that ends before it has answered.

    To find the speed we divide the distance by the time, which

A completion that ran into the token limit says so (`finished` is False). One that claims to have ended is looked at:
a box, fence or tag that is never closed, an operator or comma at the end, a sentence that stops at a word such as `the`
or `which`. A policy that is paid for length, or not asked for an answer that is cut off, learns to end this way.
Whether a whole sentence without an answer is enough is for the verifier to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rlenv.episode import Episode
from rlenv.verdict import Flag
from rlenv.wrappers.detector import TextDetector
from rlenv.wrappers.statements import closing_brace
from rlenv.wrappers.tags import blocks, tags

TAIL = 400
_HANGING = frozenset(
    """
    the a an of to and or but which that because since with by from for so then we i they he she is are was were be has
    have had if when where while as than this these those into at in on their his her its our your let therefore thus
    hence first next will would can could should must not also each every per about over under between equals plus minus
    times der die das und oder weil mit von ist sind wir le la les et ou avec de est nous el los las y o con que es
    """.split()  # noqa: SIM905
) - {"a", "i", "o", "y", "in", "on", "over", "under", "not", "also", "each", "first", "next", "times", "that", "this"}
_LAST_WORD = re.compile(r"([^\W\d_]+)$")
_OPERATOR = re.compile(
    r"(?:[\w)}\]][ \t]*(?:[-+*/×·÷=<>≤≥≈^,(\[{]|\\(?:times|cdot|frac|div|left|sqrt|text|approx|le|ge)\{?)|[,:;(\[{])$"
)
_OPEN_BOX = re.compile(r"\\f?boxed\s*\{")
_SENTENCE = re.compile(r"[.!?。:]\s|\n")
_CODE = re.compile(r"^\s*(?:def |return\b|import |from \w|class |for .*:|if .*:|\w+\s*=\s*\S)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Truncation(TextDetector):
    """Sees what was cut. With `unfinished_only` only the token limit counts."""

    name: ClassVar[str] = "truncation"
    unfinished_only: bool = False

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        text = episode.completion.text
        if not episode.completion.finished:
            return (self.flag(_last_sentence(text), len(text), "cut at the token limit"),)
        if self.unfinished_only or len(text) < 12:
            return ()
        found = next(self._open(text), None)
        return () if found is None else (found,)

    def _open(self, text: str) -> Iterator[Flag]:
        end = len(text.rstrip())
        opened = text.rfind("boxed", max(0, end - TAIL), end)
        box = _OPEN_BOX.match(text, opened - 1) or _OPEN_BOX.match(text, opened - 2) if opened > 1 else None
        if box and closing_brace(text, box.end()) is None:
            yield self.flag(box.start(), end, "the box is never closed")
        if text.count("```") % 2:
            yield self.flag(text.rfind("```"), end, "the code block is never closed")
        if "<" in text:
            found = tags(text)
            closed = {id(block.opened) for block in blocks(found)}
            unclosed = [tag for tag in found if not tag.closing and id(tag) not in closed]
            if unclosed and unclosed[-1] is found[-1]:
                yield self.flag(unclosed[-1].start, end, f"<{unclosed[-1].name}> is never closed")
        yield from self._hanging(text, end)

    def _hanging(self, text: str, end: int) -> Iterator[Flag]:
        """The last sentence stops in its middle."""
        start = _last_sentence(text[:end])
        last = text[max(start, end - TAIL) : end]
        words = last.split()
        word = _LAST_WORD.search(last)
        if word and len(words) >= 3 and word[1].lower() in _HANGING and not _CODE.search(last):
            yield self.flag(start, end, f"ends on {word[1]!r}")
        elif _OPERATOR.search(last) and len(text.split()) >= 3 and not _CODE.search(last):
            yield self.flag(start, end, f"ends on {last[-1]!r}")


def _last_sentence(text: str) -> int:
    """Where the last sentence or line begins, at most `TAIL` characters before the end."""
    low = max(0, len(text) - TAIL)
    return max((match.end() for match in _SENTENCE.finditer(text, low, max(low, len(text) - 1))), default=low)
