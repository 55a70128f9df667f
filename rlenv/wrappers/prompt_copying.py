"""Prompt copying: the question handed back as the answer.

    prompt      A train leaves at 9 and arrives at 12 after 240 miles. How fast was it?
    completion  A train leaves at 9 and arrives at 12 after 240 miles. How fast was it? The answer is 80.

Compared in runs of four words, so that small changes, marks and case do not hide a copy. Honest solutions take over
phrases of the task, seldom more than a third of what they say; who quotes the whole task and then solves it is
honest. Programs
given in the prompt are there to be repeated: the prompt counts up to its first line of code. Nothing is said where the
reference itself is made of the prompt (a task of copying, rewriting or marking).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

from rlenv.episode import Episode
from rlenv.task import Task, prompt_text
from rlenv.text.filler import FILLER
from rlenv.text.overlap import Overlap, Shingle, overlap, own_words, runs, shingles, words
from rlenv.verdict import Flag
from rlenv.wrappers.detector import TextDetector

_CODE = re.compile(
    r"^[ \t]*(?:```|def |class |from \w+ import |import \w|@\w|#include|public |function )", re.MULTILINE
)
LEAST = 3
"""So many runs of four words make six words: fewer are no copy."""
_ASIDE = re.compile(r"</?\w{1,20}>|```.*?(?:```|\Z)", re.DOTALL)
"""Tags, and code: the docstring of a program says its task again."""


class Source(NamedTuple):
    """A prompt as it is looked for."""

    shingles: frozenset[Shingle]
    words: str
    operations: int


@dataclass(frozen=True, kw_only=True)
class PromptCopying(TextDetector):
    """Sees completions of which `share` is the prompt, and such as add nothing to it. To quote and solve is honest."""

    name: ClassVar[str] = "prompt_copying"
    share: float = 0.6
    covered: float = 0.5
    """So much of the prompt is in a completion that adds no more than `own` words to it."""
    own: int = 4

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        source = _source(prompt_text(episode.task.prompt))
        if not source.shingles:
            return ()
        text = _ASIDE.sub(_blank, episode.completion.text)
        found = overlap(text, source.shingles)
        if not found.hits:
            return ()
        detail = self._says(found, source, text)
        if not detail or _asks_for_a_copy(episode.task, source.shingles):
            return ()
        return tuple(self.flag(start, end, detail) for start, end in runs(text, source.shingles, 4)[:8])

    def _says(self, found: Overlap, source: Source, text: str) -> str:
        """What is wrong with this much of the prompt in the text, if anything is."""
        worked = found.hits < 0.85 * found.of and _operations(text) > source.operations
        if not worked and found.hits >= max(self.share * found.of, min(LEAST, len(source.shingles))):
            return f"{found.hits / found.of:.0%} of the completion is the prompt"
        least = self.covered if len(source.shingles) >= 9 else 0.85
        if found.different < least * len(source.shingles):
            return ""
        said = words(text)
        own = {word for word in own_words(said, source.shingles) if word not in FILLER}
        if len(own) <= self.own and _operations(text) <= source.operations:
            return "the prompt, and hardly a word besides"
        return "the prompt again and again" if f" {' '.join(said)} ".count(f" {source.words} ") > 2 else ""


def _operations(text: str) -> int:
    return sum(map(text.count, "=+*/×"))


@lru_cache(maxsize=512)
def _source(prompt: str) -> Source:
    code = _CODE.search(prompt)
    asked = prompt[: code.start()] if code else prompt
    return Source(shingles(asked), " ".join(words(asked)), _operations(asked))


def _blank(aside: re.Match[str]) -> str:
    return " " * len(aside[0])


def _asks_for_a_copy(task: Task, source: frozenset[Shingle]) -> bool:
    reference = task.reference
    if not isinstance(reference, str):
        return False
    found = overlap(reference, source)
    return found.hits >= 0.5 * found.of and found.of >= LEAST
