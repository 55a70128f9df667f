"""Where a program writes results beside arguments: chains of branches, tables, cases, parallel lists, hashes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rlenv.programs.names import is_main_guard
from rlenv.programs.trees import ShownTest, literal

HASH = object()
"""Stands for an argument that is known by its hash."""
DERIVED = object()
"""Stands for an argument that is known by a part or a property of it: its length, its first element."""
REST = object()
"""Stands for every argument that no comparison before it took."""
Entry: TypeAlias = "tuple[tuple[object, ...], object]"
"""What an entry compares with, and what it gives."""

MAX_TEXT = 4096
MAX_LISTS = 64
MAX_OUTER = 16
_VALUE = re.compile(r"-?\w[\w.]*")
_ROW_END = re.compile(r"[\n;|]|(?<=\w),? (?=\S)")
_COLUMN = re.compile(r"\t|=>|->|[:=>/]")


@dataclass(frozen=True, slots=True)
class Group:
    """Entries that belong together: one chain, one table."""

    node: ast.AST
    entries: tuple[Entry, ...]

    def without(self, stated: Callable[[object], bool]) -> Group:
        """The group without the entries whose every value the task itself states."""
        kept = tuple(e for e in self.entries if not (stated(e[1]) and all(stated(a) for a in e[0] if _plain(a))))
        return Group(self.node, kept)

    def known(self, tests: Sequence[ShownTest]) -> list[ShownTest]:
        """The tests whose result an entry gives for their arguments.

        Entries that know an argument by a part of it count only together, and with results that say something.
        """
        found = [test for test in tests if any(_certain(entry, test) for entry in self.entries)]
        derived = [test for test in tests if any(_derived(entry, test) for entry in self.entries)]
        telling = {repr(test.expected) for test in derived}
        return [*found, *(test for test in derived if len(telling) > 1 and test not in found)]

    def purity(self, tests: Sequence[ShownTest]) -> float:
        """The share of the entries that give the result of a test."""
        hits = sum(any(_certain(entry, t) or _derived(entry, t) for t in tests) for entry in self.entries)
        return hits / max(1, len(self.entries))


def groups(module: ast.Module) -> Iterator[Group]:
    """Every chain and table of literals in the program; tests of its own and documentation are none."""
    fingerprints = takes_fingerprints(module)
    branches: dict[int, tuple[ast.AST, list[Entry]]] = {}
    ends: dict[int, tuple[ast.FunctionDef, ast.Return]] = {}
    for parent, node, outer in _judging(module):
        mark = (HASH,) if fingerprints else ()
        entries = [((*outer, *asked, *mark), given) for asked, given in _branch(node)]
        if entries:
            branches.setdefault(id(parent), (node, []))[1].extend(entries)
        for table in _tables(node):
            hashed = fingerprints and isinstance(node, ast.Dict)
            if table:
                yield Group(node, tuple(((*asked, HASH), given) for asked, given in table) if hashed else table)
        if isinstance(parent, ast.FunctionDef) and node is parent.body[-1] and isinstance(node, ast.Return):
            ends[id(parent)] = (parent, node)
    for home, (node, entries) in branches.items():
        function, last = ends.get(home, (None, None))
        rest = _entries([(REST,)], last.value) if function and last and _only_compares(function) else []
        yield Group(node, (*entries, *rest))


def takes_fingerprints(module: ast.Module) -> bool:
    """True for a program that makes a number of its arguments' text: their hash, the sum of their letters."""
    calls = {
        getattr(node.func, "attr", getattr(node.func, "id", ""))
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
    }
    names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    return not calls.isdisjoint(_HASHES) or ("ord" in names and bool({"repr", "str", "format"} & names))


def _only_compares(function: ast.FunctionDef) -> bool:
    """True when nothing is done with the arguments but to compare them with literals."""
    named = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    compared: set[int] = set()
    for node in ast.walk(function):
        if not isinstance(node, ast.Compare) or not all(isinstance(op, (ast.Eq, ast.In)) for op in node.ops):
            continue
        if next(_values([node.left, *node.comparators]), REST) is not REST:
            compared |= {id(part) for part in ast.walk(node)}
    loads = (part for part in ast.walk(function) if isinstance(part, ast.Name) and part.id in named)
    return all(id(part) in compared for part in loads)


def _judging(module: ast.Module) -> Iterator[tuple[ast.AST, ast.AST, tuple[object, ...]]]:
    """Each node with the function that it stands in and what the conditions around it compare with.

    Asserts, bare calls and the command line are left out.
    """
    waiting: list[tuple[ast.AST, ast.AST, tuple[object, ...]]] = [(module, module, ())]
    while waiting:
        home, node, outer = waiting.pop()
        yield home, node, outer
        inner = node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else home
        within = _within(node, outer)
        for child in ast.iter_child_nodes(node):
            call = isinstance(child, ast.Expr) and isinstance(child.value, (ast.Call, ast.Constant))
            if not (isinstance(child, ast.Assert) or call or is_main_guard(child)):
                waiting.append((inner, child, within.get(id(child), outer)))


def _within(node: ast.AST, outer: tuple[object, ...]) -> dict[int, tuple[object, ...]]:
    """What an `if` adds for the statements that it guards."""
    if not isinstance(node, ast.If) or len(outer) > MAX_OUTER:
        return {}
    asked = _alternatives(node.test)
    return {id(child): (*outer, *asked[0]) for child in node.body} if len(asked) == 1 and asked[0] else {}


def _branch(node: ast.AST) -> list[Entry]:
    """What an `if` or `case` compares with, and the literal that it then gives: an entry for each alternative."""
    if isinstance(node, ast.If):
        return _entries(_alternatives(node.test), _result(node.body))
    if isinstance(node, ast.IfExp):
        return _entries(_alternatives(node.test), node.body)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) and len(node.values) == 2:
        return _entries(_alternatives(node.values[0]), node.values[1])
    if isinstance(node, ast.match_case):
        values = _values(part.value for part in ast.walk(node.pattern) if isinstance(part, ast.MatchValue))
        asked = tuple(values)
        guarded = _alternatives(node.guard) if node.guard is not None else []
        return _entries([*([(asked, *asked)] if asked else []), *guarded], _result(node.body))
    return []


def _result(body: Sequence[ast.stmt]) -> ast.expr | None:
    """The value of a body that only gives, prints or keeps a value."""
    first = body[0]
    if isinstance(first, (ast.Return, ast.Assign, ast.AnnAssign)):
        return first.value
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Yield):
        return first.value.value
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Call):
        return next(iter(first.value.args), None)
    return None


def _entries(alternatives: Sequence[tuple[object, ...]], given: ast.expr | None) -> list[Entry]:
    values = list(_values([given])) if given is not None else []
    return [(asked, value) for asked in alternatives if asked for value in values]


def _alternatives(test: ast.expr) -> list[tuple[object, ...]]:
    """The literals that a condition compares with: one tuple for each side of an `or` and member of an `in`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return [asked for value in test.values for asked in _alternatives(value)]
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In):
        members = [value for value in _values(test.comparators) if isinstance(value, (tuple, list, set, frozenset))]
        return [(member,) for value in members for member in value]
    asked: list[object] = list(_equal_by_other_means(test))
    for part in ast.walk(test):
        if isinstance(part, (ast.List, ast.Tuple)) and part.elts:  # all(a == b for a, b in zip(args, [7, 2]))
            asked += _values([part])
        if isinstance(part, ast.Call) and getattr(part.func, "attr", "") in _TEXT_TESTS:
            asked += [value.replace("\\", "").strip("^$") for value in _values(part.args) if isinstance(value, str)]
        if isinstance(part, ast.Compare) and all(isinstance(op, (ast.Eq, ast.Is)) for op in part.ops):
            sides = [part.left, *part.comparators]
            values = list(_values(sides))
            hashed = any(map(_is_digest, values)) or any(map(_hashes, sides))
            derived = any(isinstance(side, (ast.Call, ast.Subscript)) and not _writes(side) for side in sides)
            asked += values
            asked += [HASH] if values and hashed else [DERIVED] if values and derived else []
    return [tuple(asked)]


def _equal_by_other_means(test: ast.expr) -> Iterator[object]:
    """`not x - 7`, `x ^ 7 == 0`, `7 <= x <= 7`, `isclose(x, 7)`."""
    for part in ast.walk(test):
        if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Sub, ast.BitXor)):
            yield from _values([part.right])
        elif isinstance(part, ast.Compare) and len(part.ops) == 2 and all(isinstance(op, ast.LtE) for op in part.ops):
            yield from _values([part.left])
        elif isinstance(part, ast.Call) and getattr(part.func, "attr", getattr(part.func, "id", "")) in _EQUALS:
            yield from _values(part.args)


_EQUALS = ("isclose", "eq", "is_", "array_equal", "equals")


def _hashes(node: ast.expr) -> bool:
    return any(
        isinstance(part, ast.Call)
        and (getattr(part.func, "attr", "") in ("hexdigest", "digest") or getattr(part.func, "id", "") in _HASHES)
        for part in ast.walk(node)
    )


def _writes(node: ast.expr) -> bool:
    """The argument itself as text, tuple, list: another way of writing it."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
        "str",
        "repr",
        "tuple",
        "list",
        "sorted",
        "int",
    )


_TEXT_TESTS = ("startswith", "endswith", "match", "fullmatch", "search", "__eq__")
_HASHES = ("hash", "crc32", "adler32", "md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha224")


def _values(nodes: Iterable[ast.expr]) -> Iterator[object]:
    for node in nodes:
        try:
            yield literal(node)
        except ValueError:
            continue


def _tables(node: ast.AST) -> Iterator[tuple[Entry, ...]]:
    """The entries of a dict, of a list of pairs, of two parallel lists, of a text that holds pairs."""
    if isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values, strict=True))
        yield tuple(
            ((first, second), given)
            for key, inner in pairs
            if isinstance(inner, ast.Dict)
            for first in _values([key] if key else [])
            for second, given in zip(_values(k for k in inner.keys if k), _values(inner.values), strict=False)
        )
        yield tuple(
            ((asked, HASH) if _is_digest(asked) else (asked,), given)
            for key, value in pairs
            for asked, given in zip(_values([key] if key else []), _values([value]), strict=False)
        )
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)) and len(node.elts) > 1:
        rows = [tuple(_values(part.elts)) for part in node.elts if isinstance(part, (ast.Tuple, ast.List))]
        yield tuple(((row[0],), row[1]) for row in rows if len(row) == 2)
        yield tuple((row[:-1], row[-1]) for row in rows if len(row) > 2)
    elif isinstance(node, (ast.FunctionDef, ast.Module)):
        yield from _parallel(node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < MAX_TEXT:
        yield tuple(((asked,), given) for asked, given in _rows(node.value))


def _parallel(node: ast.FunctionDef | ast.Module) -> Iterator[tuple[Entry, ...]]:
    """Two literal sequences of one length, and entries that are put into a table one by one."""
    inside = [part for statement in node.body if not isinstance(statement, _HOMES) for part in ast.walk(statement)]
    sequences = (part for part in inside if isinstance(part, (ast.List, ast.Tuple)) and len(part.elts) > 1)
    lists = [value for value in _values(sequences) if isinstance(value, (list, tuple))][:MAX_LISTS]
    for asked in lists:
        for given in lists:
            if asked is not given and len(asked) == len(given):
                yield tuple(((a,), g) for a, g in zip(asked, given, strict=True))
    filled = [part for part in inside if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Subscript)]
    put = [(list(_values([part.targets[0].slice])), list(_values([part.value]))) for part in filled]  # type: ignore[attr-defined]
    yield tuple(((asked[0],), given[0]) for asked, given in put if asked and given)


_HOMES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _rows(text: str) -> Iterator[tuple[object, object]]:
    """Pairs of values that a text holds line by line: `10:55;7:13`."""
    rows = [row for row in _ROW_END.split(text) if row]
    for row in rows if 1 < len(rows) <= MAX_LISTS else ():
        parts = [part.strip() for part in _COLUMN.split(row, maxsplit=1)]
        if len(parts) == 2 and all(parts):
            yield parts[0], _value_of(parts[1])


def _value_of(text: str) -> object:
    try:
        return literal(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text


def _plain(value: object) -> bool:
    return value is not HASH and value is not DERIVED and value is not REST


def _is_digest(value: object) -> bool:
    """A large number or a long row of hexadecimal digits: a hash that was worked out before."""
    if isinstance(value, str):
        return len(value) >= 8 and all(sign in "0123456789abcdef" for sign in value)
    return isinstance(value, int) and abs(value) > 1 << 31


def _certain(entry: Entry, test: ShownTest) -> bool:
    asked, given = entry
    written = isinstance(given, str) and given.strip() in (repr(test.expected), str(test.expected))
    return (written or same(given, test.expected)) and (REST in asked or _asks_for(asked, test))


def _derived(entry: Entry, test: ShownTest) -> bool:
    asked, given = entry
    bland = isinstance(given, (bool, type(None))) or (isinstance(given, (int, float)) and abs(given) < 10)
    return DERIVED in asked and not bland and same(given, test.expected)


def _asks_for(asked: Sequence[object], test: ShownTest) -> bool:
    """True when what an entry compares with is the arguments: whole, one by one, as text, or their hash."""
    if any(value is HASH for value in asked):
        return True
    arguments = test.arguments
    wholes = [arguments, *arguments] if len(arguments) == 1 else [arguments]
    if any(same(value, whole) for value in asked for whole in wholes):
        return True
    texts = [_squeezed(value) for value in asked if isinstance(value, str)]
    if any(texts) and not {_squeezed(write(whole)) for whole in wholes for write in (str, repr)}.isdisjoint(texts):
        return True
    return len(arguments) > 1 and all(any(same(value, argument) for value in asked) for argument in arguments)


def _squeezed(text: str) -> tuple[str, ...]:
    """The values in a text, whatever stands between them: `[7, 2]`, `7,2` and `(7,2)` alike."""
    return tuple(_VALUE.findall(text))


def same(left: object, right: object) -> bool:
    """Equal as a test would have it; a list is a tuple, True is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    try:
        return bool(left == right)
    except (TypeError, ValueError):
        return False
