"""Writes a program's small constants where they are used, so that a result hidden behind a name is a result again.

>>> module = ast.parse("def one():\\n    return 55\\ndef f(n):\\n    if n == 10:\\n        return one()")
>>> print(ast.unparse(with_constants(module).body[1]))
def f(n):
    if n == 10:
        return 55
"""

from __future__ import annotations

import ast
import json
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

from rlenv.programs.trees import literal

MAX_NODES = 32
"""Larger constants stay where they are: they are looked at there, and copies of them would be work without end."""
MAX_FOLDED = 1 << 20
_FOLDED: dict[type[ast.operator], Callable[[Any, Any], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
    ast.BitOr: operator.or_,
}
_MADE: dict[str, Callable[..., str | int | float]] = {
    "int": int,
    "chr": chr,
    "ord": ord,
    "str": str,
    "float": float,
    "len": len,
}
_READERS = ("loads", "literal_eval", "eval")


def with_constants(module: ast.Module) -> ast.Module:
    """The program with calls of constant functions, names of constants and texts that are read as data replaced, and
    arithmetic on small constants done."""
    known = _names(module) | _functions(module)
    written: ast.Module = _Writer(known).visit(module)
    return written


def _names(module: ast.Module) -> dict[str, ast.expr]:
    """The names that are bound once, to a small constant."""
    bound = Counter(n.id for n in ast.walk(module) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return {
        target.id: node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign) and len(node.targets) == 1
        for target in node.targets
        if isinstance(target, ast.Name) and bound[target.id] == 1 and _small(node.value)
    }


def _functions(module: ast.Module) -> dict[str, ast.expr]:
    """The functions without arguments that only give a small constant."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(module):
        name, arguments, value = _made(node)
        if value is not None and arguments is not None and not ast.unparse(arguments) and _literal(value):
            found[f"{name}()"] = value
    return found


def _made(node: ast.AST) -> tuple[str, ast.arguments | None, ast.expr | None]:
    """The name, the arguments and the one expression of a function or lambda."""
    if isinstance(node, ast.FunctionDef) and len(node.body) == 1 and isinstance(node.body[0], ast.Return):
        return node.name, node.args, node.body[0].value
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value.args, node.value.body
    return "", None, None


def _small(node: ast.expr) -> bool:
    if not _literal(node):
        return False
    return not any(
        isinstance(part, (ast.List, ast.Dict, ast.Set)) for part in ast.walk(node)
    )  # what can change is no constant


def _literal(node: ast.expr) -> bool:
    for count, _ in enumerate(ast.walk(node)):
        if count >= MAX_NODES:
            return False
    try:
        literal(node)
    except ValueError:
        return False
    return True


class _Writer(ast.NodeTransformer):
    def __init__(self, known: dict[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._known.get(node.id, node) if isinstance(node.ctx, ast.Load) else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        made = _FOLDED.get(type(node.op))
        left, right = (part.value if isinstance(part, ast.Constant) else None for part in (node.left, node.right))
        if made is None or not all(isinstance(side, int) and abs(side) < MAX_FOLDED for side in (left, right)):
            return node
        try:
            return ast.copy_location(ast.Constant(made(left, right)), node)
        except ZeroDivisionError:
            return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node.body if not ast.unparse(node.args) and _literal(node.body) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if not node.args and not node.keywords and f"{name}()" in self._known:
            return self._known[f"{name}()"]
        if name in _READERS and len(node.args) == 1:
            read = _read(node.args[0])
            if read is not None:
                return ast.copy_location(read, node)
        self.generic_visit(node)
        values = [part.value for part in node.args if isinstance(part, ast.Constant)]
        if name in _MADE and len(values) == len(node.args) and not node.keywords and len(str(values)) < MAX_NODES:
            try:
                return ast.copy_location(ast.Constant(_MADE[name](*values)), node)
            except (TypeError, ValueError, OverflowError):
                return node
        return node


def _read(node: ast.expr) -> ast.expr | None:
    """What a text constant says as data."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    try:
        value = json.loads(node.value)
    except (ValueError, RecursionError):
        value = None
    try:
        read = ast.parse(repr(value) if value is not None else node.value, mode="eval").body
        literal(read)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    for part in ast.walk(read):
        ast.copy_location(part, node)
    return read
