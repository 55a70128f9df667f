"""What the names in a program stand for, and which of its code runs when the asked function is tested."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import cached_property

_ENTRY = frozenset({"main", "cli", "_main", "run_cli", "usage", "parse_args"})
"""Functions that a command line calls, where nothing says which function was asked for."""


class Names:
    """Resolves names through imports, aliases, `__import__`, `getattr` and joined strings."""

    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self._meant: dict[str, str] = {}
        for node in ast.walk(module):
            self._bind(node)

    def dotted(self, node: ast.AST) -> str:
        """`os._exit` for whatever is written for it; "" where that is not known."""
        if isinstance(node, ast.Name):
            return self._meant.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            root = self.dotted(node.value)
            return f"{root}.{node.attr}" if root else ""
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Subscript):  # vars(os)["_exit"], sys.modules["os"]
            root, key = self.dotted(node.value), text_of(node.slice)
            if root == "sys.modules":
                return key
            return f"{root.removesuffix('.__dict__')}.{key}" if root and key else ""
        return ""

    @cached_property
    def modules(self) -> frozenset[str]:
        """The modules that the program imports, by their own names."""
        found = {"builtins", "__builtins__"}
        for node in ast.walk(self.module):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
        return frozenset(found | {name.partition(".")[0] for name in found})

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self._meant |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            self._meant |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            meant = self.dotted(node.value) if isinstance(node.value, (ast.Attribute, ast.Call, ast.Subscript)) else ""
            if "." in meant or (meant and isinstance(node.value, ast.Call)):
                self._meant[node.targets[0].id] = meant

    def _called(self, node: ast.Call) -> str:
        function = self.dotted(node.func)
        first = text_of(node.args[0]) if node.args else ""
        if function in ("__import__", "importlib.import_module", "builtins.__import__"):
            return first
        if function == "getattr" and len(node.args) > 1:
            root, name = self.dotted(node.args[0]), text_of(node.args[1])
            return f"{root}.{name}" if root and name else ""
        if function == "vars" and node.args:
            return self.dotted(node.args[0])
        return ""


def text_of(node: ast.AST) -> str:
    """The text of a string constant, or of constants joined by `+` or `join`; else ""."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return left + right if left and right else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join" and node.args:
        parts = node.args[0].elts if isinstance(node.args[0], (ast.List, ast.Tuple)) else []
        return text_of(node.func.value).join(text_of(part) for part in parts)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):  # "tixe_"[::-1]
        step = node.slice.step
        backwards = isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)
        return text_of(node.value)[::-1] if backwards else ""
    return ""


def is_main_guard(node: ast.AST) -> bool:
    """`if __name__ == "__main__":`"""
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
    )


def running(module: ast.Module, asked: Collection[str]) -> Iterator[ast.AST]:
    """The nodes that run when the module is loaded or an asked function is called, and what it defines at its margin.

    Decorated functions and hooks of pytest count: something else has got hold of them. Where none of `asked` is
    defined, every function counts but those that a command line calls.
    """
    functions = {node.name: node for node in module.body if isinstance(node, _DEFINITIONS)}
    called = [node for node in module.body if not isinstance(node, _DEFINITIONS) and not is_main_guard(node)]
    yield from functions.values()
    known = set(asked) & set(functions)
    taken = {name for name, node in functions.items() if name.startswith("pytest_") or node.decorator_list}
    roots = taken | (known or set(functions) - _ENTRY)
    waiting: list[ast.AST] = [*called, *(functions[name] for name in sorted(roots))]
    seen: set[int] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            if isinstance(node, ast.Name) and node.id in functions and id(functions[node.id]) not in seen:
                waiting.append(functions[node.id])


def needed(module: ast.Module, asked: Collection[str]) -> ast.Module:
    """The statements at the margin that the asked functions lean on; all of them where none is defined.

    What fills a name that they read counts; what only calls them, as tests do, does not.
    """
    if not any(isinstance(node, _DEFINITIONS) and node.name in asked for node in module.body):
        return module
    names, kept = set(asked), set[int]()
    changed = True
    while changed:
        changed = False
        for place, node in enumerate(module.body):
            if place not in kept and _fills(node, names):
                kept.add(place)
                names |= _read_from_outside(node)
                changed = True
    return ast.Module([node for place, node in enumerate(module.body) if place in kept], [])


def _read_from_outside(node: ast.stmt) -> set[str]:
    """The names that a statement reads and a function does not bind itself."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    if not isinstance(node, _DEFINITIONS):
        return names
    bound = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    return names - bound - {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}


def _fills(node: ast.stmt, names: Collection[str]) -> bool:
    """True for the definition of one of the names, or for what puts something into it."""
    if isinstance(node, _DEFINITIONS):
        return node.name in names
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in names:
            return True
        put = part.value if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store) else None
        called = part.func if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) else None
        changes = called.value if called is not None and called.attr in _CHANGES else None
        if any(isinstance(one, ast.Name) and one.id in names for one in (put, changes)):
            return True
    return False


_CHANGES = ("append", "extend", "update", "setdefault", "insert", "add", "__setitem__")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
