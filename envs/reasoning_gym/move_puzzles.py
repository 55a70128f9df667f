"""Sequences of moves, played by the rules of their puzzle: one illegal move and the answer is wrong.

The package's own scorers let an illegal move pass as no move, so that a long enough string of random moves
solves a puzzle.

>>> task = Task("", metadata={"puzzle": {"jug_capacities": [3, 5], "target": 2}})
>>> jugs('["fill B", "pour B->A"]', task), jugs('["fill A", "pour A->B"]', task)
(True, False)
"""

from __future__ import annotations

import re
from typing import TypeVar, cast

from rlenv.envs.reasoning_gym.readers import Malformed, json_value, lines, strings
from rlenv.task import Task

MAX_MOVES = 2000
T = TypeVar("T")


def jugs(answer: str, task: Task) -> bool:
    """Fill, empty and pour until one jug holds the target."""
    puzzle = cast("dict[str, object]", task.metadata["puzzle"])
    sizes = cast("list[int]", puzzle["jug_capacities"])
    capacities = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", sizes, strict=False))
    held = dict.fromkeys(capacities, 0)
    for move in limited(strings(json_value(answer))):
        found = re.fullmatch("(fill|empty) ([A-Z])|(pour) ([A-Z])->([A-Z])", move)
        jug = found and (found[2] or found[4])
        if found is None or jug not in held or (found[3] and (found[5] not in held or found[5] == jug)):
            return False
        if found[3]:
            poured = min(held[jug], capacities[found[5]] - held[found[5]])
            held[jug] -= poured
            held[found[5]] += poured
        else:
            held[jug] = capacities[jug] if found[1] == "fill" else 0
    return puzzle["target"] in held.values()


def tower_of_hanoi(answer: str, task: Task) -> bool:
    """All disks on the target peg in no more moves than the reference takes; never a larger on a smaller."""
    keys = ("num_disks", "num_pegs", "start_peg", "target_peg", "solution_length")
    disks, pegs, start, target, longest = (cast("int", task.metadata[key]) for key in keys)
    moves = [re.fullmatch("Move disk ([0-9]{1,2}) from Peg ([0-9]) to Peg ([0-9])", line) for line in lines(answer)]
    if len(moves) > longest:
        return False
    stacks: dict[int, list[int]] = {peg: [] for peg in range(1, pegs + 1)}
    stacks[start] = list(range(disks, 0, -1))
    for move in moves:
        if move is None:
            raise Malformed("expected lines like: Move disk 1 from Peg 1 to Peg 2")
        disk, source, goal = int(move[1]), int(move[2]), int(move[3])
        if source not in stacks or goal not in stacks or stacks[source][-1:] != [disk]:
            return False
        if any(below < disk for below in stacks[goal]):
            return False
        stacks[goal].append(stacks[source].pop())
    return len(stacks[target]) == disks


def quantum_lock(answer: str, task: Task) -> bool:
    """Buttons that work when they are pressed and reach the target in as few presses as the reference."""
    presses = re.split(" ?→ ?", answer)
    buttons = {str(b["name"]): b for b in cast("list[dict[str, object]]", task.metadata["buttons"])}
    value, light = cast("int", task.metadata["initial_value"]), str(task.metadata["initial_state"])
    if len(presses) != str(task.reference).count("→") + 1:
        return False
    for name in presses:
        if name not in buttons or buttons[name]["active_state"] not in (light, "any"):
            return False
        amount, kind = cast("int", buttons[name]["value"]), buttons[name]["type"]
        value = value * amount if kind == "multiply" else value + (amount if kind == "add" else -amount)
        light = "green" if light == "red" else "red"
    return value == task.metadata["target_value"]


def knight_swap(answer: str, task: Task) -> bool:
    """White and black in turn, knight's moves to empty squares, until they stand in each other's places."""
    moves = strings(json_value(answer))
    neighbours = cast("dict[str, list[str]]", task.metadata["board"])
    start = cast("dict[str, str | None]", task.metadata["pieces"])
    pieces, turn = dict(start), str(task.metadata["start_turn"])
    if len(moves) > cast("int", task.metadata["num_steps"]):
        return False
    for move in moves:
        found = re.fullmatch("([wB]),([A-Z][0-9]),([A-Z][0-9])", move)
        if found is None:
            raise Malformed('expected moves like "w,A1,B3"')
        colour, source, goal = found.groups()
        legal = colour == turn and pieces.get(source) == colour and goal in neighbours[source] and not pieces[goal]
        if not legal:
            return False
        pieces[source], pieces[goal] = None, colour
        turn = "B" if turn == "w" else "w"
    swapped = {"w": "B", "B": "w", None: None}
    return all(pieces[square] == swapped[piece] for square, piece in start.items())


def boxnet(answer: str, task: Task) -> bool:
    """Plans step by step: each agent moves a box of its square to a neighbour or to a target in its square.

    All actions of a step happen at once; in the end no box is left.
    """
    initial = cast("dict[str, list[str]]", task.metadata["initial_state"])
    squares = {place: list(items) for place, items in initial.items()}
    plan = json_value(answer)
    if not isinstance(plan, list):
        raise Malformed("expected a JSON list of action dictionaries")
    for step in limited(plan):
        if not isinstance(step, dict) or not step:
            raise Malformed("expected a JSON list of action dictionaries")
        arriving: list[tuple[str, str]] = []
        for agent, action in step.items():
            if not _act(squares, agent, action, arriving):
                return False
        for place, box in arriving:
            squares[place].append(box)
    return not any(item.startswith("box_") for items in squares.values() for item in items)


def _act(squares: dict[str, list[str]], agent: str, action: object, arriving: list[tuple[str, str]]) -> bool:
    """Take the box off its square; False if the action is not possible. It arrives when the step is over."""
    who = re.fullmatch(r"Agent\[([0-9]+\.5), ([0-9]+\.5)\]", agent)
    what = re.fullmatch(r"move\((box_([a-z]+)), (?:square\[([0-9]+\.5), ([0-9]+\.5)\]|(target_[a-z]+))\)", str(action))
    if who is None or what is None:
        raise Malformed('expected actions like "Agent[0.5, 0.5]": "move(box_red, target_red)"')
    place = f"{who[1]}_{who[2]}"
    here = squares.get(place, [])
    if what[1] not in here:
        return False
    if what[5]:
        if what[5] != f"target_{what[2]}" or what[5] not in here:
            return False
        here.remove(what[5])
    else:
        goal = f"{what[3]}_{what[4]}"
        distance = abs(float(what[3]) - float(who[1])) + abs(float(what[4]) - float(who[2]))
        if goal not in squares or distance != 1:
            return False
        arriving.append((goal, what[1]))
    here.remove(what[1])
    return True


def limited(moves: list[T]) -> list[T]:
    """The moves, if they are few enough to play."""
    if len(moves) > MAX_MOVES:
        raise Malformed(f"expected at most {MAX_MOVES} moves, got {len(moves)}")
    return moves
