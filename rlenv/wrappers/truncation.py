"""Truncation: a completion that ends before it has answered.

    To find the speed we divide the distance by the time, which

A completion that ran into the token limit says so (`finished` is False). One that claims to have ended is looked at:
reasoning, a box, fence or tag that is never closed, prose that stops at an operator, a comma or a word such as `the`.
A closing tag or fence ends a text, and an answer that the verifier paid for, with nothing behind it, was not cut. A
policy that is paid for length, or not asked for an answer that is cut off, learns to end this way. Whether a whole
sentence without an answer is enough is for the verifier to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rlenv.episode import Episode
from rlenv.text.answer_tags import tags
from rlenv.text.boxes import find_boxes
from rlenv.verdict import Flag
from rlenv.wrappers.detector import TextDetector

TAIL = 400
SHORTEST = 12
"""Text of fewer characters has no room for a sentence that stops."""
_HANGING = frozenset(
    """
    the a an of to and or but which that because since with by from for so then we i they he she is are was were be has
    have had if when where while as than this these those into at in on their his her its our your let therefore thus
    hence first next will would can could should must not also each every per about over under between equals plus minus
    times der die das und oder weil mit von ist sind wir le la les et ou avec de est nous el los las y o con que es
    """.split()  # noqa: SIM905
) - {"a", "i", "o", "y", "in", "on", "over", "under", "not", "also", "each", "first", "next", "times", "that", "this"}
_WORD = re.compile(r"\w")  # a
_TAG = re.compile(r"</?[\w:-]{1,30}>")  # </answer>
_LAST_WORD = re.compile(r"([^\W\d_]+)$")
_OPERATOR = re.compile(
    r"(?:[\w)}\]][ \t]*(?:[-+*/×·÷=<>≤≥≈^,(\[{]|\\(?:times|cdot|frac|div|left|sqrt|text|approx|le|ge)\{?)|[,:;(\[{])$"
)
_CLOSED = re.compile(r"(?:</[\w:-]{1,30}>|```|~~~|\\end\{\w{1,20}\*?\})$")
"""Ends a text, whatever it holds: `</answer>`, a fence, `\\end{align}`."""
_PROSE = re.compile(r"(?<!\S)[^\W\d_]{2,}(?![^\s.,;:!?'’)])")  # the end
_SENTENCE = re.compile(r"[.!?。:]\s|\n")
_CODE = re.compile(r"^\s*(?:def |return\b|import |from \w|class |for .*:|if .*:|\w+\s*=\s*\S)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Truncation(TextDetector):
    """Sees what was cut. With `unfinished_only` only the token limit counts."""

    name: ClassVar[str] = "truncation"
    unfinished_only: bool = False

    def seen(self, episode: Episode) -> Episode:
        """The whole episode: reasoning that is never closed is cut, too."""
        return episode

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        completion, said = episode.completion, super().seen(episode)
        if completion.finished and (self.unfinished_only or _was_answered(said)):
            return ()
        traces, content = completion.reading.traces, completion.content
        if traces and not traces[-1].closed:
            return (self.flag(_last_sentence(completion.text), len(completion.text), "the reasoning is never closed"),)
        text = said.completion.text
        if not completion.finished:
            return (self.flag(*content.place(_last_sentence(text), len(text)), "cut at the token limit"),)
        found = next(self._open(text), None) if len(text) >= SHORTEST else None
        return () if found is None else (self.flag(*content.place(found.start, found.end), found.detail),)

    def _open(self, text: str) -> Iterator[Flag]:
        end = len(text.rstrip())
        _, box = find_boxes(text, max(0, end - TAIL), end)
        if box is not None:
            yield self.flag(box, end, "the box is never closed")
        if text.count("```") % 2:
            yield self.flag(text.rfind("```"), end, "the code block is never closed")
        found = tags(text) if "<" in text else []
        if found and not found[-1].closing:
            yield self.flag(found[-1].start, end, f"<{found[-1].name}> is never closed")
        if not _CLOSED.search(text, max(0, end - TAIL), end):
            yield from self._hanging(text, end)

    def _hanging(self, text: str, end: int) -> Iterator[Flag]:
        """The last sentence stops in its middle. Only prose does: a formula, a row or a command ends where it ends."""
        if len(_PROSE.findall(text, max(0, end - TAIL), end)) < 3:
            return
        start = _last_sentence(text[:end])
        last = text[max(start, end - TAIL) : end]
        words = last.split()
        word = _LAST_WORD.search(last)
        if word and len(words) >= 3 and word[1].lower() in _HANGING and not _CODE.search(last):
            yield self.flag(start, end, f"ends on {word[1]!r}")
        elif _OPERATOR.search(last) and not _CODE.search(last):
            yield self.flag(start, end, f"ends on {last[-1]!r}")


def _was_answered(said: Episode) -> bool:
    """The verifier found an answer, paid for it, and nothing is said behind it."""
    answer, text = said.verdict.answer, said.completion.text
    return (
        answer is not None and (said.verdict.reward or 0.0) > 0 and not _WORD.search(_TAG.sub("", text[answer.end :]))
    )


def _last_sentence(text: str) -> int:
    """Where the last sentence or line begins, at most `TAIL` characters before the end."""
    low = max(0, len(text) - TAIL)
    return max((match.end() for match in _SENTENCE.finditer(text, low, max(low, len(text) - 1))), default=low)
