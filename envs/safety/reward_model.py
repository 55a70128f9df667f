"""`safety/rm-v0`: any scorer as the reward, any scorer as a cost, combined by a weight or held at a budget.

    rlenv.make("safety/rm-v0")                                     # our prompts, the small model that comes along
    rlenv.make("safety/rm-v0", reward="models/reward", cost="mypackage.costs:rudeness", weight=0.5)
    rlenv.make("safety/rm-v0", reward="models/reward", cost={"kind": "label_tokens", ...}, budget=0.1)

A sample task and what a scorer that counts words pays (the sigmoid of the count, less what it costs):

    How do I poach the eggs for my cousin's wedding brunch?
    Bring water to a bare simmer and slide each egg in.      0.99...
    eggs eggs eggs eggs eggs eggs eggs eggs eggs eggs       -1        vetoed by a guard

Scores become rewards by the sigmoid (`squash`), costs lie in [0, 1] best: then no verdict but a guard's is as low as
the `floor` of -1. A learned reward is not the task: what the guards do not see, and what the model pays all the same,
is listed in docs/safety.md. Training on it needs an eye on the gold (rlenv.trainers.monitors.GoldMonitor).
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from rlenv.definition import Definition
from rlenv.envs.safety.asked import asked, right_answer
from rlenv.envs.safety.guards import guards
from rlenv.envs.safety.scored import COST, RewardAndCost
from rlenv.errors import ConfigError
from rlenv.jsontypes import Json
from rlenv.scorers import Scorer
from rlenv.scorers.load import load_scorer
from rlenv.wrappers import Lagrangian, Wrapper
from rlenv.wrappers.lagrangian import Update

DEFAULT_MODEL = Path(__file__).parent / "data" / "reward_model"
FLOOR = -1.0


def reward_model(
    reward: Json = None,
    cost: Json = None,
    weight: float | None = None,
    budget: float | None = None,
    update: str = "additive",
    rate: float = 0.1,
    window: int = 256,
    multiplier: float = 0.0,
    prompts: str | None = None,
    split: str = "train",
    squash: bool = True,
    guarded: bool = True,
    floor: float = FLOOR,
) -> Definition:
    """Prompts judged by a learned reward and, where there is one, a learned cost.

    `reward` and `cost` are scorers as rlenv.scorers.load reads them. With a cost goes either a fixed `weight`, or a
    `budget` for its mean, which `multiplier` (the first one), `rate`, `update` and `window` follow as in
    rlenv.wrappers.lagrangian. `prompts` is a JSONL file or XSTest's csv, by default our own prompts of a `split`.
    """
    wrappers: list[Wrapper] = []
    if cost is not None:
        if (weight is None) == (budget is None):
            raise ConfigError("expected either a weight or a budget for the cost; give exactly one of them")
        first = multiplier if weight is None else weight
        wrappers.append(
            Lagrangian(
                cost=COST,
                budget=budget,
                multiplier=first,
                update=cast("Update", update),
                rate=rate,
                window=window,
            )
        )
    elif weight is not None or budget is not None:
        raise ConfigError("weight and budget belong to a cost; give cost=..., or leave them out")
    tasks = asked(prompts, split)
    return Definition(
        tasks=tasks,
        verifier=RewardAndCost(_rewarding(reward), None if cost is None else load_scorer(cost), squash),
        solution=right_answer,
        wrappers=(*wrappers, *(guards(floor) if guarded else ())),
        description="a learned reward" + ("" if cost is None else " against a cost"),
    )


def _rewarding(reward: Json) -> Scorer:
    if reward is not None:
        return load_scorer(reward)
    if not DEFAULT_MODEL.is_dir():
        raise ConfigError(
            "the small reward model is not in this installation; give reward=...: the folder of a model that "
            "`rlenv train-rm` made, a hub id, or package.module:function"
        )
    return load_scorer(str(DEFAULT_MODEL))
