r"""The answer with one of its items left out, or with its letters in another order: a wrong one.

The answer is what is marked last, or else the last lines of a list.

>>> from rlenv.reading import Span
>>> judged("By trains.\nAnswer: A -> B -> C"), judged("1. April\n2. June\n")
(Span(start=19, end=30), Span(start=0, end=17))
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlenv.evidence.catalogue.neighbours import LETTERS
from rlenv.evidence.catalogue.values import is_number
from rlenv.evidence.edit import Edit, Scene, Variant, with_content
from rlenv.evidence.parts import marked
from rlenv.evidence.row import SHORT
from rlenv.reading import Span

_ITEM = re.compile(r"[^,;|\n>*+]*[^,;|\n>*+\s-][^,;|\n>*+]*(?:[,;|\n>*+]+|$)")  # "A ->" and "B" of "A -> B"
_LISTED = re.compile(r"(?m)(?:^[ \t]*(?:\d+[.)]|[-*])[ \t].*\n?)+")  # "1. April" and the lines below it
LONGEST = 400
"""Characters of an answer."""


def judged(text: str) -> Span:
    """Where the answer stands; the whole of a text of one line that marks none; else nowhere."""
    found = [part.place for part in marked(text) if part.text]
    found = found or [Span(*match.span()) for match in _LISTED.finditer(text)]
    whole = Span(0, len(text) if len(text) <= SHORT and "\n" not in text.strip() else 0)
    return (found or [whole])[-1]


def _changed(scene: Scene, place: Span, answer: str, detail: str) -> Variant:
    text = f"{scene.text[: place.start]}{answer}{scene.text[place.end :]}"
    return Variant(scene.task, with_content(scene.completion, text), place, detail)


def _left_out(scene: Scene) -> Iterator[Variant]:
    if is_number(scene.task.reference):
        return
    place = judged(scene.text)
    answer = scene.text[slice(*place)]
    items = [*_ITEM.finditer(answer)] if len(answer) <= LONGEST else []
    if len(items) > 2:
        one = items[int(scene.rng.integers(1, len(items) - 1))]
        left = answer[: one.start()] + answer[one.end() :]
        yield _changed(scene, place, left, f"{one[0].strip()!r} left out")


def _mixed(scene: Scene) -> Iterator[Variant]:
    if is_number(scene.task.reference):
        return
    place = judged(scene.text)
    answer = scene.text[slice(*place)]
    letters = [sign for sign in answer if sign.isalpha()]
    if len(set(letters)) >= LETTERS and len(answer) <= LONGEST:
        drawn = iter(scene.rng.permutation(letters).tolist())
        mixed = "".join(next(drawn) if sign.isalpha() else sign for sign in answer)
        yield _changed(scene, place, mixed, "its letters mixed")


ITEM_LEFT_OUT = Edit("item_left_out", "unpaid", 1, _left_out)
"""An answer without one of its items is another one."""
MIXED_LETTERS = Edit("mixed_letters", "unpaid", 1, _mixed)
"""Letters in any order are no answer."""
