"""`games/maze-v0`: find the way out of a maze of which only the openings around one can be seen.

>>> import rlenv
>>> env = rlenv.make("games/maze-v0", level=1)
>>> corridor = {"open": [2, 10, 8], "width": 3, "start": 0, "out": 2}         # three cells in a row
>>> task = {"prompt": "Go.", "answer": corridor, "rules": {"number": 1, "cells": 3, "open": "east", "turns": 2}}
>>> _ = env.reset(options={"task": task})
>>> [env.step(said)[:2] for said in ("[east]", "[east]")]
[('Open: east, west', 0.0), ('You are out.', 1.0)]

A maze has one way between any two cells, and its start and its way out lie as far apart as any two. Its number
stands in the prompt, so that two mazes are two questions, though they look alike at the start. What is exact
is what can be promised: of `cells` cells with the way out `far` steps away, a player that takes no passage more than
once each way is out within 2 (cells - 1) - far moves; and there are mazes where whoever cannot see them needs that
many, those in which the right opening is always the one that was tried last. Out within that many turns pays 1.0,
sooner no more, and later nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.game import Answer, Deal

DIRECTIONS = ("north", "east", "south", "west")
"""Direction `d` is bit `1 << d` of the openings of a cell; the one back is `(d + 2) % 4`."""
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Rows and columns to the next cell."""
SIDES = {1: 4, 2: 5, 3: 6}
"""Cells along a side of the maze of each level."""
NUMBERS = 1 << 32
OPEN = "Open: "


class Maze(NamedTuple):
    """A maze; cells are numbered row by row."""

    open: tuple[int, ...]
    width: int


class _Hidden(TypedDict):
    open: list[int]
    width: int
    start: int
    out: int


class _State(_Hidden):
    at: int


class MazeGame:
    """Find the way out."""

    name = "maze"
    about = "a maze of which only the openings around one are seen"
    levels: Mapping[int, str] = {level: f"{side} x {side} cells" for level, side in SIDES.items()}
    form = re.compile(r"(?:go )?(?:north|east|south|west|[nesw])")  # north
    example = "[direction]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        number = int(rng.integers(NUMBERS))
        maze = drawn(SIDES[level], rng)
        start, out, far = farthest(maze)
        if rng.integers(2):
            start, out = out, start
        cells = len(maze.open)
        rules: dict[str, Json] = {
            "number": number,
            "cells": cells,
            "open": _openings(maze.open[start]),
            "turns": 2 * (cells - 1) - far,
        }
        hidden: dict[str, Json] = {"open": list(maze.open), "width": maze.width, "start": start, "out": out}
        return Deal(rules, hidden, f"maze {maze.open} {sorted((start, out))}")

    def most_turns(self, level: int) -> int:
        """The way out of a square of cells is not next door: twice the side less two steps is the least there can "
        "be."""
        return 2 * (SIDES[level] ** 2 - 1) - 2 * (SIDES[level] - 1)

    def prompt(self, rules: Mapping[str, Json]) -> str:
        return (
            f"You are in maze {rules['number']}, of {rules['cells']} cells with one way between any two of them, and "
            f"look for the way out. You see only the openings of the cell that you are in. {OPEN}{rules['open']}\nSay "
            f"north, east, south or west in square brackets, one step a turn: {self.example}. The last brackets count, "
            f"and a turn without a step is lost. There are {rules['turns']} turns."
        )

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        given = cast("_Hidden", hidden)
        return {"open": given["open"], "width": given["width"], "out": given["out"], "at": given["start"]}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now = cast("_State", state)
        way = "nesw".index(move.removeprefix("go ")[0])
        if not now["open"][now["at"]] >> way & 1:
            return Answer(state, f"A wall. {OPEN}{_openings(now['open'][now['at']])}", illegal=True)
        rows, columns = STEPS[way]
        at = now["at"] + rows * now["width"] + columns
        after = cast("Json", {**now, "at": at})
        if at == now["out"]:
            return Answer(after, "You are out.", 1.0, "out")
        return Answer(after, OPEN + _openings(now["open"][at]))

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """The first opening that leads where one was not yet, else back to where one first came from."""
        at, ways_back = (0, 0), {(0, 0): -1}
        openings = str(rules["open"])
        for move, told in zip(said, heard, strict=True):
            openings = told.partition(OPEN)[2] or openings
            if told.startswith(OPEN):
                way = "nesw".index(move.removeprefix("go ")[0])
                at = at[0] + STEPS[way][0], at[1] + STEPS[way][1]
                ways_back.setdefault(at, (way + 2) % 4)
        for way, name in enumerate(DIRECTIONS):
            if name in openings and (at[0] + STEPS[way][0], at[1] + STEPS[way][1]) not in ways_back:
                return name
        return DIRECTIONS[ways_back[at]]

    def random_move(self, state: Json, rng: np.random.Generator) -> str:
        now = cast("_State", state)
        ways = _openings(now["open"][now["at"]]).split(", ")
        return ways[int(rng.integers(len(ways)))]


def drawn(side: int, rng: np.random.Generator) -> Maze:
    """A maze in which each tree of passages is as likely (Wilson 1996): walks that forget their loops."""
    cells = side * side
    ways = [[way for way in range(4) if _next(cell, way, side) is not None] for cell in range(cells)]
    inside, opened = {int(rng.integers(cells))}, [0] * cells
    for first in range(cells):
        cell, left_by = first, {}
        while cell not in inside:
            left_by[cell] = ways[cell][int(rng.integers(len(ways[cell])))]
            cell = cast("int", _next(cell, left_by[cell], side))
        cell = first
        while cell not in inside:
            inside.add(cell)
            way = left_by[cell]
            opened[cell] |= 1 << way
            cell = cast("int", _next(cell, way, side))
            opened[cell] |= 1 << (way + 2) % 4
    return Maze(tuple(opened), side)


def farthest(maze: Maze) -> tuple[int, int, int]:
    """Two cells that are as far apart as any, and how far that is."""
    one, _ = _most_distant(maze, 0)
    other, far = _most_distant(maze, one)
    return one, other, far


def _most_distant(maze: Maze, start: int) -> tuple[int, int]:
    far, edge = {start: 0}, [start]
    for cell in edge:
        for way in range(4):
            if maze.open[cell] >> way & 1:
                after = cast("int", _next(cell, way, maze.width))
                if after not in far:
                    far[after] = far[cell] + 1
                    edge.append(after)
    return edge[-1], far[edge[-1]]


def _next(cell: int, way: int, side: int) -> int | None:
    """The cell next door in a square, None beyond its edge."""
    row, column = cell // side + STEPS[way][0], cell % side + STEPS[way][1]
    return row * side + column if 0 <= row < side and 0 <= column < side else None


def _openings(bits: int) -> str:
    return ", ".join(name for way, name in enumerate(DIRECTIONS) if bits >> way & 1)
