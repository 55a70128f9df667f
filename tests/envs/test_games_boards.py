"""Nim, tic-tac-toe, Hanoi and the maze: best play and the other side are exact, checked by enumeration."""

from __future__ import annotations

from functools import cache, reduce
from itertools import product
from operator import xor
from typing import cast

import numpy as np
import pytest

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.games import boards, hanoi, nim
from rlenv.envs.games.reference import best_script
from rlenv.envs.games.tasks import game_environment, game_named
from rlenv.envs.games.tictactoe import MOST_LUCK
from rlenv.envs.games.verifier import GameInteraction


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


def test_a_draw_is_worth_full_marks_only_where_no_win_was_there() -> None:
    assert [boards.pay_of(*pair) for pair in ((1, 1), (0, 1), (-1, 1), (0, 0), (1, 0), (-1, 0))] == [
        *(1.0, boards.DRAWN, 0.0),
        *(1.0, 1.0, 0.0),
    ]


def test_tictactoe_is_a_draw_and_so_is_its_opposite() -> None:
    assert boards.value("." * 9, "x", False) == boards.value("." * 9, "x", True) == 0


@pytest.mark.parametrize("level", [1, 2, 3])
def test_those_who_draw_moves_earn_little_in_every_position_that_is_dealt(level: int) -> None:
    for task in tasks_of("tictactoe", level, 50):
        rules = cast("dict[str, str]", task.metadata["rules"])
        mark, misere, worth = rules["mark"], bool(rules["misere"]), int(rules["worth"])
        assert boards.luck(rules["board"], mark, mark, misere, worth) <= MOST_LUCK


def test_boards_that_are_turned_or_mirrored_are_alike() -> None:
    assert boards.alike("xo.......") == boards.alike(".ox......") == boards.alike("......xo.")
    assert boards.alike("xo.......") != boards.alike("x.o......")


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


def test_each_maze_of_four_cells_is_as_likely() -> None:
    counts: dict[tuple[int, ...], int] = {}
    rng = np.random.default_rng(0)
    for _ in range(2_000):
        opened = boards.drawn(2, rng).open
        counts[opened] = counts.get(opened, 0) + 1
    assert len(counts) == 4
    assert max(counts.values()) < 600


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
