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
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple, TypedDict, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.game import Answer, Deal

PEGS = "ABC"
_SHOWN = re.compile(r"([ABC]): ([0-9 ]+|-)")  # A: 3 1


class Discs(NamedTuple):
    """A level: how many discs, and the fewest moves that a game of it takes at least."""

    number: int
    least: int


LEVELS = {1: Discs(3, 5), 2: Discs(4, 10), 3: Discs(5, 20)}


class _State(TypedDict):
    discs: str
    goal: str
    best: int


class Hanoi:
    """Move the discs."""

    name = "hanoi"
    about = "the towers of Hanoi between any two positions"
    levels: Mapping[int, str] = {
        level: f"{discs.number} discs, {discs.least} to {2**discs.number - 1} moves" for level, discs in LEVELS.items()
    }
    form = re.compile(r"[a-c] ?(?:to|->)? ?[a-c]")  # ac, a to c
    example = "[XY] (from peg X to peg Y)"

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        count, least = LEVELS[level]
        start, goal = ("".join(rng.choice(list(PEGS), size=count)) for _ in range(2))
        best = distances(goal)[start]
        if best < least:
            return None
        rules: dict[str, Json] = {"start": start, "goal": goal, "best": best, "turns": 2 * best}
        return Deal(rules, None, f"hanoi {_renamed(start + goal)}")

    def most_turns(self, level: int) -> int:
        return 2 * ((1 << LEVELS[level].number) - 1)

    def prompt(self, rules: Mapping[str, Json]) -> str:
        return (
            "Towers of Hanoi: move one disc a turn, the topmost of a peg, never onto a smaller one. Each peg is "
            f"written from bottom to top, disc 1 is the smallest.\nNow: {shown(str(rules['start']))}\nGoal: "
            f"{shown(str(rules['goal']))}\nSay one move a turn in square brackets: {self.example}. "
            f"The last brackets count; a turn without a move that can be made is lost. {rules['best']} turns earn "
            f"full marks, more earn less, and there are {rules['turns']}."
        )

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        return {"discs": rules["start"], "goal": rules["goal"], "best": rules["best"]}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now = cast("_State", state)
        discs, source, target = now["discs"], move[0].upper(), move[-1].upper()
        moved = discs.find(source)
        if moved < 0:
            return Answer(state, f"{source} is empty.", illegal=True)
        below = discs.find(target)
        if below <= moved and below >= 0:
            why = "It lies there already." if below == moved else f"Disc {moved + 1} may not lie on disc {below + 1}."
            return Answer(state, why, illegal=True)
        discs = discs[:moved] + target + discs[moved + 1 :]
        after: _State = {"discs": discs, "goal": now["goal"], "best": now["best"]}
        if discs != now["goal"]:
            return Answer(cast("Json", after), shown(discs))
        return Answer(cast("Json", after), "Done.", min(1.0, now["best"] / turn), "solved")

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """The first move that comes nearer."""
        seen = [told for told in heard if told.startswith("A: ")]
        discs = _read(seen[-1]) if seen else str(rules["start"])
        far = distances(str(rules["goal"]))
        return next(move for move, after in moves_from(discs) if far[after] == far[discs] - 1)

    def random_move(self, state: Json, rng: np.random.Generator) -> str:
        moves = [move for move, _ in moves_from(cast("_State", state)["discs"])]
        return moves[int(rng.integers(len(moves)))]


def moves_from(discs: str) -> Iterator[tuple[str, str]]:
    """Each move with the position after it."""
    tops = {peg: place for peg in PEGS if (place := discs.find(peg)) >= 0}
    for source, place in tops.items():
        for target in PEGS:
            if tops.get(target, len(discs)) > place:
                yield source + target, discs[:place] + target + discs[place + 1 :]


@lru_cache(maxsize=1024)
def distances(goal: str) -> Mapping[str, int]:
    """How many moves each position is from the goal; moves can be taken back, so it is the same both ways.

    >>> distances("CCC")["AAA"]
    7
    """
    far, edge = {goal: 0}, [goal]
    while edge:
        around = [(after, far[discs] + 1) for discs in edge for _, after in moves_from(discs)]
        edge = []
        for after, steps in around:
            if after not in far:
                far[after] = steps
                edge.append(after)
    return far


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


def _renamed(pegs: str) -> str:
    """The same for questions that differ in the names of the pegs."""
    return min(pegs.translate(str.maketrans(PEGS, "".join(names))) for names in permutations(PEGS))
