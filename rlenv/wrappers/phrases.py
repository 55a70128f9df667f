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
_BETWEEN = re.compile(r"(?<=[a-z)+}]) (?=[a-z(\\])|(?<=\?:) (?=[a-z(\\])")


class Phrases:
    """Pairs of anchors, divided by `|`, and an expression. Every repetition in it must be bounded."""

    def __init__(self, *rows: tuple[str, str]) -> None:
        self.rows = tuple(
            (tuple(anchors.split("|")), re.compile(_BETWEEN.sub(lambda _: GAP, pattern), re.MULTILINE))
            for anchors, pattern in rows
        )

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match, row by row."""
        for anchors, pattern in self.rows:
            if any(anchor in text for anchor in anchors):
                yield from pattern.finditer(text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match of the first row that has one."""
        return next(self.finditer(text), None)
