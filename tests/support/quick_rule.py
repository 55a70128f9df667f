"""What `make test-quick` runs: files that load and start nothing heavy, and of a test with parameters the first cases.

The rule reads imports and needs no list of files: all those of a test and of what it uses of tests/support, and of
rlenv's modules those that run when the module is imported. `--quick` makes this module a plugin of pytest.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "accelerate",
    "datasets",
    "fastapi",
    "matplotlib",
    "peft",
    "ray",
    "reasoning_gym",
    "torch",
    "transformers",
    "trl",
}
"""Packages that take long to load."""
UNWANTED = HEAVY | {
    "docker",
    "playwright",
    "rlenv.audit",
    "rlenv.cli",
    "rlenv.sandbox",
    "rlenv.workers.pool",
    "subprocess",
    "typer",
    "uvicorn",
}
"""A test, or a module with doctests, that itself imports one of these starts processes or plays an audit."""
CASES = 1
"""Of a test with parameters."""


def is_quick(file: Path) -> bool:
    """Whether a file of tests, or of doctests, loads and starts nothing heavy."""
    file = file.resolve()
    seen, todo = {file}, [file]
    while todo:
        names, files = _imports(one := todo.pop())
        if names & (UNWANTED if one == file or _is_of_tests(one) else HEAVY):
            return False
        todo += files - seen
        seen |= files
    return True


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """A file that is not quick is not even imported."""
    return True if collection_path.suffix == ".py" and not is_quick(collection_path) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the tests that are left, the first cases."""
    seen: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        seen[test] += 1
        (kept if seen[test] <= CASES else others).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=others)


@cache
def _imports(file: Path) -> tuple[frozenset[str], frozenset[Path]]:
    """The modules that a file imports, with the packages that they are in, and which files of ours they are."""
    tree = ast.parse(file.read_text("utf-8"))
    package = ".".join(("rlenv", *file.relative_to(ROOT).parent.parts)).replace("rlenv.rlenv", "rlenv")
    nodes = ast.walk(tree) if _is_of_tests(file) else _run_on_import(tree)
    parts = [name.split(".") for node in nodes for name in _named(node, package)]
    names = {".".join(part[: n + 1]) for part in parts for n in range(len(part))}
    return frozenset(names), frozenset(found for name in names if (found := _file_of(name)) is not None)


def _run_on_import(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements outside functions and outside `if TYPE_CHECKING`."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        todo += ast.iter_child_nodes(node)


def _named(node: ast.AST, package: str) -> list[str]:
    """What a node imports; of `from a import b` both a and a.b, which may be a module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = node.module or "" if not node.level else f"{package}.{node.module or ''}".strip(".")
        return [base, *(f"{base}.{alias.name}" for alias in node.names)]
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "importorskip":
        return [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    return []


@cache
def _file_of(module: str) -> Path | None:
    """The file of a module of ours or of tests/support; None for any other."""
    first, *rest = module.split(".")
    base = ROOT.joinpath("rlenv", *rest) if first == "rlenv" else ROOT.joinpath("tests", "support", first)
    found = next((file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()), None)
    return None if found is None else found.resolve()


def _is_of_tests(file: Path) -> bool:
    return file.is_relative_to(ROOT / "tests")
