"""Finding what is hidden by guesses that are answered: what it pays, how many guesses it takes, and which do it.

A table holds the answer to each guess for each thing that may be hidden: `table[guess, hidden]` is a small whole
number, and `SOLVED` means that they are the same. What is left after some answers are the columns that fit them.

>>> table = np.array([[SOLVED, 1, 1], [1, SOLVED, 2], [1, 2, SOLVED]])
>>> turns_needed(table), guess_within(table, np.arange(3), 2)
(2, 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from rlenv.envs.games.game import Rules

LATE = (0.5, 0.25)
"""Paid for finding what is hidden one and two turns later than the best player promises to."""
Table = NDArray[np.int64]
Left = NDArray[np.int64]
SOLVED = 0


def pay_for(turn: int, best: int) -> float:
    """What finding it in this turn is worth, where the best player promises to need `best` turns at most.

    >>> [pay_for(turn, 4) for turn in (1, 4, 5, 6, 7)]
    [1.0, 1.0, 0.5, 0.25, 0.0]
    """
    late = turn - best
    return 1.0 if late <= 0 else LATE[late - 1] if late <= len(LATE) else 0.0


def asking(example: str, rules: Rules, guess: str = "guess") -> str:
    """How a prompt asks for guesses."""
    return (
        f"Say one guess a turn in square brackets: {example}. The last brackets count, and a turn without a {guess} is "
        f"lost. {rules['best']} turns earn full marks, and there are {rules['turns']}."
    )


def minimax_guess(table: Table, left: Left) -> int:
    """The guess whose worst answer leaves the fewest (Knuth 1977): of equal ones one that may be right, the first."""
    return int(left[0]) if len(left) <= 2 else int(_in_order(table, left)[0][0])


def guess_within(table: Table, left: Left, turns: int) -> int | None:
    """A guess after which all that is left can be told apart and named within `turns`, this one included.

    None where no guess does: the search leaves nothing out. It tries guesses in order of their worst answer.
    """
    return _Search(table).guess(left, turns)


def turns_needed(table: Table) -> int:
    """The fewest turns within which anything hidden can be found, at the worst."""
    search, everything, turns = _Search(table), np.arange(table.shape[1]), 1
    while search.guess(everything, turns) is None:
        turns += 1
    return turns


def left_after(table: Table, guesses: Sequence[int], answers: Sequence[int]) -> Left:
    """What may still be hidden after these guesses and their answers."""
    fits = np.ones(table.shape[1], dtype=bool)
    for guess, answer in zip(guesses, answers, strict=True):
        fits &= table[guess] == answer
    return np.flatnonzero(fits)


@lru_cache(maxsize=8)
def codes(pegs: int, colours: int) -> tuple[str, ...]:
    """All codes of Mastermind in the first letters."""
    return tuple("".join(code) for code in product(ascii_lowercase[:colours], repeat=pegs))


@lru_cache(maxsize=8)
def code_table(pegs: int, colours: int) -> Table:
    """The answer to each guess for each code, as `right * (pegs + 1) + misplaced + 1`, all right as SOLVED."""
    signs = np.array([[ascii_lowercase.index(sign) for sign in code] for code in codes(pegs, colours)])  # (codes, pegs)
    right = (signs[:, None] == signs[None]).sum(axis=2)
    counts = (signs[:, :, None] == np.arange(colours)).sum(axis=1)  # (codes, colours)
    both = np.minimum(counts[:, None], counts[None]).sum(axis=2)
    return np.where(right == pegs, SOLVED, right * pegs + both + 1)


@lru_cache(maxsize=64)
def word_table(words: tuple[str, ...]) -> Table:
    """What Wordle says of each guess for each word, with g, b and - as the digits 0, 1 and 2 of a number."""
    letters = np.array([[ord(sign) for sign in word] for word in words])  # (words, 5)
    guesses, hidden = letters[:, None], letters[None]
    right = guesses == hidden  # (words, words, 5)
    total = np.zeros(right.shape[:2], dtype=np.int64)
    for place in range(right.shape[2]):
        letter = guesses[..., place, None]
        unmatched = ((hidden == letter) & ~right).sum(axis=2)
        before = ((guesses == letter) & ~right)[..., :place].sum(axis=2)
        total = 3 * total + np.where(right[..., place], 0, np.where(before < unmatched, 1, 2))
    return total


def _in_order(table: Table, left: Left) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Guesses by how much their worst answer leaves, those that may be right first; and how much that is for each."""
    answers = int(table.max()) + 1
    rows = np.arange(len(table))[:, None] * answers
    sizes = np.bincount((table[:, left] + rows).ravel(), minlength=len(table) * answers).reshape(len(table), answers)
    sizes[:, SOLVED] = 0
    worst = sizes.max(axis=1)  # (guesses,)
    return np.lexsort((~np.isin(np.arange(len(table)), left), worst)), worst


class _Search:
    """Depth first, with what is known of sets that come up again."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.other_answers = len(np.unique(table)) - 1
        self._known: dict[tuple[bytes, int], int | None] = {}

    def guess(self, left: Left, turns: int) -> int | None:
        if len(left) == 1:
            return int(left[0]) if turns > 0 else None
        if len(left) > self._most(turns):
            return None
        key = left.tobytes(), turns
        if key not in self._known:
            self._known[key] = self._found(left, turns)
        return self._known[key]

    def _most(self, turns: int) -> int:
        """No more can be told apart within `turns`: one by the guess itself, the rest by its other answers."""
        return sum(self.other_answers**turn for turn in range(turns))

    def _found(self, left: Left, turns: int) -> int | None:
        order, worst = _in_order(self.table, left)
        for guess in order:
            if worst[guess] > self._most(turns - 1):
                return None
            if worst[guess] < len(left) and self._all_parts(left, int(guess), turns - 1):
                return int(guess)
        return None

    def _all_parts(self, left: Left, guess: int, turns: int) -> bool:
        answers = self.table[guess, left]
        parts = [left[answers == answer] for answer in np.unique(answers) if answer != SOLVED]
        parts.sort(key=len, reverse=True)
        return all(self.guess(part, turns) is not None for part in parts)
