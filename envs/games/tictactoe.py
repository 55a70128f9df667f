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
from typing import NamedTuple, TypedDict, cast

import numpy as np

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.games.boards import EMPTY, alike, free, keeping, line_owner, luck, other, pay_of, placed, result, value
from rlenv.envs.games.game import Answer, Deal, Level, Rules

MOST_LUCK = 0.15
"""What one who draws moves may earn on average in a game that is dealt."""
SPARE = 2
"""Turns beyond those that the game can last."""
_BOARD = re.compile(r"[.xo1-9]{3}(?:\n[.xo1-9]{3}){2}")  # xo3\n4x6\no89
SEEDS = 1 << 16


class Stones(NamedTuple):
    """A level: how many stones lie there when the player comes to move, and whether three in a row lose."""

    counts: tuple[int, ...]
    misere: bool


STONES = {1: Stones((4, 5), False), 2: Stones((1, 2, 3), False), 3: Stones((2, 3, 4), True)}


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
    levels: Mapping[int, Level] = {
        1: Level("4 or 5 stones on the board", 3 + SPARE),
        2: Level("1 to 3 stones on the board", 4 + SPARE),
        3: Level("2 to 4 stones on the board, three in a row lose", 4 + SPARE),
    }
    form = re.compile(r"[1-9]")  # 5
    example = "[number of a cell]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        stones, misere = STONES[level]
        count = stones[int(rng.integers(len(stones)))]
        board = EMPTY * 9
        for turn, cell in enumerate(rng.permutation(9)[:count]):
            board = placed(board, int(cell), "xo"[turn % 2])
        seed, mark = int(rng.integers(SEEDS)), "xo"[count % 2]
        if line_owner(board, misere) is not None:
            return None
        worth = value(board, mark, misere)
        if worth < 0 or luck(board, mark, mark, misere, worth) > MOST_LUCK:
            return None
        rules: Rules = {"board": board, "mark": mark, "misere": misere, "worth": worth}
        turns = (9 - count + 1) // 2 + SPARE
        return Deal({**rules, "turns": turns}, seed, f"tictactoe {misere} {alike(board)}")

    def prompt(self, rules: Rules) -> str:
        mark, worth = str(rules["mark"]), rules["worth"]
        three = "Who gets three in a row loses" if rules["misere"] else "Three in a row win"
        return (
            f"We play tic-tac-toe. You are {mark}, I am {other(mark)}, and it is your move. {three}. Free cells are "
            f"shown by their number:\n{_shown(str(rules['board']))}\nSay your move in square brackets: "
            f"{self.example}. The last brackets count, and a turn without a move that can be made is lost. "
            f"Full marks are for {'a win' if worth else 'a draw'}; there are {rules['turns']} turns."
        )

    def start(self, rules: Rules, hidden: Json) -> Json:
        if len(str(rules["board"])) != 9 or not {EMPTY, "x", "o"}.issuperset(str(rules["board"])):
            raise TaskError(f"expected nine cells of '.', 'x' and 'o', got {rules['board']!r:.80}")
        kept = {name: rules[name] for name in ("board", "mark", "misere", "worth")}
        return {**kept, "seed": int(cast("int", hidden))}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now, cell = cast("_State", state), int(move) - 1
        board, mark, misere = now["board"], now["mark"], now["misere"]
        if board[cell] != EMPTY:
            return Answer(state, f"Cell {move} is taken.", illegal=True)
        board, told = placed(board, cell, mark), ""
        if line_owner(board, misere) is None:
            cell = _reply(board, other(mark), misere, now["seed"])
            board = placed(board, cell, other(mark))
            told = f"I take {cell + 1}.\n{_shown(board)}"
        over, after = line_owner(board, misere), cast("Json", {**now, "board": board})
        if over is None:
            return Answer(after, told)
        end = result(over, mark)
        said = told or ("You have three in a row." if over else "The board is full.")
        return Answer(after, said, pay_of(end, now["worth"]), {1: "won", 0: "a draw", -1: "lost"}[end])

    def best(self, rules: Rules, said: Sequence[str], heard: Sequence[str]) -> str:
        """The first move that keeps what the position is worth."""
        shown = [found[0] for told in heard if (found := _BOARD.search(told))]
        board = re.sub("[1-9]", EMPTY, shown[-1].replace("\n", "")) if shown else str(rules["board"])
        return str(keeping(board, str(rules["mark"]), bool(rules["misere"]))[0] + 1)

    def legal(self, state: Json) -> Sequence[str]:
        return [str(cell + 1) for cell in free(cast("_State", state)["board"])]


def _reply(board: str, mark: str, misere: bool, seed: int) -> int:
    cells = keeping(board, mark, misere)
    number = np.random.SeedSequence([seed, *board.encode()]).generate_state(1)[0]
    return cells[int(number) % len(cells)]


def _shown(board: str) -> str:
    cells = [str(cell + 1) if sign == EMPTY else sign for cell, sign in enumerate(board)]
    return "\n".join("".join(cells[row : row + 3]) for row in (0, 3, 6))
