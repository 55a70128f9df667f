"""`games/wordle-v0`: find a word of five letters out of a list, told of each letter whether it is there and in its
place.

>>> import rlenv
>>> env = rlenv.make("games/wordle-v0", level=1)
>>> rules = {"words": ["cause", "cease", "chase", "erase"], "best": 2, "turns": 4}
>>> _ = env.reset(options={"task": {"prompt": "Find it.", "answer": "chase", "rules": rules}})
>>> [env.step(said)[:2] for said in ("[chess]", "[erase]", "[chase]")]   # the first is not in the list
[('It is not in the list.', 0.0), ('--ggg', 0.0), ('ggggg', 0.5)]

`g` stands for a letter in its place, `b` for one that is elsewhere in the word, `-` for one that is not in it; a letter
that comes more often in the guess than in the word is marked as often as it comes in the word, those in their place
first.

Each task has a list of its own, drawn from `data/words.txt` (common words, chosen for this repository). Best play is
exact: the fewest turns within which any word of the list can be found are worked out by a search over all strategies
with guesses out of the list (rlenv.envs.games.deduction). Found within that many it pays 1.0, one and two later 0.5 and
0.25, then the game is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypedDict, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.deduction import Table, guess_within, left_after, turns_needed
from rlenv.envs.games.game import LATE, Answer, Deal, pay_for

LENGTH = 5
RIGHT, ELSEWHERE, ABSENT = "g", "b", "-"
COUNTS = {1: 40, 2: 80, 3: 150}
"""Words in the list of each level."""
MOST_BEST = 5


class _State(TypedDict):
    words: Sequence[str]
    secret: str
    best: int


class Wordle:
    """Find a word."""

    name = "wordle"
    about = "find a word of five letters out of a list"
    levels: Mapping[int, str] = {level: f"a list of {count} words" for level, count in COUNTS.items()}
    form = re.compile(r"[a-z]{5}")  # crane
    example = "[the word]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        bank = all_words()
        words = [bank[i] for i in np.sort(rng.choice(len(bank), size=COUNTS[level], replace=False))]
        secret = words[int(rng.integers(len(words)))]
        best = turns_needed(table(tuple(words)))
        rules: dict[str, Json] = {"words": words, "best": best, "turns": best + len(LATE)}
        return Deal(rules, secret, f"wordle {' '.join(words)} {secret}")

    def most_turns(self, level: int) -> int:
        return MOST_BEST + len(LATE)

    def prompt(self, rules: Mapping[str, Json]) -> str:
        words = cast("list[str]", rules["words"])
        return (
            "I think of one of these words. Find it: to each guess out of the list I write g for a letter in its "
            "place, b for one that is elsewhere in my word, - for one that is not in it (or not so often). Say one "
            f"guess a turn in square brackets: {self.example}. The last brackets count, and a turn without a "
            f"word of the list is lost. {rules['best']} turns earn full marks, and there are "
            f"{rules['turns']}.\n{' '.join(words)}"
        )

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        return {"words": rules["words"], "secret": str(hidden), "best": rules["best"]}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now = cast("_State", state)
        if move not in now["words"]:
            return Answer(state, "It is not in the list.", illegal=True)
        found = move == now["secret"]
        pay = pay_for(turn, now["best"]) if found else None
        return Answer(state, marks(move, now["secret"]), pay, "found" if found else "")

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """A guess after which what is left can be found in the turns that best play has left, or else in the fewest."""
        words = tuple(cast("list[str]", rules["words"]))
        answers = table(words)
        told = [(words.index(move), _number(marked)) for move, marked in zip(said, heard, strict=True) if move in words]
        left = left_after(answers, [move for move, _ in told], [number for _, number in told])
        turns = max(1, cast("int", rules["best"]) - len(said))
        while (guess := guess_within(answers, left, turns)) is None:
            turns += 1
        return words[guess]

    def random_move(self, state: Json, rng: np.random.Generator) -> str:
        words = cast("_State", state)["words"]
        return words[int(rng.integers(len(words)))]


def marks(guess: str, word: str) -> str:
    """A mark for each letter of the guess.

    >>> marks("eerie", "where"), marks("crane", "crane")
    ('b-b-g', 'ggggg')
    """
    left = [w for g, w in zip(guess, word, strict=True) if g != w]
    marked = []
    for g, w in zip(guess, word, strict=True):
        if g == w:
            marked.append(RIGHT)
        elif g in left:
            left.remove(g)
            marked.append(ELSEWHERE)
        else:
            marked.append(ABSENT)
    return "".join(marked)


@lru_cache(maxsize=1)
def all_words() -> tuple[str, ...]:
    """The words that lists are drawn from, in order."""
    return tuple((Path(__file__).parent / "data" / "words.txt").read_text(encoding="ascii").split())


@lru_cache(maxsize=64)
def table(words: tuple[str, ...]) -> Table:
    """The marks of each guess for each word, as numbers; all right is SOLVED."""
    whole = _whole_table()
    places = {word: place for place, word in enumerate(all_words())}
    if all(word in places for word in words):
        chosen = [places[word] for word in words]
        return whole[np.ix_(chosen, chosen)]
    return np.array([[_number(marks(guess, word)) for word in words] for guess in words])


@lru_cache(maxsize=1)
def _whole_table() -> Table:
    """The table of all words at once, by columns of letters: what `marks` says, in numbers."""
    letters = np.array([[ord(sign) for sign in word] for word in all_words()])  # (words, 5)
    guesses, words = letters[:, None], letters[None]
    right = guesses == words  # (words, words, 5)
    total = np.zeros(right.shape[:2], dtype=np.int64)
    for place in range(LENGTH):
        letter = guesses[..., place, None]
        unmatched = ((words == letter) & ~right).sum(axis=2)
        before = ((guesses == letter) & ~right)[..., :place].sum(axis=2)
        mark = np.where(right[..., place], 0, np.where(before < unmatched, 1, 2))
        total = 3 * total + mark
    return total


def _number(marked: str) -> int:
    """Marks as a number in base 3, where all right is 0."""
    return int(marked.replace(RIGHT, "0").replace(ELSEWHERE, "1").replace(ABSENT, "2"), 3) if marked else 0
