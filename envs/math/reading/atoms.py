"""What expressions are made of: numbers, letters, names, commands and brackets."""

from __future__ import annotations

from rlenv.envs.math.reading.building import MATRICES, arranged, fraction
from rlenv.envs.math.reading.cursor import END
from rlenv.envs.math.reading.functions import Functions
from rlenv.envs.math.reading.literals import in_base, literal, proper
from rlenv.envs.math.reading.names import CONSTANTS, FUNCTIONS, NUMERALS, SAME_FUNCTION, SAME_LETTER
from rlenv.envs.math.reading.nodes import (
    Apply,
    Bracketed,
    Constant,
    Items,
    Node,
    Number,
    Quantity,
    Standing,
    Symbol,
    Words,
)
from rlenv.envs.math.reading.tokens import Unreadable

CURRENCIES = frozenset("$€£₹¥")
_FRACTIONS = frozenset({"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"})
_BINOMIALS = frozenset({"\\binom", "\\dbinom", "\\tbinom"})
_STANDING = {"\\sum": "sum", "\\prod": "prod", "\\int": "int", "\\iint": "int", "\\oint": "int", "\\lim": "lim"}
_PAIRS = {"(": (")", "]"), "[": ("]", ")"), "lfloor": ("rfloor",), "lceil": ("rceil",), "<<": (">>",), "{": ("}",)}
_STARTS = frozenset({"(", "[", "{", "lfloor", "lceil", "begin", "$", "dots", "<<"})
_APPLIED = frozenset("fghFGHPQWTSVUR")


class Atoms(Functions):
    """The rules below powers."""

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
            return self._environment()
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
            if self.accept("^"):  # R^+, R^2
                return Apply("_", (Constant(name), self._sign_or_power()), known=False)
            if self.accept("_"):  # Z_{>= 0}, N_0
                return Apply("_", (Constant(name), self._bound()), known=False)
            return Constant(name)
        return self._letter(SAME_LETTER.get(name, name))

    def _sign_or_power(self) -> Node:
        sign = self.accept("+", "-", "*")
        return Symbol(sign) if sign else self.argument()

    def _bound(self) -> Node:
        """The bound below the name of a set of numbers, as words: the `>= 0` of Z_{>= 0}."""
        if not self.is_op("{"):
            return Words((">=" if self.peek().kind == "num" else "") + self.next().value)
        self.next()
        written = ""
        while self.peek().kind in {"num", "op"} and not self.is_op("}"):
            written += self.next().value
        self.expect("}")
        return Words(written if written[:1] in set("<>!+-") else f">={written}")

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

    def _environment(self) -> Node:
        name = self.next().value
        if name not in MATRICES and name not in {"cases", "aligned", "align", "gathered"}:
            raise Unreadable(f"the environment {name}")
        rows: list[list[Node]] = [[]]
        while self.peek().kind != "end":
            if self.is_op("row"):
                self.next()
                rows.append([])
            elif self.is_op("&") or self.peek().value == "\\hline":
                self.next()
            else:
                rows[-1].append(self.cell())
        if self.next() is END:
            raise Unreadable(f"the environment {name} is never closed")
        return arranged(name, [row for row in rows if row])
