"""All honest items, the same ones each time, dealt out to the halves."""

from __future__ import annotations

from random import Random

from .algebra import algebra_item
from .item import Item
from .long import long_item
from .programs import program_items
from .several import several_item
from .words import word_item
from .written import prose_items, written_items

MADE = {
    "word": (word_item, 700),
    "algebra": (algebra_item, 560),
    "long": (long_item, 360),
    "several": (several_item, 400),
}


def pool(half: str, *kinds: str, first: int = 0) -> list[Item]:
    """The items of these kinds in a half, in a fixed order; what is made by code is in one half only.

    Items by hand are too few to be split; the templates made of them are not shared.
    """
    items: list[Item] = []
    for kind in kinds:
        items += _items(kind, half, first)
    Random(f"{half}/{kinds}").shuffle(items)
    return items


def _items(kind: str, half: str, first: int) -> list[Item]:
    if kind in MADE:
        return _made(kind, half, first)
    if kind == "program":
        return program_items(half)
    return written_items() if kind == "written" else prose_items()


def _made(kind: str, half: str, first: int) -> list[Item]:
    make, count = MADE[kind]
    found: dict[str, Item] = {}
    for number in range(first, first + count):
        item = make(Random(f"{kind}/{number}"), number)
        found.setdefault(item.prompt, item)
    start = 0 if half == "tuning" else 1
    return list(found.values())[start::2]
