"""The interaction: calls go to the shop's tools, everything else to the customer; the last case that is closed ends it.

Paid is 1.0 if the database is then exactly the right one, and 0.0 if anything in it is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rlenv.core.completion import Completion
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.tools.orders.customer import CALM, answer
from rlenv.envs.tools.orders.drawing import TABLES, changed
from rlenv.envs.tools.orders.functions import FUNCTIONS, Database
from rlenv.turns.schema import Schema
from rlenv.turns.tools import ToolInteraction, shared_state


class Desk:
    """A shop with one customer at its desk."""

    def __init__(self) -> None:
        self._shop = ToolInteraction(FUNCTIONS, initial=lambda task: task.metadata["database"], cheap=True)

    @property
    def tools(self) -> Sequence[Schema]:
        return self._shop.tools

    def start(self, task: Task) -> Json:
        wishes = cast("Sequence[Json]", task.metadata["wishes"])
        database = cast("Database", task.metadata["database"])
        right = changed(database, cast("Mapping[str, Any]", task.reference))
        return {"shop": self._shop.start(task), "wishes": wishes, "right": right, "mood": CALM}

    def respond(self, state: Json, said: Completion) -> Reply:
        """Ask the customer, or make the calls and see whether a case was closed with them."""
        now = cast("dict[str, Any]", state)
        before = cast("Database", shared_state(now["shop"]))
        closed = len(before["cases"])
        if not said.reading.calls:
            mood, wish = dict(now["mood"]), now["wishes"][closed]
            told = answer(wish, as_said(before, wish), mood, said.content.text)
            return Reply({**now, "mood": mood}, told)
        reply = self._shop.answer(now["shop"], said)
        database = cast("Database", shared_state(reply.state))
        state = {**now, "shop": reply.state}
        if len(database["cases"]) == closed:
            return reply._replace(state=state)
        if len(database["cases"]) < len(now["wishes"]):
            following = _next(now["wishes"][len(database["cases"])])
            return reply._replace(state={**state, "mood": CALM}, observation=(*_messages(reply), following))
        wrong = difference(database, now["right"])
        return reply._replace(
            state=state,
            ended=True,
            reward=0.0 if wrong else 1.0,
            reason=wrong or "the database is exactly the right one",
        )


def difference(database: Database, right: Mapping[str, Any]) -> str:
    """The first thing that is not as it should be; empty for the right database."""
    for table in TABLES:
        for key in sorted({*database[table], *right[table]}):
            if database[table].get(key) != right[table].get(key):
                return f"{table[:-1]} {key} is not as it should be"
    return (
        "" if database["cases"] == right["cases"] else f"expected the cases {right['cases']}, got {database['cases']}"
    )


def as_said(database: Database, wish: Mapping[str, Any]) -> str:
    """What the wish is about, as a person says it: a variant by its name."""
    value = str(wish["value"])
    return str(database["products"][value]["variant"]) if wish["kind"] == "exchange" else value


def opening(wish: Mapping[str, Any]) -> str:
    """What the customer begins with."""
    return str(wish["opening"]).format(item=wish["item"])


def _next(wish: Mapping[str, Any]) -> dict[str, str]:
    return {"role": "user", "content": f"There is one more thing. {opening(wish)}"}


def _messages(reply: Reply) -> tuple[Mapping[str, str], ...]:
    return cast("tuple[Mapping[str, str], ...]", reply.observation)
