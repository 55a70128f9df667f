"""What a game is: rules, which stand in the prompt, what it hides, and how it answers one move after the other.

A game is over when it says so or when the turns are used up, and pays once, then, between 0 and 1. Its best player is
a function of the rules, of its own moves and of what it was told: it cannot see what is hidden, and neither can the
prompt, which is made of the rules alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from rlenv.core.jsontypes import Json

BARE, NOTHING = "bare", "?"
"""The rule of games in a few characters, for models trained from nothing; and what they answer to no move."""
Rules: TypeAlias = "Mapping[str, Json]"


class Level(NamedTuple):
    """A level in words, and the most turns that a game of it has."""

    about: str
    turns: int


class Deal(NamedTuple):
    """One game to play."""

    rules: Rules
    """What the player is told, `turns` among it: how often it may speak."""
    hidden: Json
    """What it is not told; None where there is nothing."""
    key: str
    """The same for games that are the same question: it decides the split."""


class Answer(NamedTuple):
    """What a game says to a move."""

    state: Json
    told: str
    pay: float | None = None
    """What the game is worth, where this move ends it."""
    reason: str = ""
    illegal: bool = False
    """The rules forbid the move: nothing happens, and the turn is spent."""


class Game(Protocol):
    """One kind of game. All of it is pure, and all states are JSON."""

    name: str
    about: str
    levels: Mapping[int, Level]
    form: re.Pattern[str]
    """What a readable move looks like, in lower case and single blanks."""
    example: str
    """What a move looks like, as the player is told. It is none itself, so that repeating what was heard is no move."""

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        """A game of the level; None where the draw came to none that fits, and is to be made again."""

    def prompt(self, rules: Rules) -> str:
        """How the game is explained to the player."""

    def start(self, rules: Rules, hidden: Json) -> Json:
        """The state before the first move."""

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        """What becomes of a readable move in this turn, counted from 1."""

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
        """The next move of the best player, who said these moves and heard this of each."""

    def legal(self, state: Json) -> Sequence[str]:
        """Every move that the rules allow."""
