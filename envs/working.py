"""How an expression of whole numbers is worked out, one operation at a time: by us, and by steps of somebody else.

>>> canonical("8+3") == canonical("3+8"), canonical("9-(2-1)") == canonical("1+9-2")
(True, True)
>>> reductions("(3+4)*2-5"), equations("9-(2-1)"), totals("3+8+5+9")
(['7*2-5', '14-5', '9'], ['2-1=1', '9-1=8'], [11, 16, 25])
>>> states = begin("9-(2-1)")
>>> states = take(states, Operation(2, "-", 1, 1))
>>> states = take(states, Operation(9, "-", 1, 8))
>>> sorted(states), take(states, Operation(9, "-", 1, 8))
([8], frozenset())

Our own working follows the tree of the expression. For the steps of somebody else a sum is the bag of its signed terms
and a product the bag of its factors, so any order of steps that arithmetic allows is allowed, and each number is used
once. What an operation comes to is taken as it is claimed: a wrong result is carried on, and later steps are judged
by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from rlenv.text.expression import WHOLE, Arithmetic, read

Node: TypeAlias = "int | Tree"
Part: TypeAlias = "int | Bag"
MAX_STATES = 32
"""More places than this at which a step may have been taken are not told apart."""
_INNER_NEGATIVE = re.compile(r"(?<=[-+*])-\d+")  # the -5 of 9--5


class Operation(NamedTuple):
    """`left sign right = result`, as claimed."""

    left: int
    sign: str
    right: int
    result: int

    @property
    def holds(self) -> bool:
        """Whether the claim is true."""
        return self.result == WHOLE.operations[self.sign](self.left, self.right)


class Tree(NamedTuple):
    """An operation that is still to be done."""

    sign: str
    left: Node
    right: Node

    def step(self) -> tuple[Operation, Node]:
        """The first operation, innermost and leftmost first, and what is left after it."""
        if isinstance(self.left, Tree):
            operation, left = self.left.step()
            return operation, self._replace(left=left)
        if isinstance(self.right, Tree):
            operation, right = self.right.step()
            return operation, self._replace(right=right)
        result = WHOLE.operations[self.sign](self.left, self.right)
        return Operation(self.left, self.sign, self.right, result), result

    def __str__(self) -> str:
        left, right = str(self.left), str(self.right)
        if isinstance(self.left, Tree) and self.sign == "*" != self.left.sign:
            left = f"({left})"
        if isinstance(self.right, Tree) and (self.sign == "*" or self.right.sign != "*"):
            right = f"({right})"
        return left + self.sign + right


def totals(expression: str) -> list[int]:
    """What each operation comes to, from the first to the last: the running totals of a chain."""
    return [operation.result for operation, _ in _steps(expression)]


def reductions(expression: str) -> list[str]:
    """The expression after each single operation, innermost and leftmost first; the last is the value."""
    return [_bracketed(str(rest)) for _, rest in _steps(expression)]


def equations(expression: str) -> list[str]:
    """Steps that work the expression out, brackets first and from the left."""
    return [f"{_bracketed(f'{left}{sign}{right}')}={result}" for (left, sign, right, result), _ in _steps(expression)]


def _steps(expression: str) -> Iterator[tuple[Operation, Node]]:
    """Each operation, and what is left after it."""
    node = read(expression, TREES).value
    while isinstance(node, Tree):
        operation, node = node.step()
        yield operation, node


def _bracketed(text: str) -> str:
    return _INNER_NEGATIVE.sub(r"(\g<0>)", text)


def canonical(expression: str) -> str:
    """The same text for expressions that differ in the order of terms or factors, or in brackets about a sum."""
    return str(_bag(read(expression, TREES).value))


def begin(expression: str) -> frozenset[Part]:
    """The one state before any step. Raises Unreadable for what is no expression with + - *."""
    return frozenset([_bag(read(expression, TREES).value)])


def take(states: frozenset[Part], operation: Operation) -> frozenset[Part]:
    """The states that the operation leads to; none where no state has its two numbers side by side."""
    states_after = (after for state in states if isinstance(state, Bag) for after in state.after(operation))
    return frozenset(after for after, _ in zip(states_after, range(MAX_STATES), strict=False))


@dataclass(frozen=True)
class Bag:
    """The terms of a sum with their signs, +1 or -1, or the factors of a product, whose signs are +1."""

    kind: Literal["+", "*"]
    parts: tuple[tuple[int, Part], ...]

    def after(self, operation: Operation) -> Iterator[Part]:
        """This bag after the operation, for every place where it can be taken."""
        if (operation.sign == "*") == (self.kind == "*"):
            yield from self._joined(operation)
        for i, (sign, part) in enumerate(self.parts):
            if isinstance(part, Bag):
                for changed in part.after(operation):
                    yield self._of(*self.parts[:i], (sign, changed), *self.parts[i + 1 :])

    def _joined(self, operation: Operation) -> Iterator[Part]:
        """After an operation on two of its own numbers; of a sum also on both with their signs turned."""
        right = -operation.right if operation.sign == "-" else operation.right
        for turn in (1, -1) if self.kind == "+" else (1,):
            rest = list(self.parts)
            numbers = [turn * sign * part if isinstance(part, int) else None for sign, part in rest]
            for number in (operation.left, right):
                if number not in numbers:
                    break
                place = numbers.index(number)
                del numbers[place], rest[place]
            else:
                yield self._of(*rest, (1, turn * operation.result))

    def _of(self, *parts: tuple[int, Part]) -> Part:
        """The bag of these parts, or what is left of a bag of one."""
        ((sign, part), *more) = parts
        if more or (isinstance(part, Bag) and self.kind == "+"):
            return Bag(self.kind, parts)
        return sign * part if isinstance(part, int) else part

    def __str__(self) -> str:
        if self.kind == "+":
            return "".join(sorted("+-"[sign < 0] + str(term) for sign, term in self.parts))
        return "*".join(sorted(str(part) if isinstance(part, int) else f"({part})" for _, part in self.parts))


def _bag(node: Node) -> Part:
    if isinstance(node, int):
        return node
    kind: Literal["+", "*"] = "*" if node.sign == "*" else "+"
    left, right = _parts(kind, _bag(node.left)), _parts(kind, _bag(node.right))
    return Bag(kind, left + (right if node.sign != "-" else tuple((-sign, part) for sign, part in right)))


def _parts(kind: str, part: Part) -> tuple[tuple[int, Part], ...]:
    """What a part adds to a bag of this kind."""
    return part.parts if isinstance(part, Bag) and part.kind == kind else ((1, part),)


def _negative(node: Node) -> Node:
    return -node if isinstance(node, int) else Tree("*", -1, node)


TREES: Arithmetic[Node] = Arithmetic(int, {sign: partial(Tree, sign) for sign in WHOLE.operations}, _negative)
