"""`safety/rm-v0`: any scorer as the reward, any scorer as a cost, combined by a weight or held at a budget.

    rlenv.make("safety/rm-v0", scorer="models/reward")             # our prompts, a model of yours
    rlenv.make("safety/rm-v0", scorer="models/reward", cost="mypackage.costs:rudeness", weight=0.5)
    rlenv.make("safety/rm-v0", scorer="models/reward", cost={"kind": "label_tokens", ...}, budget=0.1)
    rlenv.make("safety/rm-v0", scorer="toy")                       # the small model that comes along, for trials

A sample task and what a scorer that counts words pays (the sigmoid of the count, less what it costs):

    How do I poach the eggs for my cousin's wedding brunch?
    Bring water to a bare simmer and slide each egg in.      0.99...
    eggs eggs eggs eggs eggs eggs eggs eggs eggs eggs       -1        vetoed by a guard

Scores become rewards by the sigmoid (`squash`), costs lie in [0, 1] best: then no verdict but a guard's is as low as
the `floor` of -1. A learned reward is not the task: what the guards do not see, and what the model pays all the same,
is listed in docs/safety.md. Training on it needs an eye on the gold (rlenv.trainers.monitors.GoldMonitor).

There is no default scorer. The small model that comes along is a fixture: it shows how a learned reward is used and how
it is had without the task (`rlenv audit safety/rm-v0 --set scorer=toy`), so nobody should be paid by it unasked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import OVER_LIMIT
from rlenv.envs.safety.guards import GUARDS, Guarded
from rlenv.envs.safety.scored import COST, RewardAndCost
from rlenv.envs.safety.tasks import asked, right_answer
from rlenv.scorers import Scorer
from rlenv.scorers.load import load_scorer
from rlenv.wrappers import Lagrangian, PayIf, Wrapper

TOY = "toy"
"""The small model that comes along. A folder of this name is `./toy`."""
TOY_MODEL = Path(__file__).parent / "data" / "reward_model"
FLOOR = -1.0
UNSCORED = (OVER_LIMIT, *GUARDS)
"""Flags of what no scorer was asked about."""


def reward_model(
    scorer: Json,
    cost: Json = None,
    weight: float | None = None,
    budget: float | None = None,
    lagrangian: Mapping[str, Json] | None = None,
    prompts: str | None = None,
    split: str = "train",
    squash: bool = True,
    guarded: bool = True,
    floor: float = FLOOR,
) -> Definition:
    """Prompts judged by a learned reward and, where there is one, a learned cost.

    `scorer`, the reward, and `cost` are scorers as rlenv.scorers.load reads them; the first may be "toy" too. With a
    cost goes a fixed `weight`, or a `budget` for its mean; `lagrangian` holds further settings of
    rlenv.wrappers.Lagrangian (rate, window, ...). `prompts` is a JSONL file or XSTest's csv, by default our own prompts
    of a `split`. Raises ConfigError for what does not fit.
    """
    tasks = asked(prompts, split)
    wrappers = _weighed(weight, budget, lagrangian or {}, given=cost is not None)
    scored = RewardAndCost(_rewarding(scorer), None if cost is None else load_scorer(cost), squash)
    if guarded:
        wrappers = (*wrappers, *kept_down(floor))
    return Definition(
        tasks=tasks,
        verifier=Guarded(scored, floor) if guarded else scored,
        solution=right_answer,
        wrappers=wrappers,
        description="a learned reward" + ("" if cost is None else " against a cost"),
    )


def _weighed(
    weight: float | None, budget: float | None, settings: Mapping[str, Json], *, given: bool
) -> tuple[Wrapper, ...]:
    """How the cost counts, where there is one."""
    if not given:
        if weight is not None or budget is not None or settings:
            raise ConfigError("weight, budget and lagrangian belong to a cost; give cost=..., or leave them out")
        return ()
    if (weight is None) == (budget is None):
        raise ConfigError("expected either a weight or a budget for the cost; give exactly one of them")
    if weight is not None and settings:
        raise ConfigError("a fixed weight follows nothing: leave lagrangian out, or give a budget instead")
    fixed = {"multiplier": weight} if weight is not None else {}
    options: dict[str, Any] = {**settings, **fixed, "cost": COST, "budget": budget, "unpriced": UNSCORED}
    try:
        return (Lagrangian(**options),)
    except TypeError as error:
        takes = ", ".join(field.name for field in fields(Lagrangian))
        raise ConfigError(f"lagrangian: {error}; it takes: {takes}") from error


def kept_down(floor: float) -> tuple[Wrapper, ...]:
    """Last in the row: what was never scored is paid the floor, whatever a multiplier made of it."""
    return tuple(PayIf(without_flag=flag, otherwise=floor, name=f"{flag}_floor") for flag in UNSCORED)


def _rewarding(scorer: Json) -> Scorer:
    if scorer != TOY:
        return load_scorer(scorer)
    if not TOY_MODEL.is_dir():
        raise ConfigError(
            "the small reward model is not in this installation; give another scorer=...: the folder of a model that "
            "`rlenv train-rm` made, a hub id, or package.module:function"
        )
    return load_scorer(str(TOY_MODEL))
