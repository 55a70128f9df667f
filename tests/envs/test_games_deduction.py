"""Guess, Mastermind and Wordle: what best play promises is exact, and found again by other means."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from typing import cast

import numpy as np
import pytest

from rlenv.core.policy import ScriptedPolicy
from rlenv.envs.games import mastermind, wordle
from rlenv.envs.games.deduction import (
    LATE,
    SOLVED,
    Left,
    Table,
    code_table,
    codes,
    guess_within,
    minimax_guess,
    turns_needed,
    word_table,
)
from rlenv.envs.games.guess import SPANS, Guess
from rlenv.envs.games.reference import best_script
from rlenv.envs.games.tasks import game_environment
from rlenv.turns.play import play


def worst_case(table: Table) -> int:
    """How many turns the minimax guesses need at the worst."""

    def turns(left: Left) -> int:
        guess = minimax_guess(table, left)
        answers = table[guess, left]
        parts = [left[answers == answer] for answer in np.unique(answers) if answer != SOLVED]
        return 1 + max(map(turns, parts), default=0)

    return turns(np.arange(table.shape[1]))


@pytest.mark.parametrize("level", mastermind.SIZES)
def test_no_strategy_promises_fewer_turns_than_the_minimax_guesses_need(level: int) -> None:
    size = mastermind.SIZES[level]
    table = code_table(size.pegs, size.colours)
    assert worst_case(table) == turns_needed(table) == size.best


def test_the_table_of_mastermind_says_what_the_game_says() -> None:
    table = code_table(3, 4)
    for (i, guess), (j, secret) in product(enumerate(codes(3, 4)), repeat=2):
        right, misplaced = mastermind.compared(guess, secret)
        number = SOLVED if right == 3 else 4 * right + misplaced + 1
        assert table[i, j] == number


def test_the_table_of_words_says_what_the_game_says() -> None:
    words = wordle.all_words()
    chosen = tuple(words[i] for i in np.sort(np.random.default_rng(0).choice(len(words), size=60, replace=False)))
    table = word_table(chosen)
    by_hand = [wordle.marks(guess, word) for guess in chosen for word in chosen]
    pairs = set(zip(table.ravel().tolist(), by_hand, strict=True))
    assert len(pairs) == len({number for number, _ in pairs}) == len({marks for _, marks in pairs})
    assert (SOLVED, "ggggg") in pairs


@pytest.mark.parametrize(
    ("guess", "word", "marks"),
    [
        ("geese", "elope", "-b--g"),
        ("elope", "geese", "b---g"),
        ("llama", "label", "gbb--"),
        ("array", "radar", "bbbg-"),
    ],
)
def test_letters_that_come_twice_are_marked_as_often_as_they_are_there(guess: str, word: str, marks: str) -> None:
    assert wordle.marks(guess, word) == marks


def test_the_words_are_five_letters_each_and_each_is_there_once() -> None:
    words = wordle.all_words()
    assert len(words) == len(set(words)) > 600
    assert all(len(word) == 5 and word.isascii() and word.islower() for word in words)


def fewest(table: Table) -> int:
    """The exact worst case by trying every guess at every turn, without any bound."""

    @cache
    def turns(left: frozenset[int]) -> int:
        if len(left) == 1:
            return 1
        found = len(left)
        for guess in range(len(table)):
            parts: dict[int, set[int]] = {}
            for hidden in left:
                parts.setdefault(int(table[guess, hidden]), set()).add(hidden)
            others = [frozenset(part) for answer, part in parts.items() if answer != SOLVED]
            if all(len(part) < len(left) for part in others):
                found = min(found, 1 + max(map(turns, others), default=0))
        return found

    return turns(frozenset(range(table.shape[1])))


@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_what_trying_everything_finds(seed: int) -> None:
    words = wordle.all_words()
    rng = np.random.default_rng(seed)
    chosen = tuple(words[i] for i in np.sort(rng.choice(60, size=9, replace=False)))
    table = word_table(chosen)
    assert turns_needed(table) == fewest(table)


def test_there_is_no_guess_for_more_than_can_be_told_apart() -> None:
    table = np.ones((5, 5), dtype=np.int64) - np.eye(5, dtype=np.int64)
    assert turns_needed(table) == 5
    assert guess_within(table, np.arange(5), 4) is None


@pytest.mark.parametrize("level", SPANS)
def test_halving_finds_every_number_in_time_and_one_more_would_be_too_many(level: int) -> None:
    span = SPANS[level]
    assert 2 ** (span.best - 1) <= span.numbers < 2**span.best
    task = game_environment("guess", level, "all").tasks[0]
    low = cast("dict[str, int]", task.metadata["rules"])["low"]
    each = (replace(task, reference=number) for number in range(low, low + span.numbers))
    assert max(len(best_script(Guess(), one)) for one in each) == span.best


@pytest.mark.parametrize(("wasted", "pay"), [(0, 1.0), (1, LATE[0]), (2, LATE[1]), (3, 0.0)])
@pytest.mark.parametrize("name", ["guess", "mastermind", "wordle"])
def test_finding_it_late_pays_less(name: str, wasted: int, pay: float) -> None:
    definition = game_environment(name, 2)
    assert definition.script is not None
    best = {"guess": 10, "mastermind": 5}.get(name, 3)
    tasks = (definition.tasks[i] for i in range(200))
    task, script = next((task, said) for task in tasks if len(said := definition.script(task)) == best)
    late = ScriptedPolicy("late", lambda _: ("Let me think.",) * wasted + script)
    assert definition.verifier.verify(task, play(definition, late, [task])[0]).reward == pay
