"""One side of an equation in running text: its value, whatever words and units stand between its numbers.

>>> side("30 dollars for lunch - 25 dollars").value()
{'': Fraction(5, 1)}
>>> side("25% of $80").value(), side("2(x + 3) - 1").value(), side("12 more than").value()
({'': Fraction(20, 1)}, {'x': Fraction(2, 1), '': Fraction(5, 1)}, {'': Fraction(12, 1)})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rlenv.envs.process.linear import Linear, TooLarge, number
from rlenv.envs.process.side_reader import END, HUNDREDTH, MAX_TOKENS, Reader, Unread
from rlenv.envs.process.tokens import Token, tokenize

MAX_REMARK = 14
_NO_START = frozenset({"number", "unknown", "sign", "unread"})
"""What a side cannot begin behind."""


@dataclass(frozen=True)
class Side:
    """The pieces of one side."""

    tokens: tuple[Token, ...]

    def value(self, percent: Fraction = HUNDREDTH, changed: Mapping[int, Fraction] | None = None) -> Linear | None:
        """The exact value, None where it cannot be read. `changed` puts other numbers in place of pieces."""
        return self._exact if percent == HUNDREDTH and not changed else self._read(percent, changed or {})

    @cached_property
    def _exact(self) -> Linear | None:
        return self._read(HUNDREDTH, {})

    def _read(self, percent: Fraction, changed: Mapping[int, Fraction]) -> Linear | None:
        try:
            return Reader(self.tokens, percent, changed).whole()
        except (Unread, TooLarge, ZeroDivisionError):
            return None

    def number(self, percent: Fraction = HUNDREDTH) -> Fraction | None:
        """The exact value where no unknown is in it."""
        form = self.value(percent)
        return None if form is None else number(form)

    @property
    def literals(self) -> list[int]:
        """Where the numbers stand."""
        return [at for at, token in enumerate(self.tokens) if token.kind == "number"]

    @property
    def values(self) -> list[Fraction]:
        """The numbers in it."""
        return [self.tokens[at].value for at in self.literals]

    @property
    def is_lone(self) -> bool:
        """One number, with a sign or a unit at most."""
        if len(self.literals) != 1:
            return False
        value = self.tokens[self.literals[0]].value
        return self.number() in (value, -value, value / 100)

    @property
    def has_percent(self) -> bool:
        return any(token.text == "%" for token in self.tokens)

    @property
    def has_unknown(self) -> bool:
        return any(token.kind == "unknown" for token in self.tokens)

    @property
    def text(self) -> str:
        """The pieces, for a reason that a person reads."""
        return " ".join(token.currency + token.text for token in self.tokens)[:80]


def side(text: str) -> Side:
    """The side that a text is."""
    return Side(tuple(tokenize(text)))


def without_remarks(tokens: list[Token]) -> list[Token]:
    """Tokens without brackets that only say more of the number before them: `(20 cents)`, `(or 5 feet)`."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        end = _end_of_remark(tokens, at) if tokens[at].text == "(" and kept and kept[-1].text not in "+-*/(^=" else at
        if end == at:
            kept.append(tokens[at])
        at = max(end, at + 1)
    return kept


def _end_of_remark(tokens: list[Token], at: int) -> int:
    """The place behind a remark that opens here; the same place where none does."""
    for end in range(at + 1, min(len(tokens), at + MAX_REMARK)):
        if tokens[end].text == "(":
            return at
        if tokens[end].text == ")":
            inside = tokens[at + 1 : end]
            is_worked = any(token.kind == "sign" and token.text in "+-*/^" for token in inside)
            words = [token.kind == "word" for token in inside]
            if any(token.text.lower() == "remainder" for token in inside):
                return at
            if (
                len(inside) == 1
                and inside[0].kind == "number"
                and not tokens[at].glued
                and tokens[at - 1].kind == "number"
            ):
                return end + 1  # x + y = 47 (1)
            return end + 1 if any(words) and (words[0] or not is_worked) else at
    return at


def longest_suffix(tokens: list[Token]) -> Side | None:
    """The longest side that tokens end in, as left of the first equal sign.

    A lone number behind words belongs to these: `eggs in 8 boxes = ...`.
    """
    tokens = tokens[-MAX_TOKENS:]
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else END
        if token.kind not in ("number", "unknown", "sign") or before.kind in _NO_START or _is_operator(tokens, at):
            continue
        found = Side(tuple(tokens[at:]))
        if found.value() is None:
            continue
        if at and found.is_lone and found.tokens[0].kind != "unknown":
            return None
        return found
    return None


def _is_operator(tokens: list[Token], at: int) -> bool:
    """A plus or minus that follows words works on what they say."""
    return at > 0 and tokens[at].text in ("+", "-") and not (at + 1 < len(tokens) and tokens[at + 1].glued)


def longest_prefix(tokens: list[Token]) -> Side | None:
    """The side that tokens begin with; None where it is left hanging, as in `3 + the rest`."""
    tokens = tokens[:MAX_TOKENS]
    reader = Reader(tuple(tokens), HUNDREDTH, {})
    try:
        reader.sum()
    except (Unread, TooLarge, ZeroDivisionError):
        return None
    following = reader.peek()
    if following.kind in ("sign", "number", "unread", "unknown") and following.text != ")":
        return None
    return Side(tuple(tokens[: reader.at]))
