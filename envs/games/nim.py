"""`games/nim-v0`: take from heaps in turn; who takes the last object wins. The other side never errs.

>>> import rlenv
>>> env = rlenv.make("games/nim-v0", level=1)
>>> _ = env.reset(options={"task": {"prompt": "Play.", "rules": {"heaps": [3, 4, 5], "turns": 8}}})
>>> for said in ("[a2]", "[a2]", "[b1]", "[c2]", "[b1]"):                       # the second is not there to take
...     print(*env.step(said)[:2])
I take 3 from C. Left: A 1, B 4, C 2 0.0
A has 1. 0.0
I take 2 from B. Left: A 1, B 1, C 2 0.0
I take 1 from A. Left: A 0, B 1, C 0 0.0
You take the last one. 1.0

Best play is exact (Bouton 1901): who leaves heaps whose exclusive or is 0 wins. Every game begins with one whose
exclusive or is not 0, so the first player wins if it never errs, and one error is enough to lose. A win pays 1.0,
a loss or an unfinished game nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import xor
from typing import cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.game import Answer, Deal, Level, Rules

NAMES = "ABCDE"
SPARE = 2
"""Turns beyond those that the longest game needs."""
HEAPS = {1: (3, 7), 2: (4, 9), 3: (5, 15)}
"""How many heaps, and of how many objects at most."""
_LEFT = re.compile(r"([A-E]) ([0-9]{1,2})(?:, |$)")  # B 4


def _turns(objects: int) -> int:
    """Each side takes one at least."""
    return (objects + 1) // 2 + SPARE


class Nim:
    """Take the last object."""

    name = "nim"
    about = "Nim against a side that never errs"
    levels: Mapping[int, Level] = {
        level: Level(f"{count} heaps of up to {most}", _turns(count * most)) for level, (count, most) in HEAPS.items()
    }
    form = re.compile(r"[a-e] ?[0-9]{1,2}")  # b3
    example = "[X9] (nine from heap X)"

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        count, most = HEAPS[level]
        heaps = [int(size) for size in rng.integers(1, most + 1, size=count)]
        if not reduce(xor, heaps):
            return None
        return Deal({"heaps": heaps, "turns": _turns(sum(heaps))}, None, f"nim {sorted(heaps)}")

    def prompt(self, rules: Rules) -> str:
        return (
            "We play Nim and take objects from heaps in turn: as many as one likes, from one heap. Who takes the last "
            f"object wins. You begin. Heaps: {_shown(cast('list[int]', rules['heaps']))}\nSay the heap and how many in "
            f"square brackets: {self.example}. The last brackets count; a turn without a move that can be made is "
            f"lost, and there are {rules['turns']} turns."
        )

    def start(self, rules: Rules, hidden: Json) -> Json:
        return rules["heaps"]

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        heaps = list(cast("Sequence[int]", state))
        heap, count = NAMES.index(move[0].upper()), int(move[1:])
        if heap >= len(heaps):
            return Answer(state, f"There are heaps {', '.join(NAMES[: len(heaps)])}.", illegal=True)
        if not 1 <= count <= heaps[heap]:
            told = f"{NAMES[heap]} has {heaps[heap]}." if count else "One object is the least to take."
            return Answer(state, told, illegal=True)
        heaps[heap] -= count
        if not any(heaps):
            return Answer(heaps, "You take the last one.", 1.0, "won")
        heap, count = reply_to(heaps)
        heaps[heap] -= count
        told = f"I take {count} from {NAMES[heap]}. Left: {_shown(heaps)}"
        return Answer(heaps, told) if any(heaps) else Answer(heaps, told, 0.0, "lost")

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
        """A move that leaves an exclusive or of 0."""
        left = [told.partition("Left: ")[2] for told in heard if "Left: " in told]
        heaps = [int(size) for _, size in _LEFT.findall(left[-1])] if left else cast("list[int]", rules["heaps"])
        heap, count = reply_to(heaps)
        return f"{NAMES[heap]}{count}"

    def legal(self, state: Json) -> Sequence[str]:
        heaps = zip(NAMES, cast("list[int]", state), strict=False)
        return [f"{name}{count}" for name, size in heaps for count in range(1, size + 1)]


def reply_to(heaps: Sequence[int]) -> tuple[int, int]:
    """The heap and the count of a winning move; where there is none, half of the largest heap, rounded up.

    >>> reply_to([3, 4, 5]), reply_to([1, 4, 5])
    ((0, 2), (2, 3))
    """
    total = reduce(xor, heaps)
    wins = [(heap, size - (size ^ total)) for heap, size in enumerate(heaps) if size ^ total < size]
    largest = max(heaps)
    return wins[0] if wins else (heaps.index(largest), (largest + 1) // 2)


def _shown(heaps: Sequence[int]) -> str:
    return ", ".join(f"{name} {size}" for name, size in zip(NAMES, heaps, strict=False))
