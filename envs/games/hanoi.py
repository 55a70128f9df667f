"""`games/hanoi-v0`: the towers of Hanoi, from any position to any other.

>>> import rlenv
>>> env = rlenv.make("games/hanoi-v0", level=1)
>>> rules = {"start": "AAB", "goal": "CCB", "best": 3, "turns": 6}       # the pegs of discs 1 (the smallest), 2 and 3
>>> _ = env.reset(options={"task": {"prompt": "Play.", "rules": rules}})
>>> [env.step(said)[:2] for said in ("[A to B]", "[AC]", "[AC]", "[BC]")]                # the third finds A empty
[('A: 2, B: 3 1, C: -', 0.0), ('A: -, B: 3 1, C: 2', 0.0), ('A is empty.', 0.0), ('Done.', 0.75)]

Best play is exact: breadth-first search over all positions gives the fewest moves from each. Reached in that many moves
it pays 1.0, in more the share best / moves; after twice as many the game is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.boards import PEGS, distances, moves_from, renamed
from rlenv.envs.games.game import Answer, Deal, Level, Rules

_SHOWN = re.compile(r"([ABC]): ([0-9 ]+|-)")  # A: 3 1
DISCS = {1: (3, 5), 2: (4, 10), 3: (5, 20)}
"""How many discs, and the fewest moves that a game takes at least."""


class Hanoi:
    """Move the discs."""

    name = "hanoi"
    about = "the towers of Hanoi between any two positions"
    levels: Mapping[int, Level] = {
        level: Level(f"{discs} discs, {least} to {2**discs - 1} moves", 2 * (2**discs - 1))
        for level, (discs, least) in DISCS.items()
    }
    form = re.compile(r"[a-c] ?(?:to|->)? ?[a-c]")  # ac, a to c
    example = "[XY] (from peg X to peg Y)"

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        count, least = DISCS[level]
        start, goal = ("".join(rng.choice(list(PEGS), size=count)) for _ in range(2))
        best = distances(goal)[start]
        if best < least:
            return None
        rules: Rules = {"start": start, "goal": goal, "best": best, "turns": 2 * best}
        return Deal(rules, None, f"hanoi {renamed(start + goal)}")

    def prompt(self, rules: Rules) -> str:
        return (
            "Towers of Hanoi: move one disc a turn, the topmost of a peg, never onto a smaller one. Each peg is "
            f"written from bottom to top, disc 1 is the smallest.\nNow: {shown(str(rules['start']))}\nGoal: "
            f"{shown(str(rules['goal']))}\nSay one move a turn in square brackets: {self.example}. "
            f"The last brackets count; a turn without a move that can be made is lost. {rules['best']} turns earn "
            f"full marks, more earn less, and there are {rules['turns']}."
        )

    def start(self, rules: Rules, hidden: Json) -> Json:
        return [rules["start"], rules["goal"], rules["best"]]

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        discs, goal, best = cast("tuple[str, str, int]", state)
        source, target = move[0].upper(), move[-1].upper()
        moved, below = discs.find(source), discs.find(target)
        if moved < 0:
            return Answer(state, f"{source} is empty.", illegal=True)
        if 0 <= below <= moved:
            why = "It lies there already." if below == moved else f"Disc {moved + 1} may not lie on disc {below + 1}."
            return Answer(state, why, illegal=True)
        discs = discs[:moved] + target + discs[moved + 1 :]
        if discs != goal:
            return Answer([discs, goal, best], shown(discs))
        return Answer([discs, goal, best], "Done.", min(1.0, best / turn), "solved")

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
        """The first move that comes nearer."""
        seen = [told for told in heard if told.startswith("A: ")]
        discs = _read(seen[-1]) if seen else str(rules["start"])
        far = distances(str(rules["goal"]))
        return next(move for move, after in moves_from(discs) if far[after] == far[discs] - 1)

    def legal(self, state: Json) -> Sequence[str]:
        return [move for move, _ in moves_from(cast("list[str]", state)[0])]


def shown(discs: str) -> str:
    """Each peg with its discs from bottom to top.

    >>> shown("AAB")
    'A: 2 1, B: 3, C: -'
    """
    lying = {peg: [str(place + 1) for place in reversed(range(len(discs))) if discs[place] == peg] for peg in PEGS}
    return ", ".join(f"{peg}: {' '.join(numbers) or '-'}" for peg, numbers in lying.items())


def _read(text: str) -> str:
    pegs = {int(disc): peg for peg, discs in _SHOWN.findall(text) for disc in discs.split() if disc != "-"}
    return "".join(pegs[disc] for disc in sorted(pegs))
