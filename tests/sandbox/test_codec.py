"""What crosses between host and cell, and what does not."""

from __future__ import annotations

import collections
import datetime
import math
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import assert_linear

from rlenv.sandbox.codec import CodecError, Opaque, dumps, loads

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.binary(max_size=20)
    | st.complex_numbers(allow_nan=False)
    | st.fractions()
    | st.decimals(allow_nan=False, min_value=-(10**9), max_value=10**9)
    | st.datetimes()
    | st.timedeltas()
)
HASHABLE = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3))
VALUES = st.recursive(
    HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
    ),
    max_leaves=15,
)


def shape(value: object) -> object:
    """The types of a value, all the way down."""
    if isinstance(value, dict):
        return dict, [(shape(key), shape(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [shape(item) for item in value]
    return type(value)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@given(VALUES)
def test_plain_data_comes_back_equal_and_of_the_same_types(value: object) -> None:
    back = loads(dumps(value))
    assert back == value
    assert shape(back) == shape(value)


@pytest.mark.parametrize(
    "value",
    [
        10**5000,
        -(1 << 63),
        "\ud83d\ude00",
        "half \ud800",
        -0.0,
        5e-324,
        float("inf"),
        math.nan,
        range(2, 9, 3),
        bytearray(b"\0"),
        datetime.time(1, 2, 3, 4, fold=1),
        datetime.date(2000, 2, 29),
        collections.deque([1, "a"]),
        collections.OrderedDict(b=1, a=2),
        collections.Counter("aab"),
        Decimal("1.50"),
        Decimal("NaN"),
        Fraction(-7, 3),
        np.int64(-3),
        np.float32(0.1),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_the_unusual_comes_back_exactly(value: object) -> None:
    (back,) = cast("list[object]", loads(dumps([value])))
    assert type(back) is type(value)
    assert back == value or str(back) == str(value)  # NaN
    assert not isinstance(value, float) or math.copysign(1, value) == math.copysign(1, cast("float", back))


def test_a_defaultdict_comes_back_without_its_factory() -> None:
    back = loads(dumps(collections.defaultdict(list, {1: [2]})))
    assert isinstance(back, collections.defaultdict)
    assert (back, back.default_factory) == ({1: [2]}, None)


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3), np.array(3), np.zeros((0, 2), dtype=np.uint8), np.eye(2, dtype=bool)[::-1]]
)
def test_arrays_keep_shape_and_kind(array: np.ndarray) -> None:
    back = loads(dumps(array))
    assert isinstance(back, np.ndarray)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert (back == array).all()


class Always(int):
    """Equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class Liar:
    """Says that it is an int."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return int

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "value",
    [Always(3), Liar(), object(), print, (n for n in range(0)), type("T", (str,), {})("x"), iter([])],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_plain_data_equals_nothing(value: object) -> None:
    back = loads(dumps(value))
    assert isinstance(back, Opaque)
    assert back != 3
    assert back != back


def test_liars_inside_containers_equal_nothing_either() -> None:
    back = loads(dumps({"a": [Always(1)], Liar(): {Always(2)}}))
    assert back != {"a": [1], "b": {2}}


@pytest.mark.parametrize("depth", [200, 100_000])
def test_too_deep_and_cyclic_values_are_refused(depth: int) -> None:
    deep: object = []
    for _ in range(depth):
        deep = [deep]
    cycle: list[object] = []
    cycle.append(cycle)
    for value in (deep, cycle):
        with pytest.raises((CodecError, RecursionError)):
            dumps(value)


FORGED = [
    b"",
    b"nonsense",
    b"\xff",
    b"{}",
    b'{"$":"unknown","v":1}',
    b'{"$":["list"],"v":1}',
    b'{"$":"tuple"}',
    b'{"$":"tuple","v":1}',
    b'{"$":"set","v":[[1]]}',
    b'{"$":"dict","v":[[1]]}',
    b'{"$":"dict","v":[[[],1]]}',
    b'{"$":"int","v":"zz"}',
    b'{"$":"int","v":7}',
    b'{"$":"int","v":"' + b"f" * 300_000 + b'"}',
    b'{"$":"Fraction","v":[1,0]}',
    b'{"$":"Decimal","v":["1e999999"]}',
    b'{"$":"Decimal","v":["x"]}',
    b'{"$":"complex","v":["a","b"]}',
    b'{"$":"range","v":[1,2,0]}',
    b'{"$":"bytes","v":["%%%"]}',
    b'{"$":"datetime","v":["today",0]}',
    b'{"$":"timedelta","v":[1e400,0,0]}',
    b'{"$":"ndarray","v":["O8",[1],"AAAAAAAAAAA="]}',
    b'{"$":"ndarray","v":["<f8",[-1,-1],"AAAAAAAAAAA="]}',
    b'{"$":"ndarray","v":["<f8",[1000000000000],"AAAAAAAAAAA="]}',
    b'{"$":"numpy","v":["<f8",""]}',
    b"[" * 100_000,
    b"9" * 5000,
    b'{"$":"Counter","v":[[1,2,3]]}',
]


@pytest.mark.parametrize("text", FORGED, ids=lambda text: text[:30].decode("latin-1"))
def test_what_no_encoder_wrote_is_refused(text: bytes) -> None:
    with pytest.raises(CodecError):
        loads(text)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_decoding_raises_nothing_else(text: bytes) -> None:
    with suppress(CodecError):
        loads(text)


SAMPLES = [
    {"a": (1, 2.5, None), (1, b"x"): {3, "y"}},
    [Fraction(1, 3), Decimal("1.5"), 1 + 2j, range(3), 10**30, "\ud800"],
    [datetime.datetime(2020, 1, 2, 3), datetime.timedelta(1), collections.Counter("ab")],
    [np.arange(3), np.float64(0.5)],
]


@given(st.sampled_from(SAMPLES), st.integers(0, 200), st.integers(0, 255))
def test_a_changed_byte_is_a_value_or_an_error(value: object, place: int, byte: int) -> None:
    text = bytearray(dumps(value))
    text[place % len(text)] = byte
    with suppress(CodecError):
        loads(bytes(text))


@pytest.mark.parametrize("kind", ["set", "dict"])
def test_a_crowd_of_equal_hashes_is_refused_in_time(kind: str) -> None:
    member = '{"$":"int","v":"%#x"}' if kind == "set" else '[{"$":"int","v":"%#x"},0]'

    def refused(count: int) -> None:
        parts = ",".join(member % (i * ((1 << 61) - 1)) for i in range(1, count))
        with pytest.raises(CodecError, match="same hash"):
            loads(f'{{"$":"{kind}","v":[{parts}]}}'.encode())

    assert_linear(refused, 20_000)
