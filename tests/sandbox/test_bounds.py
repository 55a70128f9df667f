"""Decoding is linear in the length of the text: what it is charged covers what it costs, searched for the worst."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TypeAlias

import pytest
from answer_shapes import encoded, equal_hashes
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.sandbox import bounds
from rlenv.sandbox.codec import CodecError, dumps, loads

MODULUS = (1 << 61) - 1
NUMBERS = (-1, -2, 0, MODULUS, 2 * MODULUS, 3 * MODULUS, 7)
"""Two hashes for the first six of them."""
Tree: TypeAlias = "int | tuple[str, tuple[Tree, ...]]"


class Counted(int):
    """A number that counts how often it is compared; it stands where the number would, in every table."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return int.__eq__(self, other) is True

    __hash__ = int.__hash__


def built(tree: Tree, leaf: Callable[[int], int], build: Callable[[list[object]], None] = lambda parts: None) -> object:
    """The value of a tree, sets made as the codec makes them."""
    if isinstance(tree, int):
        return leaf(tree)
    kind, items = tree
    parts = [built(item, leaf, build) for item in items]
    if kind == "tuple":
        return tuple(parts)
    build(parts)
    return frozenset(parts)


def actual(tree: Tree) -> int:
    """Comparisons of numbers that making this value takes."""
    Counted.comparisons = 0
    built(tree, Counted)
    return Counted.comparisons


def charged(tree: Tree) -> int:
    """What the budget takes for them."""
    budget = bounds.HashBudget(1 << 40)
    before = budget.comparisons
    built(tree, int, budget.build)
    return before - budget.comparisons


def size(tree: Tree) -> int:
    return 1 if isinstance(tree, int) else 1 + sum(map(size, tree[1]))


TREES: st.SearchStrategy[Tree] = st.recursive(
    st.sampled_from(NUMBERS),
    lambda inner: st.tuples(st.sampled_from(["tuple", "set"]), st.lists(inner, max_size=8).map(tuple)),
    max_leaves=60,
)


@settings(max_examples=300)
@given(TREES)
def test_no_value_takes_more_comparisons_than_it_is_charged(tree: Tree) -> None:
    assert actual(tree) <= charged(tree)


def test_the_nested_crowds_cost_the_square_without_a_budget_and_are_refused_with_it() -> None:
    def tree(width: int) -> Tree:
        pool: list[Tree] = [("tuple", tuple(-1 - (n >> bit & 1) for bit in range(8))) for n in range(2 * width - 1)]
        sets: list[Tree] = [("set", (*pool[: width - 1], other)) for other in pool[width - 1 :]]
        return "set", tuple(sets)

    small, large = tree(8), tree(32)
    assert actual(large) / size(large) > 8 * actual(small) / size(small)
    assert charged(large) >= actual(large)
    with pytest.raises(CodecError, match="same hash"):
        loads(equal_hashes(150_000))


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_containers_are_counted_as_a_parser_would(value: object) -> None:
    def count(item: object) -> int:
        if isinstance(item, list | dict):
            return 1 + sum(map(count, item if isinstance(item, list) else item.values()))
        return 0

    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        assert bounds.containers(text) == count(value)


def test_containers_beyond_the_bound_are_refused_on_both_sides_and_brackets_in_text_are_not() -> None:
    many: list[list[int]] = [[]] * bounds.MAX_CONTAINERS
    with pytest.raises(CodecError, match="containers"):
        dumps(many)
    with pytest.raises(CodecError, match="containers"):
        loads(b"[" + b"[]," * bounds.MAX_CONTAINERS + b"[]]")
    assert len(many[1:]) == len(loads(dumps(many[1:])))  # type: ignore[arg-type]
    text = '[{"\\' * bounds.MAX_CONTAINERS
    assert loads(dumps([text])) == [text]


def test_members_of_sets_and_keys_are_counted_over_the_whole_value() -> None:
    half = bounds.MAX_MEMBERS // 2
    assert loads(dumps([set(range(half)), dict.fromkeys(range(half))])) == [
        set(range(half)),
        dict.fromkeys(range(half)),
    ]
    with pytest.raises(CodecError, match="members"):
        loads(dumps([set(range(half)), set(range(half + 1))]))


def test_honest_crowds_of_minus_one_and_minus_two_are_read() -> None:
    grid = {(x, y, z) for x in range(-6, 7) for y in range(-6, 7) for z in range(-6, 7)}
    value = [grid, {frozenset({-1, n}) for n in range(50)} | {frozenset({-2, n}) for n in range(50)}, [{-1, -2}] * 2000]
    assert loads(dumps(value)) == value


def test_an_array_without_data_cannot_claim_more_rows_than_there_may_be_containers() -> None:
    for shape in (b"[20000000,0]", b"[1000000000000,0]", b"[3,1000000,0]", b"[-1,0]", b"[true,0]"):
        with pytest.raises(CodecError):
            loads(b'{"$":"ndarray","v":["<f8",' + shape + b',""]}')
    import numpy

    with pytest.raises(CodecError, match="rows"):
        dumps(numpy.zeros((20_000_000, 0)))
    assert loads(dumps(numpy.zeros((0, 20_000_000)))).shape == (0, 20_000_000)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [*encoded(1 << 10)])
def test_every_shape_takes_calls_in_proportion_to_its_length(name: str) -> None:
    """The number of calls, of Python and of C, is what stands in for time here."""

    def calls(text: bytes) -> int:
        seen = 0

        def count(*_: object) -> None:
            nonlocal seen
            seen += 1

        sys.setprofile(count)
        try:
            loads(text)
        except CodecError:
            pass
        finally:
            sys.setprofile(None)
        return seen

    for length in (1 << 12, 1 << 15):
        assert calls(encoded(length)[name]) <= 4 * length
