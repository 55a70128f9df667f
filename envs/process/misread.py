"""What a solution makes of the question's numbers: given another measure, another rate, or left out.

>>> given = Given("It took her 16 seconds to row 20 feet. The shore was 64 seconds away. Rowing costs $6 per hour.")
>>> given.other_measures("so she rows 64 feet"), given.other_measures("it is 64 seconds away")
(['64 feet: the question says 64 of another measure'], [])
>>> given.left_out(["16 seconds * 4 = 64 seconds", "$6 per hour is too much"])
['20 feet']
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction

from rlenv.envs.math.reading.units import factor
from rlenv.envs.process.equations import chains
from rlenv.envs.process.plain import plain
from rlenv.envs.process.provenance import COUNTED, forms
from rlenv.envs.process.quantities import Quantity, quantities

_RATE = re.compile(
    r"\$ ?([0-9][0-9,]{0,12}(?:\.[0-9]{1,4})?) ?(?:per|/|for each|for every|each) ?([A-Za-z]{2,20})"
    r"(?: ?(?:per|/|each|every) ?([A-Za-z]{2,20}))?"
)
_NO_MEASURES = frozenset({"$", "%", ""})


class Given:
    """The numbers of a question and what they are said to measure."""

    def __init__(self, question: str) -> None:
        self.quantities = quantities(question)
        self._units: dict[Fraction, set[str]] = {}
        for quantity in self.quantities:
            self._units.setdefault(quantity.value, set()).add(quantity.unit)
        self._rates = _rates(question)

    def other_measures(self, step: str, worked_out: Collection[Fraction] = ()) -> list[str]:
        """Numbers of the question that a step says of another measure, and that nothing has worked out."""
        strays = [
            f"{quantity.value} {quantity.unit}: the question says {quantity.value} of another measure"
            for quantity in quantities(step)
            if quantity.value > COUNTED and quantity.value not in worked_out and self._is_other_measure(quantity)
        ]
        return list(dict.fromkeys(strays))

    def other_rates(self, step: str, worked_out: Collection[Fraction] = ()) -> list[str]:
        """Prices that a step puts on one thing and the question on another, and that nothing before has worked out."""
        all_rates = {value for values in self._rates.values() for value in values}
        return [
            f"${value} per {noun}: the question says that of something else"
            for noun, values in _rates(step).items()
            for value in sorted((values & all_rates) - self._rates.get(noun, values) - set(worked_out))
        ]

    def left_out(self, steps: Sequence[str]) -> list[str]:
        """The numbers of the question, in order, that no step uses in any form."""
        used = {value for step in steps for value in _used(step)}
        return [
            f"{quantity.value} {quantity.unit}"
            for quantity in self.quantities
            if self._is_telling(quantity) and not forms(quantity.value) & used
        ]

    def first_past(self, missing: str, steps: Sequence[str]) -> int | None:
        """The first step with an equation that uses a number which the question gives behind the missing one."""
        place = next(at for at, one in enumerate(self.quantities) if f"{one.value} {one.unit}" == missing)
        later = {form for quantity in self.quantities[place + 1 :] for form in forms(quantity.value)}
        worked = [at for at, step in enumerate(steps) if any(not s.is_lone for c in chains(step) for s in c.sides)]
        past = [at for at in worked if later & set(_used(steps[at]))]
        return next(iter(past or worked[-1:]), None)

    def _is_other_measure(self, quantity: Quantity) -> bool:
        units = self._units.get(quantity.value, {""})
        return _is_measure(quantity.unit) and all(
            _is_measure(unit) and factor(unit, quantity.unit) is None for unit in units
        )

    @staticmethod
    def _is_telling(quantity: Quantity) -> bool:
        return quantity.value != 1 and not (quantity.is_written_out and quantity.value <= COUNTED)


def _is_measure(unit: str) -> bool:
    """True for a unit of length, time and so on; False for money, shares and what is counted."""
    return unit not in _NO_MEASURES and factor(unit, unit) is not None


def _rates(text: str) -> dict[str, set[Fraction]]:
    found: dict[str, set[Fraction]] = {}
    for value, *nouns in _RATE.findall(plain(text)):
        for noun in filter(None, nouns):
            found.setdefault(noun.lower().rstrip("s"), set()).add(Fraction(value.replace(",", "")))
    return found


def _used(step: str) -> list[Fraction]:
    values = [quantity.value for quantity in quantities(step)]
    for chain in chains(step):
        for side in chain.sides:
            values += [side.tokens[at].value for at in side.literals]
            value = side.number()
            values += [] if value is None else [value]
    return values
