"""The best player of a game."""

from __future__ import annotations

from typing import cast

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.envs.games.game import BARE, Game, Rules
from rlenv.envs.games.verifier import GameInteraction


def best_script(game: Game, task: Task) -> tuple[str, ...]:
    """What the best player says to a task, turn by turn, found by playing.

    Raises TaskError where its game does not end: its task was not drawn from the game.
    """
    interaction = GameInteraction(game)
    state, rules = interaction.start(task), cast("Rules", task.metadata["rules"])
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
