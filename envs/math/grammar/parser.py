r"""The grammar of whole answers: lists, relations, sets, ratios, quantities; and `parse`, which reads one.

>>> parse(r"x = 1 \text{ or } x = 2").word, parse("5 cm").unit, parse("(1, 2]").closing
('or', 'cm', ']')
"""

from __future__ import annotations

from fractions import Fraction

from rlenv.envs.math.grammar.atoms import CURRENCIES
from rlenv.envs.math.grammar.conditions import RELATIONS, Conditions, is_opening
from rlenv.envs.math.grammar.names import FRACTIONS, NUMERALS, SCALES
from rlenv.envs.math.grammar.nodes import (
    Apply,
    Braces,
    Bracketed,
    Builder,
    Given,
    Items,
    Node,
    Number,
    Product,
    Quantity,
    Ratio,
    Relation,
    SetOperation,
    Sum,
    Words,
)
from rlenv.envs.math.grammar.tokens import Token, Unreadable, tokenize
from rlenv.envs.math.grammar.units import factor, unit_text

_SET_OPERATORS = ("union", "intersection", "minus")
_PERCENT = frozenset({"percent", "pct", "percentage", "percents"})
_DOUBTS = "no not wrong maybe perhaps possibly except unless if incorrect false than below"
_HEDGES = frozenset(_DOUBTS.split())
_FRACTIONAL = {"halves", "thirds", "fifths", "sixths", "eighths", "tenths", "hundredths", "squared", "cubed"}
"""Words that change the value when they stand right behind it."""
_ROUGHLY = frozenset({"about", "approximately", "approx", "roughly", "around", "exactly"})
MAX_UNIT = 12


def parse(text: str) -> Node:
    """The tree of a normalised text. Raises Unreadable for what is no mathematics."""
    parser = _Answers(tokenize(text))
    node = parser.statement()
    if parser.at < len(parser.tokens):
        raise Unreadable(f"cannot go on at {parser.peek().value!r}")
    return node


class _Answers(Conditions):
    def statement(self) -> Node:
        items, words = [self.relation()], [","]
        while True:
            joined = self._separators()
            if not joined:
                break
            words.append(joined)
            if self.peek().kind == "end" or self.is_op(")", "]", "}", "set}"):
                break
            condition = self.condition() if is_opening(self.peek()) else None
            if condition is not None:
                items[-1] = Given(items[-1], condition)
                words.pop()
                continue
            items.append(self.relation())
        word = "or" if "or" in words else "and" if "and" in words else ","
        if word == "and" and len(items) == 2 and all(isinstance(item, Quantity) for item in items):
            try:
                return compound(*items)
            except Unreadable:
                pass
        return items[0] if len(items) == 1 else Items(tuple(items), word)

    def _separators(self) -> str:
        """The word that joins, or a comma, for any row of separators here; nothing where there is none."""
        found = ""
        while self.peek().kind == "join" or self.is_op(",", ";", "row", "&"):
            token = self.next()
            found = token.value if token.kind == "join" else found or ","
        return found

    def relation(self) -> Node:
        self.accept("=", "~")  # = 5 and \\approx 5 state 5
        sides, operators = [self._subject() or self._set()], []
        while self.peek().kind == "op" and self.peek().value in RELATIONS:
            operators.append(self.next().value)
            self.accept("=")  # x == 1 is one sign, and so is a stray \approx =
            sides.append(self._set())
        node = self.conditioned(Relation(tuple(sides), tuple(operators)) if operators else sides[0])
        return self._with_unit(node, True) if is_opening(self.peek()) and not operators else node

    def _subject(self) -> Node | None:
        """The p(x) of `p(x) = x + 1`: a letter with brackets that an equal sign follows is a name, never a product."""
        name, opening = self.peek(), self.peek(1)
        if name.kind != "letter" or opening[:2] != ("op", "(") or opening.spaced or self.bars or self.in_set:
            return None
        depth, behind = 1, 2
        while depth and self.peek(behind).kind != "end":
            depth += {"(": 1, ")": -1}.get(self.peek(behind).value, 0)
            behind += 1
        if depth or self.peek(behind)[:2] != ("op", "=") or _is_product(self.tokens[self.at : self.at + behind]):
            return None
        self.next()
        inside = self.bracket()
        return Apply(name.value, inside.items if isinstance(inside, Bracketed) else (inside,), known=False)

    def _set(self) -> Node:
        node = self._ratio()
        while self.is_op(*_SET_OPERATORS):
            operator = self.next().value
            other = self._ratio()
            if isinstance(node, SetOperation) and node.operator == operator and operator != "minus":
                node = SetOperation(operator, (*node.sets, other))
            else:
                node = SetOperation(operator, (node, other))
        return node

    def _ratio(self) -> Node:
        parts = [self._quantity()]
        while self.is_op(":") and not self.in_set:
            self.next()
            parts.append(self._quantity())
        return parts[0] if len(parts) == 1 else Ratio(tuple(parts))

    def _quantity(self) -> Node:
        while self.peek().value.lower() in _ROUGHLY and self.peek(1).kind != "end":
            self.next()
        if self.peek().kind == "word":
            return self._prose()
        return self._with_unit(self.sum())

    def _with_unit(self, node: Node, any_word: bool = False) -> Node:
        """The value with the unit behind it; with `any_word` one that begins like a condition: 12 for adults."""
        while self.peek().kind == "word" and self.peek().value.lower() in SCALES:
            node = _scaled(node, SCALES[self.next().value.lower()])
        if self.peek().kind == "op" and self.peek().value in CURRENCIES:
            return Quantity(node, self.next().value)
        token = self.peek()
        if token.kind == "word" and token.value.lower() in _PERCENT:
            self.next()
            return Apply("percent", (node,))
        if token.kind == "word" and (any_word or not is_opening(token)):
            unit = unit_text(self._unit())
            if not _HEDGES.isdisjoint(unit.split()) or (unit.split()[:1] and unit.split()[0] in _FRACTIONAL):
                raise Unreadable("a value and a word that takes it back")
            quantity = node if isinstance(node, Quantity) else Quantity(node, unit)
            return self._compound(quantity) if self.peek().kind == "num" else quantity
        return node

    def _compound(self, first: Quantity) -> Node:
        """5 feet 3 inches, as so many of the first unit."""
        return compound(first, self._with_unit(self.sum()))

    def _unit(self) -> str:
        """The words, powers and slashes of a unit, as far as they go."""
        parts = []
        for _ in range(MAX_UNIT):
            token = self.peek()
            if token.kind == "word" or (token.kind in {"letter", "name"} and token.text):
                parts.append(" " + self.next().value)
            elif self.is_op("^") and (power := self._power_of_unit()):
                parts.append(power)
            elif self.is_op("/", "*") and self.peek(1).kind in {"word", "letter"}:
                parts.append(" " + self.next().value + " " + self.next().value)
            elif self.is_op("."):
                self.next()
            else:
                break
        return "".join(parts)

    def _power_of_unit(self) -> str:
        """The 2 of `cm^2` and `cm^{2}`, the -1 of `s^{-1}`; nothing is taken where there is none."""
        start = self.at
        self.next()
        braced, sign, digit = self.accept("{"), self.accept("-"), self.next().value
        if digit in {"1", "2", "3"} and (not braced or self.accept("}")):
            return f"^{sign}{digit}"
        self.at = start
        return ""

    def _prose(self) -> Node:
        words: list[str] = []
        while self.peek().kind == "word" or (self.peek().kind in {"letter", "name"} and self.peek().text):
            if words and is_opening(self.peek()) and (self.peek().value != "for" or numeral(words)):
                break
            words.append(self.next().value.lower())
        number = numeral(words)
        return self._with_unit(number) if number is not None else Words(" ".join(words))

    def braces(self) -> Node:
        """A set, from behind its opening brace on."""
        if self.accept("set}"):
            return Braces(())
        self.in_set = True
        inside = self.statement()
        if self.accept("|", ":"):
            self.in_set = False
            condition = self.statement()
            self.expect("set}")
            return Builder(inside, condition)
        self.expect("set}")
        return Braces(inside.items if isinstance(inside, Items) else (inside,))


def _is_product(tokens: list[Token]) -> bool:
    """True for x(x - 3): the letter stands in its own brackets, or an operation with a letter does."""
    inside = [token.value for token in tokens[2:-1]]
    letters = [token for token in tokens[2:-1] if token.kind == "letter"]
    return tokens[0].value in inside or (bool(letters) and not {"+", "-", "*", "/", "^"}.isdisjoint(inside))


def compound(first: Node, second: Node) -> Quantity:
    """A quantity in two units of one kind, the larger first, in the first. Raises Unreadable."""
    if isinstance(first, Quantity) and isinstance(second, Quantity):
        share = factor(first.unit, second.unit)
        if share is not None and share < 1:
            return Quantity(Sum((first.value, Product((second.value, Number(share))))), first.unit)
    raise Unreadable("two quantities that make no one")


def numeral(words: list[str]) -> Node | None:
    """The number that words such as "twenty five", "two thirds" or "three million" spell, None for other words."""
    if len(words) > 10:
        return None
    whole, share = _whole_and_share(words)
    total = _counted(whole) if whole else Fraction(0)
    return None if total is None or share is None else Number(total + share)


def _whole_and_share(words: list[str]) -> tuple[list[str], Fraction | None]:
    """The words of the whole number, and the fraction that the last words spell, 0 where they spell none."""
    named = FRACTIONS.get(words[-1].removesuffix("s") if words[-1] != "halves" else "half") if words else None
    if named is None or (len(words) > 1 and words[-2] in SCALES):
        return _without_and(words), Fraction(0)
    split = len(words) - words[::-1].index("and") - 1 if "and" in words else -1
    above = words[split + 1 : -1]
    count = Fraction(1) if above in ([], ["a"], ["one"], ["an"]) else _counted(above)
    alone = not above and split < 0
    return words[: max(split, 0)], None if count is None or alone or split == 0 else count / named


def _without_and(words: list[str]) -> list[str]:
    """`one hundred and five` as `one hundred five`."""
    return [word for place, word in enumerate(words) if word != "and" or not place or words[place - 1] not in SCALES]


def _counted(words: list[str]) -> Fraction | None:
    """The whole number: groups of up to three digits, each times the scale behind it."""
    if words[:1] in (["a"], ["an"]) and len(words) > 1 and words[1] in SCALES:
        words = ["one", *words[1:]]
    if not words or words[0] not in NUMERALS:
        return None
    total = group = Fraction(0)
    for place, word in enumerate(words):
        if word in SCALES and (SCALES[word] <= 100 or place + 1 == len(words)):
            group *= SCALES[word]
        elif word in SCALES:
            total, group = total + group * SCALES[word], Fraction(0)
        elif word in NUMERALS and (group % 100 == 0 or (group % 100 >= 20 and group % 10 == 0 < NUMERALS[word] < 10)):
            group += NUMERALS[word]
        else:
            return None
    return total + group


def _scaled(node: Node, scale: int) -> Node:
    if isinstance(node, Quantity):
        return Quantity(_scaled(node.value, scale), node.unit)
    if isinstance(node, Number):
        return Number(node.value * scale)  # 1.2 million is written out, not left to be multiplied
    return Product((node, Number(Fraction(scale))))
