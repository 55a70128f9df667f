"""`games/mastermind-v0`: find a row of coloured pegs by guesses, told how many pegs are right and how many misplaced.

>>> import rlenv
>>> env = rlenv.make("games/mastermind-v0", level=3)
>>> rules = {"pegs": 4, "colours": "abcdef", "best": 5, "turns": 7}
>>> _ = env.reset(options={"task": {"prompt": "Find it.", "answer": "beca", "rules": rules}})
>>> [env.step(said)[:2] for said in ("[aabb]", "[beef]", "[beca]")]
[('0 right, 2 misplaced', 0.0), ('2 right, 0 misplaced', 0.0), ('4 right, 0 misplaced', 1.0)]

The best player takes the guess whose worst answer leaves the fewest codes (Knuth 1977, The computer as Master Mind).
Its worst case is exact: a search over all strategies finds none that promises fewer turns (rlenv.envs.games.deduction;
tests/envs/test_games_mastermind.py). Found within that many turns it pays 1.0, one and two later 0.5 and 0.25, then the
game is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypedDict, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.deduction import SOLVED, Table, left_after, minimax_guess
from rlenv.envs.games.game import LATE, Answer, Deal, pay_for

LETTERS = "abcdefghij"
"""Colours are letters; which of them a game has differs."""
_TOLD = re.compile(r"([0-9]) right, ([0-9]) misplaced")


class Size(NamedTuple):
    """A level: how many pegs and colours, and the worst case of best play."""

    pegs: int
    colours: int
    best: int


SIZES = {1: Size(3, 4, 4), 2: Size(3, 6, 5), 3: Size(4, 6, 5)}


class _State(TypedDict):
    secret: str
    colours: str
    best: int


class Mastermind:
    """Find a row of pegs."""

    name = "mastermind"
    about = "Mastermind"
    levels: Mapping[int, str] = {
        level: f"{size.pegs} pegs of {size.colours} colours, {size.colours**size.pegs:,} codes"
        for level, size in SIZES.items()
    }
    form = re.compile(r"[a-z]{1,6}")  # abca
    example = "[letters]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        size = SIZES[level]
        colours = "".join(sorted(rng.choice(list(LETTERS), size=size.colours, replace=False)))
        secret = "".join(rng.choice(list(colours), size=size.pegs))
        rules: dict[str, Json] = {
            "pegs": size.pegs,
            "colours": colours,
            "best": size.best,
            "turns": size.best + len(LATE),
        }
        return Deal(rules, secret, f"mastermind {colours} {secret}")

    def most_turns(self, level: int) -> int:
        return SIZES[level].best + len(LATE)

    def prompt(self, rules: Mapping[str, Json]) -> str:
        pegs, colours = cast("int", rules["pegs"]), str(rules["colours"])
        return (
            f"I hide a row of {pegs} letters out of {', '.join(colours)}; a letter may come more than once. Find it. "
            "To each guess I say how many letters are right, and how many others are in it but misplaced. Say one "
            f"guess a turn in square brackets: {self.example}. The last brackets count, and a turn without a guess is "
            f"lost. {rules['best']} turns earn full marks, and there are {rules['turns']}."
        )

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        return {"secret": str(hidden), "colours": rules["colours"], "best": rules["best"]}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now = cast("_State", state)
        secret = now["secret"]
        if len(move) != len(secret) or not set(move) <= set(now["colours"]):
            return Answer(state, f"A guess is {len(secret)} letters out of {', '.join(now['colours'])}.", illegal=True)
        right, misplaced = compared(move, secret)
        found = right == len(secret)
        pay = pay_for(turn, now["best"]) if found else None
        return Answer(state, f"{right} right, {misplaced} misplaced", pay, "found" if found else "")

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """The minimax guess among all codes, from what fits the answers so far."""
        pegs, colours = cast("int", rules["pegs"]), str(rules["colours"])
        told = [(move, _TOLD.fullmatch(answer)) for move, answer in zip(said, heard, strict=True)]
        marks = [(move, int(m[1]) * (pegs + 1) + int(m[2])) for move, m in told if m]
        places = str.maketrans(colours, LETTERS[: len(colours)])
        history = tuple((move.translate(places), mark) for move, mark in marks)
        return _next(pegs, len(colours), history).translate(str.maketrans(LETTERS[: len(colours)], colours))

    def random_move(self, state: Json, rng: np.random.Generator) -> str:
        now = cast("_State", state)
        return "".join(rng.choice(list(now["colours"]), size=len(now["secret"])))


def compared(guess: str, secret: str) -> tuple[int, int]:
    """How many pegs are right, and how many others are misplaced.

    >>> compared("aabb", "abca"), compared("aaaa", "abca")
    ((1, 2), (2, 0))
    """
    right = sum(a == b for a, b in zip(guess, secret, strict=True))
    return right, (Counter(guess) & Counter(secret)).total() - right


@lru_cache(maxsize=8)
def codes(pegs: int, colours: int) -> tuple[str, ...]:
    """All codes in the first letters."""
    return tuple("".join(code) for code in product(LETTERS[:colours], repeat=pegs))


@lru_cache(maxsize=8)
def table(pegs: int, colours: int) -> Table:
    """The answer to each guess for each code, as `right * (pegs + 1) + misplaced`, all right as SOLVED."""
    signs = np.array([[LETTERS.index(sign) for sign in code] for code in codes(pegs, colours)])  # (codes, pegs)
    right = (signs[:, None] == signs[None]).sum(axis=2)
    counts = (signs[:, :, None] == np.arange(colours)).sum(axis=1)  # (codes, colours)
    both = np.minimum(counts[:, None], counts[None]).sum(axis=2)
    marks = right * (pegs + 1) + both - right
    marks[right == pegs] = SOLVED
    # nothing right at all has the number of SOLVED: it takes the one of all right, which is free
    marks[(right == 0) & (both == 0)] = pegs * (pegs + 1)
    return cast("Table", marks)


@lru_cache(maxsize=4096)
def _next(pegs: int, colours: int, history: tuple[tuple[str, int], ...]) -> str:
    all_codes, answers = codes(pegs, colours), table(pegs, colours)
    marks = [mark or pegs * (pegs + 1) for _, mark in history]
    left = left_after(answers, [all_codes.index(move) for move, _ in history], marks)
    return all_codes[minimax_guess(answers, left)]
