"""Players of a game: the best one, one that draws any legal move, and one that says random characters.

python -m rlenv.envs.games                # what each earns, for every game and level
"""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.games.game import BARE, Game, Rules
from rlenv.envs.games.verifier import GameInteraction

Says: TypeAlias = "Callable[[Json], str]"
"""What a player says in a state of the game. Only one that compares chance with skill may look at it."""
MOST_CHARACTERS = 20


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


def reward_of(game: Game, task: Task, says: Says) -> float:
    """What a player earns in one game."""
    interaction, reward = GameInteraction(game), 0.0
    state = interaction.start(task)
    while True:
        reply = interaction.respond(state, Completion(says(cast("dict[str, Json]", state)["game"])))
        reward += reply.reward
        if reply.ended:
            return reward
        state = reply.state


def best(game: Game, task: Task) -> float:
    """What the best player earns."""
    script = iter(best_script(game, task))
    return reward_of(game, task, lambda state: next(script))


def chance(game: Game, task: Task, rng: np.random.Generator) -> float:
    """What one earns who plays any legal move, each as likely: who knows the rules and nothing else."""

    def says(state: Json) -> str:
        moves = game.legal(state)
        return f"[{moves[int(rng.integers(len(moves)))]}]"

    return reward_of(game, task, says)


def noise(game: Game, task: Task, rng: np.random.Generator) -> float:
    """What one earns who says characters at random, in brackets."""
    signs = list(string.digits + string.ascii_lowercase + " ")
    return reward_of(game, task, lambda state: f"[{''.join(rng.choice(signs, size=rng.integers(1, MOST_CHARACTERS)))}]")
