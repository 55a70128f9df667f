"""Moves on a board drawn in characters, played by the rules: one illegal move and the answer is wrong.

>>> task = Task("", "right down", metadata={"matrix": [["*", "O"], ["X", "#"]]})
>>> shortest_path("right down", task), shortest_path("down right", task)
(True, False)
"""

from __future__ import annotations

import re
from typing import TypeAlias, cast

from rlenv.envs.reasoning_gym.move_puzzles import limited
from rlenv.envs.reasoning_gym.readers import Malformed, lines
from rlenv.task import Task

Square: TypeAlias = tuple[int, int]
DIRECTIONS: dict[str, Square] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def shortest_path(answer: str, task: Task) -> bool:
    """Directions from * to # over open cells, as many as the reference has, or `infeasible` where it says so."""
    if "infeasible" in (answer, task.reference):
        return answer == task.reference
    grid = cast("list[list[str]]", task.metadata["matrix"])
    moves = [move for line in lines(answer) for move in line.split(" ")]
    if len(moves) != len(str(task.reference).split()):
        return False
    row, column = _find(grid, "*")
    for move in moves:
        if move not in DIRECTIONS:
            raise Malformed(f"expected directions, got {move[:20]!r}")
        row, column = row + DIRECTIONS[move][0], column + DIRECTIONS[move][1]
        if not _inside(grid, (row, column)) or grid[row][column] == "X":
            return False
    return grid[row][column] == "#"


def sokoban(answer: str, task: Task) -> bool:
    """Every box on a goal; every move walks to a free cell or pushes one box to one."""
    if not re.fullmatch("[LRUD]+", answer):
        raise Malformed("expected a string of the letters L, R, U and D")
    rows = [line.replace(" ", "") for line in str(task.metadata["gamestr"]).strip().split("\n")]
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    boxes = {place for place, cell in cells.items() if cell in "@$"}
    goals = {place for place, cell in cells.items() if cell in "X$%"}
    row, column = next(place for place, cell in cells.items() if cell in "*%")
    steps = {name[0].upper(): step for name, step in DIRECTIONS.items()}
    for down, right in (steps[move] for move in limited(list(answer))):
        row, column = row + down, column + right
        behind = (row + down, column + right)
        if cells.get((row, column), "+") == "+":
            return False
        if (row, column) in boxes:
            if behind in boxes or cells.get(behind, "+") == "+":
                return False
            boxes.remove((row, column))
            boxes.add(behind)
    return boxes <= goals


def rush_hour(answer: str, task: Task) -> bool:
    """Cars slide along their length over free cells until car A is at the right edge."""
    board = [list(row) for row in cast("list[str]", task.metadata["board"])]
    moves = [re.fullmatch(r"([A-Z])([+-])([1-9])", move) for line in lines(answer) for move in line.split(" ")]
    for move in limited(moves):
        if move is None:
            raise Malformed("expected moves like: F+1 K-2")
        if not slide(board, move[1], int(move[2] + move[3])):
            return False
    return max(column for _, column in car_cells(board, "A")) == len(board[0]) - 1


def slide(board: list[list[str]], car: str, steps: int) -> bool:
    """Move a car along its length, right or down for positive steps; False, and nothing done, if it is blocked."""
    cells = car_cells(board, car)
    if not cells:
        return False
    down, right = (0, 1) if cells[0][0] == cells[-1][0] else (1, 0)
    sign = 1 if steps > 0 else -1
    goal = [(r + down * steps, c + right * steps) for r, c in cells]
    front = cells[-1] if steps > 0 else cells[0]
    way = [(front[0] + down * k * sign, front[1] + right * k * sign) for k in range(1, abs(steps) + 1)]
    if not all(_inside(board, cell) and board[cell[0]][cell[1]] == "." for cell in way):
        return False
    for r, c in cells:
        board[r][c] = "."
    for r, c in goal:
        board[r][c] = car
    return True


def car_cells(board: list[list[str]], car: str) -> list[Square]:
    """The cells of a car, first to last."""
    return [(r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == car]


def rubiks_cube(answer: str, task: Task) -> bool:
    """Turns of single faces that solve the cube."""
    from magiccube.cube import Cube  # type: ignore[import-untyped, unused-ignore]

    turns = [turn for line in lines(answer) for turn in line.split(" ")]
    size = cast("int", task.metadata["cube_size"])
    one_turn = "[UDLRFB]'?" if size == 3 else "[1-9]?[UDLRFB]w?'?"
    if not all(re.fullmatch(one_turn, turn) for turn in limited(turns)):
        raise Malformed("expected turns like: U R' F")
    cube = Cube(size)
    cube.rotate(str(task.metadata["scramble_moves"]))
    cube.rotate(" ".join(turns))
    return bool(cube.is_done())


def _find(grid: list[list[str]], cell: str) -> Square:
    return next((r, c) for r, row in enumerate(grid) for c, found in enumerate(row) if found == cell)


def _inside(grid: list[list[str]], square: Square) -> bool:
    return 0 <= square[0] < len(grid) and 0 <= square[1] < len(grid[0])
