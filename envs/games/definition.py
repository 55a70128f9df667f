"""`games/NAME-v0`: makes the environment of a game out of its rules.

    definition = game_environment("guess", level=1)

Tasks are addressed by (seed, index) and held apart by what they ask: the same question is in one split only. An episode
is judged by playing its moves again (rlenv.turns.replay), so nothing that a transcript says of itself counts.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet
from rlenv.envs.games.game import Deal, Game, GameInteraction, best_script
from rlenv.envs.level_range import levels_named
from rlenv.envs.levelled import check_size, drawn, levels_said
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split
from rlenv.turns.replay import ReplayVerifier

GAMES: Mapping[str, str] = {
    "guess": "Guess",
    "mastermind": "Mastermind",
    "wordle": "Wordle",
    "nim": "Nim",
    "hanoi": "Hanoi",
    "maze": "MazeGame",
    "blackjack": "Blackjack",
    "tictactoe": "Tictactoe",
}
"""The games by name, and their classes in the module of that name."""


@dataclass(frozen=True)
class DrawnTask:
    """Draws task `index` of a seed: games until one fits the level and belongs to the split."""

    game: Game
    level: int
    split: str
    demonstration_percent: int

    def __call__(self, seed: int, index: int) -> Task:
        rng = np.random.default_rng([seed, index, self.level])
        while True:
            deal = self.game.deal(self.level, rng)
            if deal is not None and belongs(deal.key, self.split, self.demonstration_percent):
                return game_task(self.game, deal, self.level)


def game_named(name: str) -> Game:
    """The game of this name. Raises ConfigError for one that does not exist."""
    if name not in GAMES:
        raise ConfigError(f"expected a game out of {', '.join(GAMES)}, got {name!r}")
    return cast("Game", getattr(importlib.import_module(f"rlenv.envs.games.{name}"), GAMES[name])())


def game_task(game: Game, deal: Deal, level: int) -> Task:
    """The task of one game; its reference is what is hidden."""
    metadata: dict[str, Json] = {"game": game.name, "level": level, "rules": dict(deal.rules)}
    return Task(game.prompt(deal.rules), deal.hidden, metadata=metadata)


def game_environment(
    name: str,
    level: int | str = 1,
    split: str = "train",
    seed: int = 0,
    size: int | None = None,
    demonstration_percent: int = DEMONSTRATION_PERCENT,
) -> Definition:
    """A game at a level, or at several in turn (`"1-3"`), out of one split or `all`.

    The demonstrations of a warm start are those of the split of that name.
    """
    game = game_named(name)
    levels = levels_named(level, game.levels)
    check_split(split, demonstration_percent)
    check_size(size)

    def tasks(of_split: str, limit: int | None) -> TaskSet:
        return drawn(lambda lv: DrawnTask(game, lv, of_split, demonstration_percent), levels, seed, limit)

    interaction = GameInteraction(game)
    script = partial(best_script, game)
    return Definition(
        tasks=tasks(split, size),
        verifier=ReplayVerifier(interaction, name=game.name, version=f"games-{game.name}-1"),
        interaction=interaction,
        script=script,
        solution=lambda task: "\n".join(script(task)),
        max_turns=max(game.most_turns(lv) for lv in levels),
        demonstrations=None if split == "all" else tasks("demonstrations", None),
        max_completion_chars=1_000_000,
        description=f"{game.about}, {levels_said(levels, game.levels.__getitem__)}",
    )
