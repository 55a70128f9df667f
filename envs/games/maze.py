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
from typing import TypedDict, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.boards import DIRECTIONS, STEPS, drawn, farthest
from rlenv.envs.games.game import Answer, Deal, Level, Rules

SIDES = {1: 4, 2: 5, 3: 6}
"""Cells along a side of the maze of each level."""
NUMBERS = 1 << 32
OPEN = "Open: "


class _State(TypedDict):
    open: list[int]
    width: int
    at: int
    out: int


class MazeGame:
    """Find the way out. In a square of cells it is not next door, but at least twice the side less two steps away."""

    name = "maze"
    about = "a maze of which only the openings around one are seen"
    levels: Mapping[int, Level] = {
        level: Level(f"{side} x {side} cells", 2 * (side**2 - 1) - 2 * (side - 1)) for level, side in SIDES.items()
    }
    form = re.compile(r"(?:go )?(?:north|east|south|west|[nesw])")  # north
    example = "[direction]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal:
        number = int(rng.integers(NUMBERS))
        maze = drawn(SIDES[level], rng)
        start, out, far = farthest(maze)
        if rng.integers(2):
            start, out = out, start
        cells, openings = len(maze.open), _openings(maze.open[start])
        rules: Rules = {"number": number, "cells": cells, "open": openings, "turns": 2 * (cells - 1) - far}
        hidden: Json = {"open": list(maze.open), "width": maze.width, "start": start, "out": out}
        return Deal(rules, hidden, f"maze {maze.open} {sorted((start, out))}")

    def prompt(self, rules: Rules) -> str:
        return (
            f"You are in maze {rules['number']}, of {rules['cells']} cells with one way between any two of them, and "
            f"look for the way out. You see only the openings of the cell that you are in. {OPEN}{rules['open']}\nSay "
            f"north, east, south or west in square brackets, one step a turn: {self.example}. The last brackets count, "
            f"and a turn without a step is lost. There are {rules['turns']} turns."
        )

    def start(self, rules: Rules, hidden: Json) -> Json:
        given = cast("Rules", hidden)
        return {"open": given["open"], "width": given["width"], "out": given["out"], "at": given["start"]}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now = cast("_State", state)
        way = "nesw".index(move.removeprefix("go ")[0])
        if not now["open"][now["at"]] >> way & 1:
            return Answer(state, f"A wall. {OPEN}{_openings(now['open'][now['at']])}", illegal=True)
        at = now["at"] + STEPS[way][0] * now["width"] + STEPS[way][1]
        after = cast("Json", {**now, "at": at})
        if at == now["out"]:
            return Answer(after, "You are out.", 1.0, "out")
        return Answer(after, OPEN + _openings(now["open"][at]))

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
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

    def legal(self, state: Json) -> Sequence[str]:
        now = cast("_State", state)
        return _openings(now["open"][now["at"]]).split(", ")


def _openings(bits: int) -> str:
    return ", ".join(name for way, name in enumerate(DIRECTIONS) if bits >> way & 1)
