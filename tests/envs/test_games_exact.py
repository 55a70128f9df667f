"""What each game promises of best play is exact, and found again by other means."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, reduce
from itertools import product
from operator import xor
from typing import cast

import numpy as np
import pytest
from tables import tables

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.envs.games import boards, hanoi, mastermind, nim, wordle
from rlenv.envs.games.blackjack import Blackjack, first_cards
from rlenv.envs.games.blackjack_values import Hand, Table
from rlenv.envs.games.deduction import LATE, SOLVED, Left, code_table, codes, minimax_guess, turns_needed, word_table
from rlenv.envs.games.deduction import Table as Answers
from rlenv.envs.games.guess import SPANS, Guess
from rlenv.envs.games.reference import best_script
from rlenv.envs.games.tasks import game_environment, game_named
from rlenv.envs.games.verifier import GameInteraction
from rlenv.turns.play import play

CASES = tables(__file__)


def tasks_of(name: str, level: int, count: int = 20) -> list[Task]:
    tasks = game_environment(name, level).tasks
    return [tasks[i] for i in range(count)]


def test_who_moves_wins_nim_where_the_exclusive_or_is_not_zero() -> None:
    @cache
    def won(heaps: tuple[int, ...]) -> bool:
        after = (
            (*heaps[:heap], size - count, *heaps[heap + 1 :])
            for heap, size in enumerate(heaps)
            for count in range(1, size + 1)
        )
        return any(not won(tuple(sorted(each))) for each in after)

    for heaps in product(range(6), repeat=3):
        assert won(tuple(sorted(heaps))) == bool(reduce(xor, heaps))
        if any(heaps):
            heap, count = nim.reply_to(heaps)
            assert 1 <= count <= heaps[heap]
            left = [size - count * (place == heap) for place, size in enumerate(heaps)]
            assert bool(reduce(xor, left)) != won(tuple(sorted(heaps)))


def _every_line(name: str, task: Task) -> list[float]:
    """What every way to play the game earns: all legal moves in all states."""
    game = game_named(name)
    interaction = GameInteraction(game)

    def pays(state: Json) -> list[float]:
        found = []
        for cell in range(1, 10):
            reply = interaction.respond(state, Completion(f"[{cell}]"))
            if not reply.flags:
                found += [reply.reward] if reply.ended else pays(reply.state)
        return found

    return pays(interaction.start(task))


@pytest.mark.parametrize("level", [1, 2, 3])
def test_nobody_gets_more_than_a_position_is_worth(level: int) -> None:
    for task in tasks_of("tictactoe", level, 5):
        rules = cast("dict[str, int]", task.metadata["rules"])
        results = _every_line("tictactoe", task)
        assert max(results) == 1.0
        assert set(results) <= ({1.0, 0.0} if rules["worth"] == 0 else {1.0, boards.DRAWN, 0.0})


@pytest.mark.parametrize("discs", [1, 2, 3, 4, 5])
def test_a_tower_of_hanoi_takes_two_to_the_discs_less_one_moves(discs: int) -> None:
    far = boards.distances("C" * discs)
    assert far["A" * discs] == max(far.values()) == 2**discs - 1
    assert len(far) == 3**discs


def test_a_longer_way_earns_the_share_of_the_best_one() -> None:
    task = tasks_of("hanoi", 1)[0]
    script = best_script(game_named("hanoi"), task)
    back = f"[{script[0][2]}{script[0][1]}]"
    interaction = GameInteraction(game_named("hanoi"))
    state, paid = interaction.start(task), 0.0
    for said in (script[0], back, *script):
        reply = interaction.respond(state, Completion(said))
        state, paid = reply.state, reply.reward
    assert paid == len(script) / (len(script) + 2)


@pytest.mark.parametrize(
    ("move", "told"), [("ab", "Disc 2 may not lie on disc 1."), ("aa", "It lies there already."), ("ca", "C is empty.")]
)
def test_a_larger_disc_never_lies_on_a_smaller_one(move: str, told: str) -> None:
    state: Json = ["BA", "CC", 3]
    answer = hanoi.Hanoi().answer(state, move, 1)
    assert (answer.told, answer.illegal, answer.state) == (told, True, state)


@pytest.mark.parametrize("side", [2, 3, 4, 6])
def test_a_maze_has_one_way_between_any_two_cells(side: int) -> None:
    for seed in range(10):
        drawn = boards.drawn(side, np.random.default_rng(seed))
        passages = sum(bits.bit_count() for bits in drawn.open)
        assert passages == 2 * (side * side - 1)
        seen, edge = {0}, [0]
        for cell in edge:
            for way in range(4):
                if drawn.open[cell] >> way & 1:
                    after = cell + boards.STEPS[way][0] * side + boards.STEPS[way][1]
                    assert drawn.open[after] >> (way + 2) % 4 & 1
                    edge += [after] if after not in seen else []
                    seen.add(after)
        assert len(seen) == side * side


def test_the_turns_of_a_maze_are_what_entering_every_dead_end_first_takes() -> None:
    """A corridor with a dead end beside each cell: the best player that tries those first uses all its turns."""
    # row 0 is the corridor from west to east, row 1 hangs below it
    hidden: Json = {"open": [2 | 4, 8 | 2 | 4, 8], "width": 3, "start": 0, "out": 2}
    opened = [*cast("list[int]", cast("dict[str, Json]", hidden)["open"]), 1, 1, 0]
    rules: dict[str, Json] = {"number": 0, "cells": 5, "open": "east, south", "turns": 2 * 4 - 2}
    task = Task("Go.", {**cast("dict[str, Json]", hidden), "open": opened}, metadata={"rules": rules})
    interaction = GameInteraction(game_named("maze"))
    state = interaction.start(task)
    for said in ("south", "north", "east", "south", "north"):
        reply = interaction.respond(state, Completion(f"[{said}]"))
        assert not reply.ended
        state = reply.state
    assert interaction.respond(state, Completion("[east]")).reward == 1.0
    assert len(best_script(game_named("maze"), task)) <= 6


@pytest.mark.parametrize("cell", ["1", "2", "6"])
def test_a_cell_that_either_side_has_is_taken(cell: str) -> None:
    game = game_named("tictactoe")
    state = game.start({"board": "xo..xoo..", "mark": "x", "misere": False, "worth": 1}, 7)
    answer = game.answer(state, cell, 1)
    assert (answer.illegal, answer.state) == (True, state)


def worst_case(table: Answers) -> int:
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


def fewest(table: Answers) -> int:
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


@pytest.mark.parametrize(("cards", "dealer", "best"), CASES["decisions"])
def test_the_best_decisions_are_those_of_the_books(cards: list[int], dealer: int, best: str) -> None:
    assert Table(double=True).best(Hand.of(cards), dealer) == best


def test_a_mistake_that_wins_is_a_mistake() -> None:
    """A hit on a hard 17 or more is never right, and now and then it wins."""
    game, won = Blackjack(), 0
    for task in tasks_of("blackjack", 1, 200):
        interaction = GameInteraction(game)
        cards = first_cards(cast("int", task.reference), 0)
        hand = Hand.of(cards)
        if hand.soft or hand.total < 17:
            continue
        reply = interaction.respond(interaction.start(task), Completion("[hit]"))
        after = cast("dict[str, dict[str, Json]]", reply.state)["game"]
        assert cast("float", after["given_away"]) > 0.03
        won += "won" in str(reply.observation) or str(reply.observation).startswith("You")
    assert won > 0


def test_doubling_is_for_two_cards_and_for_tables_that_allow_it() -> None:
    assert Table().moves(Hand(11, False, 2)) == ("hit", "stand")
    assert Table(double=True).moves(Hand(11, False, 2)) == ("hit", "stand", "double")
    assert Table(double=True).moves(Hand(11, False, 3)) == ("hit", "stand")
