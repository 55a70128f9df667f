r"""The completion with each of its sentences, lines and loops said once.

>>> once("Yes. Yes. It is 4. Yes.")
'Yes. It is 4.'
>>> once("good good good day"), once("f(g(x)) = 11")
('good day', 'f(g(x)) = 11')
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rlenv.core.reading import Span
from rlenv.evidence.edit import Edit, Scene, Variant, with_content
from rlenv.evidence.parts import tokens, units

_LOOP = re.compile(r"(?s)(?<!\w)(\S.{0,80}?)(?:[\s,;]*\1)+(?!\w)")  # "good good good": one of it is left
_RUN = re.compile(r"([\W_])\1{7,}")  # "........" and blanks, of eight signs and more: three are left
_DIGITS = re.compile(r"\d+")  # 1 and 2 of "Step 1" and "Step 2"
NUMBERS = ("no", "once", "twice", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""How a prompt may say how often a thing is to be said, digits aside."""
OFTEN = 4
FENCE = "```"
MOST_CHARS = 20_000
"""Of a text that is looked at for loops: the search takes 80 tries a character."""


def _same(unit: str) -> str:
    """What two units have in common that say the same: of a sentence with a number in it, the words."""
    letters = sum(sign.isalpha() for sign in unit)
    return _DIGITS.sub("0", unit) if letters >= 12 and letters > len(unit) / 2 else unit


def _said(loop: re.Match[str]) -> str:
    """One of a loop; figures and brackets come twice by chance, so that they are left unless they come often."""
    letters = any(sign.isalpha() for sign in loop[1])
    return loop[1] if letters or len(loop[0]) >= OFTEN * len(loop[1]) else loop[0]


def once(text: str) -> str:
    """The text without what it says again."""
    seen: set[str] = set()
    kept = []
    last = 0
    fenced = FENCE in text
    for unit in units(text):
        same = unit.text if fenced else _same(unit.text)  # a program's lines say their numbers
        if same not in seen:
            seen.add(same)
            kept.append(text[last : unit.place.end])
        last = unit.place.end
    said = "".join(kept)
    said = _RUN.sub(r"\1\1\1", said)
    return _LOOP.sub(_said, said) if len(said) <= MOST_CHARS else said


def asked_for(text: str, prompt: str) -> bool:
    """Whether a sentence stands in the text as often as a number of the prompt says.

    >>> asked_for("Be kind. Be kind. Be kind.", "Write three times: be kind.")
    True
    """
    often = max(Counter(unit.text for unit in units(text)).values(), default=0)
    said = {str(often), *(NUMBERS[often : often + 1] if often > 1 else ())}
    return often > 1 and bool(said & set(tokens(prompt)))


def _said_once(scene: Scene) -> Iterator[Variant]:
    text = scene.text
    shorter = once(text)
    if len(shorter) < len(text.rstrip()):
        yield Variant(scene.task, with_content(scene.completion, shorter), Span(0, len(text)), "each part said once")


SAID_ONCE = Edit("said_once", "same", 1, _said_once)
"""Saying a thing again does nothing for a task."""
