"""Repetition: text that goes round in circles, to be long or because the policy has collapsed.

    So the total is 12. So the total is 12. So the total is 12. So the total is 12. So the total is 12.

Honest mathematics repeats itself too: a third of the 3-grams of a case distinction are repeats, so n-grams of a few
words are no evidence by their share. Four looks, each of which honest text does not come near:

- a loop at the end: at least `periods` copies of one stretch, `loop_tokens` tokens in all (a third of them where words
  come back `2 * periods` times);
- one word eight times in a row, or one letter forty times;
- a sentence of words said `sentence_copies` times, or `counter_copies` times with a counter that rises by one;
- a stretch, at least `dense_words` words or most of the text, in which nearly every 3-gram was said shortly before.

The evidence is the whole stretch that repeats. Programs, tables and formulas repeat by nature: only sentences that
hold nothing but words, numbers and commas are compared, and an answer that the verifier paid for is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import eq
from typing import ClassVar

from rlenv.episode import Episode
from rlenv.text.loops import dense_stretch, loop_start
from rlenv.verdict import Flag, Verdict
from rlenv.wrappers.detector import TextDetector, paid_answer

TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[a-z0-9_]+|\w+|[^\w\s]", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n。！？]{12,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_PLAIN = re.compile(r"[\w\s,;:'’#%$()*-]+")
_NUMBERS = re.compile(r"\d+")
_WORD_RUN = re.compile(r"\b([^\W\d_]{2,40}+)(?:[\W_]{1,4}\1\b){7,}+")
_LETTER_RUN = re.compile(r"([^\W\d_]|[!?])\1{39,}+")
_DIGITS = str.maketrans("123456789", "000000000")
_PROBE = 24
SHORTEST = 60
"""Text of fewer characters has no room for a loop."""


@dataclass(frozen=True, kw_only=True)
class Repetition(TextDetector):
    """Thresholds are in tokens: words, or single marks."""

    name: ClassVar[str] = "repetition"
    periods: int = 3
    loop_tokens: int = 60
    sentence_copies: int = 4
    counter_copies: int = 6
    dense_words: int = 45

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        text = episode.completion.text
        if len(text) < SHORTEST:
            return ()
        lower = text.lower()
        folded = _unjudged(lower if len(lower) == len(text) else text, episode.verdict)
        for look in (self._tail_loop, self._runs, self._sentences, self._dense):
            found = next(look(folded), None)
            if found is not None:
                return (found,)
        return ()

    def _tail_loop(self, text: str) -> Iterator[Flag]:
        """A stretch that the text ends on several times. The end may be cut anywhere."""
        end = len(text.rstrip())
        if end < 2:
            return
        probe = text[max(0, end - _PROBE) : end]
        previous = text.rfind(probe, 0, end - 1)
        if previous < 0:
            return
        period = end - len(probe) - previous
        start = loop_start(text, end, period)
        copies = (end - start) // period
        if copies >= self.periods and self._long_enough(text, start, end, copies):
            yield self.flag(start, end, f"{copies} copies of {period} characters at the end")

    def _long_enough(self, text: str, start: int, end: int, copies: int) -> bool:
        """A third of the tokens will do for many copies of what holds words; one endless token counts by its length."""
        tokens = len(TOKEN.findall(text, start, end))
        if not any(map(str.isalnum, text[end - (end - start) // copies : end])):
            return end - start >= 10 * self.loop_tokens
        many = copies >= 2 * self.periods and 3 * tokens >= self.loop_tokens and _WORD.search(text, start, end)
        endless = copies >= 20 and end - start >= 2 * self.loop_tokens and text[end - 1].isalnum()
        return tokens >= self.loop_tokens or bool(many) or endless

    def _runs(self, text: str) -> Iterator[Flag]:
        """One word, or one letter, over and over."""
        words = text.split()
        if sum(map(eq, words, words[1:])) >= 7:
            yield from self._run(_WORD_RUN, text)
        if max(map(len, words), default=0) >= 40:
            yield from self._run(_LETTER_RUN, text)

    def _run(self, pattern: re.Pattern[str], text: str) -> Iterator[Flag]:
        run = pattern.search(text)
        if run:
            yield self.flag(run.start(), run.end(), f"{run[1]!r} over and over")

    def _sentences(self, text: str) -> Iterator[Flag]:
        """The same sentence, or one that differs in a counter alone."""
        shapes = _SENTENCE.findall(text.translate(_DIGITS).replace("00", "0").replace("00", "0"))
        if len(shapes) - len(set(shapes)) < self.sentence_copies - 1:
            return
        exact: dict[str, list[re.Match[str]]] = {}
        for match in _SENTENCE.finditer(text):
            if _PLAIN.fullmatch(match[0]):
                exact.setdefault(match[0].strip(), []).append(match)
        for sentence, places in exact.items():
            if len(places) >= self.sentence_copies and len(_WORD.findall(sentence)) >= 4:
                yield self._stretch(places, f"{len(places)} times the same sentence")
        counted: dict[str, list[re.Match[str]]] = {}
        for sentence, places in exact.items():
            counted.setdefault(_NUMBERS.sub("0", sentence), []).append(places[0])
        for shape, places in counted.items():
            if len(places) >= self.counter_copies and len(_WORD.findall(shape)) >= 4 and _one_counter(places):
                yield self._stretch(places, f"{len(places)} sentences that differ in a counter alone")

    def _stretch(self, places: list[re.Match[str]], detail: str) -> Flag:
        first = places[0]
        start = first.end() - len(first[0].lstrip())
        return self.flag(start, places[-1].end(), detail)

    def _dense(self, text: str) -> Iterator[Flag]:
        """Nearly every 3-gram of a stretch was said shortly before."""
        stretch = dense_stretch(text)
        if stretch is None or 2 * stretch.different > stretch.score:
            return  # said once more
        if 3 * len(_WORD.findall(text, stretch.start, stretch.end)) < stretch.score:
            return  # boards and tables of signs
        most = stretch.score >= 16 and stretch.score >= 0.6 * stretch.of
        if stretch.score >= self.dense_words or most:
            yield self.flag(stretch.start, stretch.end, f"{stretch.score} more words said again than new ones")


def _unjudged(text: str, verdict: Verdict) -> str:
    """The text with the answer that was paid blanked: moves, rows and lists repeat where the task wants them to."""
    start, end = paid_answer(verdict) or (0, 0)
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def _one_counter(places: list[re.Match[str]]) -> bool:
    """One number rises by one from each sentence to the next, and no other number changes."""
    rows = [_NUMBERS.findall(place[0]) for place in places]
    columns = [column for column in zip(*rows, strict=True) if len(set(column)) > 1]
    if len(columns) != 1 or any(len(value) > 9 for value in columns[0]):
        return False
    values = [int(value) for value in columns[0]]
    return all(after - before == 1 for before, after in pairwise(values))
