"""Splits a file of assertions into calls and what must come back, so that no expected value enters the sandbox.

>>> found = split("for n in (1, 2):\\n    assert abs(half(n) - n / 2) < 1e-6", "half")
>>> found.rows
[{'call': 'half(1)', 'check': 'abs(_ - 1 / 2) < 1e-06'}, {'call': 'half(2)', 'check': 'abs(_ - 2 / 2) < 1e-06'}]
>>> split("x = draw()\\nassert half(x) == x / 2", "half").rest
'call of draw'

The file is read, never run: assignments, loops over tables and `assert` are followed on the syntax tree, every
expression by rlenv.envs.code.expression. `def check(candidate)` around them is seen through. An assertion without a
call of the function tests nothing and is dropped; one that compares the function with itself still asks for
an answer. Where one statement says more than can be followed, `rest` names it and the file has to be run as a whole.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from rlenv.core.jsontypes import Json
from rlenv.envs.code.case import RESULT
from rlenv.envs.code.expression import TYPE_NAMES, VALUE_ERRORS, Unsupported, evaluate, parse, render, supported
from rlenv.envs.code.trees import tree

MAX_TESTS = 2000


@dataclass(slots=True)
class Split:
    """What became of a file of assertions."""

    rows: list[dict[str, Json]] = field(default_factory=list)
    """The tests, as rlenv.envs.code.case reads them, in the order of the file."""
    dropped: list[str] = field(default_factory=list)
    """Assertions that test nothing."""
    rest: str = ""
    """What could not be followed; "" where everything was."""


def split(source: str, function: str, *, cell_names: Sequence[str] = ()) -> Split:
    """The tests of `function` in a file of assertions.

    `cell_names` are names that only the sandbox knows (objects of a set-up that is run there); arguments
    that use them, or types, are evaluated there.
    """
    reading = _Reading(function, frozenset(cell_names))
    try:
        reading.block(tree(source).body)
    except (Unsupported, *VALUE_ERRORS, SyntaxError) as problem:
        reading.split.rest = str(problem) or type(problem).__name__
    return reading.split


class _Reading:
    def __init__(self, function: str, cell_names: frozenset[str]) -> None:
        self.function, self.cell_names = function, cell_names | TYPE_NAMES
        self.aliases = {function}
        self.names: dict[str, object] = {}
        self.split = Split()

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assert():
                self.assertion(node.test)
            case ast.FunctionDef(name="check", args=ast.arguments(args=[argument])):
                self.aliases.add(argument.arg)
                self.block(node.body)
            case ast.Assign(targets=[ast.Name(id=name)]):
                self.names[name] = self.value(node.value)
            case ast.For(orelse=[]):
                self.loop(node)
            case ast.Expr(value=ast.Constant() | ast.Name()) | ast.Pass() | ast.Import() | ast.ImportFrom():
                pass  # a name that an import brings is refused where it is used
            case ast.Expr(value=ast.Call(func=ast.Name(id="check"))):
                pass
            case _:
                raise Unsupported(f"statement {ast.unparse(node)[:60]!r}")

    def loop(self, node: ast.For) -> None:
        table = self.value(node.iter)
        if not isinstance(table, (list, tuple, str, range, set, frozenset, dict)):
            raise Unsupported(f"loop over {type(table).__name__}")
        for item in table:
            self.bind(node.target, item)
            self.block(node.body)

    def bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (list, tuple)):
            for part, item in zip(target.elts, value, strict=True):
                self.bind(part, item)
        else:
            raise Unsupported(f"target {ast.unparse(target)[:60]!r}")

    def value(self, node: ast.expr) -> object:
        return evaluate(node, self.names)

    def assertion(self, test: ast.expr) -> None:
        calls = [n for n in ast.walk(test) if isinstance(n, ast.Call) and self.is_candidate(n.func)]
        if not calls:
            if not self.value(test):
                raise Unsupported(f"an assertion that never holds: {ast.unparse(test)[:60]!r}")
            self.split.dropped.append(ast.unparse(test))
            return
        if len(calls) > 1 and not self.with_itself(test, calls):
            raise Unsupported(f"{len(calls)} calls in one assertion")
        if len(self.split.rows) >= MAX_TESTS:
            raise Unsupported(f"more than {MAX_TESTS} tests")
        self.split.rows.append(self.row(test, calls))

    def row(self, test: ast.expr, calls: Sequence[ast.Call]) -> dict[str, Json]:
        """The test of one call, which stands twice where the function is compared with itself."""
        call = calls[0]
        text, cell = self.call(call)
        row: dict[str, Json] = {"call": text}
        match test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if left is call and right not in calls:
                row["expect"] = render(self.value(right))
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if right is call:
                row["expect"] = render(self.value(left))
            case _:
                row["check"] = self.check(test, calls)
        return row | ({"cell": True} if cell else {})

    def call(self, node: ast.Call) -> tuple[str, bool]:
        """The call with its arguments as literals, and whether only the sandbox can evaluate them."""
        try:
            arguments = [render(self.value(argument)) for argument in node.args]
            arguments += [f"{keyword.arg}={render(self.value(keyword.value))}" for keyword in node.keywords]
            text = f"{self.function}({', '.join(arguments)})"
            parse(text)
            if evaluate(f"[{', '.join(arguments)}]" if not node.keywords else "[]") is not None:
                return text, False
        except Unsupported:
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - self.aliases
            if not names or not names <= self.cell_names:
                raise
        return f"{self.function}({', '.join(map(ast.unparse, [*node.args, *node.keywords]))})", True

    def check(self, test: ast.expr, calls: Sequence[ast.Call]) -> str:
        """The assertion about the value that came back, with what the file's own names stand for."""
        tree = _Substitution(calls, self.names).visit(_copy(test, calls))
        if not supported(tree, (RESULT,)):
            raise Unsupported(f"assertion {ast.unparse(test)[:60]!r}")
        return ast.unparse(tree)

    def with_itself(self, test: ast.expr, calls: Sequence[ast.Call]) -> bool:
        """True for `f(x) == f(x)`, also inside the same function of both."""
        match test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if len(calls) == 2:
                return self.named_alike(left) == self.named_alike(right)
        return False

    def named_alike(self, node: ast.expr) -> str:
        copied = tree(ast.unparse(node))
        for name in ast.walk(copied):
            if isinstance(name, ast.Name) and name.id in self.aliases:
                name.id = self.function
        return ast.unparse(copied)

    def is_candidate(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.aliases


def _copy(test: ast.expr, calls: Sequence[ast.Call]) -> ast.expr:
    """A copy of the assertion that still holds the very nodes of the calls."""
    from copy import deepcopy

    return deepcopy(test, {id(call): call for call in calls})


class _Substitution(ast.NodeTransformer):
    def __init__(self, calls: Sequence[ast.Call], names: dict[str, object]) -> None:
        self.calls, self.names = calls, names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if node in self.calls:
            return ast.Name(RESULT, ast.Load())
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return parse(render(self.names[node.id])) if node.id in self.names else node
