"""Programs in whose constants the tests stand, arguments and results, whatever they do with them.

The values of a program are those of its constants and of the texts in them: `"7:-3~0:4"` holds 7, -3, 0 and 4. A test
stands in a program when its result and an argument do, each as a row of values; where the program makes a
number of its arguments' text (a checksum, a sum of letters), its result is enough.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from rlenv.programs.known_results import takes_fingerprints
from rlenv.programs.names import is_main_guard
from rlenv.programs.trees import ShownTest, literal

MIN_PURITY = 0.5
"""The share of a program's telling values that must be those of the tests: a table of everything has others."""
MIN_STANDING = 0.6
"""The share of the tests that must stand in it."""
MAX_VALUES = 4096
_VALUE = re.compile(r"-?\w[\w.]*")
_TRIVIAL = frozenset(("0", "1", "2", "-1", "-2", "None", "True", "False"))


def standing(
    module: ast.Module, tests: Sequence[ShownTest], hidden: Sequence[ShownTest], said: Callable[[object], bool]
) -> Iterator[tuple[ast.AST, str]]:
    """The program, where most tests stand in it, little else does, and not all hidden ones do too."""
    rows = list(_rows(module))
    values = {value for row in rows for value in row} - _TRIVIAL
    if not values or len(values) > MAX_VALUES:
        return
    texts = [f" {' '.join(row)} " for row in rows]
    fingerprint = takes_fingerprints(module)

    def stands(test: ShownTest) -> bool:
        asked = [values_of(argument) for argument in test.arguments]
        known = [row for row in asked if _found(row, texts)]
        enough = len(known) == len(asked) or any(not _TRIVIAL.issuperset(row) for row in known)
        return _found(values_of(test.expected), texts) and (fingerprint or enough)

    found = [test for test in tests if stands(test)]
    tells = [t for t in tests if not said(t.expected) and (fingerprint or t.worthy) and _tells(t, fingerprint)]
    telling = [test for test in tells if test in found]
    of_tests = {value for test in tests for part in (*test.arguments, test.expected) for value in values_of(part)}
    pure = fingerprint or len(values & of_tests) >= MIN_PURITY * len(values)
    enough = len(found) >= max(min(2, len(tests)), MIN_STANDING * len(tests))
    if telling and len(telling) >= min(2, len(tells)) and enough and pure and not (hidden and all(map(stands, hidden))):
        yield module.body[0], f"{len(found)} of {len(tests)} tests stand in its constants"


def values_of(value: object) -> tuple[str, ...]:
    """The values in the writing of a value: `[7, 'a b']` has 7, a and b."""
    return tuple(_VALUE.findall(str(value)))


def _tells(test: ShownTest, fingerprint: bool) -> bool:
    """True for a result, or arguments, that do not stand in programs anyway; a word is a label."""
    if isinstance(test.expected, str) and test.expected.isalpha():
        return False
    shown = values_of(test.expected) if fingerprint else values_of((*test.arguments, test.expected))
    return not _TRIVIAL.issuperset(shown)


def _found(row: tuple[str, ...], texts: Sequence[str]) -> bool:
    needle = f" {' '.join(row)} "
    return not row or any(needle in text for text in texts)


def _rows(module: ast.Module) -> Iterator[tuple[str, ...]]:
    """The values of every largest literal; documentation and asserts hold none that count."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if (
            is_main_guard(node)
            or isinstance(node, ast.Assert)
            or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        ):
            continue
        if isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp)):
            try:
                yield values_of(literal(node))
                continue
            except ValueError:
                pass
        waiting.extend(ast.iter_child_nodes(node))
