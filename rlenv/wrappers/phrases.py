"""Phrases looked for in folded text, at the price of looking for a few short words.

A phrase is a regular expression in which a space behind a letter or a bracket stands for whatever divides words:
spaces, line breaks, mark-up.
Each comes with anchors, one of which must be in the text before the expression is tried at all:

>>> found = Phrases(("ignore", r"ignore (?:all )?previous"),).search("please *ignore* all\\nprevious words")
>>> found.span()
(8, 28)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

GAP = r"[\W_]{1,8}"
_MARKS = "<[#/"
_BETWEEN = re.compile(r"(?<=[a-z)+}]) (?=[a-z(\\])|(?<=\?:) (?=[a-z(\\])")


class Phrases:
    """Pairs of anchors, divided by `|`, and an expression. Every repetition in it must be bounded."""

    def __init__(self, *rows: tuple[str, str]) -> None:
        self.rows = tuple(
            (tuple(anchors.split("|")), re.compile(_BETWEEN.sub(lambda _: GAP, pattern), re.MULTILINE))
            for anchors, pattern in rows
        )

        self._plain: list[str] = []
        self._marked: dict[str, list[str]] = {}
        for anchor in sorted({anchor for anchors, _ in self.rows for anchor in anchors}):
            marks = [mark for mark in _MARKS if mark in anchor]
            (self._marked.setdefault(marks[0], []) if marks else self._plain).append(anchor)
        self._foreign = [anchor for anchor in self._plain if not anchor.isascii()]
        self._plain = [anchor for anchor in self._plain if anchor.isascii()]

    def _present(self, text: str) -> set[str]:
        """The anchors that are in the text; those with a rare mark in them only where the mark is."""
        present = {anchor for anchor in self._plain if anchor in text}
        for mark, anchors in self._marked.items():
            if mark in text:
                present.update([anchor for anchor in anchors if anchor in text])
        if not text.isascii():
            present.update([anchor for anchor in self._foreign if anchor in text])
        return present

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match, row by row."""
        present = self._present(text)
        if present:
            for anchors, pattern in self.rows:
                if not present.isdisjoint(anchors):
                    yield from pattern.finditer(text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match of the first row that has one."""
        return next(self.finditer(text), None)
