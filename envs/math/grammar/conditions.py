r"""Conditions behind a value: where it holds, and what its letters run over; and environments, whose rows have them.

>>> from rlenv.envs.math.grammar.parser import parse
>>> parse("x^2 if x > 0").condition.operators, parse(r"k\pi \text{ for } k \in \mathbb{Z}").condition.sides[1].name
(('>',), 'integers')

`value if condition`, `value (k \in Z)` and the rows of a `cases` environment all become `Given(value, condition)`.
"""

from __future__ import annotations

from rlenv.envs.math.grammar.atoms import Atoms
from rlenv.envs.math.grammar.expressions import END
from rlenv.envs.math.grammar.nodes import (
    Apply,
    Given,
    Items,
    Matrix,
    Node,
    Quantity,
    Relation,
    Symbol,
    Words,
)
from rlenv.envs.math.grammar.tokens import Token, Unreadable

OTHERWISE = Words("otherwise")
MATRICES = frozenset({"pmatrix", "bmatrix", "matrix", "array", "smallmatrix", "Bmatrix", "vmatrix", "Vmatrix"})
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


def arranged(name: str, rows: list[list[Node]]) -> Node:
    """The matrix, determinant or list of cases that an environment writes. Raises Unreadable."""
    if name not in MATRICES or name == "array":
        function = by_rows(rows)
        if function is not None:
            return function
    if name not in MATRICES:
        return _listed(rows)
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise Unreadable("a matrix whose rows are not equally long")
    if any(isinstance(cell, Relation) for row in rows for cell in row):
        return _listed(rows)
    matrix = Matrix(tuple(tuple(row) for row in rows))
    return Apply("det", (matrix,)) if name == "vmatrix" else matrix


def _listed(rows: list[list[Node]]) -> Items:
    """The cells of all rows as a list. Raises Unreadable for an environment without any."""
    cells = tuple(cell for row in rows for cell in row)
    if not cells:
        raise Unreadable("an environment without an entry")
    return Items(cells, "and")


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


RELATIONS = frozenset({"=", "<", ">", "<=", ">=", "!=", "~", "in", "notin", "equiv", "subset", "->", "propto",
                       "perp", "parallel"})  # fmt: skip
_OPENING = frozenset({"if", "when", "whenever", "for", "where", "with", "provided", "given", "\\forall", "on"})
_REST = frozenset({"otherwise", "else", "elsewhere"})


class Conditions(Atoms):
    """The rules for what stands behind a value."""

    def relation(self) -> Node:
        """Sides with relations between them, and the conditions behind."""
        raise NotImplementedError

    def conditioned(self, node: Node) -> Node:
        """The value with the conditions that follow it."""
        while True:
            condition = self.condition()
            if condition is None:
                return node
            both = (node.condition, condition) if isinstance(node, Given) else ()
            node = Given(node.value, Items(both, "and")) if isinstance(node, Given) else Given(node, condition)

    def condition(self) -> Node | None:
        """One condition, where one stands here."""
        token, start, level = self.peek(), self.at, self.level
        if token.kind != "word" and token.value != "\\forall":
            return None
        self.deeper()
        try:
            word = token.value.lower()
            if token.kind == "word" and word in _REST:
                self.next()
                return OTHERWISE
            if (token.kind == "word" or token.value == "\\forall") and word in _OPENING:
                return self._behind_word()
        except Unreadable as error:
            if error.flag == "cost_guard":
                raise
            self.at = start
        finally:
            self.level = level
        return None

    def cell(self) -> Node:
        """An entry of a matrix, or a condition of a `cases` environment with all that joins it."""
        start = self.at
        node = self.condition()
        if node is None:
            node = self.relation()
        while self.peek().kind == "join" and is_condition(node):
            word = self.next().value
            node = Items((node, self._behind_word(0)), word)
        while self.accept(",", ";", "."):
            pass
        if self.at == start:
            raise Unreadable("an empty cell")
        return node

    def environment(self) -> Node:
        name = self.next().value
        if name not in MATRICES and name not in {"cases", "aligned", "align", "gathered"}:
            raise Unreadable(f"the environment {name}")
        rows: list[list[Node]] = [[]]
        while self.peek().kind != "end":
            if self.is_op("row"):
                self.next()
                rows.append([])
            elif self.is_op("&") or self.peek().value == "\\hline":
                self.next()
            else:
                rows[-1].append(self.cell())
        if self.next() is END:
            raise Unreadable(f"the environment {name} is never closed")
        return arranged(name, [row for row in rows if row])

    def _behind_word(self, length: int = 1) -> Node:
        self.at += length
        if self.peek().value.lower() in _REST:
            self.next()
            return OTHERWISE
        while self.peek().kind == "word":
            self.next()  # for some k in Z
        found = self.relation()
        if not is_condition(found):
            raise Unreadable("a word for a condition, and no condition")
        return found


def is_opening(token: Token) -> bool:
    """Whether a word may open a condition."""
    return token.kind == "word" and token.value.lower() in (_OPENING | _REST)
