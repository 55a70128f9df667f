r"""Conditions behind a value: where it holds, and what its letters run over.

>>> from rlenv.envs.math.reading.parser import parse
>>> parse("x^2 if x > 0").condition.operators, parse(r"k\pi \text{ for all integers } k").condition.sides[1].name
(('>',), 'integers')

`value if condition`, `value (k \in Z)` and the rows of a `cases` environment all become `Given(value, condition)`.
"""

from __future__ import annotations

from fractions import Fraction

from rlenv.envs.math.reading.expressions import Expressions
from rlenv.envs.math.reading.given import OTHERWISE, is_condition
from rlenv.envs.math.reading.nodes import (
    Constant,
    Given,
    Items,
    Node,
    Number,
    Relation,
    Symbol,
)
from rlenv.envs.math.reading.tokens import Token, Unreadable

RELATIONS = frozenset({"=", "<", ">", "<=", ">=", "!=", "~", "in", "notin", "equiv", "subset", "->", "propto",
                       "perp", "parallel"})  # fmt: skip
_OPENING = frozenset({"if", "when", "whenever", "for", "where", "with", "provided", "given", "\\forall", "on"})
_REST = frozenset({"otherwise", "else", "elsewhere"})
_KINDS = {
    "integer": "integers", "integers": "integers", "integral": "integers", "whole": "integers", "natural": "naturals",
    "real": "reals", "reals": "reals", "constant": "reals", "constants": "reals", "number": "reals",
    "numbers": "reals", "scalar": "reals", "parameter": "reals", "rational": "rationals", "complex": "complexes",
}  # fmt: skip
_SIGNED = {"positive": ">", "nonnegative": ">=", "negative": "<", "nonzero": "!="}
_FILLING = frozenset(
    [
        "all",
        "any",
        "every",
        "each",
        "some",
        "a",
        "an",
        "the",
        "arbitrary",
        "is",
        "are",
        "being",
        "be",
        "can",
        "values",
        "value",
        "of",
        "non",
        "that",
        "such",
        "fixed",
    ]
)
_UNIVERSAL = frozenset({"all", "any", "every", "each"})
_DOMAIN_WORDS = _FILLING | _KINDS.keys() | _SIGNED.keys()
_NARROW = ("naturals", "integers", "rationals", "complexes", "reals")
"""The kinds from the one that says most: a real constant is real, a whole number an integer."""


class Conditions(Expressions):
    """The rules for what stands behind a value."""

    def relation(self) -> Node:
        """Sides with relations between them, and the conditions behind."""
        raise NotImplementedError

    def starts_factor(self) -> bool:
        return super().starts_factor() and not self._holds_relation()

    def conditioned(self, node: Node) -> Node:
        """The value with the conditions that follow it."""
        while True:
            condition = self.condition()
            if condition is None:
                return node
            both = (node.condition, condition) if isinstance(node, Given) else ()
            node = Given(node.value, Items(both, "and")) if isinstance(node, Given) else Given(node, condition)

    def domain(self) -> Node | None:
        """`all real numbers x`, `k an integer`: the letters and what they run over; None for anything else."""
        start = self.at
        words = self._domain_words()
        letters = self._names()
        words += self._domain_words() if letters else []
        kinds = [_KINDS[word] for word in words if word in _KINDS]
        if letters and not kinds and _UNIVERSAL & set(words):
            kinds = ["reals"]
        if not letters or not kinds:
            self.at = start
            return None
        kind = Constant(min(kinds, key=_NARROW.index))
        signs = [_SIGNED[f"non{word}" if "non" in words else word] for word in words if word in _SIGNED]
        said: list[Node] = []
        for letter in letters:
            said.append(Relation((letter, kind), ("in",)))
            said.extend(Relation((letter, Number(Fraction(0))), (sign,)) for sign in signs)
        return said[0] if len(said) == 1 else Items(tuple(said), "and")

    def condition(self) -> Node | None:
        """One condition, where one stands here."""
        token, start, level = self.peek(), self.at, self.level
        if not self.is_op("(") and token.kind != "word" and token.value != "\\forall":
            return None
        self.deeper()
        try:
            if self._holds_relation():
                self.next()
                inside = self._conjunction()
                self.expect(")")
                return inside
            word = token.value.lower()
            if token.kind == "word" and word in _REST:
                self.next()
                return OTHERWISE
            if (token.kind == "word" or token.value == "\\forall") and word in _OPENING:
                return self._behind_word()
        except Unreadable as error:
            if error.flag == "cost_guard":
                raise
            self.at = start
        finally:
            self.level = level
        return None

    def cell(self) -> Node:
        """An entry of a matrix, or a condition of a `cases` environment with all that joins it."""
        start = self.at
        node = self.condition()
        if node is None:
            node = self.relation()
        while self.peek().kind == "join" and is_condition(node):
            word = self.next().value
            node = Items((node, self._behind_word(0)), word)
        while self.accept(",", ";", "."):
            pass
        if self.at == start:
            raise Unreadable("an empty cell")
        return node

    def _behind_word(self, length: int = 1) -> Node:
        self.at += length
        if self.peek().value.lower() in _REST:
            self.next()
            return OTHERWISE
        found = self.domain()
        if found is None:
            self._domain_words()  # for some k in Z
            found = self.relation()
        if not is_condition(found):
            raise Unreadable("a word for a condition, and no condition")
        return found

    def _conjunction(self) -> Node:
        return self.domain() or self.statement()

    def _domain_words(self) -> list[str]:
        words: list[str] = []
        while self.peek().kind == "word" or (self.is_op("-") and words[-1:] == ["non"]) or self._article():
            word = self.peek().value.lower() if not self._article() else "a"
            self.at += self._article() == "an"
            if word not in _DOMAIN_WORDS and word != "-":
                break
            words.append(word)
            self.next()
        return [word for word in words if word != "-"]

    def _article(self) -> str:
        """The article before a noun, which looks like a letter or two: c a constant, k an integer."""
        for article in ("a", "an"):
            letters, noun = [self.peek(ahead) for ahead in range(len(article))], self.peek(len(article))
            spelled = "".join(token.value for token in letters if token.kind == "letter")
            if spelled == article and noun.kind == "word" and noun.value.lower() in _DOMAIN_WORDS:
                return article
        return ""

    def _names(self) -> list[Node]:
        """Letters in a row, with commas or `and` between them."""
        found: list[Node] = []
        while self.peek().kind in {"letter", "name"} and not self._article():
            found.append(self.atom())
            if not isinstance(found[-1], Symbol):
                return []
            if (self.is_op(",") or self.peek().kind == "join") and self.peek(1).kind == "letter":
                self.next()
        return found

    def _holds_relation(self) -> bool:
        """Whether the round bracket that opens here holds a relation: (k in Z) is a condition, no factor."""
        if not self.is_op("("):
            return False
        depth = 0
        for ahead in range(len(self.tokens) - self.at):
            kind, value = self.peek(ahead)[:2]
            if kind == "op" and value in {"(", "[", "{", "set{"}:
                depth += 1
            elif kind == "op" and value in {")", "]", "}", "set}"}:
                depth -= 1
                if depth == 0:
                    return False
            elif (depth == 1 and kind == "op" and value in RELATIONS) or (
                depth == 1 and ahead == 1 and kind == "word" and value.lower() in (_OPENING | _FILLING)
            ):
                return True
        return False


def is_opening(token: Token) -> bool:
    """Whether a word may open a condition."""
    return token.kind == "word" and token.value.lower() in (_OPENING | _REST)
