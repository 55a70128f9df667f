"""Players to compare with: the best one, one that draws any legal move, and one that says random characters.

python -m rlenv.envs.games                # what each earns, for every game and level
"""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.games.game import Game, GameInteraction, best_script

Says: TypeAlias = "Callable[[Json], str]"
"""What a player says in a state of the game. Only one that compares chance with skill may look at it."""
MOST_CHARACTERS = 20


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
    """What one earns who plays any legal move."""
    return reward_of(game, task, lambda state: f"[{game.random_move(state, rng)}]")


def noise(game: Game, task: Task, rng: np.random.Generator) -> float:
    """What one earns who says characters at random, in brackets."""
    signs = list(string.digits + string.ascii_lowercase + " ")
    return reward_of(game, task, lambda state: f"[{''.join(rng.choice(signs, size=rng.integers(1, MOST_CHARACTERS)))}]")
