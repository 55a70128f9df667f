"""What a solution makes of the question's numbers: given another measure or another rate.

>>> given = Given("It took her 16 seconds to row 20 feet. The shore was 64 seconds away. Rowing costs $6 per hour.")
>>> given.other_measures("so she rows 64 feet"), given.other_measures("it is 64 seconds away")
(['64 feet: the question says 64 of another measure'], [])
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from rlenv.envs.math.reading.units import factor
from rlenv.envs.process.plain import plain
from rlenv.envs.process.provenance import COUNTED
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

    def _is_other_measure(self, quantity: Quantity) -> bool:
        units = self._units.get(quantity.value, {""})
        return _is_measure(quantity.unit) and all(
            _is_measure(unit) and factor(unit, quantity.unit) is None for unit in units
        )


def _is_measure(unit: str) -> bool:
    """True for a unit of length, time and so on; False for money, shares and what is counted."""
    return unit not in _NO_MEASURES and factor(unit, unit) is not None


def _rates(text: str) -> dict[str, set[Fraction]]:
    found: dict[str, set[Fraction]] = {}
    for value, *nouns in _RATE.findall(plain(text)):
        for noun in filter(None, nouns):
            found.setdefault(noun.lower().rstrip("s"), set()).add(Fraction(value.replace(",", "")))
    return found
