"""Trees of conditions: which trees are conditions, what goes on behind a comma, and what the rows of cases make."""

from __future__ import annotations

from rlenv.envs.math.reading.nodes import (
    Given,
    Items,
    Node,
    Number,
    PlusMinus,
    Product,
    Quantity,
    Relation,
    Standing,
    Sum,
    Symbol,
    Words,
)

OTHERWISE = Words("otherwise")
_CONDITIONS = frozenset({"<", ">", "<=", ">=", "!=", "in", "notin", "equiv"})


def is_condition(node: Node) -> bool:
    """Whether a tree says where something holds."""
    if isinstance(node, Items):
        return is_condition(node.items[0])
    if isinstance(node, Given):
        return is_condition(node.value)
    return node == OTHERWISE or isinstance(node, Relation) or (isinstance(node, Quantity) and _is_parity(node))


def _is_parity(node: Quantity) -> bool:
    return isinstance(node.value, Symbol) and node.unit.removeprefix("is ") in {"even", "odd"}


def gathered(items: list[Node], words: list[str]) -> list[Node]:
    """The items with conditions that go on after a comma joined to the value that they belong to.

    `2 if x < 0 or x > 3, 5 if 0 < x < 3` has two items, and so has `x = k for k = 0, 1; x = 5 otherwise`.
    """
    found: list[Node] = []
    for item, word in zip(items, words, strict=True):
        last = found[-1] if found else None
        if isinstance(last, Given) and _goes_on(last.condition, item):
            joined = (*last.condition.items, item) if isinstance(last.condition, Items) else (last.condition, item)
            found[-1] = Given(last.value, Items(joined, "or" if word == "or" else "and"))
        else:
            found.append(item)
    return found


def _goes_on(condition: Node, item: Node) -> bool:
    if isinstance(item, Relation):
        return item.operators[0] in _CONDITIONS
    if isinstance(item, (Number, PlusMinus, Standing, Sum, Product)):
        first = condition.items[0] if isinstance(condition, Items) else condition
        return isinstance(first, Relation) and first.operators == ("=",)
    return False


def by_rows(rows: list[list[Node]]) -> Node | None:
    """The function that the rows of a `cases` environment write, a value and its condition each; None for others."""
    found: list[Node] = []
    for row in rows:
        if len(row) == 1 and isinstance(row[0], Given):
            found.append(row[0])
        elif len(row) == 2 and is_condition(row[1]):
            condition = row[1].value if isinstance(row[1], Given) and row[1].condition == OTHERWISE else row[1]
            found.append(Given(row[0], condition))
        else:
            return None
    return Items(tuple(found)) if len(found) > 1 else None
