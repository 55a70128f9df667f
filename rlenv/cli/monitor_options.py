"""The options that say who watches a training run: `--monitor`, `--gold` and what belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rlenv.cli.environment_options import environment_kwargs
from rlenv.core.errors import ConfigError

if TYPE_CHECKING:
    from rlenv.trainers.monitors.monitor import Monitor
    from rlenv.trainers.settings.config import TrainConfig

_PANEL = "Monitors"

Rules: TypeAlias = Annotated[
    str,
    typer.Option(
        "--monitor", metavar="RULES", help="Rules, between commas; 'default' is all, '' none.", rich_help_panel=_PANEL
    ),
]
Gold: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="ENV",
        help="Measure the policy on this environment too. It is not trained on it.",
        rich_help_panel=_PANEL,
    ),
]
GoldSet: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="A keyword of that environment.", rich_help_panel=_PANEL),
]
GoldEvery: TypeAlias = Annotated[int, typer.Option(help="Rollouts between two measurements.", rich_help_panel=_PANEL)]
GoldTasks: TypeAlias = Annotated[int, typer.Option(help="Tasks in each measurement.", rich_help_panel=_PANEL)]
StopOnGold: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--stop-on-gold", help="Stop the run when the reward on the gold environment falls.", rich_help_panel=_PANEL
    ),
]


def monitors(
    config: TrainConfig,
    out: Path,
    *,
    rules: str,
    gold: str | None,
    gold_set: Sequence[str] | None,
    gold_every: int,
    gold_tasks: int,
    stop_on_gold: bool,
) -> list[Monitor]:
    """The monitors that the options ask for; with a gold, its best policy so far is kept in `best/`."""
    from rlenv.env.registry import load
    from rlenv.trainers.monitors import GoldMonitor, default_monitors

    chosen: list[Monitor] = [*default_monitors(rules)]
    if gold is None:
        if stop_on_gold or gold_set:
            raise ConfigError("--stop-on-gold and --gold-set need --gold ENV")
        return chosen
    return [
        *chosen,
        GoldMonitor(
            env=load(gold, **environment_kwargs(None, gold_set)),
            every=gold_every,
            tasks=gold_tasks,
            max_new_tokens=config.max_new_tokens,
            max_episode_tokens=config.max_episode_tokens,
            temperature=config.temperature,
            seed=config.seed,
            stop=stop_on_gold,
            best=out / "best",
        ),
    ]
