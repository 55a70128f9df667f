"""`games/NAME-v0`: makes the environment of a game out of its rules.

    definition = game_environment("guess", level=1)

Tasks are addressed by (seed, index) and held apart by what they ask: the same question is in one split only. An episode
is judged by playing its moves again (rlenv.turns.replay), so nothing that a transcript says of itself counts.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import partial
from typing import cast

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.games.game import Game
from rlenv.envs.games.reference import best_script
from rlenv.envs.games.verifier import GameInteraction
from rlenv.envs.levels import Keyed, levelled_sets, levels_named, levels_said
from rlenv.envs.splits import DEMONSTRATION_PERCENT
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


def game_named(name: str) -> Game:
    """The game of this name. Raises ConfigError for one that does not exist."""
    if name not in GAMES:
        raise ConfigError(f"expected a game out of {', '.join(GAMES)}, got {name!r}")
    return cast("Game", getattr(importlib.import_module(f"rlenv.envs.games.{name}"), GAMES[name])())


def drawn_task(game: Game, level: int, rng: np.random.Generator) -> Keyed | None:
    """A game of the level, as a task whose reference is what is hidden."""
    deal = game.deal(level, rng)
    if deal is None:
        return None
    metadata: dict[str, Json] = {"game": game.name, "level": level, "rules": dict(deal.rules)}
    return deal.key, lambda: Task(game.prompt(deal.rules), deal.hidden, metadata=metadata)


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
    sets = levelled_sets(partial(drawn_task, game), levels, split, seed, size, demonstration_percent)
    interaction = GameInteraction(game)
    script = partial(best_script, game)
    return Definition(
        tasks=sets.tasks,
        verifier=ReplayVerifier(interaction, name=game.name, version=f"games-{game.name}-1"),
        interaction=interaction,
        script=script,
        solution=lambda task: "\n".join(script(task)),
        max_turns=max(game.levels[lv].turns for lv in levels),
        demonstrations=sets.demonstrations,
        max_completion_chars=1_000_000,
        description=f"{game.about}, {levels_said(levels, lambda lv: game.levels[lv].about)}",
    )
