"""Filled grids checked against the rules of their puzzle: every right filling is right, not one reference.

>>> task = Task("", metadata={"puzzle": [[0, 1, 0, 4], [0, 0, 2, 0], [0, 0, 0, 0], [0, 4, 1, 0]]})
>>> sudoku("2 1 3 4\\n4 3 2 1\\n1 2 4 3\\n3 4 1 2", task), sudoku("2 1 3 4\\n4 3 2 1\\n1 2 3 4\\n3 4 1 2", task)
(True, False)
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TypeAlias, cast

from rlenv.envs.reasoning_gym.readers import Malformed, digits, json_value, lines
from rlenv.task import Task

Grid: TypeAlias = list[list[int]]


def sudoku(answer: str, task: Task) -> bool:
    """Each number once in each row, column and box; the given numbers kept. Any size that is a square."""
    grid = digits(answer)
    if not _keeps(grid, cast("Grid", task.metadata["puzzle"])):
        return False
    side = math.isqrt(len(grid))
    corners = [(r, c) for r in range(0, len(grid), side) for c in range(0, len(grid), side)]
    boxes = [[grid[r + i][c + j] for i in range(side) for j in range(side)] for r, c in corners]
    return _latin(grid) and all(sorted(box) == list(range(1, len(grid) + 1)) for box in boxes)


def futoshiki(answer: str, task: Task) -> bool:
    """Each number once in each row and column, the given numbers and the inequalities kept.

    The signs of the puzzle may stand in the answer or be left out.
    """
    if set(answer) - set("0123456789 \t\r\n<>∧∨_"):
        raise Malformed("expected numbers and the signs of the puzzle")
    grid = digits("\n".join(line for line in re.sub("[<>∧∨]", " ", answer).split("\n") if line.strip()))
    if not _keeps(grid, cast("Grid", task.metadata["puzzle"])):
        return False
    constraints = cast("list[tuple[int, int, int, int, str]]", task.metadata["constraints"])
    ordered = all(
        grid[r][c] < grid[r2][c2] if sign == "<" else grid[r][c] > grid[r2][c2] for r, c, r2, c2, sign in constraints
    )
    return ordered and _latin(grid)


def survo(answer: str, task: Task) -> bool:
    """The last number of each row and column is the sum of the others; the candidates fill the gaps."""
    puzzle = cast("Grid", task.metadata["puzzle"])
    grid = digits(answer)
    if not _keeps(grid, puzzle):
        return False
    filled = Counter(cell for cell, given in zip(chain(*grid), chain(*puzzle), strict=True) if given == 0)
    sums = all(sum(line[:-1]) == line[-1] for line in [*grid, *_columns(grid)])
    return sums and filled == Counter(cast("list[int]", task.metadata["candidate_numbers"]))


def kakurasu(answer: str, task: Task) -> bool:
    """Ones and zeros whose places, counted from 1, add up to the sums of their row and column."""
    grid = digits(answer)
    row_sums, column_sums = cast("list[int]", task.metadata["row_sums"]), cast("list[int]", task.metadata["col_sums"])
    if not _shaped(grid, len(row_sums), len(column_sums)) or any(cell not in (0, 1) for row in grid for cell in row):
        return False
    return _place_sums(grid) == row_sums and _place_sums(_columns(grid)) == column_sums


def n_queens(answer: str, task: Task) -> bool:
    """As many queens as rows, none attacking another, those given still there."""
    board = [line.split(" ") for line in lines(answer)]
    puzzle = cast("list[list[str]]", task.metadata["puzzle"])
    if any(cell not in ("_", "Q") for row in board for cell in row):
        raise Malformed("expected rows of _ and Q")
    size = len(puzzle)
    if len(board) != size or any(len(row) != size for row in board):
        return False
    queens = [(r, c) for r in range(size) for c in range(size) if board[r][c] == "Q"]
    kept = all(board[r][c] == "Q" for r in range(size) for c in range(size) if puzzle[r][c] == "Q")
    return kept and len(queens) == size and all(_distinct(of(r, c) for r, c in queens) for of in _QUEEN_LINES)


def graph_color(answer: str, task: Task) -> bool:
    """A JSON map that gives every vertex one of the colours, and neighbours different ones."""
    colouring = json_value(answer)
    if not isinstance(colouring, dict):
        raise Malformed("expected a JSON map")
    puzzle = cast("dict[str, list[object]]", task.metadata["puzzle"])
    if set(colouring) != {str(vertex) for vertex in puzzle["vertices"]}:
        return False
    if any(type(colour) is not int or colour not in puzzle["color_options"] for colour in colouring.values()):
        return False
    return all(colouring[str(a)] != colouring[str(b)] for a, b in cast("list[tuple[int, int]]", puzzle["edges"]))


_QUEEN_LINES: tuple[Callable[[int, int], int], ...] = (
    lambda r, c: r,
    lambda r, c: c,
    lambda r, c: r - c,
    lambda r, c: r + c,
)


def _distinct(values: Iterable[int]) -> bool:
    listed = list(values)
    return len(set(listed)) == len(listed)


def _shaped(grid: Grid, rows: int, columns: int) -> bool:
    return len(grid) == rows and all(len(row) == columns for row in grid)


def _keeps(grid: Grid, puzzle: Grid) -> bool:
    """True when the grid has the shape of the puzzle and holds its numbers; 0 is a gap."""
    if not _shaped(grid, len(puzzle), len(puzzle[0])):
        return False
    return all(given in (0, cell) for cell, given in zip(chain(*grid), chain(*puzzle), strict=True))


def _columns(grid: Grid) -> Grid:
    return [list(column) for column in zip(*grid, strict=True)]


def _latin(grid: Grid) -> bool:
    wanted = list(range(1, len(grid) + 1))
    return all(sorted(line) == wanted for line in [*grid, *_columns(grid)])


def _place_sums(grid: Grid) -> list[int]:
    return [sum(place for place, cell in enumerate(row, start=1) if cell) for row in grid]
