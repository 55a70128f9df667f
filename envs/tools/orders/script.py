"""What a clerk who keeps to the rules says and calls, turn by turn, in every conversation of `tools/orders-v0`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from rlenv.core.task import Task
from rlenv.envs.tools.orders.desk import as_said
from rlenv.envs.tools.orders.drawing import words
from rlenv.envs.tools.orders.functions import Database, granting
from rlenv.turns.tool_prompt import call_text


def script(task: Task) -> tuple[str, ...]:
    """One text a turn."""
    database = cast("Database", task.metadata["database"])
    wishes = cast("list[Mapping[str, Any]]", task.metadata["wishes"])
    cases = cast("Mapping[str, Any]", task.reference)["cases"]
    turns: list[str] = []
    for wish, case in zip(wishes, cases, strict=True):
        turns += _looking_up(database, wish)
        turns += _granting(database, wish) if case["outcome"] == "done" else _refusing(case["outcome"])
        turns.append(call_text("close_case", order_id=wish["order"], outcome=case["outcome"]))
    return tuple(turns)


def _looking_up(database: Database, wish: Mapping[str, Any]) -> Iterator[str]:
    """Who asks, which order it is, and what it is about."""
    yield "May I have your email address and the order number, please?"
    yield call_text("find_customer", email=wish["email"])
    if not wish["knows_number"]:
        asking = next(key for key, row in database["customers"].items() if row["email"] == wish["email"])
        yield call_text("list_orders", customer_id=asking)
    looks = call_text("get_order", order_id=wish["order"])
    if wish["kind"] in ("refund", "exchange"):
        looks += "\n" + call_text("get_product", product=database["products"][wish["sku"]]["product"])
    yield looks


def _granting(database: Database, wish: Mapping[str, Any]) -> Iterator[str]:
    yield words()["asks"][wish["kind"]]
    told = {"order": wish["order"], "item": wish["item"]}
    if wish["first"] != wish["value"]:
        yield words()["tells"][wish["kind"]].format(**told, said=wish["first"])
    yield words()["tells"][wish["kind"]].format(**told, said=as_said(database, wish))
    name, arguments = granting(wish)
    yield call_text(name, **arguments)


def _refusing(outcome: str) -> Iterator[str]:
    rule = outcome.removeprefix("refused_").replace("_", " ")
    yield f"I am sorry, our rules do not allow that. It is about the {rule}."
    yield "I understand, but I cannot make an exception."
