"""Draws the shop and what its customer wants: the database, the rules' numbers, the wishes and what is right."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np

from rlenv.envs.tools.orders.functions import (
    FUNCTIONS,
    Database,
    Method,
    Outcome,
    Reason,
    close_case,
    granting,
)
from rlenv.envs.tools.orders.rules import Rules, decide
from rlenv.turns.calling import copied

TABLES = ("customers", "products", "orders")
STATUSES = ("pending", "shipped", "delivered")
REFUSALS: Mapping[str, Sequence[Outcome]] = {
    "cancel": ("refused_status", "refused_owner"),
    "address": ("refused_status", "refused_owner"),
    "refund": ("refused_status", "refused_final_sale", "refused_window", "refused_owner"),
    "exchange": ("refused_status", "refused_stock", "refused_price", "refused_owner"),
}
ALLOWED = 0.7
"""The share of wishes that are granted."""
BY_NAME: Mapping[str, Callable[..., object]] = {
    function.__name__: cast("Callable[..., object]", function) for function in FUNCTIONS
}
TRIES = 40
"""Of the fields of one order; then another order is taken."""


@dataclass(frozen=True)
class Level:
    """How large the shop is and what is asked of it."""

    about: str
    customers: int
    kinds: Sequence[str]
    wishes: int
    knows_number: float
    """How often the customer knows the number of the order."""
    wavers: float
    """How often the customer changes a wish when asked to confirm it."""
    gold: bool
    """Customers of the tier gold have longer to give things back."""


LEVELS: Mapping[int, Level] = {
    1: Level("cancel an order or change its address", 5, ("cancel", "address"), 1, 1.0, 0.0, False),
    2: Level("refunds and exchanges too, orders to be looked up", 8, tuple(REFUSALS), 1, 0.4, 0.2, False),
    3: Level("two wishes, more rules, second thoughts", 12, tuple(REFUSALS), 2, 0.2, 0.5, True),
}


@cache
def words() -> dict[str, Any]:
    """Names, products and what customers say."""
    data: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "orders.json").read_text(encoding="utf-8"))
    return data


def draw(level: Level, rng: np.random.Generator) -> tuple[Database, Rules, list[dict[str, Any]]]:
    """A shop with its rules, and wishes of one customer about different orders."""
    today = date(2031, 1, 1) + timedelta(days=int(rng.integers(365)))
    window = int(rng.choice([7, 14, 21, 30]))
    rules = Rules(today=today.isoformat(), window=window, gold_window=window + 14 * level.gold)
    database = _shop(level, today, rng)
    buyers = [key for key in database["customers"] if len(_orders_of(database, key)) >= level.wishes]
    asking = str(rng.choice(buyers))
    wishes: list[dict[str, Any]] = []
    while len(wishes) < level.wishes:
        kind, outcome = _kind_and_outcome(level, rng)
        taken = [wish["order"] for wish in wishes]
        tried = (_wish(database, rules, level, asking, kind, outcome, taken, rng) for _ in range(TRIES))
        found = next((wish for wish in tried if wish is not None), None)
        wishes += [] if found is None else [found]
    return database, rules, wishes


def _kind_and_outcome(level: Level, rng: np.random.Generator) -> tuple[str, str]:
    """What is wanted and what is right; of the refusals each is as frequent."""
    if rng.random() < ALLOWED:
        return str(rng.choice(list(level.kinds))), "done"
    refusals = sorted({outcome for kind in level.kinds for outcome in REFUSALS[kind]})
    outcome = str(rng.choice(refusals))
    return str(rng.choice([kind for kind in level.kinds if outcome in REFUSALS[kind]])), outcome


def right(database: Database, rules: Rules, wishes: Sequence[Mapping[str, Any]]) -> Database:
    """The database after what is right was done, and nothing else."""
    after: Any = copied(database)
    for wish in wishes:
        outcome = decide(after, wish, rules)
        if outcome == "done":
            name, arguments = granting(wish)
            BY_NAME[name](**arguments, state=after)
        close_case(wish["order"], outcome, state=after)
    return dict(after)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The rows that are other ones, by table, and the cases."""
    rows = {name: {key: row for key, row in after[name].items() if row != before[name][key]} for name in TABLES}
    return {**rows, "cases": after["cases"]}


def changed(before: Mapping[str, Any], rows: Mapping[str, Any]) -> Database:
    """The database with these rows in the place of the ones that it has."""
    return {**{name: {**before[name], **rows[name]} for name in TABLES}, "cases": rows["cases"]}


# --- the shop ---


def _shop(level: Level, today: date, rng: np.random.Generator) -> Database:
    products = _products(rng)
    customers = _customers(level, rng)
    database: Database = {"customers": customers, "products": products, "orders": {}, "cases": []}
    for customer in customers:
        kinds = [str(kind) for kind in rng.permutation(list(words()["products"]))]
        for _ in range(int(rng.integers(max(1, level.wishes), 4))):
            items = [_item(products, kinds.pop(), rng) for _ in range(int(rng.integers(1, 4)))]
            database["orders"][_new_id("O", 5, database["orders"], rng)] = {
                "customer": customer,
                "address": _address(rng),
                "items": items,
                **_dated(today, str(rng.choice(STATUSES)), int(rng.integers(0, 50)), rng),
            }
    return database


def _customers(level: Level, rng: np.random.Generator) -> dict[str, Any]:
    """Half of them share their first or their last name with another one."""
    first = [str(name) for name in rng.choice(words()["first_names"], level.customers, replace=False)]
    last = [str(name) for name in rng.choice(words()["last_names"], level.customers, replace=False)]
    for i in range(1, level.customers, 2):
        (first if rng.random() < 0.5 else last)[i] = (first if rng.random() < 0.5 else last)[i - 1]
    found: dict[str, Any] = {}
    for one, other in zip(first, last, strict=True):
        email = f"{one}.{other}{int(rng.integers(10, 100))}@{rng.choice(['post', 'mail', 'inbox'])}.example".lower()
        tier = "gold" if level.gold and rng.random() < 0.4 else "basic"
        found[_new_id("C", 3, found, rng)] = {"name": f"{one} {other}", "email": email, "tier": tier}
    return found


def _products(rng: np.random.Generator) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for product, variants in words()["products"].items():
        for variant in variants:
            found[_new_id("S", 4, found, rng)] = {
                "product": product,
                "variant": variant,
                "price": 500 + 100 * int(rng.integers(60)),
                "stock": int(rng.integers(4)),
                "final_sale": bool(rng.random() < 0.2),
            }
    return found


def _item(products: dict[str, Any], product: str, rng: np.random.Generator) -> dict[str, Any]:
    sku = str(rng.choice([key for key, row in products.items() if row["product"] == product]))
    row = products[sku]
    return {
        "sku": sku,
        "product": product,
        "variant": row["variant"],
        "price": row["price"] + 100 * int(rng.integers(-3, 4)),
        "refunded": "",
    }


def _dated(today: date, status: str, ago: int, rng: np.random.Generator) -> dict[str, Any]:
    """Status and dates; `ago` days have passed since the last of them."""
    last = today - timedelta(days=ago)
    delivered = last.isoformat() if status == "delivered" else ""
    placed = last - timedelta(days=int(rng.integers(2, 7))) if delivered else last
    return {"status": status, "placed": placed.isoformat(), "delivered": delivered}


def _address(rng: np.random.Generator) -> str:
    return f"{int(rng.integers(1, 100))} {rng.choice(words()['streets'])}, {rng.choice(words()['towns'])}"


def _new_id(letter: str, digits: int, taken: Mapping[str, object], rng: np.random.Generator) -> str:
    while (made := f"{letter}{int(rng.integers(10 ** (digits - 1), 10**digits))}") in taken:
        pass
    return made


def _orders_of(database: Database, customer: str) -> list[str]:
    return [key for key, order in database["orders"].items() if order["customer"] == customer]


# --- the wishes ---


def _wish(
    database: Database,
    rules: Rules,
    level: Level,
    asking: str,
    kind: str,
    outcome: str,
    taken: Sequence[str],
    rng: np.random.Generator,
) -> dict[str, Any] | None:
    """A wish of which that is right, the order changed until it is so; None where it cannot be had."""
    own = outcome != "refused_owner"
    orders = [key for key, order in database["orders"].items() if (order["customer"] == asking) == own]
    orders = [key for key in orders if key not in taken]
    if not orders:
        return None
    order_id = str(rng.choice(orders))
    order, customer = database["orders"][order_id], database["customers"][asking]
    item = order["items"][int(rng.integers(len(order["items"])))]
    wish = {
        "kind": kind,
        "order": order_id,
        "sku": item["sku"],
        "item": f"{item['variant']} {item['product']}",
        "name": customer["name"],
        "email": customer["email"],
        "knows_number": bool(not own or rng.random() < level.knows_number),
        "opening": str(rng.choice(words()["openings"][kind])),
        "plea": str(rng.choice(words()["pleas"])),
    }
    wavers = kind in ("address", "refund") and rng.random() < level.wavers
    for _ in range(TRIES):
        ago = max(0, rules.window + int(rng.integers(-5, 20)))
        order.update(_dated(date.fromisoformat(rules.today), str(rng.choice(STATUSES)), ago, rng))
        wish["value"] = wish["first"] = _value(database, kind, item, rng)
        if decide(database, wish, rules) == outcome:
            while outcome == "done" and wavers and wish["first"] == wish["value"]:
                wish["first"] = _value(database, kind, item, rng)
            return wish
    return None


def _value(database: Database, kind: str, item: Mapping[str, Any], rng: np.random.Generator) -> str:
    """What the customer has to be asked for: a reason, an address, a way to be paid, the sku of a variant."""
    if kind == "address":
        return _address(rng)
    if kind == "exchange":
        same = [key for key, row in database["products"].items() if row["product"] == item["product"]]
        return str(rng.choice([key for key in same if key != item["sku"]]))
    return str(rng.choice(get_args(Reason if kind == "cancel" else Method)))
