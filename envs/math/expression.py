"""Expressions of whole numbers with + - * and brackets: their value, their working, and which are the same.

>>> value("2*(3-8)"), canonical("8+3") == canonical("3+8"), canonical("9-(2-1)") == canonical("1+9-2")
(-10, True, True)
>>> reductions("(3+4)*2-5"), totals("3+8+5+9")
(['7*2-5', '14-5', '9'], [11, 16, 25])

Python's own parser reads them; they are made by this package and never come from a completion.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_INNER_NEGATIVE = re.compile(r"(?<=[-+*])-\d+")


def value(expression: str) -> int:
    """What the expression comes to."""
    return _value(_parse(expression))


def totals(expression: str) -> list[int]:
    """The running totals of a chain, from the first operation to the last."""
    node, found = _parse(expression), []
    while isinstance(node, ast.BinOp):
        found.append(_value(node))
        node = node.left
    return found[::-1]


def reductions(expression: str) -> list[str]:
    """The expression after each single operation, innermost and leftmost first; the last is the value."""
    node, lines = _parse(expression), []
    while isinstance(node, ast.BinOp):
        node = _reduce(node)
        lines.append(_text(node))
    return lines


def canonical(expression: str) -> str:
    """The same text for expressions that differ in the order of terms or factors, or in brackets about a sum."""
    return _canonical(_parse(expression))


def _parse(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    raise ValueError(f"expected whole numbers, + - * and brackets, got {ast.unparse(node)}")


def _reduce(node: ast.BinOp) -> ast.expr:
    if isinstance(node.left, ast.BinOp):
        return ast.BinOp(_reduce(node.left), node.op, node.right)
    if isinstance(node.right, ast.BinOp):
        return ast.BinOp(node.left, node.op, _reduce(node.right))
    return ast.Constant(_value(node))


def _text(node: ast.expr) -> str:
    return _INNER_NEGATIVE.sub(r"(\g<0>)", ast.unparse(node).replace(" ", ""))


def _canonical(node: ast.expr) -> str:
    if not isinstance(node, ast.BinOp):
        return str(_value(node))
    if isinstance(node.op, ast.Mult):
        return "*".join(sorted(_factors(node)))
    return "".join(sorted(_terms(node, "+")))


def _terms(node: ast.expr, sign: str) -> list[str]:
    """The signed terms of a sum, with the brackets about inner sums resolved."""
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mult):
        other = sign if isinstance(node.op, ast.Add) else "-" if sign == "+" else "+"
        return _terms(node.left, sign) + _terms(node.right, other)
    return [sign + _canonical(node)]


def _factors(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _factors(node.left) + _factors(node.right)
    return [f"({_canonical(node)})" if isinstance(node, ast.BinOp) else _canonical(node)]
