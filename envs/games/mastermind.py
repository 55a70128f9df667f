"""`games/mastermind-v0`: find a row of coloured pegs by guesses, told how many pegs are right and how many misplaced.

>>> import rlenv
>>> env = rlenv.make("games/mastermind-v0", level=3)
>>> rules = {"pegs": 4, "colours": "abcdef", "best": 5, "turns": 7}
>>> _ = env.reset(options={"task": {"prompt": "Find it.", "answer": "beca", "rules": rules}})
>>> [env.step(said)[:2] for said in ("[aabb]", "[beef]", "[beca]")]
[('0 right, 2 misplaced', 0.0), ('2 right, 0 misplaced', 0.0), ('4 right, 0 misplaced', 1.0)]

The best player takes the guess whose worst answer leaves the fewest codes (Knuth 1977, The computer as Master Mind).
Its worst case is exact: a search over all strategies finds none that promises fewer turns (rlenv.envs.games.deduction).
Found within that many turns it pays 1.0, one and two later 0.5 and 0.25, then the game is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.deduction import LATE, asking, code_table, codes, left_after, minimax_guess, pay_for
from rlenv.envs.games.game import Answer, Deal, Level, Rules

LETTERS = "abcdefghij"
"""Colours are letters; which of them a game has differs. The tables have the first ones."""
_TOLD = re.compile(r"([0-9]) right, ([0-9]) misplaced")


class Size(NamedTuple):
    """A level: how many pegs and colours, and the worst case of best play."""

    pegs: int
    colours: int
    best: int

    @property
    def level(self) -> Level:
        codes = self.colours**self.pegs
        return Level(f"{self.pegs} pegs of {self.colours} colours, {codes:,} codes", self.best + len(LATE))


SIZES = {1: Size(3, 4, 4), 2: Size(3, 6, 5), 3: Size(4, 6, 5)}


class Mastermind:
    """Find a row of pegs."""

    name = "mastermind"
    about = "Mastermind"
    levels: Mapping[int, Level] = {number: size.level for number, size in SIZES.items()}
    form = re.compile(r"[a-z]{1,6}")  # abca
    example = "[letters]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        pegs, count, best = SIZES[level]
        colours = "".join(sorted(rng.choice(list(LETTERS), size=count, replace=False)))
        secret = "".join(rng.choice(list(colours), size=pegs))
        rules: Rules = {"pegs": pegs, "colours": colours, "best": best, "turns": self.levels[level].turns}
        return Deal(rules, secret, f"mastermind {colours} {secret}")

    def prompt(self, rules: Rules) -> str:
        return (
            f"I hide a row of {rules['pegs']} letters out of {', '.join(str(rules['colours']))}; a letter may come "
            "more than once. Find it. To each guess I say how many letters are right, and how many others are in it "
            f"but misplaced. {asking(self.example, rules)}"
        )

    def start(self, rules: Rules, hidden: Json) -> Json:
        return [str(hidden), rules["colours"], rules["best"]]

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        secret, colours, best = cast("tuple[str, str, int]", state)
        if len(move) != len(secret) or not set(move) <= set(colours):
            return Answer(state, f"A guess is {len(secret)} letters out of {', '.join(colours)}.", illegal=True)
        right, misplaced = compared(move, secret)
        pay, reason = (pay_for(turn, best), "found") if right == len(secret) else (None, "")
        return Answer(state, f"{right} right, {misplaced} misplaced", pay, reason)

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
        """The minimax guess among all codes, from what fits the answers so far."""
        pegs, colours = cast("int", rules["pegs"]), str(rules["colours"])
        letters = LETTERS[: len(colours)]
        told = [(move, _TOLD.fullmatch(answer)) for move, answer in zip(said, heard, strict=True)]
        marks = [(move, int(m[1]) * (pegs + 1) + int(m[2]) + 1) for move, m in told if m]
        places = str.maketrans(colours, letters)
        history = tuple((move.translate(places), mark) for move, mark in marks)
        return _next(pegs, len(colours), history).translate(str.maketrans(letters, colours))

    def legal(self, state: Json) -> Sequence[str]:
        secret, colours, _ = cast("tuple[str, str, int]", state)
        return ["".join(code) for code in product(colours, repeat=len(secret))]


def compared(guess: str, secret: str) -> tuple[int, int]:
    """How many pegs are right, and how many others are misplaced.

    >>> compared("aabb", "abca"), compared("aaaa", "abca")
    ((1, 2), (2, 0))
    """
    right = sum(a == b for a, b in zip(guess, secret, strict=True))
    return right, (Counter(guess) & Counter(secret)).total() - right


@lru_cache(maxsize=4096)
def _next(pegs: int, colours: int, history: tuple[tuple[str, int], ...]) -> str:
    all_codes, answers = codes(pegs, colours), code_table(pegs, colours)
    left = left_after(answers, [all_codes.index(move) for move, _ in history], [mark for _, mark in history])
    return all_codes[minimax_guess(answers, left)]
