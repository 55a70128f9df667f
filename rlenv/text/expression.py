r"""Expressions of whole numbers with + - * / and brackets: one reader, and what its numbers are as a parameter.

>>> value("2*(3-8)"), read("(3 + 5) * 2 / 4", EXACT), read(r"\frac{3+5}{4} \times 2", EXACT).numbers
(-10, Evaluated(value=Fraction(4, 1), numbers=(3, 5, 2, 4)), (3, 5, 4, 2))
>>> for text in ("1/(2-2)", "2**9", "3(4)", "２+２"):
...     try:
...         read(text, EXACT)
...     except Unreadable as problem:
...         print(problem)
division by zero
unexpected '*'
unexpected '('
unexpected '２'

Nothing is ever evaluated by Python: a completion, a call of a tool or a row may hold any text. Whole numbers are ASCII
digits without leading zeros; every operation is written out; the common other signs for the four operations (`×`, `x`,
`·`, `÷`, `−`, `\times`, `\cdot`, `\div`, `\frac`) and a minus in front are read too. What can be said is what the
kind of number has an operation for: the same reader works an expression out, and makes its tree (rlenv.envs.working).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar

N = TypeVar("N")
Exact: TypeAlias = "int | Fraction"

MAX_CHARS = 400
"""Of an expression: with no powers its exact value has no more digits than it has characters."""
MAX_DEPTH = 40
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2}
# one of 12, \dfrac and any other sign
_TOKEN = re.compile(r"\s*([0-9]+|\\[dt]?frac(?![a-zA-Z])|.)", re.ASCII | re.DOTALL)
# \left( and \, and $, which say nothing; \times and \div
_LATEX = re.compile(r"\\(?:left|right|[,;:!()\[\]\s])|\\(times|cdot|ast|div)(?![a-zA-Z])|\$")
_SIGNS = str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "∗": "*", "x": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "\xa0": " "}
)
_END = "the end"


class Unreadable(ValueError):
    """Why a text is no expression."""


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[N]):
    """A kind of number: how it is made of a whole one, and what each sign makes of two."""

    number: Callable[[int], N]
    operations: Mapping[str, Callable[[N, N], N]]
    negative: Callable[[N], N]


@dataclass(frozen=True, slots=True)
class Evaluated(Generic[N]):
    """The value, and the numbers in the order in which they stand."""

    value: N
    numbers: tuple[int, ...]


WHOLE: Arithmetic[int] = Arithmetic(int, {"+": operator.add, "-": operator.sub, "*": operator.mul}, operator.neg)
EXACT: Arithmetic[Exact] = Arithmetic(
    int,
    {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": Fraction},
    lambda number: -number,
)
"""Whole numbers until one is divided."""
PYTHON: Mapping[str, Callable[[object, object], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
"""What Python does for a sign, of any size: rlenv.envs.code.expression weighs both values first."""


def value(expression: str) -> int:
    """What an expression with + - * comes to."""
    return read(expression, WHOLE).value


def read(text: str, arithmetic: Arithmetic[N]) -> Evaluated[N]:
    """What the whole text comes to. Bounded work for any text; raises Unreadable for what is no expression."""
    if len(text) > MAX_CHARS:
        raise Unreadable(f"longer than {MAX_CHARS} characters")
    reader = _Reader(text, arithmetic)
    try:
        result = reader.sum(0)
    except ZeroDivisionError:
        raise Unreadable("division by zero") from None
    reader.expect(_END)
    return Evaluated(result, tuple(reader.numbers))


class _Reader(Generic[N]):
    """Precedence by descent; depth is bounded, so the stack is."""

    def __init__(self, text: str, arithmetic: Arithmetic[N]) -> None:
        plain = _LATEX.sub(lambda sign: {None: " ", "div": "/"}.get(sign[1], "*"), text).translate(_SIGNS)
        self.tokens = [_END, *_TOKEN.findall(plain.strip().removesuffix("."))[::-1]]  # the next one last
        self.arithmetic = arithmetic
        self.numbers: list[int] = []

    def sum(self, depth: int, least: int = 1) -> N:
        """Operands joined by signs that bind at least so tightly."""
        result = self.operand(depth)
        while _BINDING.get(sign := self.tokens[-1], 0) >= least and sign in self.arithmetic.operations:
            self.tokens.pop()
            result = self.arithmetic.operations[sign](result, self.sum(depth, _BINDING[sign] + 1))
        return result

    def operand(self, depth: int) -> N:
        if depth > MAX_DEPTH:
            raise Unreadable(f"nested deeper than {MAX_DEPTH}")
        token = self.tokens.pop()
        if token[0] in "0123456789":
            if token[0] == "0" and token != "0":
                raise Unreadable(f"{token[:20]!r} begins with 0")
            self.numbers.append(int(token))
            return self.arithmetic.number(self.numbers[-1])
        if token == "-":
            return self.arithmetic.negative(self.operand(depth + 1))
        if token == "(":
            return self.until(")", depth)
        if token[-4:] != "frac" or "/" not in self.arithmetic.operations:
            raise Unreadable(f"unexpected {token[:20]!r}")
        self.expect("{")
        above = self.until("}", depth)
        self.expect("{")
        return self.arithmetic.operations["/"](above, self.until("}", depth))

    def until(self, closing: str, depth: int) -> N:
        result = self.sum(depth + 1)
        self.expect(closing)
        return result

    def expect(self, token: str) -> None:
        if self.tokens[-1] != token:
            raise Unreadable(f"unexpected {self.tokens[-1][:20]!r}")
        self.tokens.pop()
