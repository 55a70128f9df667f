"""What the best player, a random legal mover and random characters earn in every game.

python benchmarks/game_players.py [GAME ...] [--tasks 200]
"""

from __future__ import annotations

import argparse
import string
from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.games.game import Game
from rlenv.envs.games.reference import best_script
from rlenv.envs.games.tasks import GAMES, game_environment, game_named
from rlenv.envs.games.verifier import GameInteraction

Says: TypeAlias = "Callable[[Json], str]"
"""What a player says in a state of the game. Only one that compares chance with skill may look at it."""
MOST_CHARACTERS = 20
SEED = 2026
"""Of the random players; tasks have seeds of their own."""


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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES), help="the games; all without")
    parser.add_argument("--tasks", type=int, default=200, help="games of each level")
    given = parser.parse_args()
    print("| game | level | turns at most | best play | random legal moves | random characters |")
    print("|---|---|---|---|---|---|")
    for name in given.games:
        game = game_named(name)
        for number, level in game.levels.items():
            tasks = game_environment(name, number).tasks
            rewards = []
            for index in range(given.tasks):
                task, rng = tasks[index], np.random.default_rng([SEED, index])
                rewards.append((best(game, task), chance(game, task, rng), noise(game, task, rng)))
            figures = " | ".join(f"{mean:.3f}" for mean in np.mean(rewards, axis=0))
            print(f"| {name} | {number}: {level.about} | {level.turns} | {figures} |")
