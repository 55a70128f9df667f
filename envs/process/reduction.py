"""An expression that is worked out one operation at a time, by steps that somebody else takes.

>>> states = begin("9-(2-1)")
>>> states = take(states, Operation(2, "-", 1, 1))
>>> states = take(states, Operation(9, "-", 1, 8))
>>> sorted(states), take(states, Operation(9, "-", 1, 8))
([8], frozenset())
>>> equations("9-(2-1)")
['2-1=1', '9-1=8']

A sum is the bag of its signed terms and a product the bag of its factors, so any order of steps that arithmetic allows
is allowed, and each number is used once. What an operation comes to is taken as it is claimed: a wrong result is
carried on, and later steps are judged by it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Node: TypeAlias = "int | Sum | Product"
MAX_STATES = 32
"""More places than this at which a step may have been taken are not told apart."""


class Operation(NamedTuple):
    """`left sign right = result`, as claimed."""

    left: int
    sign: str
    right: int
    result: int

    @property
    def holds(self) -> bool:
        """Whether the claim is true."""
        return self.result == _applied(self.left, self.sign, self.right)


@dataclass(frozen=True)
class Sum:
    """Terms with their signs, +1 or -1."""

    terms: tuple[tuple[int, Node], ...]

    def after(self, operation: Operation) -> Iterator[Node]:
        """This sum after the operation, for every place where it can be taken."""
        if operation.sign in "+-":
            yield from self._joined(operation)
        for i, (sign, term) in enumerate(self.terms):
            if not isinstance(term, int):
                for changed in term.after(operation):
                    yield _plain(Sum((*self.terms[:i], (sign, changed), *self.terms[i + 1 :])))

    def _joined(self, operation: Operation) -> Iterator[Node]:
        left, right = operation.left, operation.right if operation.sign == "+" else -operation.right
        for sign in (1, -1):
            i = self._place(sign * left)
            j = self._place(sign * right, but=i)
            if i is not None and j is not None:
                rest = [term for k, term in enumerate(self.terms) if k not in (i, j)]
                yield _plain(Sum((*rest, (1, sign * operation.result))))

    def _place(self, value: int, but: int | None = None) -> int | None:
        """Where a term of this value stands."""
        found = (
            i
            for i, (sign, term) in enumerate(self.terms)
            if i != but and isinstance(term, int) and sign * term == value
        )
        return next(found, None)


@dataclass(frozen=True)
class Product:
    """Factors."""

    factors: tuple[Node, ...]

    def after(self, operation: Operation) -> Iterator[Node]:
        """This product after the operation, for every place where it can be taken."""
        if operation.sign == "*" and operation.left in self.factors:
            i = self.factors.index(operation.left)
            rest = [*self.factors[:i], *self.factors[i + 1 :]]
            if operation.right in rest:
                rest.remove(operation.right)
                yield _plain(Product((*rest, operation.result)))
        for i, factor in enumerate(self.factors):
            if not isinstance(factor, int):
                for changed in factor.after(operation):
                    yield _plain(Product((*self.factors[:i], changed, *self.factors[i + 1 :])))


def begin(expression: str) -> frozenset[Node]:
    """The one state before any step. The expression is our own: whole numbers, + - * and brackets."""
    return frozenset([_node(ast.parse(expression, mode="eval").body)])


def take(states: frozenset[Node], operation: Operation) -> frozenset[Node]:
    """The states that the operation leads to; none where no state has its two numbers side by side."""
    found = (after for state in states if not isinstance(state, int) for after in state.after(operation))
    return frozenset(after for after, _ in zip(found, range(MAX_STATES), strict=False))


def equations(expression: str) -> list[str]:
    """Steps that work the expression out, brackets first and from the left."""
    return list(_equations(ast.parse(expression, mode="eval").body))


def _equations(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.BinOp):
        yield from _equations(node.left)
        yield from _equations(node.right)
        left, right, sign = _value(node.left), _value(node.right), _sign(node)
        shown = f"({right})" if right < 0 else str(right)
        yield f"{left}{sign}{shown}={_value(node)}"


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        return _applied(_value(node.left), _sign(node), _value(node.right))
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    raise ValueError(f"expected whole numbers, + - * and brackets, got {ast.unparse(node)}")


def _applied(left: int, sign: str, right: int) -> int:
    return left + right if sign == "+" else left - right if sign == "-" else left * right


def _sign(node: ast.BinOp) -> str:
    return "+" if isinstance(node.op, ast.Add) else "-" if isinstance(node.op, ast.Sub) else "*"


def _node(node: ast.expr) -> Node:
    if not isinstance(node, ast.BinOp):
        return _value(node)
    if isinstance(node.op, ast.Mult):
        return Product(tuple(_factors(node)))
    return Sum(tuple(_terms(node, 1)))


def _terms(node: ast.expr, sign: int) -> Iterator[tuple[int, Node]]:
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mult):
        yield from _terms(node.left, sign)
        yield from _terms(node.right, sign if isinstance(node.op, ast.Add) else -sign)
    else:
        yield sign, _node(node)


def _factors(node: ast.expr) -> Iterator[Node]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield _node(node)


def _plain(node: Sum | Product) -> Node:
    """What is left of a bag of one."""
    if isinstance(node, Sum):
        ((sign, term), *more) = node.terms
        return sign * term if not more and isinstance(term, int) else node
    return node.factors[0] if len(node.factors) == 1 else node
