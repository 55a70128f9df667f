"""`games/tictactoe-v0`: go on from a position of noughts and crosses against a side that never errs.

>>> import rlenv
>>> env = rlenv.make("games/tictactoe-v0", level=1)
>>> rules = {"board": "xo..x.o..", "mark": "x", "misere": False, "worth": 1, "turns": 7}
>>> _ = env.reset(options={"task": {"prompt": "Play.", "answer": 7, "rules": rules}})
>>> env.step("[9]")[:2]
('You have three in a row.', 1.0)

Best play is exact: the value of every position is worked out to the end of the game, for both sides. A game is dealt
where the player can draw at least, and where one who draws moves earns MOST_LUCK at most, which is worked out too. What
the position is worth, or more, pays 1.0; a draw where a win was there pays DRAWN; a loss or an unfinished game nothing.
The other side never gives away what it has; which of its equal moves it makes is drawn from the task's hidden number
and the board. Three in a row lose at level 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypedDict, cast

import numpy as np

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.games.game import Answer, Deal

MOST_LUCK = 0.15
"""What one who draws moves may earn on average in a game that is dealt."""
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
EMPTY = "."
DRAWN = 0.25
SPARE = 2
"""Turns beyond those that the game can last."""
_TURNED = (6, 3, 0, 7, 4, 1, 8, 5, 2)
_MIRRORED = (2, 1, 0, 5, 4, 3, 8, 7, 6)
_BOARD = re.compile(r"[.xo1-9]{3}(?:\n[.xo1-9]{3}){2}")  # xo3\n4x6\no89
SEEDS = 1 << 16


class Stones(NamedTuple):
    """A level: how many stones lie there when the player comes to move, and whether three in a row lose."""

    counts: tuple[int, ...]
    misere: bool


LEVELS = {1: Stones((4, 5), False), 2: Stones((1, 2, 3), False), 3: Stones((2, 3, 4), True)}


class _State(TypedDict):
    board: str
    mark: str
    misere: bool
    worth: int
    seed: int


class Tictactoe:
    """Noughts and crosses from a given position."""

    name = "tictactoe"
    about = "tic-tac-toe against a side that never errs"
    levels: Mapping[int, str] = {
        1: "4 or 5 stones on the board",
        2: "1 to 3 stones on the board",
        3: "2 to 4 stones on the board, three in a row lose",
    }
    form = re.compile(r"[1-9]")  # 5
    example = "[number of a cell]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        stones, misere = LEVELS[level]
        count = stones[int(rng.integers(len(stones)))]
        marks = ["xo"[place % 2] for place in range(count)]
        board = [EMPTY] * 9
        for place, mark in zip(rng.permutation(9), marks, strict=False):
            board[place] = mark
        seed, text, mark = int(rng.integers(SEEDS)), "".join(board), "xo"[count % 2]
        if ended(text, misere) is not None:
            return None
        worth = value(text, mark, misere)
        if worth < 0 or luck(text, mark, misere) > MOST_LUCK:
            return None
        rules: dict[str, Json] = {
            "board": text,
            "mark": mark,
            "misere": misere,
            "worth": worth,
            "turns": (9 - count + 1) // 2 + SPARE,
        }
        return Deal(rules, seed, f"tictactoe {misere} {alike(text)}")

    def most_turns(self, level: int) -> int:
        return (9 - min(LEVELS[level].counts) + 1) // 2 + SPARE

    def prompt(self, rules: Mapping[str, Json]) -> str:
        mark, worth = str(rules["mark"]), rules["worth"]
        three = "Who gets three in a row loses" if rules["misere"] else "Three in a row win"
        return (
            f"We play tic-tac-toe. You are {mark}, I am {_other(mark)}, and it is your move. {three}. Free cells are "
            f"shown by their number:\n{_shown(str(rules['board']))}\nSay your move in square brackets: "
            f"{self.example}. The last brackets count, and a turn without a move that can be made is lost. "
            f"Full marks are for {'a win' if worth else 'a draw'}; there are {rules['turns']} turns."
        )

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        if len(str(rules["board"])) != 9 or not {EMPTY, "x", "o"}.issuperset(str(rules["board"])):
            raise TaskError(f"expected nine cells of '.', 'x' and 'o', got {rules['board']!r:.80}")
        return {
            **{name: rules[name] for name in ("board", "mark", "misere", "worth")},
            "seed": int(cast("int", hidden)),
        }

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now, cell = cast("_State", state), int(move) - 1
        board, mark, misere = now["board"], now["mark"], now["misere"]
        if board[cell] != EMPTY:
            return Answer(state, f"Cell {move} is taken.", illegal=True)
        board = placed(board, cell, mark)
        told = ""
        if ended(board, misere) is None:
            cell = _reply(board, _other(mark), misere, now["seed"])
            board = placed(board, cell, _other(mark))
            told = f"I take {cell + 1}.\n{_shown(board)}"
        over = ended(board, misere)
        after = cast("Json", {**now, "board": board})
        if over is None:
            return Answer(after, told)
        result = _result(over, mark)
        said = told or ("You have three in a row." if over else "The board is full.")
        return Answer(after, said, pay_of(result, now["worth"]), {1: "won", 0: "a draw", -1: "lost"}[result])

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """The first move that keeps what the position is worth."""
        shown = [found[0] for told in heard if (found := _BOARD.search(told))]
        board = re.sub("[1-9]", EMPTY, shown[-1].replace("\n", "")) if shown else str(rules["board"])
        mark, misere = str(rules["mark"]), bool(rules["misere"])
        return str(_keeping(board, mark, misere)[0] + 1)

    def random_move(self, state: Json, rng: np.random.Generator) -> str:
        free = _free(cast("_State", state)["board"])
        return str(free[int(rng.integers(len(free)))] + 1)


@lru_cache(maxsize=32768)
def value(board: str, mark: str, misere: bool) -> int:
    """What the position is worth to the side `mark`, which is to move: 1 a win, 0 a draw, -1 a loss."""
    over = ended(board, misere)
    if over is not None:
        return _result(over, mark)
    return max(-value(placed(board, cell, mark), _other(mark), misere) for cell in _free(board))


@lru_cache(maxsize=32768)
def luck(board: str, mark: str, misere: bool) -> float:
    """What one earns on average who draws moves, against a side that draws among its best ones."""
    return _luck(board, mark, mark, misere, value(board, mark, misere))


@lru_cache(maxsize=131072)
def _luck(board: str, to_move: str, mark: str, misere: bool, worth: int) -> float:
    over = ended(board, misere)
    if over is not None:
        return pay_of(_result(over, mark), worth)
    cells = _free(board) if to_move == mark else _keeping(board, to_move, misere)
    after = [_luck(placed(board, cell, to_move), _other(to_move), mark, misere, worth) for cell in cells]
    return sum(after) / len(after)


def pay_of(result: int, worth: int) -> float:
    """What a result (1 a win, 0 a draw, -1 a loss) earns from a position of this worth."""
    return 1.0 if result >= worth else DRAWN if result == 0 else 0.0


def ended(board: str, misere: bool) -> str | None:
    """The mark that has won, an empty text for a draw, None where the game goes on.

    >>> ended("xxxoo....", False), ended("xxxoo....", True), ended("xoxxoooxx", False), ended("x........", False)
    ('x', 'o', '', None)
    """
    for a, b, c in LINES:
        if board[a] != EMPTY and board[a] == board[b] == board[c]:
            return _other(board[a]) if misere else board[a]
    return None if EMPTY in board else ""


def placed(board: str, cell: int, mark: str) -> str:
    """The board with one more stone."""
    return board[:cell] + mark + board[cell + 1 :]


def alike(board: str) -> str:
    """The same for boards that are each other turned or mirrored."""
    seen = []
    for start in (board, "".join(board[place] for place in _MIRRORED)):
        for _ in range(4):
            start = "".join(start[place] for place in _TURNED)
            seen.append(start)
    return min(seen)


def _result(over: str, mark: str) -> int:
    return 0 if over == "" else 1 if over == mark else -1


def _keeping(board: str, mark: str, misere: bool) -> list[int]:
    """The moves that keep what the position is worth."""
    worth = value(board, mark, misere)
    return [cell for cell in _free(board) if -value(placed(board, cell, mark), _other(mark), misere) == worth]


def _reply(board: str, mark: str, misere: bool, seed: int) -> int:
    cells = _keeping(board, mark, misere)
    drawn = np.random.SeedSequence([seed, *board.encode()]).generate_state(1)[0]
    return cells[int(drawn) % len(cells)]


def _free(board: str) -> list[int]:
    return [cell for cell, sign in enumerate(board) if sign == EMPTY]


def _other(mark: str) -> str:
    return "o" if mark == "x" else "x"


def _shown(board: str) -> str:
    cells = [str(cell + 1) if sign == EMPTY else sign for cell, sign in enumerate(board)]
    return "\n".join("".join(cells[row : row + 3]) for row in (0, 3, 6))
