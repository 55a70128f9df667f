"""Positions that are worked out: towers of Hanoi, mazes as trees of passages, and boards of noughts and crosses.

>>> distances("CCC")["AAA"], value("xo..x.o..", "x", misere=False), line_owner("xxxoo....", misere=True)
(7, 1, 'o')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple, cast

import numpy as np

PEGS = "ABC"
DIRECTIONS = ("north", "east", "south", "west")
"""Direction `d` is bit `1 << d` of the openings of a cell; the one back is `(d + 2) % 4`."""
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Rows and columns to the next cell."""
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
EMPTY = "."
DRAWN = 0.25
"""Paid for a draw where a win was there."""
_TURNED, _MIRRORED = (6, 3, 0, 7, 4, 1, 8, 5, 2), (2, 1, 0, 5, 4, 3, 8, 7, 6)


def moves_from(discs: str) -> Iterator[tuple[str, str]]:
    """Each move of a tower with the position after it."""
    tops = {peg: place for peg in PEGS if (place := discs.find(peg)) >= 0}
    for source, place in tops.items():
        for target in PEGS:
            if tops.get(target, len(discs)) > place:
                yield source + target, discs[:place] + target + discs[place + 1 :]


@lru_cache(maxsize=1024)
def distances(goal: str) -> Mapping[str, int]:
    """How many moves each tower is from the goal; moves can be taken back, so it is the same both ways."""
    far, edge = {goal: 0}, [goal]
    for discs in edge:
        for _, after in moves_from(discs):
            if after not in far:
                far[after] = far[discs] + 1
                edge.append(after)
    return far


def renamed(pegs: str) -> str:
    """The same for towers that differ in the names of the pegs."""
    return min(pegs.translate(str.maketrans(PEGS, "".join(names))) for names in permutations(PEGS))


class Maze(NamedTuple):
    """A square maze; cells are numbered row by row, and have the bits of their openings."""

    open: tuple[int, ...]
    width: int


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


def line_owner(board: str, misere: bool) -> str | None:
    """The mark that has won, an empty text for a draw, None where the game goes on; with `misere` three in a row lose.

    >>> line_owner("xxxoo....", False), line_owner("xoxxoooxx", False), line_owner("x........", False)
    ('x', '', None)
    """
    for a, b, c in LINES:
        if board[a] != EMPTY and board[a] == board[b] == board[c]:
            return other(board[a]) if misere else board[a]
    return None if EMPTY in board else ""


@lru_cache(maxsize=32768)
def value(board: str, mark: str, misere: bool) -> int:
    """What the position is worth to the side `mark`, which is to move: 1 a win, 0 a draw, -1 a loss."""
    over = line_owner(board, misere)
    if over is not None:
        return result(over, mark)
    return max(-value(placed(board, cell, mark), other(mark), misere) for cell in free(board))


@lru_cache(maxsize=131072)
def luck(board: str, to_move: str, mark: str, misere: bool, worth: int) -> float:
    """What `mark` earns on average by drawing moves from a position of this worth; the other side never errs."""
    over = line_owner(board, misere)
    if over is not None:
        return pay_of(result(over, mark), worth)
    cells = free(board) if to_move == mark else keeping(board, to_move, misere)
    after = [luck(placed(board, cell, to_move), other(to_move), mark, misere, worth) for cell in cells]
    return sum(after) / len(after)


def pay_of(result: int, worth: int) -> float:
    """What a result (1 a win, 0 a draw, -1 a loss) earns from a position of this worth."""
    return 1.0 if result >= worth else DRAWN if result == 0 else 0.0


def result(over: str, mark: str) -> int:
    """The end of a game as the side `mark` sees it."""
    return 0 if over == "" else 1 if over == mark else -1


def keeping(board: str, mark: str, misere: bool) -> list[int]:
    """The moves that keep what the position is worth."""
    worth = value(board, mark, misere)
    return [cell for cell in free(board) if -value(placed(board, cell, mark), other(mark), misere) == worth]


def placed(board: str, cell: int, mark: str) -> str:
    """The board with one more stone."""
    return board[:cell] + mark + board[cell + 1 :]


def free(board: str) -> list[int]:
    """The empty cells."""
    return [cell for cell, sign in enumerate(board) if sign == EMPTY]


def other(mark: str) -> str:
    """The other side's mark."""
    return "o" if mark == "x" else "x"


def alike(board: str) -> str:
    """The same for boards that are each other turned or mirrored."""
    seen = []
    for start in (board, "".join(board[place] for place in _MIRRORED)):
        for _ in range(4):
            start = "".join(start[place] for place in _TURNED)
            seen.append(start)
    return min(seen)
