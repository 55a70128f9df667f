"""Text as a reader sees it: lower case, look-alike letters as plain ones, no invisible characters.

What hides from a search hides in characters: Cyrillic letters among Latin ones, full-width forms, accents,
zero-width spaces inside words. Spans found in the folded text lead back to the text itself:

>>> folded = fold("Full m\\u200barks, \\uff30\\u0435rfect")
>>> folded.text
'full marks, perfect'
>>> folded.span(5, 10)
(5, 11)
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

CACHED_CHARS = 50_000
"""Detectors of one run look at the same texts in turn; longer texts are folded again each time."""
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that show nothing, as the inside of a character class."""
_TWINS = dict(
    zip(
        "асеорхуіјѕԁԛԝһӏкмтвнгѵьАВЕКМНОРСТУХІЈЅԌԚԜҺӀѴαοινρτυκχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡɑ⁄∕‐‑‒–—―−’‘“”",
        "aceopxyijsdqwhlkmtbhrvbabekmhopctyxijsgqwhlvaoivptukxyabezhikmnoptyxiga//-------''\"\"",
        strict=True,
    )
)
_HIDDEN = re.compile(f"[{INVISIBLE}]")
_FOREIGN = re.compile(r"[^\x00-\x7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""East Asian scripts have neither case nor twins among Latin letters."""


@dataclass(frozen=True, slots=True)
class Folded:
    """The folded text, and the way back."""

    text: str
    breaks: tuple[int, ...] = ()
    """Places in the folded text behind which the shift changes."""
    shifts: tuple[int, ...] = ()
    """What is added to a place there, one longer than `breaks`; nothing where both are empty."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original that `[start, end)` of the folded text stand for."""
        if not self.shifts:
            return start, end
        return self._place(start), self._place(end - 1) + 1 if end > start else self._place(start)

    def _place(self, place: int) -> int:
        return place + self.shifts[bisect_right(self.breaks, place)]


def fold(text: str) -> Folded:
    """The text folded; plain ASCII costs no more than lower case."""
    if text.isascii():
        return Folded(text.lower())
    return _folded_once(text) if len(text) <= CACHED_CHARS else _folded(text)


def _folded(text: str) -> Folded:
    pieces: list[str] = []
    breaks: list[int] = []
    shifts = [0]
    done = length = 0
    for match in _FOREIGN.finditer(text):
        start = match.start()
        piece = _plain(match[0])
        pieces += (text[done:start], piece)
        length += start - done
        for extra in range(1, len(piece)):  # all of a longer piece stands for the one character
            breaks.append(length + extra)
            shifts.append(start - length - extra)
        length += len(piece)
        done = start + 1
        if len(piece) != 1:
            breaks.append(length)
            shifts.append(done - length)
    pieces.append(text[done:])
    folded = "".join(pieces).lower()
    return Folded(folded, tuple(breaks), tuple(shifts) if breaks else ())


_folded_once = lru_cache(maxsize=128)(_folded)


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """What one character that is not ASCII looks like: nothing, one or a few characters that lower() leaves alone."""
    twin = _TWINS.get(character)
    if twin is not None:
        return twin
    if _HIDDEN.match(character) or unicodedata.combining(character):
        return ""
    if character.isspace():
        return "\n" if character in "\u2028\u2029\u0085" else " "
    parts = (c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    base = "".join(_TWINS.get(c, c) for c in parts).lower()
    lower = character.lower()
    return base if base.isascii() else lower if len(lower) == 1 else character
