"""Where the numbers of a working come from: which of the question's numbers each that it comes to is made of.

>>> question = "Tom has 30 boxes of 40 eggs and sells 60. How many are left?"
>>> right = "30 * 40 = 1200, and 1200 - 60 = 1140"
>>> backwards = "1140 + 60 = 1200, and 1200 - 60 = 1140"
>>> in_prose = "Thirty boxes of forty are 1200. Without 60 that is 1140."
>>> found = [Trace(question, Fraction(1140)).run(said).reached() for said in (right, backwards, in_prose)]
>>> sorted(found[0].places), found[1], found[2] == found[0]
([0, 1, 2], None, True)

A number is founded where it is the question's in one of its forms, a constant such as 7 or 60, or what a founded
operation comes to. An operation is founded where its numbers are, or where its equation says that it equals one that
is. In prose a number is founded that one operation makes of two founded ones named just before: absent signs are no
fault. Letters are unknowns, founded once the equations settle them where all numbers in those are.

Beside each number goes what it would be with other numbers in the question, drawn from a hash: two workings that agree
on that are the same function of the question.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from rlenv.envs.process.equations import Chain, chains_of, clauses
from rlenv.envs.process.linear import CONSTANT, System, TooLarge, number, scaled, sum_of
from rlenv.envs.process.plain import spoken
from rlenv.envs.process.quantities import Quantity, quantities, quantities_in
from rlenv.envs.process.sides import Side, longest_suffix, without_remarks
from rlenv.envs.process.tokens import Token, tokenize

Operation: TypeAlias = Callable[[Fraction, Fraction], Fraction]
RECENT = 8
"""So many numbers back a sum in prose may reach."""
MAX_SENTENCES = 400
MAX_KNOWN = 48
"""More numbers than these are not combined in the head."""
_SMALL = 12
_EVERYDAY = frozenset(Fraction(value) for value in (24, 28, 30, 31, 52, 60, 100, 365, 1000, 3600, 5280, 0.5))
_FACTORS = tuple(part for by in (2, 7, 10, 12, 24, 60, 100, 1000) for part in (Fraction(by), Fraction(1, by)))
"""By these a number may be converted in the head."""
NOUGHT = Fraction(0)


class Source(NamedTuple):
    """What a number is made of."""

    moved: Fraction | None
    """What it would be with other numbers in the question; None where that is not followed, behind letters."""
    places: frozenset[int] = frozenset()
    """Which of the question's numbers went in."""
    in_the_head: frozenset[Fraction] = frozenset()
    """Numbers that went in and that nothing but a sum in the head gives."""

    @property
    def worth(self) -> int:
        """Of several sources of a number the one is kept that has more of the question, and less in the head."""
        return len(self.places) - len(self.in_the_head)


class Trace:
    """What is founded by now."""

    def __init__(self, question: str, answer: Fraction) -> None:
        self.answer = answer
        self.given = given(question)
        self.made: dict[Fraction, Source] = {}
        self.recent: deque[Fraction] = deque(maxlen=RECENT)
        self.system, self.of_letters, self.is_planted = System(), Source(None), False
        self.awaited: set[Fraction] = set()
        self.told: set[Fraction] = set()
        self.equal: set[Fraction] = set()
        """What stands in sides that equal a founded one, or that come to something."""

    def run(self, text: str) -> Trace:
        """This trace after a text."""
        self.strangers(text)
        return self

    def strangers(self, text: str) -> list[Quantity]:
        """The numbers in digits that come from nowhere, after which they are as good as told."""
        read = [[(clause, chains_of(clause)) for clause in clauses(one)] for one in _sentences(tokenize(spoken(text)))]
        self.awaited = {value for one in read for _, some in one for chain in some for value in results(chain)}
        numbers: list[Quantity] = []
        for sentence in read:
            said: list[Fraction] = []
            for clause, some in sentence:
                named = quantities_in(clause)
                said += [one.value for one in named]
                numbers += named
                for chain in some:
                    self._take(chain)
                if not any(len(chain.sides) > 1 for chain in some):
                    self._take_prose(said, clause)
            self.recent.extend(said)
        unknown = [one for one in numbers if not one.is_written_out and self._is_strange(one.value)]
        self.told.update(one.value for one in numbers)
        return unknown

    def _is_strange(self, value: Fraction) -> bool:
        known = self._founded(value) is not None or is_everyday(value) or value in self.told or value in self.equal
        return (
            not known
            and value != self.answer
            and self._joined(value, self._all()) is None
            and (self._converted(value) is None)
        )

    def _all(self) -> list[Fraction]:
        return [*self.given, *self.made][-MAX_KNOWN:]

    def reached(self) -> Source | None:
        """What the answer is made of, None where the working does not come to it. It may be rounded, or in percent."""
        value = self.answer
        exact = self.made.get(value) or _scaled(self.made.get(value / 100), Fraction(100))
        if exact is not None or value.denominator != 1:
            return exact
        close = (source for one, source in self.made.items() if abs(one - value) < 1 or abs(100 * one - value) < 1)
        return max(close, key=lambda source: source.worth, default=None)

    def source(self, value: Fraction) -> Source | None:
        """What a number that goes into an operation is made of, None where it is unfounded."""
        found = self._founded(value)
        if found is not None or value in self.awaited or value == self.answer:
            return found
        found = self._joined(value, self._all()) or self._converted(value)
        return found and found._replace(in_the_head=found.in_the_head | {value})

    def _founded(self, value: Fraction) -> Source | None:
        found = self.made.get(value) or self.given.get(value)
        return Source(value) if found is None and is_everyday(value) and value != self.answer else found

    def _joined(self, value: Fraction, numbers: Iterable[Fraction]) -> Source | None:
        """The best of what one operation on two of the numbers makes the value of."""
        waiting: set[Fraction] = set()
        all_whole = True
        best: Source | None = None
        for one in numbers if value else ():
            is_whole = value.denominator == one.denominator == 1
            if one in (0, 1):
                continue
            if not (is_whole and all_whole and waiting.isdisjoint(_others(value.numerator, one.numerator))):
                for other, operation in _partners(value, one):
                    left, right = self._founded(one), self._founded(other) if other in waiting else None
                    if left is not None and right is not None:
                        made = _combined(left, right, operation)
                        best = made if best is None or made.worth > best.worth else best
            waiting.add(one)
            all_whole = all_whole and is_whole
        return best

    def _converted(self, value: Fraction) -> Source | None:
        return next((_scaled(self.given[one], by) for by in _FACTORS if (one := value / by) in self.given), None)

    def _make(self, value: Fraction | None, source: Source | None) -> None:
        if value is not None and source is not None:
            before = self.made.get(value)
            self.made[value] = source if before is None or source.worth > before.worth else before

    def _take_prose(self, said: Sequence[Fraction], clause: list[Token]) -> None:
        """Sums without an equal sign, and numbers without a sign; of what makes these, one is in the same sentence."""
        worked = longest_suffix(without_remarks(clause))
        if worked is not None and not worked.is_lone:
            self._make(worked.number(), self._of_side(worked))
        near = said[-2 * RECENT :]
        for value in near[-RECENT:]:
            others = [one for one in near if one != value]
            if others and value not in self.awaited:
                self._make(value, self._joined(value, [*self.recent, *others]))

    def _take(self, chain: Chain) -> None:
        self._take_numbers([side for side in chain.sides if side.number() is not None])
        for left, right in pairwise(chain.sides):
            if left.has_unknown or right.has_unknown:
                self.equal.update((*left.values, *right.values))
                self._take_letters(left, right)

    def _take_numbers(self, sides: list[Side]) -> None:
        worked = [(side.number(), self._of_side(side)) for side in sides if not side.is_lone]
        source = next((source for _, source in worked if source is not None), None)
        self.equal.update(side.number() or NOUGHT for side in sides if worked)
        if source is not None:
            self.equal.update(value for side in sides for value in side.values)
            first = worked[0][0] or NOUGHT
            for value, _ in worked:
                self._make(value, source)
            for value in [side.number() or NOUGHT for side in sides if side.is_lone]:
                by = value / first if first else NOUGHT
                if by in (100, Fraction(1, 100)) or _rounds(value, first):
                    self._make(value, _scaled(source, by if by in (100, Fraction(1, 100)) else Fraction(1)))
        for left, right in pairwise(sides):
            one, other = left.number(), right.number()
            if left.is_lone and right.is_lone and one and other and one != other:
                is_converted = other / one in (*_FACTORS, 3600)
                found = _scaled(self._founded(one), other / one) if is_converted else None
                self._make(other, found or self._joined(other, [*self.recent, one]))

    def _of_side(self, side: Side) -> Source | None:
        sources = {at: self.source(side.tokens[at].value) for at in side.literals}
        founded = {at: source for at, source in sources.items() if source is not None}
        if len(founded) < len(sources):
            return None
        moves = {at: source.moved for at, source in founded.items() if source.moved is not None}
        form = side.value(changed=moves) if len(moves) == len(founded) else None
        return _union(None if form is None else number(form), founded.values())

    def _take_letters(self, left: Side, right: Side) -> None:
        one, other = left.value(), right.value()
        if one is None or other is None:
            return
        try:
            form = sum_of(one, scaled(other, Fraction(-1)))
            is_new = not self.system.implies(form)
            self.system.add(form)
        except TooLarge:
            return
        if is_new:
            sources = [self._of_side(left), self._of_side(right)]
            self.is_planted |= None in sources
            self.of_letters = _union(None, [self.of_letters, *filter(None, sources)])
        if not self.is_planted:
            settled = [self.system.value(name) for name in {**one, **other} if name != CONSTANT]
            for value in (*settled, *([] if is_new else [left.number(), right.number()])):
                self._make(value, self.of_letters)


def _union(moved: Fraction | None, sources: Iterable[Source]) -> Source:
    places: frozenset[int] = frozenset()
    in_the_head: frozenset[Fraction] = frozenset()
    for one in sources:
        places, in_the_head = places | one.places, in_the_head | one.in_the_head
    return Source(moved, places, in_the_head)


def _combined(left: Source, right: Source, operation: Operation) -> Source:
    known = left.moved is not None and right.moved is not None
    return _union(operation(left.moved or NOUGHT, right.moved or NOUGHT) if known else None, (left, right))


def _scaled(source: Source | None, by: Fraction) -> Source | None:
    return source and (source if source.moved is None else source._replace(moved=source.moved * by))


def _others(value: int, one: int) -> tuple[int, ...]:
    """The whole numbers among `_partners`, and others: fractions are dear."""
    return value - one, one - value, one + value, value // one, one // value, one * value


def _partners(value: Fraction, one: Fraction) -> Iterator[tuple[Fraction, Operation]]:
    """The numbers that make the value with this one, and how."""
    yield value - one, operator.add
    yield one - value, operator.sub
    yield one + value, lambda left, right: right - left
    yield value / one, operator.mul
    yield one / value, lambda left, right: left / right if right else left
    yield one * value, lambda left, right: right / left if left else right


def _sentences(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each sentence or line."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        found[-1].append(token)
        if token.kind == "break" and token.text not in (",", ":") and len(found) < MAX_SENTENCES:
            found.append([])
    return found


def _rounds(result: Fraction, value: Fraction) -> bool:
    return abs(result - value) * 50 <= abs(value) or abs(result - value) < 1 == result.denominator


def is_everyday(value: Fraction) -> bool:
    """Whether a number may stand for itself."""
    return value in _EVERYDAY or (value.denominator == 1 and abs(value) <= _SMALL)


def results(chain: Chain) -> Iterator[Fraction]:
    """What the chain comes to, where it works something out."""
    if any(not side.is_lone for side in chain.sides):
        yield from (value for side in chain.sides if (value := side.number()) is not None)


def given(question: str) -> dict[Fraction, Source]:
    """The forms of the question's numbers, and the place of the number that each is of."""
    by_value = {one.value: one for one in quantities(spoken(question)) if one.value not in (0, 1)}
    found: dict[Fraction, Source] = {}
    for all_forms in (False, True):
        for place, one in enumerate(by_value.values()):
            drawn = int.from_bytes(blake2b(f"{place}:{one.value}".encode(), digest_size=4).digest()) + 2
            other = Fraction(drawn, one.value.denominator * (100 if one.unit == "%" else 1))
            for form, moved in zip(_forms(one, one.value), _forms(one, other), strict=True):
                if form not in (0, 1) and (all_forms or form == one.value):
                    found.setdefault(form, Source(moved, frozenset({place})))
    return found


def _forms(one: Quantity, value: Fraction) -> list[Fraction]:
    """25% as 25, 0.25, 3/4 and 5/4; 3/4 as 1/4 and 4/3; 20 cents as 0.2; 3 dozen as 3 and as 36."""
    found = [value, 1 / value]
    if one.unit == "%" or one.value < 1:
        found += [100 * value, 1 - value, 1 + value, 100 - 100 * value, 100 + 100 * value]
    if one.value.denominator > 1 and one.unit != "$":
        below = one.value.denominator
        found += [value * below, Fraction(below), below - value * below]
    found += [value / 100] if one.unit.startswith(("cent", "¢")) else []
    return [*found, *(value / scale for scale in (12, 1000) if one.value % scale == 0)]
