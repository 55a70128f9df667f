"""One hidden test of a function: a call whose arguments go into the sandbox, and what must come back.

A task of the shape "function with hidden calls" holds its tests as rows like these (all values are Python
expressions as text, so that tuples, sets and floats survive JSON):

    {"call": "add([1, 2], 3)", "expect": "6"}                        equal: 2 is 2.0, but 1 is not True
    {"call": "mean([1, 2])", "expect": "1.5", "rel": 1e-6}           float tolerance (rel, abs) anywhere inside
    {"call": "parts('ab')", "expect": "['b', 'a']", "collections": "unordered"}   or "set"
    {"call": "half(4)", "expect": "2", "types": "exact"}             or "python" (as `==`), default "typed"
    {"call": "root(2.0)", "check": "abs(_ * _ - 2) < 1e-6"}          an expression about the value `_`
    {"call": "pop([])", "raises": "IndexError"}                      the name of the exception that must come
    {"call": "height(root)", "expect": "3", "cell": true}            the call is evaluated in the sandbox, where
                                                                     the names of the program are known
    {"call": "Solution().add(1, 2)", "expect": "3"}                  a method of a fresh object
    {"call": "add([], 0)", "expect": "0", "shown": true}             stands in the prompt: must pass, proves nothing

>>> case = Case.of({"call": "mean([1, 2])", "check": "abs(_ - 1.5) < 1e-6"})
>>> case.function, case.arguments, case.holds(1.5), case.holds("1.5")
('mean', ([1, 2],), True, False)
"""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.door.keeping import kept_within
from rlenv.envs.code.equality import COLLECTIONS, TYPES, Collections, Equality, Types
from rlenv.envs.code.expression import VALUE_ERRORS, Unsupported, evaluate, parse, supported

Row: TypeAlias = "Mapping[str, Json]"
RESULT = "_"
"""What a check calls the value that came back."""
FIELDS = ("call", "expect", "check", "raises", "types", "collections", "rel", "abs", "cell", "shown")
_FUNCTION = re.compile(r"[^\W\d]\w*(?:\(\))?(?:\.[^\W\d]\w*(?:\(\))?)*")
KEPT_BYTES = 16 << 20
DEFAULT_REL = 1e-9
"""Floats may differ by the order of operations."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test; made of a row by `Case.of`."""

    call: str
    function: str
    arguments: tuple[object, ...] = field(default=(), hash=False)
    keywords: Mapping[str, object] = field(default_factory=dict, hash=False)
    expected: object = field(default=None, hash=False)
    check: str = ""
    raises: str = ""
    equality: Equality = field(default_factory=lambda: Equality(rel=DEFAULT_REL))
    cell: bool = False
    shown: bool = False
    text: str = ""
    """The row itself."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled once, however many answers are read apart: what is expected may be long."""
        return _unpacked, (_packed(self),)

    @classmethod
    def of(cls, row: Row) -> Case:
        """The case that a row describes. Raises TaskError where it says what cannot be judged."""
        unknown = set(row) - set(FIELDS)
        if unknown or "call" not in row or sum(name in row for name in ("expect", "check", "raises")) != 1:
            raise TaskError(
                "expected a test with 'call' and one of 'expect', 'check', 'raises' (and any of "
                f"{', '.join(FIELDS[4:])}), got {sorted(row)}"
            )
        call, cell = str(row["call"]), bool(row.get("cell", False))
        try:
            function, arguments, keywords = _signature(call, cell)
            expected = evaluate(str(row["expect"])) if "expect" in row else None
            check = str(row.get("check", ""))
            if check and not supported(parse(check), (RESULT,)):
                raise Unsupported(f"check {check!r} says more than the host evaluates")
        except (Unsupported, *VALUE_ERRORS) as error:
            raise TaskError(f"test {call[:80]!r}: {type(error).__name__}: {error}") from error
        return cls(
            call=call,
            function=function,
            arguments=arguments,
            keywords=keywords,
            expected=expected,
            check=check,
            raises=str(row.get("raises", "")),
            equality=_equality(row),
            cell=cell,
            shown=bool(row.get("shown", False)),
            text=canonical(row),
        )

    def holds(self, value: object) -> bool:
        """True when this value passes; whatever the value makes the comparison raise counts as False."""
        if self.raises:
            return False
        try:
            if self.check:
                return bool(evaluate(self.check, {RESULT: value}, self.equality))
            return self.equality.same(value, self.expected)
        except VALUE_ERRORS:
            return False


@kept_within(KEPT_BYTES, lambda case, packed: 10 * len(packed))
def _packed(case: Case) -> bytes:
    return pickle.dumps([getattr(case, name) for name in case.__slots__], pickle.HIGHEST_PROTOCOL)


@kept_within(KEPT_BYTES, lambda packed, case: 10 * len(packed))
def _unpacked(data: bytes) -> Case:
    return Case(*pickle.loads(data))


def _signature(call: str, cell: bool) -> tuple[str, tuple[object, ...], dict[str, object]]:
    """The function that a call names and its arguments; these are left to the sandbox where `cell` is set."""
    node = parse(call)
    function = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or not _FUNCTION.fullmatch(function):
        raise Unsupported("expected a call of a function, or of a method of a fresh object")
    if cell:
        return function, (), {}
    keywords = {keyword.arg: evaluate(keyword.value) for keyword in node.keywords if keyword.arg}
    if len(keywords) < len(node.keywords):
        raise Unsupported("**")
    return function, tuple(evaluate(argument) for argument in node.args), keywords


def _equality(row: Row) -> Equality:
    types, collections = row.get("types", "typed"), row.get("collections", "ordered")
    if types not in TYPES or collections not in COLLECTIONS:
        raise TaskError(f"expected types in {TYPES} and collections in {COLLECTIONS}, got {types!r}, {collections!r}")
    default = 0.0 if types in ("exact", "python") else DEFAULT_REL
    rel, absolute = (float(cast("float", row.get(name, value))) for name, value in (("rel", default), ("abs", 0.0)))
    return Equality(cast("Types", types), cast("Collections", collections), rel, absolute)
