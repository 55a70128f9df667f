"""Where the answer stands in what was said: in `<answer>...</answer>`, once, or several times with the same content.

>>> read("6*7 is <answer> 42 </answer>")
Answer(text='42', start=16, end=18)
>>> read("<answer>41</answer> or <answer>42</answer>").name
'several_answers'
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rlenv.core.verdict import Flag

OPEN, CLOSE = "<answer>", "</answer>"
_TAG = re.compile(f"{OPEN}|{CLOSE}")
_SPACE = " \t\r\n"


class Answer(NamedTuple):
    """The answer without the white space around it, and its span; the last of several."""

    text: str
    start: int
    end: int


def read(said: str) -> Answer | Flag:
    """The answer, or the flag that says why there is none."""
    found = list(_TAG.finditer(said))
    if not found:
        return Flag("no_answer", 0, len(said), f"expected {OPEN}...{CLOSE}")
    for place, tag in enumerate(found):
        expected = CLOSE if place % 2 else OPEN
        if tag[0] != expected:
            return Flag("broken_tags", tag.start(), tag.end(), f"expected {expected}, got {tag[0]}")
    if len(found) % 2:
        return Flag("broken_tags", found[-1].start(), len(said), f"{CLOSE} is missing")
    pairs = zip(found[::2], found[1::2], strict=True)
    answers = {said[open_.end() : close.start()].strip(_SPACE) for open_, close in pairs}
    if len(answers) > 1:
        return Flag("several_answers", found[0].start(), found[-1].end(), f"{len(answers)} different answers")
    answer = answers.pop()
    start = said.index(answer, found[-2].end())
    return Answer(answer, start, start + len(answer))


def write(answer: str) -> str:
    """A completion that gives this answer."""
    return f"{OPEN}{answer}{CLOSE}"
