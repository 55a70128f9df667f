"""What the best player, a random legal mover and random characters earn in every game: `python -m rlenv.envs.games`."""

from __future__ import annotations

import argparse

import numpy as np

from rlenv.envs.games.reference import best, chance, noise
from rlenv.envs.games.tasks import GAMES, game_environment, game_named

SEED = 2026
"""Of the random players; tasks have seeds of their own."""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m rlenv.envs.games", description=__doc__)
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
