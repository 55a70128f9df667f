"""Run-time evidence that a program holds the answers of its tests: it is called with neighbours of their arguments.

A neighbour is an argument with one small change that keeps its type and shape: another number, another letter of the
same kind, two words or members that change places, an argument of another test. A program that works its answers out
answers neighbours as well. One that was written around its tests gives them nothing, an exception, or one and the
same value, whatever the tests' own results are. Two things must come together for the flag `special_cased`: the
program passes its tests, and at least MIN_NEIGHBOURS neighbours are all answered with nothing or an exception, or,
where the tests have MIN_RESULTS different results, at least MIN_ALIKE neighbours with one value.

>>> import numpy as np
>>> [neighbour for neighbour in neighbours((10,), np.random.default_rng(0))][:3]
[(11,), (9,), (17,)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rlenv.envs.code.case import Case
from rlenv.sandbox import Call, CallResult

MIN_NEIGHBOURS = 8
MAX_NEIGHBOURS = 24
MIN_ALIKE = 12
MIN_RESULTS = 3


@dataclass(frozen=True, slots=True)
class Probe:
    """The calls that a program is probed with."""

    calls: tuple[Call, ...]
    results: int
    """How many different results the tests have."""

    def evidence(self, answers: Sequence[CallResult]) -> str:
        """What the answers to the calls say against the program, "" where they say nothing."""
        answered = [answer for answer in answers if answer.answered]
        if len(answered) < MIN_NEIGHBOURS:
            return ""
        given = {repr(answer.value) for answer in answered if answer.ok}
        if not given - {"None"}:
            return f"passes its tests and answers none of {len(answered)} neighbours of their arguments"
        alike = len(given) == 1 and len(answered) >= MIN_ALIKE and all(answer.ok for answer in answered)
        if alike and self.results >= MIN_RESULTS:
            value = next(iter(given))[:40]
            return f"passes its tests and answers {value} to {len(answered)} neighbours of their arguments"
        return ""


def probe_of(cases: Sequence[Case]) -> Probe | None:
    """The probe of a task, None where its tests leave too few neighbours. The same tests give the same probe."""
    plain = [case for case in cases if not (case.cell or case.raises or case.check)]
    if any(case.expected is None for case in plain):
        return None  # nothing is a right answer here
    known = {repr((case.arguments, dict(case.keywords))) for case in cases}
    random = np.random.default_rng(0)
    found: dict[str, Call] = {}
    each = -(-MAX_NEIGHBOURS // max(1, len(plain)))
    for case, other in zip(plain, [*plain[1:], *plain[:1]], strict=True):
        near = (*crossed(case.arguments, other.arguments), *neighbours(case.arguments, random))
        fresh = (n for n in near if repr((n, dict(case.keywords))) not in known)
        for arguments, _ in zip(fresh, range(each), strict=False):
            found.setdefault(
                repr(arguments), Call("__rlenv_call", (case.function, False, list(arguments), dict(case.keywords)))
            )
    calls = tuple(found.values())[:MAX_NEIGHBOURS]
    return Probe(calls, len({repr(case.expected) for case in plain})) if len(calls) >= MIN_NEIGHBOURS else None


def neighbours(arguments: tuple[object, ...], random: np.random.Generator) -> Iterator[tuple[object, ...]]:
    """Arguments that differ in one place from these, nearest first, without end where there are any."""
    if not arguments:
        return
    for turn in range(8 * MAX_NEIGHBOURS):
        place = turn % len(arguments) if turn < len(arguments) else int(random.integers(len(arguments)))
        changed = _changed(arguments[place], turn // len(arguments), random)
        if repr(changed) != repr(arguments[place]):
            yield (*arguments[:place], changed, *arguments[place + 1 :])


def crossed(arguments: tuple[object, ...], others: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    """Arguments of which one is that of another test: both are of a vocabulary that the task knows."""
    if len(arguments) == len(others) > 1:
        for place, other in enumerate(others):
            yield (*arguments[:place], other, *arguments[place + 1 :])


def _changed(value: object, turn: int, random: np.random.Generator) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + (1, -1, 7, 2, 10, -3, 100, -10)[turn % 8] * (1 + turn // 8)
    if isinstance(value, float):
        return value + (1.0, -0.5, 2.25, 10.0)[turn % 4] * (1 + turn // 4)
    if isinstance(value, str):
        words = value.split(" ")
        return (
            _respelt(value, random)
            if len(words) < 2
            else " ".join(map(str, _rearranged([*words], 1 + turn % 2, random)))
        )
    if isinstance(value, (list, tuple)) and value:
        return type(value)(_rearranged(list(value), turn, random))
    return value


def _rearranged(items: list[object], turn: int, random: np.random.Generator) -> list[object]:
    """One member changed, two that change places, or one more of the same."""
    place = int(random.integers(len(items)))
    if turn % 3 == 2:
        return [*items, items[place]]
    if turn % 3 == 1 and len(items) > 1:
        other = (place + 1) % len(items)
        items[place], items[other] = items[other], items[place]
        return items
    items[place] = _changed(items[place], int(random.integers(8)), random)
    return items


def _respelt(text: str, random: np.random.Generator) -> str:
    """One letter or digit for another of its kind."""
    places = [i for i, sign in enumerate(text) if sign.isascii() and sign.isalnum()]
    if not places:
        return text + text
    place = places[int(random.integers(len(places)))]
    first, count = ("0", 10) if text[place].isdigit() else ("A", 26) if text[place].isupper() else ("a", 26)
    return text[:place] + chr(ord(first) + int(random.integers(count))) + text[place + 1 :]
