"""Plain data across the channel, by exact type; the same file runs on both sides of it.

What has no form here (objects, functions, subclasses with methods of their own) arrives as `Opaque`, which
equals nothing: an answer whose `__eq__` always says yes is refused by its type before anything compares it.
`loads` is safe on whatever a hostile program wrote: it returns a value or raises CodecError, in time and memory
linear in the length of the text (rlenv.sandbox.bounds). What holds more than it would take is refused by `dumps` too.

>>> loads(dumps({"a": (1, 2.5, {3})}))
{'a': (1, 2.5, {3})}
>>> class Always:
...     def __eq__(self, other): return True
>>> loads(dumps([Always()]))[0] == 1
False

Standard library only and Python 3.8, because it runs inside cells.
"""

from __future__ import annotations

import base64
import collections
import datetime
import decimal
import fractions
import json
import sys
from collections.abc import Callable, Sequence
from typing import cast

from rlenv.sandbox import bounds

MAX_DEPTH = 150
MAX_BITS = 1 << 20
"""Of an int; arithmetic on longer ones could keep the host busy for minutes."""
MAX_RATIO_BITS = 1 << 14
"""Of a Fraction's parts, and about the decimal exponents that stand for as many."""
MAX_RATIO_DIGITS = MAX_RATIO_BITS // 3

OPAQUE_MARK = b'{"$":"opaque"'
"""Stands in an encoding where a value did not cross (inside strings, quotes are escaped)."""

_SIMPLE = {type(None), bool, int, float, str}


class CodecError(ValueError):
    """Not the encoding of any value."""


class Opaque:
    """Stands for a value that does not cross; equals nothing, itself included."""

    __slots__ = ("type_name",)

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "<%s>" % self.type_name  # noqa: UP031


def dumps(value: object) -> bytes:
    """One line of JSON, without its end. Raises CodecError for what is nested too deep, cyclic, or too much."""
    try:
        text = _text(_encode(value, 0, False))
    except (ValueError, UnicodeEncodeError):  # an integer of thousands of digits, or half a surrogate pair
        text = _text(_encode(value, 0, True))
    try:
        bounds.check(text)
    except bounds.TooMuch as error:
        raise CodecError(str(error)) from None
    return text


def loads(text: bytes) -> object:
    """The value; raises CodecError for anything that dumps would not have written."""
    try:
        bounds.check(text)
        return _Decoding(len(text)).value(json.loads(text.decode("utf-8"), parse_int=_parse_int()), 0)
    except CodecError:
        raise
    except bounds.TooMuch as error:
        raise CodecError(str(error)) from None
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, MemoryError, ImportError) as error:
        raise CodecError("not an encoded value: %s" % type(error).__name__) from None  # noqa: UP031


def _parse_int() -> Callable[[str], int] | None:
    """None where the interpreter itself bounds the digits of an int: to read them takes quadratic time."""
    limit = getattr(sys, "get_int_max_str_digits", int)()
    return None if 0 < limit <= MAX_RATIO_DIGITS else _short_int


def _short_int(digits: str) -> int:
    if len(digits) > MAX_RATIO_DIGITS:
        raise CodecError("an int beyond %d digits" % MAX_RATIO_DIGITS)  # noqa: UP031
    return int(digits)


def _text(tree: object) -> bytes:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


# --- outward ---


def _encode(value: object, depth: int, careful: bool) -> object:
    """A JSON tree. `careful` wraps the ints and strings that JSON does not keep as they are."""
    kind = type(value)
    if kind in _SIMPLE:
        return _encode_simple(value) if careful else value
    if depth > MAX_DEPTH:
        raise CodecError("nested too deep")
    if kind is list:
        return _encode_all(cast("list[object]", value), depth, careful)
    if kind in _OUT:
        name, parts = _OUT[kind]
        return {"$": name, "v": _encode_all(parts(value), depth, careful)}
    if kind.__module__ == "numpy" and "numpy" in sys.modules:
        return _encode_numpy(value)
    return {"$": "opaque", "v": ("%s.%s" % (kind.__module__, kind.__qualname__))[:200]}  # noqa: UP031


def _encode_all(items: list[object], depth: int, careful: bool) -> list[object]:
    if not careful and set(map(type, items)) <= _SIMPLE:
        return items
    return [_encode(item, depth + 1, careful) for item in items]


def _encode_simple(value: object) -> object:
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        return {"$": "int", "v": hex(value)}
    if type(value) is str:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return {"$": "str", "v": _base64(value.encode("utf-8", "surrogatepass"))}
    return value


def _base64(data: object) -> str:
    return base64.b64encode(data).decode("ascii")  # type: ignore[arg-type]


def _pairs(value: object) -> list[object]:
    return [[key, item] for key, item in cast("dict[object, object]", value).items()]


_OUT: dict[type, tuple[str, Callable[[object], list[object]]]] = {
    tuple: ("tuple", lambda v: list(cast("tuple[object, ...]", v))),
    dict: ("dict", _pairs),
    set: ("set", lambda v: list(cast("set[object]", v))),
    frozenset: ("frozenset", lambda v: list(cast("frozenset[object]", v))),
    bytes: ("bytes", lambda v: [_base64(v)]),
    bytearray: ("bytearray", lambda v: [_base64(v)]),
    complex: ("complex", lambda v: [v.real, v.imag]),  # type: ignore[attr-defined]
    range: ("range", lambda v: [v.start, v.stop, v.step]),  # type: ignore[attr-defined]
    fractions.Fraction: ("Fraction", lambda v: [v.numerator, v.denominator]),  # type: ignore[attr-defined]
    decimal.Decimal: ("Decimal", lambda v: [str(v)]),
    datetime.date: ("date", lambda v: [v.isoformat()]),  # type: ignore[attr-defined]
    datetime.time: ("time", lambda v: [v.isoformat(), v.fold]),  # type: ignore[attr-defined]
    datetime.datetime: ("datetime", lambda v: [v.isoformat(), v.fold]),  # type: ignore[attr-defined]
    datetime.timedelta: ("timedelta", lambda v: [v.days, v.seconds, v.microseconds]),  # type: ignore[attr-defined]
    collections.deque: ("deque", lambda v: list(cast("collections.deque[object]", v))),
    collections.OrderedDict: ("OrderedDict", _pairs),
    collections.defaultdict: ("defaultdict", _pairs),
    collections.Counter: ("Counter", _pairs),
}


def _encode_numpy(value: object) -> object:
    import numpy

    if type(value) is numpy.ndarray and value.dtype.kind in "biufc":
        plain = numpy.ascontiguousarray(value)
        return {"$": "ndarray", "v": [plain.dtype.str, list(_shape(value.shape)), _base64(plain.tobytes())]}
    if isinstance(value, numpy.generic) and value.dtype.kind in "biufc":
        return {"$": "numpy", "v": [value.dtype.str, _base64(value.tobytes())]}
    return {"$": "opaque", "v": "numpy.%s" % type(value).__name__}  # noqa: UP031


# --- inward ---


class _Decoding:
    """One value, with what its sets and dicts may still cost."""

    def __init__(self, length: int) -> None:
        self._hashing = bounds.HashBudget(length)

    def value(self, tree: object, depth: int) -> object:
        kind = type(tree)
        if kind in _SIMPLE:
            return tree
        if depth > MAX_DEPTH + 1:
            raise CodecError("nested too deep")
        if kind is list:
            return self._all(tree, depth)
        tagged = cast("dict[str, object]", tree)
        if len(tagged) != 2:
            raise CodecError("an object without a kind")
        name, body = cast("str", tagged["$"]), tagged["v"]
        if name not in _IN_PARTS:
            return _IN_RAW[name](body)
        parts = self._all(body, depth)
        if name in _HASHING:
            self._hashing.build(parts if name in _SETS else _keys(parts))
        return _IN_PARTS[name](parts)

    def _all(self, items: object, depth: int) -> list[object]:
        if type(items) is not list:
            raise CodecError("expected a list")
        if set(map(type, items)) <= _SIMPLE:
            return items
        return [item if type(item) in _SIMPLE else self.value(item, depth + 1) for item in items]


def _keys(pairs: list[object]) -> list[object]:
    if any(type(pair) is not list or len(pair) != 2 for pair in pairs):
        raise CodecError("expected pairs")
    return [pair[0] for pair in cast("list[list[object]]", pairs)]


def _dict(pairs: list[object]) -> dict[object, object]:
    return dict(cast("list[tuple[object, object]]", pairs))


def _only(body: object, *kinds: type) -> list[object]:
    """The parts, when there are as many as kinds and each has its kind."""
    if type(body) is not list or [type(part) for part in body] != list(kinds):
        raise CodecError("expected %s" % (kinds,))  # noqa: UP031
    return body


def _int(body: object) -> int:
    value = int(cast(str, body), 16)
    if value.bit_length() > MAX_BITS:
        raise CodecError("an int beyond %d bits" % MAX_BITS)  # noqa: UP031
    return value


def _fraction(parts: list[object]) -> fractions.Fraction:
    over, under = cast("list[int]", _only(parts, int, int))
    if max(over.bit_length(), under.bit_length()) > MAX_RATIO_BITS:
        raise CodecError("a fraction beyond %d bits" % MAX_RATIO_BITS)  # noqa: UP031
    return fractions.Fraction(over, under)


def _decimal(parts: list[object]) -> decimal.Decimal:
    (text,) = cast("list[str]", _only(parts, str))
    value = decimal.Decimal(text[: MAX_RATIO_DIGITS + 20])
    exponent = value.as_tuple().exponent
    if len(text) > MAX_RATIO_DIGITS + 20 or (isinstance(exponent, int) and abs(exponent) > MAX_RATIO_DIGITS):
        raise CodecError("a decimal beyond what is compared")
    return value


def _bytes(parts: list[object]) -> bytes:
    return base64.b64decode(cast("str", _only(parts, str)[0]), validate=True)


def _moment(parse: Callable[[str], object]) -> Callable[[list[object]], object]:
    def read(parts: list[object]) -> object:
        text, fold = _only(parts, str, int)
        moment = parse(cast(str, text))
        return moment.replace(fold=fold)  # type: ignore[attr-defined]

    return read


def _array(body: object) -> object:
    import numpy

    dtype, shape, data = _only(body, str, list, str)
    array = numpy.frombuffer(_raw(data), _dtype(dtype))
    return array.reshape(_shape(cast("list[int]", shape))).copy()


def _shape(dimensions: Sequence[int]) -> Sequence[int]:
    """The same; refuses more rows than there may be containers, which an array without data can claim."""
    if any(type(size) is not int or size < 0 for size in dimensions):
        raise CodecError("a dimension that is none")
    rows = 1
    for size in dimensions[:-1]:
        rows *= max(1, size)
    if rows > bounds.MAX_CONTAINERS:
        raise CodecError("an array of more than %d rows" % bounds.MAX_CONTAINERS)  # noqa: UP031
    return dimensions


def _numpy(body: object) -> object:
    import numpy

    dtype, data = _only(body, str, str)
    (value,) = numpy.frombuffer(_raw(data), _dtype(dtype))
    return cast(object, value)


def _raw(data: object) -> bytes:
    return base64.b64decode(cast(str, data), validate=True)


def _dtype(name: object) -> str:
    if cast(str, name)[1:2] not in tuple("biufc") or len(cast(str, name)) > 4:
        raise CodecError("a dtype that does not cross")
    return cast(str, name)


_IN_RAW: dict[str, Callable[[object], object]] = {
    "int": _int,
    "str": lambda body: _raw(body).decode("utf-8", "surrogatepass"),
    "opaque": lambda body: Opaque(body[:200] if type(body) is str else "?"),
    "ndarray": _array,
    "numpy": _numpy,
}
_IN_PARTS: dict[str, Callable[[list[object]], object]] = {
    "tuple": tuple,
    "dict": _dict,
    "set": set,
    "frozenset": frozenset,
    "bytes": _bytes,
    "bytearray": lambda parts: bytearray(_bytes(parts)),
    "complex": lambda parts: complex(*cast("list[float]", _only(parts, float, float))),
    "range": lambda parts: range(*cast("list[int]", _only(parts, int, int, int))),
    "Fraction": _fraction,
    "Decimal": _decimal,
    "date": lambda parts: datetime.date.fromisoformat(cast("str", _only(parts, str)[0])),
    "time": _moment(datetime.time.fromisoformat),
    "datetime": _moment(datetime.datetime.fromisoformat),
    "timedelta": lambda parts: datetime.timedelta(*cast("list[int]", _only(parts, int, int, int))),
    "deque": collections.deque,
    "OrderedDict": lambda parts: collections.OrderedDict(_dict(parts)),
    "defaultdict": lambda parts: collections.defaultdict(None, _dict(parts)),
    "Counter": lambda parts: collections.Counter(_dict(parts)),
}
_SETS = {"set", "frozenset"}
_HASHING = _SETS | {"dict", "OrderedDict", "defaultdict", "Counter"}
