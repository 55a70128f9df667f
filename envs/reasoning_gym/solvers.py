"""Right answers for the puzzles that come without one, or with one that differs from process to process."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, cast

from rlenv.envs.reasoning_gym.board_puzzles import car_cells
from rlenv.errors import TaskError
from rlenv.task import Task

Places: TypeAlias = tuple[int, ...]
"""How far from the left or the top each car stands."""


def solve(name: str, task: Task) -> str:
    """The reference of the task, or a solution found by search."""
    solver = {"boxnet": boxnet, "knight_swap": knight_swap, "rush_hour": rush_hour}.get(name)
    return str(task.reference) if solver is None else solver(task)


def boxnet(task: Task) -> str:
    """One box after the other, one square a step, to a target of its colour."""
    initial = cast("dict[str, list[str]]", task.metadata["initial_state"])
    squares = {place: list(items) for place, items in initial.items()}
    plan: list[dict[str, str]] = []
    for place, items in list(squares.items()):
        for box in [item for item in items if item.startswith("box_")]:
            target = box.replace("box_", "target_")
            goal = next(where for where, found in squares.items() if target in found)
            squares[goal].remove(target)
            plan += _carry(box, place, goal)
    return json.dumps(plan)


def _carry(box: str, place: str, goal: str) -> list[dict[str, str]]:
    x, y = (float(part) for part in place.split("_"))
    goal_x, goal_y = (float(part) for part in goal.split("_"))
    plan = []
    while (x, y) != (goal_x, goal_y):
        agent = f"Agent[{x}, {y}]"
        if x != goal_x:
            x += 1 if goal_x > x else -1
        else:
            y += 1 if goal_y > y else -1
        plan.append({agent: f"move({box}, square[{x}, {y}])"})
    return [*plan, {f"Agent[{x}, {y}]": f"move({box}, {box.replace('box_', 'target_')})"}]


def rush_hour(task: Task) -> str:
    """The fewest slides that bring car A to the right edge, by breadth-first search."""
    cars = Cars.of(cast("list[str]", task.metadata["board"]))
    before: dict[Places, tuple[Places, str]] = {}
    queue, seen = deque([cars.start]), {cars.start}
    while queue:
        places = queue.popleft()
        if places[0] == len(cars.masks[0]) - 1:
            return _way(before, places)
        for move, reached in cars.slides(places):
            if reached not in seen:
                seen.add(reached)
                before[reached] = (places, move)
                queue.append(reached)
    raise TaskError(f"task {task.id}: no moves bring car A out")


@dataclass(frozen=True)
class Cars:
    """A board as one bit mask for each place that each car could stand at, car A first."""

    names: tuple[str, ...]
    masks: tuple[tuple[int, ...], ...]
    start: Places
    walls: int

    @classmethod
    def of(cls, board: list[str]) -> Cars:
        width, grid = len(board[0]), [list(row) for row in board]
        names = tuple(sorted(set("".join(board)) - {".", "x"}))
        cells = [car_cells(grid, name) for name in names]
        ways = [[0, 1] if first[0] == last[0] else [1, 0] for first, *_, last in cells]
        masks, start = [], []
        for car, (down, right) in zip(cells, ways, strict=True):
            row, column = (0 if down else car[0][0]), (0 if right else car[0][1])
            room = (len(board) if down else width) - len(car) + 1
            body = [1 << ((row + down * k) * width + column + right * k) for k in range(len(car))]
            masks.append(tuple(sum(body) << (k * (width if down else 1)) for k in range(room)))
            start.append(car[0][0] if down else car[0][1])
        walls = sum(1 << place for place, cell in enumerate("".join(board)) if cell == "x")
        return cls(names, tuple(masks), tuple(start), walls)

    def slides(self, places: Places) -> Iterator[tuple[str, Places]]:
        """Every slide of one car, with where the cars stand after it."""
        taken = self.walls | sum(masks[place] for masks, place in zip(self.masks, places, strict=True))
        for car, (masks, place) in enumerate(zip(self.masks, places, strict=True)):
            others = taken ^ masks[place]
            for way in (range(place - 1, -1, -1), range(place + 1, len(masks))):
                for goal in way:
                    if masks[goal] & others:
                        break
                    yield f"{self.names[car]}{goal - place:+d}", (*places[:car], goal, *places[car + 1 :])


def _way(before: dict[Places, tuple[Places, str]], places: Places) -> str:
    moves = []
    while places in before:
        places, move = before[places]
        moves.append(move)
    return " ".join(reversed(moves))


def knight_swap(task: Task) -> str:
    """The fewest moves, the first in alphabetical order where several ways are as short."""
    neighbours = cast("dict[str, list[str]]", task.metadata["board"])
    pieces = cast("dict[str, str | None]", task.metadata["pieces"])
    squares = sorted(pieces)
    start = ("".join(pieces[square] or "." for square in squares), str(task.metadata["start_turn"]))
    goal = start[0].translate(str.maketrans("wB", "Bw"))
    queue: deque[tuple[tuple[str, str], tuple[str, ...]]] = deque([(start, ())])
    seen = {start}
    while queue:
        (placed, turn), moves = queue.popleft()
        if placed == goal:
            return json.dumps(moves)
        for source in (square for square, piece in zip(squares, placed, strict=True) if piece == turn):
            for target in sorted(neighbours[source]):
                reached = (_moved(placed, squares.index(source), squares.index(target)), "B" if turn == "w" else "w")
                if placed[squares.index(target)] == "." and reached not in seen:
                    seen.add(reached)
                    queue.append((reached, (*moves, f"{turn},{source},{target}")))
    raise TaskError(f"task {task.id}: no moves swap the knights")


def _moved(placed: str, source: int, target: int) -> str:
    cells = list(placed)
    cells[target], cells[source] = cells[source], "."
    return "".join(cells)
