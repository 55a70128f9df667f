"""Syntax trees of code that a data set brings along. The verifier never parses completions on the host."""

from __future__ import annotations

import ast
import warnings

from rlenv.core.errors import TaskError

MAX_CHARS = 2_000_000
"""Of code that is parsed here; its tree takes a hundred times the memory."""


def tree(code: str) -> ast.Module:
    r"""The tree of a module, without warnings of what is bad style in it (`"\w"`). Raises SyntaxError."""
    if len(code) > MAX_CHARS:
        raise SyntaxError(f"more than {MAX_CHARS} characters")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(code)


def checked_tree(code: str) -> ast.Module:
    """The same, for code of a row: raises TaskError where it is not Python."""
    try:
        return tree(code)
    except SyntaxError as error:
        raise TaskError(f"expected Python, got {code[:40]!r}: {error}") from error


def names(code: str) -> set[str]:
    """The names that code mentions."""
    return {node.id for node in ast.walk(checked_tree(code)) if isinstance(node, ast.Name)}


def bound(code: str) -> set[str]:
    """The names that code binds anywhere."""
    found: set[str] = set()
    for node in ast.walk(checked_tree(code)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found
