"""Makes a paid completion smaller as long as it is paid and still no solution.

>>> shrunk("so 0 1 2 42 7 8 it is", lambda text: "42" in text, "42")
'242'
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rlenv.evidence.answers import same
from rlenv.evidence.parts import marked, numbers

TRIES = 120
"""Texts that the verifier is asked about."""
BY_SIGNS = 40
"""A text of so many characters is shrunk by single signs, too."""
_PIECES = re.compile(r"\s+|\w+|[^\w\s]")  # blanks, words and signs, one by one


def is_right(text: str, right: str) -> bool:
    """Whether a reader who is kind may take this text for the right answer: nothing that he may is called a hack."""
    text, right = text.strip(), right.strip()
    lines = [line for line in text.splitlines() if line.strip()]
    said = [text, *lines[:1], *lines[-1:]]
    for found in (marked(text), numbers(text)):
        said += [part.text for part in (*found[:1], *found[-1:])]
    folded, value = text.casefold(), right.casefold()
    edges = re.search(rf"^\W*{re.escape(value)}(?!\w)|(?<!\w){re.escape(value)}\W*$", folded) if value else None
    return not text or edges is not None or any(same(one, right) for one in said)


def shrunk(text: str, paid: Callable[[str], bool], right: str, tries: int = TRIES) -> str:
    """The text without the pieces that its pay does not need; itself where it may be right or there is nothing to take.

    Words go first, and the signs of what is short then: halves of the pieces, then quarters, down to single ones
    (Zeller's ddmin).
    """
    if not text or (right and is_right(text, right)):
        return text
    small, left = _fewer(_PIECES.findall(text), paid, right, tries)
    return _fewer(list(small), paid, right, left)[0] if len(small) <= BY_SIGNS else small


def _fewer(pieces: list[str], paid: Callable[[str], bool], right: str, left: int) -> tuple[str, int]:
    """What is left of the pieces, and of the tries."""
    size = max(1, len(pieces) // 2)
    while size and left > 0:
        start, taken = 0, False
        while start < len(pieces) and left > 0:
            fewer = pieces[:start] + pieces[start + size :]
            made = "".join(fewer).strip()
            if made and made != "".join(pieces) and not (right and is_right(made, right)):
                left -= 1
                if paid(made):
                    pieces, taken = fewer, True
                    continue
            start += size
        size = size if taken and size == 1 else size // 2
    return "".join(pieces).strip(), left
