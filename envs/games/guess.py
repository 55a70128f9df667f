"""`games/guess-v0`: find a whole number by guesses that are answered with higher or lower.

>>> import rlenv
>>> env = rlenv.make("games/guess-v0", level=1)
>>> rules = {"low": 1, "high": 100, "best": 7, "turns": 9}
>>> _ = env.reset(options={"task": {"prompt": "Guess.", "answer": 63, "rules": rules}})
>>> [env.step(said)[:2] for said in ("[50]", "Then 75.", "[75]", "[63]")]   # the second holds no move, and is spent
[('higher', 0.0), ('I see no move. Say it like this: [number]', 0.0), ('lower', 0.0), ('correct', 1.0)]

Best play is exact: n numbers need floor(log2 n) + 1 guesses in the worst case, whoever guesses, and halving what is
left needs no more. Found within that many it pays 1.0, one and two guesses later 0.5 and 0.25, then the game is lost.

Level 0 is written in a few characters (`12300-12314?`, `12307`, `H`), for models that are trained from nothing:
fifteen numbers from a multiple of a hundred on, four guesses for full marks, a fifth for half of them. There are 899
such ranges, so that a model has to read which one it is; with a tenth as many it learns the ones it saw by heart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.game import BARE, LATE, NOTHING, Answer, Deal, pay_for

HIGHER, LOWER, CORRECT = "higher", "lower", "correct"
BRIEF = {HIGHER: "H", LOWER: "L", CORRECT: "Y"}
"""What level 0 says instead."""


class _Rules(TypedDict):
    low: int
    high: int
    best: int
    turns: int


class _State(TypedDict):
    low: int
    high: int
    secret: int
    best: int
    bare: bool


class Span(NamedTuple):
    """How many numbers a level has, where they may begin, and how many turns there are beyond those of best play."""

    numbers: int
    starts: range
    late: int = len(LATE)

    @property
    def best(self) -> int:
        return self.numbers.bit_length()

    @property
    def turns(self) -> int:
        return self.best + self.late


SPANS = {
    0: Span(15, range(10_000, 99_900, 100), late=1),
    1: Span(100, range(1, 902)),
    2: Span(1_000, range(1, 9_002)),
    3: Span(10_000, range(1, 90_002)),
}


class Guess:
    """Guess a number."""

    name = "guess"
    about = "guess a number, told higher or lower"
    levels: Mapping[int, str] = {
        0: "15 numbers, in a few characters",
        1: "100 numbers",
        2: "1,000 numbers",
        3: "10,000 numbers",
    }
    form = re.compile(r"-?[0-9]{1,9}")  # 42
    example = "[number]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        span = SPANS[level]
        low = span.starts[int(rng.integers(len(span.starts)))]
        high, secret = low + span.numbers - 1, low + int(rng.integers(span.numbers))
        rules: dict[str, Json] = {"low": low, "high": high, "best": span.best, "turns": span.turns}
        return Deal(rules if level else {**rules, BARE: True}, secret, f"guess {low}-{high}")

    def most_turns(self, level: int) -> int:
        return SPANS[level].turns

    def prompt(self, rules: Mapping[str, Json]) -> str:
        if rules.get(BARE):
            return f"{rules['low']}-{rules['high']}?"
        return (
            f"I think of a whole number from {rules['low']} to {rules['high']}. Guess it: I answer higher, lower or "
            f"correct. Say one guess a turn in square brackets: {self.example}. The last brackets count, and "
            f"a turn without a guess is lost. {rules['best']} turns earn full marks, and there are {rules['turns']}."
        )

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        given = cast("_Rules", rules)
        state: _State = {
            "low": given["low"],
            "high": given["high"],
            "secret": int(cast("int", hidden)),
            "best": given["best"],
            "bare": bool(rules.get(BARE)),
        }
        return cast("Json", state)

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now, guess = cast("_State", state), int(move)
        if not now["low"] <= guess <= now["high"]:
            told = NOTHING if now["bare"] else f"It is from {now['low']} to {now['high']}."
            return Answer(state, told, illegal=True)
        secret, bare = now["secret"], now["bare"]
        if guess == secret:
            return Answer(state, BRIEF[CORRECT] if bare else CORRECT, pay_for(turn, now["best"]), "found")
        told = HIGHER if guess < secret else LOWER
        return Answer(state, BRIEF[told] if bare else told)

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """The middle of what is left."""
        given = cast("_Rules", rules)
        low, high = given["low"], given["high"]
        for move, told in zip(said, heard, strict=True):
            if told in (HIGHER, BRIEF[HIGHER]):
                low = max(low, int(move) + 1)
            elif told in (LOWER, BRIEF[LOWER]):
                high = min(high, int(move) - 1)
        return str((low + high) // 2)

    def random_move(self, state: Json, rng: np.random.Generator) -> str:
        now = cast("_State", state)
        return str(int(rng.integers(now["low"], now["high"] + 1)))
