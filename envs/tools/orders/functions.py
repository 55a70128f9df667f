"""The tools of the shop. They do what they are told: whether a rule forbids it is for the policy to know.

The state is the database:

    customers  {"C104": {"name": .., "email": .., "tier": ..}}
    products   {"S4821": {"product": .., "variant": .., "price": cents, "stock": .., "final_sale": ..}}
    orders     {"O55120": {"customer": .., "status": .., "placed": .., "delivered": .., "address": .., "items": [..]}}
    cases      [{"order": .., "outcome": ..}]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

Database: TypeAlias = "dict[str, Any]"
Reason: TypeAlias = Literal["no longer needed", "ordered by mistake", "found it cheaper"]
Method: TypeAlias = Literal["original payment", "store credit"]
Outcome: TypeAlias = Literal[
    "done",
    "refused_owner",
    "refused_status",
    "refused_final_sale",
    "refused_window",
    "refused_stock",
    "refused_price",
]
MAX_ADDRESS_CHARS = 200


def find_customer(name: str = "", email: str = "", *, state: Database) -> list[dict[str, str]]:
    """Find customers by name, by email address, or by both.

    Args:
        name: The whole name, or a part of it.
        email: The whole email address.
    """
    if not name.strip() and not email.strip():
        raise ValueError("expected a name or an email address")
    return [
        {"customer_id": key, **customer}
        for key, customer in state["customers"].items()
        if name.strip().casefold() in customer["name"].casefold()
        and (not email.strip() or email.strip().casefold() == customer["email"])
    ][:10]


def list_orders(customer_id: str, *, state: Database) -> list[dict[str, object]]:
    """List the orders of a customer.

    Args:
        customer_id: The id of the customer, such as C104.
    """
    _row(state, "customers", customer_id)
    return [
        {
            "order_id": key,
            "status": order["status"],
            "items": [f"{i['variant']} {i['product']}" for i in order["items"]],
        }
        for key, order in state["orders"].items()
        if order["customer"] == customer_id
    ]


def get_order(order_id: str, *, state: Database) -> dict[str, object]:
    """Show an order with its items.

    Args:
        order_id: The number of the order, such as O55120.
    """
    return dict(_row(state, "orders", order_id))


def get_product(product: str, *, state: Database) -> list[dict[str, object]]:
    """Show all variants of a product with their prices in cents and their stock.

    Args:
        product: The name of the product, such as kettle.
    """
    found = [
        {"sku": key, **row} for key, row in state["products"].items() if row["product"] == product.strip().casefold()
    ]
    if not found:
        raise ValueError(f"there is no product {product[:40]!r}")
    return found


def cancel_order(order_id: str, reason: Reason, *, state: Database) -> str:
    """Cancel a whole order and pay it back.

    Args:
        order_id: The number of the order.
        reason: What the customer gave as the reason.
    """
    order = _row(state, "orders", order_id)
    if order["status"] == "cancelled":
        raise ValueError(f"{order_id} is cancelled already")
    order["status"], order["reason"] = "cancelled", reason
    return f"{order_id} is cancelled"


def change_address(order_id: str, address: str, *, state: Database) -> str:
    """Change where an order is sent.

    Args:
        order_id: The number of the order.
        address: The whole new address as the customer gave it.
    """
    order, written = _row(state, "orders", order_id), " ".join(address.split())
    if not 0 < len(written) <= MAX_ADDRESS_CHARS:
        raise ValueError(f"expected an address of 1 to {MAX_ADDRESS_CHARS} characters, got {len(written)}")
    order["address"] = written
    return f"{order_id} goes to {written}"


def refund_item(order_id: str, sku: str, method: Method, *, state: Database) -> str:
    """Pay back one item of an order.

    Args:
        order_id: The number of the order.
        sku: The sku of the item, such as S4821.
        method: How the customer wants to be paid back.
    """
    item = _item(state, order_id, sku)
    if item["refunded"]:
        raise ValueError(f"{sku} of {order_id} is refunded already")
    item["refunded"] = method
    return f"{sku} of {order_id} is refunded: {method}"


def exchange_item(order_id: str, sku: str, new_sku: str, *, state: Database) -> str:
    """Exchange one item of an order for another variant.

    Args:
        order_id: The number of the order.
        sku: The sku of the item as it is.
        new_sku: The sku that it becomes.
    """
    item, new = _item(state, order_id, sku), _row(state, "products", new_sku)
    if new["stock"] < 1:
        raise ValueError(f"{new_sku} is out of stock")
    state["products"][sku]["stock"] += 1
    new["stock"] -= 1
    item.update(sku=new_sku, product=new["product"], variant=new["variant"], price=new["price"])
    return f"{sku} of {order_id} is now {new_sku}"


def close_case(order_id: str, outcome: Outcome, *, state: Database) -> str:
    """Close what the customer asked for, once it is done or refused. This cannot be taken back.

    Args:
        order_id: The number of the order that it was about.
        outcome: What came of it; a refusal names the first rule that forbids it.
    """
    _row(state, "orders", order_id)
    state["cases"].append({"order": order_id, "outcome": outcome})
    return f"the case of {order_id} is closed: {outcome}"


GRANTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "cancel": ("cancel_order", {"order_id": "order", "reason": "value"}),
    "address": ("change_address", {"order_id": "order", "address": "value"}),
    "refund": ("refund_item", {"order_id": "order", "sku": "sku", "method": "value"}),
    "exchange": ("exchange_item", {"order_id": "order", "sku": "sku", "new_sku": "value"}),
}
"""The call that grants a wish of each kind: the tool, and what of the wish each argument is."""


def granting(wish: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The call that does what is wished."""
    name, arguments = GRANTS[wish["kind"]]
    return name, {argument: wish[key] for argument, key in arguments.items()}


FUNCTIONS = (
    find_customer,
    list_orders,
    get_order,
    get_product,
    cancel_order,
    change_address,
    refund_item,
    exchange_item,
    close_case,
)


def _row(state: Database, table: str, key: str) -> dict[str, Any]:
    found: dict[str, Any] | None = state[table].get(key)
    if found is None:
        raise ValueError(f"there is no {table[:-1]} {key[:20]!r}")
    return found


def _item(state: Database, order_id: str, sku: str) -> dict[str, Any]:
    items: list[dict[str, Any]] = _row(state, "orders", order_id)["items"]
    found = next((item for item in items if item["sku"] == sku), None)
    if found is None:
        raise ValueError(f"{order_id} has no item {sku[:20]!r}")
    return found
