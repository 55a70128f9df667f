"""`tools/orders-v0`: customer service of a shop, paid only if the database ends exactly as the rules say.

    policy     May I have your email address and the order number, please?
    customer   My email address is ada.wolf31@post.example. The order number is O55120.
    policy     <tool_call>{"name": "get_order", "arguments": {"order_id": "O55120"}}</tool_call>
    tool       {"customer": "C104", "status": "shipped", ...}
    policy     I am sorry, an order that was shipped cannot be cancelled.
    customer   But I have been a customer for years. Can you not make an exception?
    policy     <tool_call>{"name": "close_case",
                           "arguments": {"order_id": "O55120", "outcome": "refused_status"}}</tool_call>

    1.0   here; 0.0 had it cancelled the order, closed the case as done, or touched anything else

In 30 % of the wishes the rules forbid what the customer wants. Doing nothing earns nothing: the case has to be
closed under the number of its order, which has to be asked for or looked up, with what came of it.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.levels import Keyed, levelled_sets, levels_named
from rlenv.envs.splits import DEMONSTRATION_PERCENT
from rlenv.envs.tools.orders.desk import Desk, opening
from rlenv.envs.tools.orders.drawing import LEVELS, changes, draw, right
from rlenv.envs.tools.orders.script import script
from rlenv.turns.replay import ReplayVerifier

MAX_TURNS = 24
"""The longest script of two wishes takes 18."""
VERSION = "orders-1"
"""Changes with what is paid. Said here, for the code leads on to the worker pool, which is never twice the same."""


def _drawn(level: int, rng: np.random.Generator) -> Keyed:
    """A conversation; the question is who asks, and what is wanted of which orders."""
    database, rules, wishes = draw(LEVELS[level], rng)
    key = "|".join(f"{wish['email']} {wish['kind']} {wish['order']} {wish['sku']}" for wish in wishes)

    def made() -> Task:
        after = right(database, rules, wishes)
        prompt = ({"role": "system", "content": rules.text()}, {"role": "user", "content": opening(wishes[0])})
        metadata: dict[str, Any] = {"database": database, "wishes": wishes, "rules": asdict(rules), "level": level}
        return Task(prompt, cast("Json", changes(database, after)), metadata=metadata)

    return key, made


def orders(
    level: int | str = 1,
    split: str = "train",
    seed: int = 0,
    size: int | None = None,
    max_turns: int = MAX_TURNS,
    demonstration_percent: int = DEMONSTRATION_PERCENT,
) -> Definition:
    """Conversations of a level (see LEVELS) or of several in turn (`"1-3"`), out of one split."""
    levels = levels_named(level, LEVELS)
    sets = levelled_sets(_drawn, levels, split, seed, size, demonstration_percent)
    desk = Desk()
    return Definition(
        tasks=sets.tasks,
        verifier=ReplayVerifier(desk, name="database", version=VERSION),
        solution=lambda task: script(task)[-1],
        script=script,
        interaction=desk,
        max_turns=max_turns,
        demonstrations=sets.demonstrations,
        description="customer service of a shop: " + "; ".join(LEVELS[number].about for number in levels),
    )
