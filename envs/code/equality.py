"""When a value that a program gave equals the one that a test expects.

>>> EQUAL.same([1, 2.0], [1, 2]), EQUAL.same(1, True), EXACT.same(2, 2.0), PYTHON.same(1, True)
(True, False, False, True)
>>> EQUAL.same(0.1 + 0.2, 0.3), EQUAL.same(float("nan"), float("nan")), EQUAL.same((1,), [1])
(True, True, False)

The values are plain data: they were taken apart in the sandbox and put together again here, so no `__eq__` of
the program runs. What is no plain data (the sandbox's `Opaque`) equals nothing.

Where order does not count, no value of a program is put into a set or dict of Python's: its hashes are known, and
chosen ones make that take the square of the length. Each value is frozen to a digest with a key of this process,
bottom up, members of sets sorted: linear (but for the sorting of digests), whatever the value is.
"""

from __future__ import annotations

import datetime
import math
import operator
import os
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from typing import Literal, TypeAlias, get_args

import numpy as np

from rlenv.sandbox import Opaque

Types: TypeAlias = Literal["typed", "python", "exact", "json"]
Collections: TypeAlias = Literal["ordered", "unordered", "set"]
NUMBERS = (int, float, complex, Fraction, Decimal)
SEQUENCES = (list, tuple)
SETS = (set, frozenset)
PLAINLY_EQUAL = {int, float, str, bool, type(None)}
"""Two values of one of these types are the same where Python finds them equal."""
DIGEST_BYTES = 16
_KEY = os.urandom(32)


@dataclass(frozen=True, slots=True)
class Equality:
    """How strictly two plain values are compared.

    A list is never a tuple, a string never bytes, NaN equals NaN (for `python` nothing). `rel` and `abs` are the
    tolerance between two floats, everywhere inside the value (of the outermost level only where order does not count).
    """

    types: Types = "typed"
    """`typed`: 2 equals 2.0, 1 is not True. `python`: 1 equals True as well. `exact`: every type must be the same.
    `json`: as typed, and a tuple is a list."""
    collections: Collections = "ordered"
    """Of the outermost value: in order, in any order, or as a set (any order, repeats do not count)."""
    rel: float = 0.0
    abs: float = 0.0

    def same(self, given: object, expected: object) -> bool:
        """True when the given value is as good as the expected one."""
        if self.collections != "ordered":
            return self._as_bags(given, expected)
        return self._same(given, expected)

    def _same(self, given: object, expected: object) -> bool:
        if isinstance(given, bool) or isinstance(expected, bool):
            return self._same_bool(given, expected)
        if isinstance(given, NUMBERS) and isinstance(expected, NUMBERS):
            return self._same_number(given, expected)
        if isinstance(given, SETS) and isinstance(expected, SETS):
            return self._types_fit(given, expected) and self.freeze(given) == self.freeze(expected)
        if isinstance(given, SEQUENCES) and isinstance(expected, SEQUENCES):
            fits = self.types == "json" or type(given) is type(expected)
            return fits and len(given) == len(expected) and self._same_items(given, expected)
        if isinstance(given, dict) and isinstance(expected, dict):
            return self._types_fit(given, expected) and self._same_dict(given, expected)
        if type(given) is not type(expected):
            return False
        return self.freeze(given) == self.freeze(expected)

    def _same_items(self, given: Sequence[object], expected: Sequence[object]) -> bool:
        kinds = set(map(type, given))
        if len(kinds) == 1 and kinds <= PLAINLY_EQUAL and kinds == set(map(type, expected)):
            if all(map(operator.eq, given, expected)):
                return True
            if kinds != {float}:  # which may be close
                return False
        return all(map(self._same, given, expected))

    def _same_bool(self, given: object, expected: object) -> bool:
        if isinstance(given, bool) and isinstance(expected, bool):
            return given == expected
        if self.types != "python":
            return False
        return isinstance(given, NUMBERS) and isinstance(expected, NUMBERS) and given == expected

    def _same_number(self, given: object, expected: object) -> bool:
        if not self._types_fit(given, expected):
            return False
        if isinstance(given, float) and isinstance(expected, float):
            if math.isnan(given) or math.isnan(expected):
                return self.types != "python" and math.isnan(given) and math.isnan(expected)
            return math.isclose(given, expected, rel_tol=self.rel, abs_tol=self.abs)
        return given == expected

    def _same_dict(self, given: Mapping[object, object], expected: Mapping[object, object]) -> bool:
        if len(given) != len(expected):
            return False
        values = {self.freeze(key): value for key, value in given.items()}
        keys = [(self.freeze(key), value) for key, value in expected.items()]
        return all(key in values and self._same(values[key], value) for key, value in keys)

    def _as_bags(self, given: object, expected: object) -> bool:
        if not isinstance(given, (*SEQUENCES, *SETS)) or not isinstance(expected, (*SEQUENCES, *SETS)):
            return False
        if not self._types_fit(given, expected):
            return False
        ours, theirs = [self.freeze(item) for item in given], [self.freeze(item) for item in expected]
        return set(ours) == set(theirs) if self.collections == "set" else Counter(ours) == Counter(theirs)

    def _types_fit(self, given: object, expected: object) -> bool:
        return self.types != "exact" or type(given) is type(expected)

    def freeze(self, value: object) -> bytes:
        """A digest that is equal for equal values (tolerances apart), and for no others."""
        if isinstance(value, bool) and self.types != "python":
            return _digest("bool", bytes([value]))
        if isinstance(value, NUMBERS):
            return _digest(type(value).__name__ if self.types == "exact" else "number", _number(value))
        if isinstance(value, SEQUENCES):
            return _digest("list" if self.types == "json" else type(value).__name__, self._frozen(value))
        if isinstance(value, SETS):
            return _digest("set", b"".join(sorted({self.freeze(item) for item in value})))
        if isinstance(value, dict):
            return _digest("dict", b"".join(sorted(self.freeze(k) + self.freeze(v) for k, v in value.items())))
        if isinstance(value, deque):
            return _digest("deque", self._frozen(value))
        if isinstance(value, Opaque):
            return os.urandom(DIGEST_BYTES)
        return _digest(type(value).__name__, _content(value))

    def _frozen(self, items: Iterable[object]) -> bytes:
        return b"".join(map(self.freeze, items))


def is_plain(value: object) -> bool:
    """False when the value holds, at any depth, what the sandbox could not carry over as plain data."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Opaque):
            return False
        if isinstance(item, Mapping):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, (*SEQUENCES, *SETS, deque)) and not set(map(type, item)) <= PLAINLY_EQUAL:
            waiting += item
    return True


def _digest(kind: str, content: bytes) -> bytes:
    return blake2b(kind.encode() + b"\0" + content, digest_size=DIGEST_BYTES, key=_KEY).digest()


def _number(value: int | float | complex | Fraction | Decimal) -> bytes:
    """The same for equal numbers of any two types."""
    if isinstance(value, complex):
        return _number(value.real) + (b"," + _number(value.imag) if value.imag else b"")
    if isinstance(value, int):
        return b"%x" % value
    if isinstance(value, (float, Decimal)) and (value != value or value in (math.inf, -math.inf)):
        return str(float(value)).encode()
    over, under = value.as_integer_ratio()
    return b"%x" % over if under == 1 else b"%x/%x" % (over, under)


def _content(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if type(value).__module__ == "numpy":  # its own repr is short, and its tolist() can be longer than memory
        array = np.asarray(value)
        return f"{array.dtype}{array.shape}".encode() + array.tobytes()
    if isinstance(value, range):
        count = max(0, -((value.start - value.stop) // value.step))
        return f"{count} {value.start if count else 0} {value.step if count > 1 else 0}".encode()
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC)
    return repr(value).encode("utf-8", "backslashreplace")


EQUAL = Equality(rel=1e-9)
"""The default: floats may differ by the order of operations, 2 equals 2.0, 1 is not True."""
PYTHON = Equality("python")
"""As `==` says of plain data."""
EXACT = Equality("exact")
COLLECTIONS = get_args(Collections)
TYPES = get_args(Types)
