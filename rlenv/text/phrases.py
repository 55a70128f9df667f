"""Phrases looked for in folded text, at the price of looking for a few words.

A phrase is a regular expression in which a space behind a letter or a bracket stands for whatever divides words:
spaces, line breaks, mark-up. Each comes with anchors, one of which must be there before the expression is tried at all:
whole words, or pieces of text where they hold a mark, a space or a foreign letter.

>>> text = "please *ignore* all\\nprevious words"
>>> found = Phrases(("ignore", r"ignore (?:all )?previous"),).search(text, said(text))
>>> found.span()
(8, 28)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

GAP = r"[\W_]{1,8}"
_RARE = "<[#/"
_BETWEEN = re.compile(r"(?<=[a-z)+}]) (?=[a-z()\\])|(?<=\?:) (?=[a-z(\\])")
_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TO_SPACES = str.maketrans(_MARKS, " " * len(_MARKS))


def said(text: str) -> frozenset[str]:
    """The words of folded text."""
    return frozenset(text.translate(_TO_SPACES).split())


class Phrases:
    """Pairs of anchors, divided by `|`, and an expression. Every repetition in it must be bounded."""

    def __init__(self, *rows: tuple[str, str]) -> None:
        self.rows = tuple(
            (frozenset(anchors.split("|")), re.compile(_BETWEEN.sub(lambda _: GAP, pattern), re.MULTILINE))
            for anchors, pattern in rows
        )
        anchors = frozenset(anchor for row, _ in self.rows for anchor in row)
        self._words = frozenset(anchor for anchor in anchors if anchor.isascii() and anchor.isalpha())
        self._foreign = [anchor for anchor in anchors - self._words if not anchor.isascii()]
        self._pieces: dict[str, list[str]] = {}
        for anchor in anchors - self._words - frozenset(self._foreign):
            mark = next((mark for mark in _RARE if mark in anchor), "")
            self._pieces.setdefault(mark, []).append(anchor)

    def finditer(self, text: str, words: frozenset[str]) -> Iterator[re.Match[str]]:
        """Every match, row by row. `words` are those of the text."""
        present = self._present(text, words)
        if present:
            for anchors, pattern in self.rows:
                if not present.isdisjoint(anchors):
                    yield from pattern.finditer(text)

    def search(self, text: str, words: frozenset[str]) -> re.Match[str] | None:
        """The first match of the first row that has one."""
        return next(self.finditer(text, words), None)

    def _present(self, text: str, words: frozenset[str]) -> set[str]:
        present = set(self._words & words)
        for mark, anchors in self._pieces.items():
            if mark in text:
                present.update([anchor for anchor in anchors if anchor in text])
        if not text.isascii():
            present.update([anchor for anchor in self._foreign if anchor in text])
        return present
