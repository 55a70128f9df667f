r"""The levels of `math/arithmetic-v0`: shapes of expressions, and how each is worked out.

A level is a row of the table: its shapes, where `d` stands for a digit 0-9 and `t` for a number 10-99, and
a function that turns an expression into the working that a demonstration shows.

>>> level = LEVELS[5]
>>> level.expression(np.random.default_rng(0)), level.size
('6-5+2-3-0', 1684000)
>>> level.working("3+8+5+9")
'11,16,25 '
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from rlenv.envs.working import reductions, totals

OPERANDS = {"d": range(10), "t": range(10, 100)}


@dataclass(frozen=True)
class Level:
    """A family of expressions. Shapes differ in operators or brackets, so no expression comes twice."""

    about: str
    shapes: tuple[str, ...]
    working: Callable[[str], str]
    """The text before the box of a worked solution."""

    @property
    def size(self) -> int:
        """How many expressions there are."""
        return sum(prod(len(operands) for operands in _slots(shape)) for shape in self.shapes)

    def expression(self, rng: np.random.Generator) -> str:
        """One expression: the shape drawn uniformly, then each operand."""
        shape = self.shapes[rng.integers(len(self.shapes))]
        return _fill(shape, [operands[rng.integers(len(operands))] for operands in _slots(shape)])

    def expressions(self) -> Iterator[str]:
        """All of them, in a fixed order."""
        for shape in self.shapes:
            for values in product(*_slots(shape)):
                yield _fill(shape, values)


def _slots(shape: str) -> list[range]:
    return [OPERANDS[symbol] for symbol in shape if symbol in OPERANDS]


def _fill(shape: str, values: list[int] | tuple[int, ...]) -> str:
    remaining = iter(values)
    return "".join(str(next(remaining)) if symbol in OPERANDS else symbol for symbol in shape)


def plain(expression: str) -> str:
    """No working: the answer at once."""
    return ""


def tens_then_units(expression: str) -> str:
    """`47+38` is worked out as 47+30, then +8."""
    split = re.sub(r"([+-])(\d)(\d)$", r"\g<1>\g<2>0\g<1>\g<3>", expression)
    return _joined(totals(split))


def running_totals(expression: str) -> str:
    """The total after each operand of a chain."""
    return _joined(totals(expression))


def step_by_step(expression: str) -> str:
    """The expression after each single operation."""
    return "=".join(reductions(expression)) + " "


def _joined(numbers: list[int]) -> str:
    return ",".join(map(str, numbers)) + " "


def _with_operators(shape: str, operators: str) -> tuple[str, ...]:
    """The shape with every choice of operators for its `?`."""
    count = shape.count("?")
    return tuple(shape.replace("?", "{}").format(*chosen) for chosen in product(operators, repeat=count))


def _chains(shortest: int, longest: int) -> tuple[str, ...]:
    return tuple(
        shape for count in range(shortest, longest + 1) for shape in _with_operators("?".join("d" * count), "+-")
    )


LEVELS: dict[int, Level] = {
    1: Level("one-digit sums", ("d+d",), plain),
    2: Level("one-digit sums, differences and products", ("d+d", "d-d", "d*d"), plain),
    3: Level("two-digit sums and differences", ("t+t", "t-t"), tens_then_units),
    4: Level("sums of four digits", ("d+d+d+d",), running_totals),
    5: Level("chains of 3 to 5 digits with + and -", _chains(3, 5), running_totals),
    6: Level(
        "three digits with one pair of brackets",
        (*_with_operators("(d?d)?d", "+-*"), *_with_operators("d?(d?d)", "+-*")),
        step_by_step,
    ),
    7: Level(
        "four digits with nested brackets",
        (
            *_with_operators("((d?d)?d)?d", "+-*"),
            *_with_operators("(d?(d?d))?d", "+-*"),
            *_with_operators("d?((d?d)?d)", "+-*"),
            *_with_operators("d?(d?(d?d))", "+-*"),
        ),
        step_by_step,
    ),
}
