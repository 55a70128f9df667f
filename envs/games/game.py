"""What a game is, and the interaction that plays any game with a policy.

A game has rules, which stand in the prompt, and may hide something. It answers one move after the other; when it is
over it pays, once, between 0 and 1. A turn without a readable move, or with one that the rules forbid, is spent all the
same, and after the last turn the game is lost. So nothing that is repeated earns anything.

The best player of a game is a function of the rules, of its own moves and of what it was told: it cannot see what is
hidden, and neither can the prompt, which is made of the rules alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypedDict, cast

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Flag
from rlenv.envs.games.moves import read_move

LATE = (0.5, 0.25)
"""Paid for finding what is hidden one and two turns later than the best player promises to."""
BARE, NOTHING = "bare", "?"
"""The rule of games in a few characters, for models trained from nothing; and what they answer to no move."""
UNREADABLE, ILLEGAL = "unreadable_move", "illegal_move"


class Deal(NamedTuple):
    """One game to play."""

    rules: Mapping[str, Json]
    """What the player is told, `turns` among it: how often it may speak."""
    hidden: Json
    """What it is not told; None where there is nothing."""
    key: str
    """The same for games that are the same question: it decides the split."""


class Answer(NamedTuple):
    """What a game says to a move."""

    state: Json
    told: str
    pay: float | None = None
    """What the game is worth, where this move ends it."""
    reason: str = ""
    illegal: bool = False
    """The rules forbid the move: nothing happens, and the turn is spent."""


class Game(Protocol):
    """One kind of game. All of it is pure, and all states are JSON."""

    name: str
    about: str
    levels: Mapping[int, str]
    """What each level is, in words."""
    form: re.Pattern[str]
    """What a readable move looks like, in lower case and single blanks."""
    example: str
    """What a move looks like, as the player is told. It is none itself, so that repeating what was heard is no move."""

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        """A game of the level; None where the draw came to none that fits, and is to be made again."""

    def most_turns(self, level: int) -> int:
        """No game of the level has more turns."""

    def prompt(self, rules: Mapping[str, Json]) -> str:
        """How the game is explained to the player."""

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        """The state before the first move."""

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        """What becomes of a readable move in this turn, counted from 1."""

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """The next move of the best player, who said these moves and heard this of each."""

    def random_move(self, state: Json, rng: np.random.Generator) -> str:
        """A legal move, each as likely: how one plays who knows the rules and nothing else."""


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
        state: _State = {
            "turn": 0,
            "turns": cast("int", rules["turns"]),
            "unreadable": 0,
            "illegal": 0,
            "bare": bool(rules.get(BARE)),
            "game": self.game.start(rules, task.reference),
        }
        return cast("Json", state)

    def respond(self, state: Json, said: Completion) -> Reply:
        before = cast("_State", state)
        turn, game = before["turn"] + 1, before["game"]
        move = read_move(said.content.text, self.game.form)
        flags: tuple[Flag, ...] = ()
        if move is None:
            told = NOTHING if before["bare"] else f"I see no move. Say it like this: {self.game.example}"
            pay, reason, illegal = None, "", False
            flags = (Flag(UNREADABLE, 0, len(said.text), told),)
        else:
            game, told, pay, reason, illegal = self.game.answer(game, move, turn)
            if illegal:
                flags = (Flag(ILLEGAL, 0, len(said.text), told),)
        now: _State = {
            "turn": turn,
            "turns": before["turns"],
            "unreadable": before["unreadable"] + (move is None),
            "illegal": before["illegal"] + illegal,
            "bare": before["bare"],
            "game": game,
        }
        if pay is None and turn < now["turns"]:
            return Reply(cast("Json", now), told, flags=flags)
        return self._over(now, told, pay, reason, flags)

    def _over(self, now: _State, told: str, pay: float | None, reason: str, flags: tuple[Flag, ...]) -> Reply:
        earned = pay or 0.0
        scores = {
            "turns": float(now["turn"]),
            "unreadable": float(now["unreadable"]),
            "illegal": float(now["illegal"]),
            "full_marks": float(earned >= 1.0),
        }
        reason = reason or ("the turns are used up" if pay is None else "")
        return Reply(cast("Json", now), told, True, earned, reason, flags, scores)


def pay_for(turn: int, best: int) -> float:
    """What finding it in this turn is worth, where the best player promises to need `best` turns at most.

    >>> [pay_for(turn, 4) for turn in (1, 4, 5, 6, 7)]
    [1.0, 1.0, 0.5, 0.25, 0.0]
    """
    late = turn - best
    return 1.0 if late <= 0 else LATE[late - 1] if late <= len(LATE) else 0.0


def best_script(game: Game, task: Task) -> tuple[str, ...]:
    """What the best player says to a task, turn by turn, found by playing.

    Raises TaskError where its game does not end: its task was not drawn from the game.
    """
    interaction = GameInteraction(game)
    rules = cast("Mapping[str, Json]", task.metadata.get("rules"))
    state = interaction.start(task)
    moves: list[str] = []
    said: list[str] = []
    heard: list[str] = []
    for _ in range(cast("int", rules["turns"])):
        moves.append(game.best(rules, moves, heard))
        said.append(moves[-1] if rules.get(BARE) else f"[{moves[-1]}]")
        reply = interaction.respond(state, Completion(said[-1]))
        if reply.ended:
            return tuple(said)
        state = reply.state
        heard.append(str(reply.observation))
    raise TaskError(f"task {task.id}: the best player of {game.name} does not end it; draw tasks from the game")
