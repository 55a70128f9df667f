"""Which rows are held out: whole prompts, chosen by a hash, so that no prompt stands on both sides.

>>> rows = ["a", "b", "a", "c"]
>>> learned, held = split_by(rows, lambda row: row, share=0.34, seed=0)
>>> sorted({*learned, *held}), set(learned) & set(held), len(set(held))
(['a', 'b', 'c'], set(), 1)
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

Row = TypeVar("Row")


def split_by(rows: Sequence[Row], key: Callable[[Row], str], *, share: float, seed: int) -> tuple[list[Row], list[Row]]:
    """(learned, held out): the share of the keys whose hash is lowest is held out, with all its rows.

    Keys are compared without case and spacing. A key keeps its side when rows are added or change their order, but
    for those near the border.
    """
    folded = [" ".join(key(row).casefold().split()) for row in rows]
    order = sorted(set(folded), key=lambda text: hashlib.blake2b(f"{seed} {text}".encode()).digest())
    held = set(order[: round(share * len(order))])
    return (
        [row for row, text in zip(rows, folded, strict=True) if text not in held],
        [row for row, text in zip(rows, folded, strict=True) if text in held],
    )
