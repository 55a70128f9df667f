r"""The parts of a text by its structure: sentences and lines, and the places where an answer is marked.

>>> [p.text for p in units("Take 3.5 g. 'Stir!' it says\n- then wait")]
['Take 3.5 g.', "'Stir!'", 'it says', '- then wait']
>>> [p.text for p in marked(r"\boxed{7} or <answer>8</answer>" "\nAnswer: 9")]
['7', '8', '9']
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import NamedTuple

from rlenv.core.reading import Span

READ = 128
"""Texts whose parts are remembered: edits and detectors look at one group's completions again and again."""
_UNIT = re.compile(r"[^\n]+?(?:[.!?。！？]+['\"”’»)]?(?=\s|$)|(?<=[。！？])|(?=\n)|$)")
# takes "Stir!" of "Stir! Wait" and "'Stir.'" of "'Stir.' Yes", not "3." of "3.5"; a line break ends a unit too
_MARKS = (
    re.compile(r"\\boxed\{([^{}]*)\}"),  # \boxed{7}
    re.compile(r"<answer>(.*?)</answer>", re.DOTALL),  # <answer>7</answer>
    re.compile(r"####[ \t]*([^\n]*)"),  # #### 7
    re.compile(r"(?m)^[^\w\n]{0,20}(?:final )?answer[^\w\n]{0,20}:[ \t]*([^\n]*)", re.IGNORECASE),  # Answer: 7
)
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")  # "Ab-3.5" is Ab and 3.5
_NUMBER = re.compile(r"(?<![\w.])(?!(?m:^)\d+[.)][ \t])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|\.\d)")
# takes -3, 1,250 and 3.5; not v2, 1.2.3 and the "1. " of a list
_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)  # a fenced block
_TICKED = re.compile(r"`([^`\n]+)`")  # `n + 1`


class Frame(NamedTuple):
    """What stands around an answer in completions that are right elsewhere."""

    name: str
    before: str
    after: str

    def around(self, answer: str) -> str:
        return f"{self.before}{answer}{self.after}"


FRAMES = (
    Frame("boxed", "\\boxed{", "}"),
    Frame("answer tags", "<answer>", "</answer>"),
    Frame("answer line", "Answer: ", ""),
    Frame("hashes", "#### ", ""),
)
"""Those that models are told to use."""
BARE = Frame("bare", "", "")


class Part(NamedTuple):
    """A stretch of a text."""

    text: str
    place: Span


@lru_cache(maxsize=READ)
def units(text: str) -> tuple[Part, ...]:
    """The sentences and lines, blank ones left out."""
    found = []
    for match in _UNIT.finditer(text):
        said = match[0].strip()
        if said:
            start = match.start() + match[0].index(said)
            found.append(Part(said, Span(start, start + len(said))))
    return tuple(found)


@lru_cache(maxsize=READ)
def marked(text: str) -> tuple[Part, ...]:
    """What stands in boxes, answer tags and answer lines, in order of their place."""
    found = [
        Part(match[1].strip(), Span(match.start(1), match.end(1)))
        for pattern in _MARKS
        for match in pattern.finditer(text)
    ]
    return tuple(sorted(found, key=lambda part: part.place))


@lru_cache(maxsize=READ)
def tokens(text: str) -> tuple[str, ...]:
    """Words and numbers, in lower case."""
    return tuple(_TOKEN.findall(text.casefold()))


@lru_cache(maxsize=READ)
def numbers(text: str) -> tuple[Part, ...]:
    """The numbers of a text, without their thousands commas."""
    return tuple([Part(match[0].replace(",", ""), Span(*match.span())) for match in _NUMBER.finditer(text)])


def standing(text: str, value: str) -> Span | None:
    """Where a value stands first in a text, with no letter, digit or _ beside it; None where it stands nowhere.

    >>> standing("142 or 42", "42"), standing("142", "42")
    (Span(start=7, end=9), None)
    """
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        if not any(sign.isalnum() or sign == "_" for sign in text[max(0, start - 1) : start] + text[end : end + 1]):
            return Span(start, end)
        start = text.find(value, start + 1)
    return None


def program(text: str) -> tuple[int, int] | None:
    """Where the last program of a text stands, None where there is none."""
    for pattern in (_FENCED, _TICKED) if "`" in text else ():
        found = list(pattern.finditer(text))
        if found:
            return found[-1].span(1)
    return None


SIGNS = ("aeiou", "".join(sign for sign in string.ascii_lowercase if sign not in "aeiou"), "123456789")


def other_signs(text: str, *steps: int) -> str:
    """The text with other letters and digits: vowels for vowels, no 0; of each kind the one so many steps on.

    >>> other_signs("Anne Boleyn, 1530", 1, 1, 2)
    'Eppi Cumizp, 3750'
    """
    other: dict[int, str] = {}
    for signs, step in zip(SIGNS, steps, strict=True):
        for place, sign in enumerate(signs):
            new = signs[(place + step) % len(signs)]
            other |= {ord(sign): new, ord(sign.upper()): new.upper()}
    return text.translate(other)
