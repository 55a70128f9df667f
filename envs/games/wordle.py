"""`games/wordle-v0`: find a word of five letters out of a list, told of each letter whether it is in its place.

>>> import rlenv
>>> env = rlenv.make("games/wordle-v0", level=1)
>>> rules = {"words": ["cause", "cease", "chase", "erase"], "best": 2, "turns": 4}
>>> _ = env.reset(options={"task": {"prompt": "Find it.", "answer": "chase", "rules": rules}})
>>> [env.step(said)[:2] for said in ("[chess]", "[erase]", "[chase]")]   # the first is not in the list
[('It is not in the list.', 0.0), ('--ggg', 0.0), ('ggggg', 0.5)]

`g` stands for a letter in its place, `b` for one that is elsewhere in the word, `-` for one that is not in it; a letter
that comes more often in the guess than in the word is marked as often as it comes in the word, those in their place
first. Each task has a list of its own, drawn from `data/words.txt` (common words, chosen for this repository).

Best play is exact: the fewest turns within which any word of the list can be found are worked out by a search over all
strategies with guesses out of the list (rlenv.envs.games.deduction). Found within that many it pays 1.0, one and two
later 0.5 and 0.25, then the game is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.deduction import LATE, asking, guess_within, left_after, pay_for, turns_needed, word_table
from rlenv.envs.games.game import Answer, Deal, Level, Rules

MARKS = "gb-"
"""In its place, elsewhere, not there: the digits 0, 1 and 2 of an answer as a number."""
COUNTS = {1: 40, 2: 80, 3: 150}
"""Words in the list of each level."""
MOST_BEST = 5


class Wordle:
    """Find a word."""

    name = "wordle"
    about = "find a word of five letters out of a list"
    levels: Mapping[int, Level] = {
        level: Level(f"a list of {count} words", MOST_BEST + len(LATE)) for level, count in COUNTS.items()
    }
    form = re.compile(r"[a-z]{5}")  # crane
    example = "[the word]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        bank = all_words()
        words = [bank[i] for i in np.sort(rng.choice(len(bank), size=COUNTS[level], replace=False))]
        secret = words[int(rng.integers(len(words)))]
        best = turns_needed(word_table(tuple(words)))
        return Deal(
            {"words": words, "best": best, "turns": best + len(LATE)}, secret, f"wordle {' '.join(words)} {secret}"
        )

    def prompt(self, rules: Rules) -> str:
        return (
            "I think of one of these words. Find it: to each guess out of the list I write g for a letter in its "
            "place, b for one that is elsewhere in my word, - for one that is not in it (or not so often). "
            f"{asking(self.example, rules, 'word of the list')}\n{' '.join(_words(rules))}"
        )

    def start(self, rules: Rules, hidden: Json) -> Json:
        return {"words": rules["words"], "secret": str(hidden), "best": rules["best"]}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now = cast("Rules", state)
        if move not in _words(now):
            return Answer(state, "It is not in the list.", illegal=True)
        secret, best = cast("str", now["secret"]), cast("int", now["best"])
        pay, reason = (pay_for(turn, best), "found") if move == secret else (None, "")
        return Answer(state, marks(move, secret), pay, reason)

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
        """A guess after which what is left can be found in the turns that best play has left, or else in the fewest."""
        words = tuple(_words(rules))
        answers = word_table(words)
        told = [(words.index(move), _number(marked)) for move, marked in zip(said, heard, strict=True) if move in words]
        left = left_after(answers, [move for move, _ in told], [number for _, number in told])
        turns = max(1, cast("int", rules["best"]) - len(said))
        while (guess := guess_within(answers, left, turns)) is None:
            turns += 1
        return words[guess]

    def legal(self, state: Json) -> Sequence[str]:
        return _words(cast("Rules", state))


def marks(guess: str, word: str) -> str:
    """A mark for each letter of the guess.

    >>> marks("eerie", "where"), marks("crane", "crane")
    ('b-b-g', 'ggggg')
    """
    left = [w for g, w in zip(guess, word, strict=True) if g != w]
    marked = ""
    for g, w in zip(guess, word, strict=True):
        marked += MARKS[0 if g == w else 1 if g in left else 2]
        if marked[-1] == MARKS[1]:
            left.remove(g)
    return marked


@lru_cache(maxsize=1)
def all_words() -> tuple[str, ...]:
    """The words that lists are drawn from, in order."""
    return tuple((Path(__file__).parent / "data" / "words.txt").read_text(encoding="ascii").split())


def _words(rules: Rules) -> list[str]:
    return cast("list[str]", rules["words"])


def _number(marked: str) -> int:
    """Marks as a number in base 3, where all right is 0."""
    return int(marked.translate(str.maketrans(MARKS, "012")), 3)
