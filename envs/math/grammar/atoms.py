r"""What expressions are made of: numbers, letters, names, commands, environments and brackets.

>>> literal("1,234.50"), in_base("101", 2).value
(Number(value=Fraction(2469, 2), places=2), Fraction(5, 1))
"""

from __future__ import annotations

from fractions import Fraction

from rlenv.envs.math.grammar.expressions import Expressions
from rlenv.envs.math.grammar.names import CONSTANTS, FUNCTIONS, NUMERALS, SAME_FUNCTION, SAME_LETTER
from rlenv.envs.math.grammar.nodes import (
    Apply,
    Bracketed,
    Constant,
    InBase,
    Items,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Standing,
    Symbol,
    quotient,
)
from rlenv.envs.math.grammar.tokens import Unreadable

CURRENCIES = frozenset("$€£₹¥")
_FRACTIONS = frozenset({"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"})
_BINOMIALS = frozenset({"\\binom", "\\dbinom", "\\tbinom"})
_STANDING = {"\\sum": "sum", "\\prod": "prod", "\\int": "int", "\\iint": "int", "\\oint": "int", "\\lim": "lim"}
_PAIRS = {"(": (")", "]"), "[": ("]", ")"), "lfloor": ("rfloor",), "lceil": ("rceil",), "<<": (">>",), "{": ("}",)}
_STARTS = frozenset({"(", "[", "{", "lfloor", "lceil", "begin", "$", "dots", "<<"})
_APPLIED = frozenset("fghFGHPQWTSVUR")
MAX_POWER_OF_TEN = 400


class Atoms(Expressions):
    """The rules below powers."""

    def statement(self) -> Node:
        """A whole answer: a list, a relation, a value."""
        raise NotImplementedError

    def braces(self) -> Node:
        """A set, from behind its opening brace on."""
        raise NotImplementedError

    def environment(self) -> Node:
        """A matrix, cases, or lines one below the other."""
        raise NotImplementedError

    def starts_factor(self) -> bool:
        kind, value = self.peek()[:2]
        if kind in {"num", "letter", "name", "command", "begin"}:
            return True
        if kind != "op":
            return False
        if value == "$":
            return self.peek(1).kind == "num"
        return value in _STARTS or (value == "|" and not self.bars and not self.in_set)

    def atom(self) -> Node:
        kind, value = self.peek()[:2]
        if kind == "num":
            return self._number()
        if kind == "letter":
            return self._letter(self.next().value)
        if kind == "name":
            return self._name(self.next().value)
        if kind == "command":
            return self._command(self.next().value)
        if kind == "begin":
            return self.environment()
        if kind == "op":
            if value in CURRENCIES:
                self.next()
                return Quantity(self.unary(), value)
            if value == "dots":
                self.next()
                return Standing("dots", ())
            if value in {"|", "(", "[", "{", "lfloor", "lceil", "<<", "set{"}:
                return self.bracket()
        raise Unreadable(f"expected a number, a name or a bracket, got {value!r}")

    def bracket(self) -> Node:
        """What stands between brackets of any kind: one thing, or several as a tuple, set or list."""
        bars, in_set, self.bars, self.in_set = self.bars, self.in_set, 0, False
        opening = self.next().value
        node = self._between(opening)
        self.bars, self.in_set = bars, in_set
        return node

    def _between(self, opening: str) -> Node:
        if opening == "|":
            self.bars = 1
            inside = self.statement()
            self.expect("|")
            return Apply("abs", (inside,))
        if opening == "set{":
            return self.braces()
        inside = self.statement()
        closing = self.expect(*_PAIRS[opening])
        if opening in {"lfloor", "lceil"}:
            return Apply("floor" if opening == "lfloor" else "ceil", (inside,))
        if isinstance(inside, Items) and opening != "{":
            return Bracketed("(" if opening == "<<" else opening, inside.items, ")" if opening == "<<" else closing)
        if opening != "{" and closing != _PAIRS[opening][0]:
            raise Unreadable(f"{opening} closed by {closing}")
        return inside

    def _number(self) -> Node:
        number = literal(self.next().value)
        if self.is_op("_"):
            return self._in_base(self.tokens[self.at - 1].value)
        if number.places is None and number.value.denominator == 1:
            return self._mixed(number)
        return number

    def _mixed(self, whole: Number) -> Node:
        if self.peek().kind == "command" and self.peek().value in _FRACTIONS:
            start, kept = self.at, list(self.tokens)  # an argument of one digit is cut off its token
            self.next()
            part = proper(self.argument(digit=True), self.argument(digit=True))
            if part is not None:
                return Number(whole.value + part)
            self.tokens = kept
            self.at = start
            return whole
        numerator, bar, denominator = self.peek(), self.peek(1), self.peek(2)
        if numerator.kind == "num" and bar[:2] == ("op", "/") and denominator.kind == "num" and numerator.spaced:
            part = proper(literal(numerator.value), literal(denominator.value))
            if part is not None:
                self.at += 3
                return Number(whole.value + part)
        return whole

    def _in_base(self, digits: str) -> Node:
        self.next()
        braced = bool(self.accept("{"))
        bracketed = bool(self.accept("("))
        name = self.next()
        base = (
            int(name.value) if name.value.isdecimal() and len(name.value) < 3 else NUMERALS.get(name.value.lower(), 0)
        )
        if bracketed:
            self.expect(")")
        if braced:
            self.expect("}")
        return in_base(digits, base)

    def _letter(self, letter: str) -> Node:
        if self.is_op("_"):
            return self._subscripted(letter)
        while self.accept("'"):
            letter += "'"
        if letter in {"e", "i"}:
            return Constant(letter)
        if letter[0] in _APPLIED and self.is_op("(") and not self.peek().spaced:
            return self._applied(letter)
        return Symbol(letter)

    def _applied(self, name: str) -> Node:
        start = self.at
        inside = self.bracket()
        args = inside.items if isinstance(inside, Bracketed) else (inside,)
        if name[0] in "fgh" or all(isinstance(argument, (Symbol, Number, Constant)) for argument in args):
            return Apply(name, args, known=False)
        self.at = start
        return Symbol(name)

    def _subscripted(self, name: str) -> Node:
        self.next()
        index = self.argument()
        if isinstance(index, (Symbol, Constant)):
            name = f"{name}_{index.name}"
        elif isinstance(index, Number) and index.places is None:
            name = f"{name}_{index.value}"
        else:
            return Apply("_", (Symbol(name), index), known=False)
        while self.accept("'"):
            name += "'"
        if name[0] in _APPLIED and self.is_op("(") and not self.peek().spaced:
            return self._applied(name)
        return Symbol(name)

    def _name(self, name: str) -> Node:
        name = SAME_FUNCTION.get(name, name)
        if name in FUNCTIONS:
            return self.function(name)
        if name in CONSTANTS:
            return Constant(CONSTANTS[name])
        if name in {"reals", "integers", "naturals", "rationals", "complexes"}:
            return Constant(name)
        return self._letter(SAME_LETTER.get(name, name))

    def argument(self, digit: bool = False) -> Node:
        """The argument of a command: a group, or one atom; with `digit` one digit, as TeX reads `\\frac12`."""
        token = self.peek()
        if token.kind == "num" and digit and len(token.value) > 1:
            self.tokens[self.at] = token._replace(value=token.value[1:], spaced=False)
            return literal(token.value[0])
        if token.kind == "num":
            return literal(self.next().value)
        if token.kind == "letter":
            return Constant(self.next().value) if token.value in {"e", "i"} else Symbol(self.next().value)
        self.deeper()
        node = self.atom()
        self.level -= 1
        return node

    def _command(self, name: str) -> Node:
        if name in _FRACTIONS:
            above, below = self.argument(digit=True), self.argument(digit=True)
            return fraction(above, below)
        if name in _BINOMIALS:
            return Apply("binom", (self.argument(digit=True), self.argument(digit=True)))
        if name in _STANDING:
            return self.standing(_STANDING[name])
        if name in {"\\angle", "\\measuredangle", "\\triangle"} and self._corners() > 1:
            corners = tuple(Symbol(self.next().value) for _ in range(self._corners()))
            return Apply(name[1:].removeprefix("measured"), corners, known=False)
        if name in {"\\angle", "\\measuredangle", "\\triangle", "\\arc", "\\widehat", "\\operatorname"}:
            return Apply(name[1:], (self.power(),), known=False) if self.starts_factor() else Symbol(name)
        if name == "\\partial":
            return Symbol("d")
        return self._letter(name)

    def _corners(self) -> int:
        """How many capital letters follow, the corners of an angle or a triangle; 0 where one of them has an index."""
        count = 0
        while self.peek(count).kind == "letter" and self.peek(count).value.isupper():
            count += 1
        return 0 if self.peek(count).value in {"_", "'", "^"} else count


def fraction(above: Node, below: Node) -> Node:
    """A fraction, or d/dx, which is no fraction."""
    if _leads_with_d(above) and _leads_with_d(below) and isinstance(below, Product):
        return Standing("diff", (above, below))
    return quotient(above, below)


def _leads_with_d(node: Node) -> bool:
    first = node.factors[0] if isinstance(node, Product) else node
    first = first.base if isinstance(first, Power) else first
    return first == Symbol("d")


def literal(text: str) -> Number:
    """The number that digits state, with repeating decimals and powers of ten."""
    plain = text.replace(",", "").replace(" ", "")
    if "\\" in plain or "(" in plain:
        return _repeating(plain)
    mantissa, _, exponent = plain.lower().partition("e")
    point = mantissa.find(".")
    places = None if point < 0 else len(mantissa) - point - 1
    if exponent:
        power = int(exponent)
        if abs(power) > MAX_POWER_OF_TEN:
            raise Unreadable("a power of ten too large for an answer", "cost_guard")
        return Number(Fraction(mantissa) * Fraction(10) ** power, max(0, (places or 0) - power))
    if places == 0:
        mantissa += "0"
    return Number(Fraction(mantissa), places)


def _repeating(text: str) -> Number:
    digits = "".join(character if character.isdecimal() or character == "." else " " for character in text).split()
    start, cycle = digits[0], digits[1]
    places = len(start.partition(".")[2])
    value = Fraction(start + "0" if start.endswith(".") else start)
    return Number(value + Fraction(int(cycle), (10 ** len(cycle) - 1) * 10**places))


def in_base(digits: str, base: int) -> InBase:
    """Raises Unreadable for digits that the base does not have."""
    whole, _, rest = digits.upper().partition(".")
    if not 2 <= base <= 36 or len(digits) > 60:
        raise Unreadable(f"the base {base}")
    try:
        value = Fraction(int(whole or "0", base))
        value += Fraction(int(rest, base), base ** len(rest)) if rest else 0
    except ValueError as error:
        raise Unreadable(f"digits that base {base} does not have") from error
    return InBase(digits.upper().lstrip("0") or "0", base, value)


def proper(above: Node, below: Node) -> Fraction | None:
    """The fraction of two whole numbers that is less than one."""
    if not isinstance(above, Number) or not isinstance(below, Number):
        return None
    whole = above.places is None and below.places is None
    return above.value / below.value if whole and 0 < above.value < below.value else None
