r"""Text to verdict: reads the move in what a player said, lets the game answer, and pays once it is over.

A turn without a readable move, or with one that the rules forbid, is spent all the same, and after the last turn the
game is lost. So nothing that is repeated earns anything. A move is what stands in the last square brackets, or without
any, the whole of the last line. Case, blanks, a full stop and marks of emphasis do not matter; what else stands beside
a move makes it unreadable, and so naming several moves wins nothing.

>>> number = re.compile(r"[0-9]{1,3}")
>>> [read_move(said, number) for said in ("Half of it: [50]", "[ 50 ] no, [51]", "So\n50.", "50 or 51", "[fifty]")]
['50', '51', '50', None, None]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict, cast

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Flag
from rlenv.envs.games.game import BARE, NOTHING, Answer, Game

LOOKED_AT = 1_000
"""Characters at the end of what was said; a move stands there, however long the rest is."""
AROUND = " \t.!*`[]"
"""Signs that people and models put around a move."""
UNREADABLE, ILLEGAL = "unreadable_move", "illegal_move"


class _State(TypedDict):
    turn: int
    turns: int
    unreadable: int
    illegal: int
    bare: bool
    game: Json


@dataclass(frozen=True)
class GameInteraction:
    """Plays one kind of game: reads the moves, counts the turns, and pays at the end.

    Scores: `turns` that were used, `unreadable` and `illegal` ones among them, and `full_marks`, 1.0 for a game that
    was played at least as well as the best player promises to.
    """

    game: Game
    tools: tuple[Mapping[str, Json], ...] = ()

    def start(self, task: Task) -> Json:
        """Raises TaskError for a task of no game."""
        rules = task.metadata.get("rules")
        if not isinstance(rules, (dict, Mapping)) or not isinstance(rules.get("turns"), int):
            raise TaskError(
                f"task {task.id}: expected metadata 'rules' with 'turns', got {rules!r:.80}; draw tasks from the game"
            )
        counts: dict[str, Json] = {"turn": 0, "turns": rules["turns"], "unreadable": 0, "illegal": 0}
        return {**counts, "bare": bool(rules.get(BARE)), "game": self.game.start(rules, task.reference)}

    def respond(self, state: Json, said: Completion) -> Reply:
        before = cast("_State", state)
        turn, move = before["turn"] + 1, read_move(said.content.text, self.game.form)
        if move is None:
            told = NOTHING if before["bare"] else f"I see no move. Say it like this: {self.game.example}"
            answer, name = Answer(before["game"], told), UNREADABLE
        else:
            answer = self.game.answer(before["game"], move, turn)
            name = ILLEGAL if answer.illegal else ""
        flags = (Flag(name, 0, len(said.text), answer.told),) if name else ()
        now: _State = {
            **before,
            "turn": turn,
            "unreadable": before["unreadable"] + (name == UNREADABLE),
            "illegal": before["illegal"] + (name == ILLEGAL),
            "game": answer.state,
        }
        if answer.pay is None and turn < now["turns"]:
            return Reply(cast("Json", now), answer.told, flags=flags)
        earned = answer.pay or 0.0
        scores = {
            **{"turns": float(turn), "unreadable": float(now["unreadable"]), "illegal": float(now["illegal"])},
            "full_marks": float(earned >= 1.0),
        }
        reason = answer.reason or ("the turns are used up" if answer.pay is None else "")
        return Reply(cast("Json", now), answer.told, True, earned, reason, flags, scores)


def read_move(content: str, form: re.Pattern[str]) -> str | None:
    """The move in lower case and single blanks, None where nothing of this form is said. It costs the same always."""
    said = content[1:-1]
    if not (said.isalnum() and content[0] == "[" and content[-1] == "]" and len(said) < LOOKED_AT - 1):
        said = _last_said(content)  # the usual move stands alone in its brackets, and needs no search
    move = said.lower() if said.isalnum() else " ".join(said.strip(AROUND).lower().split())
    return move if form.fullmatch(move) else None


def _last_said(content: str) -> str:
    """What stands in the last brackets, or in the last line."""
    tail = content[-LOOKED_AT:].strip()
    close = tail.rfind("]")
    start = tail.rfind("[", 0, close) if close > 0 else -1
    return tail[start + 1 : close] if start >= 0 else tail.rpartition("\n")[2]
