r"""What an encoded value may hold, so that decoding it takes time and memory linear in its length.

    containers   of a whole value, counted on the text before it is parsed: each costs a hundred times its bytes
    comparisons  that equal hashes may cause in a whole value: without a bound they are the square of its length, since
                 sets and tuples of chosen numbers have one hash and are compared all the way down
    members      of sets and keys of dicts in a whole value: chosen numbers may share the places that a table is
                 searched at, which no look at the hashes shows

All are budgets of the whole value: a bound on each container would be multiplied by nesting.

>>> containers(b'[["[",{}]]')
3
>>> containers(b'["\\"[",1]')
1

Standard library only and Python 3.8, because it runs inside cells.
"""

from __future__ import annotations

import fractions
import re
import sys
from collections.abc import Iterable
from typing import cast

MAX_CONTAINERS = 1 << 18
"""Lists, sets, dicts and whatever else has a kind; a pair of a dict counts as one."""
MAX_MEMBERS = 1 << 17
COMPARISONS_A_BYTE = 4
FREE_COMPARISONS = 100_000
"""Honest values have equal hashes too: those of -1 and -2, and so of whatever holds one for the other."""
VISIT = 8
"""What looking at one node for its weight costs, in comparisons."""
SLOW = 64
"""A comparison of numbers of two kinds goes through Python, or converts one of them."""
_QUICK = {float, bool, type(None)}
_STRING = re.compile(rb'"[^"]*"?')  # "a text"


class TooMuch(ValueError):
    """A value beyond what is decoded."""


def containers(text: bytes) -> int:
    """How many containers a JSON text opens; what stands in strings does not count."""
    unescaped = text.replace(b"\\\\", b"").replace(b'\\"', b"")  # a backslash stands in strings only
    return _brackets(_STRING.sub(b"", unescaped))


def check(text: bytes) -> None:
    """Raises TooMuch for more than MAX_CONTAINERS containers."""
    if _brackets(text) > MAX_CONTAINERS and containers(text) > MAX_CONTAINERS:
        raise TooMuch("more than %d containers" % MAX_CONTAINERS)  # noqa: UP031


def _brackets(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{")


class HashBudget:
    """What building the sets and dicts of one value may still cost."""

    def __init__(self, length: int) -> None:
        self._members = MAX_MEMBERS
        self.comparisons = COMPARISONS_A_BYTE * length + FREE_COMPARISONS

    def build(self, members: list[object]) -> None:
        """Pay for a set or dict of these. Raises TooMuch; TypeError for what has no hash."""
        self._members -= len(members)
        if self._members < 0:
            raise TooMuch("more than %d members of sets and keys of dicts" % MAX_MEMBERS)  # noqa: UP031
        if len(members) > 1:
            for crowd in crowds(members):
                self._spend(len(crowd) * sum(map(self._weight, crowd)))

    def _spend(self, comparisons: int) -> None:
        self.comparisons -= comparisons
        if self.comparisons < 0:
            raise TooMuch("too many values with the same hash: they are compared one by one, up to a limit")

    def _weight(self, value: object) -> int:
        """How many comparisons it takes at most to compare this with a value of its size and hash."""
        self._spend(VISIT)
        if type(value) is tuple:
            return 1 + sum(map(self._weight, value))
        if type(value) is frozenset:
            members = list(cast("frozenset[object]", value))
            doubled = sum((len(crowd) - 1) * sum(map(self._weight, crowd)) for crowd in crowds(members))
            return 1 + doubled + sum(map(self._weight, members))
        if type(value) is int:
            return 1 + (value.bit_length() >> 6)
        if type(value) is fractions.Fraction:
            return SLOW + ((value.numerator.bit_length() + value.denominator.bit_length()) >> 3)
        return 1 if type(value) in _QUICK else SLOW + sys.getsizeof(value)


def crowds(members: list[object]) -> Iterable[list[object]]:
    """The members that share their hash with another, by hash."""
    hashes = list(map(hash, members))
    if len(set(hashes)) == len(hashes):
        return ()
    groups: dict[int, list[object]] = {}
    for number, member in zip(hashes, members):  # noqa: B905
        groups.setdefault(number, []).append(member)
    return [group for group in groups.values() if len(group) > 1]
