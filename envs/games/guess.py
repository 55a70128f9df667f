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
from rlenv.envs.games.deduction import LATE, asking, pay_for
from rlenv.envs.games.game import BARE, NOTHING, Answer, Deal, Level, Rules

HIGHER, LOWER, CORRECT = "higher", "lower", "correct"
BRIEF = {HIGHER: "H", LOWER: "L", CORRECT: "Y"}
"""What level 0 says instead."""


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
    def level(self) -> Level:
        return Level(
            f"{self.numbers:,} numbers{'' if self.late > 1 else ', in a few characters'}", self.best + self.late
        )


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
    levels: Mapping[int, Level] = {number: span.level for number, span in SPANS.items()}
    form = re.compile(r"-?[0-9]{1,9}")  # 42
    example = "[number]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        span = SPANS[level]
        low = span.starts[int(rng.integers(len(span.starts)))]
        high, secret = low + span.numbers - 1, low + int(rng.integers(span.numbers))
        rules: Rules = {"low": low, "high": high, "best": span.best, "turns": span.level.turns}
        return Deal(rules if level else {**rules, BARE: True}, secret, f"guess {low}-{high}")

    def prompt(self, rules: Rules) -> str:
        if rules.get(BARE):
            return f"{rules['low']}-{rules['high']}?"
        return (
            f"I think of a whole number from {rules['low']} to {rules['high']}. Guess it: I answer higher, lower or "
            f"correct. {asking(self.example, rules)}"
        )

    def start(self, rules: Rules, hidden: Json) -> Json:
        kept = {name: rules[name] for name in ("low", "high", "best")}
        return {**kept, "secret": int(cast("int", hidden)), "bare": bool(rules.get(BARE))}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now, guess = cast("_State", state), int(move)
        secret, bare = now["secret"], now["bare"]
        if not now["low"] <= guess <= now["high"]:
            return Answer(state, NOTHING if bare else f"It is from {now['low']} to {now['high']}.", illegal=True)
        told = CORRECT if guess == secret else HIGHER if guess < secret else LOWER
        pay, reason = (pay_for(turn, now["best"]), "found") if guess == secret else (None, "")
        return Answer(state, BRIEF[told] if bare else told, pay, reason)

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
        """The middle of what is left."""
        low, high = cast("int", rules["low"]), cast("int", rules["high"])
        for move, told in zip(said, heard, strict=True):
            if told in (HIGHER, BRIEF[HIGHER]):
                low = max(low, int(move) + 1)
            elif told in (LOWER, BRIEF[LOWER]):
                high = min(high, int(move) - 1)
        return str((low + high) // 2)

    def legal(self, state: Json) -> Sequence[str]:
        now = cast("_State", state)
        return [str(number) for number in range(now["low"], now["high"] + 1)]
