r"""The grammar of expressions: sums, products, powers and functions, read by a cursor over the tokens.

Conventions where usage differs: a product without a sign binds as tightly as one with it and both go from left to
right, so `1/2x` is x/2; `\sin 2x` takes the whole product 2x and `\sin x \cos x` stops at the next function; an
unbraced exponent or root takes the whole number, so `x^12` is the twelfth power; `1\frac14` and `1 1/4` are mixed
numbers when the fraction is proper; `log` without a base is the natural one.
"""

from __future__ import annotations

from fractions import Fraction

from rlenv.envs.math.grammar.names import FUNCTIONS
from rlenv.envs.math.grammar.nodes import (
    HALF,
    MINUS_ONE,
    Apply,
    Braces,
    Bracketed,
    Constant,
    Items,
    Node,
    Number,
    PlusMinus,
    Power,
    Product,
    Quantity,
    Standing,
    Sum,
    Symbol,
    negative,
    quotient,
)
from rlenv.envs.math.grammar.tokens import Token, Unreadable

MAX_LEVEL = 48
"""Factors inside each other, so that a row of signs or roots cannot exhaust the stack."""
MAX_STEPS = 2_500
"""Factors tried in one text. Reading takes a few for each token; a bracket that is read again takes more."""
MAX_POSTFIXES = 4
END = Token("end", "")
_TEMPERATURES = {"C": "celsius", "F": "fahrenheit"}


class Cursor:
    """Where the reading stands. The rules raise Unreadable."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.at = tokens, 0
        self.level = self.steps = 0
        self.bars = 0  # absolute values open in this bracket
        self.in_set = False  # whether a bar here separates an element from its condition

    def peek(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else END

    def next(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def is_op(self, *values: str) -> bool:
        if self.at >= len(self.tokens):
            return False
        token = self.tokens[self.at]
        return token[0] == "op" and token[1] in values

    def accept(self, *values: str) -> str:
        """The operator that stands here if it is one of these, and it is taken; else nothing."""
        if self.at < len(self.tokens):  # asked at every factor: `is_op` and `next` written out
            token = self.tokens[self.at]
            if token[0] == "op" and token[1] in values:
                self.at += 1
                return token[1]
        return ""

    def expect(self, *values: str) -> str:
        found = self.accept(*values)
        if not found:
            raise Unreadable(f"expected {' or '.join(values)}, got {self.peek().value!r}")
        return found

    def deeper(self) -> None:
        """Counts a factor inside a factor; `self.level -= 1` undoes it."""
        self.level += 1
        self.steps += 1
        if self.level > MAX_LEVEL or self.steps > MAX_STEPS:
            raise Unreadable("nested too deep for an answer", "cost_guard")


class Expressions(Cursor):
    """The rules from sums down to powers, and of names that take an argument."""

    def atom(self) -> Node:
        """A number, a name, a command or a bracket."""
        raise NotImplementedError

    def bracket(self) -> Node:
        """What stands between brackets."""
        raise NotImplementedError

    def argument(self, digit: bool = False) -> Node:
        """The argument of a command."""
        raise NotImplementedError

    def starts_factor(self) -> bool:
        """Whether a factor may begin here without a sign before it."""
        raise NotImplementedError

    def sum(self) -> Node:
        """Terms, and what stands over or chooses them in TeX's old way: {5 \\choose 2}."""
        node = self._terms()
        if self.is_op("choose", "over"):
            over = self.next().value == "over"
            other = self._terms()
            return quotient(node, other) if over else Apply("binom", (node, other))
        return node

    def _terms(self) -> Node:
        sign = self.accept("+", "-", "pm", "mp")
        terms = [self.product()]
        if sign == "-":
            terms[0] = minus(terms[0])
        elif sign in {"pm", "mp"}:
            terms = [PlusMinus(Number(Fraction(0)), negative(terms[0]) if sign == "mp" else terms[0])]
        while self.is_op("+", "-", "pm", "mp"):
            operator = self.next().value
            term = self.product()
            if operator in {"pm", "mp"}:
                terms = [PlusMinus(sum_of(terms), negative(term) if operator == "mp" else term)]
            else:
                terms.append(minus(term) if operator == "-" else term)
        return sum_of(terms)

    def product(self) -> Node:
        factors = [self.unary()]
        while True:
            if self.accept("*"):
                factors.append(self.unary())
            elif self.accept("/"):
                factors.append(Power(self.unary(), MINUS_ONE))
            elif self.is_op("(") and self.peek(1)[:2] == ("op", "mod"):  # x = 2 (mod 7)
                self.at += 2
                factors = [Apply("mod", (product_of(factors), self.unary()), known=False)]
                self.expect(")")
            elif self.accept("mod"):
                factors = [Apply("mod", (product_of(factors), self.unary()), known=False)]
            elif self.starts_factor():
                if self.peek().kind == "num" and isinstance(factors[-1], Number):
                    raise Unreadable("several numbers in a row", "number_spray")
                factors.append(self.power())
            else:
                return product_of(factors)

    def unary(self) -> Node:
        self.deeper()
        sign = self.accept("-", "+")
        node = self.unary() if sign else self.power()
        self.level -= 1
        return minus(node) if sign == "-" else node

    def power(self) -> Node:
        node = self.postfix(self.atom())
        if self.accept("^"):
            node = self.postfix(self._raised(node))
        letter = self.peek()
        if isinstance(node, Apply) and node.name == "degree" and letter.value in _TEMPERATURES:
            self.next()
            return Quantity(node.args[0], _TEMPERATURES[letter.value])
        return node

    def _raised(self, base: Node) -> Node:
        braced = bool(self.accept("{"))
        if self.accept("circ", "degree", "o"):
            node: Node = Apply("degree", (base,))
        elif self.is_op("'"):
            node = base
            while self.accept("'"):
                node = Symbol(f"{node.name}'") if isinstance(node, Symbol) else Apply("prime", (node,), known=False)
        elif braced:
            self.at -= 1
            node = Power(base, self.bracket())
            braced = False
        else:
            node = Power(base, self.exponent())
        if braced:
            self.expect("}")
        return node

    def exponent(self) -> Node:
        self.deeper()
        sign = self.accept("-", "+")
        node = self.atom()
        if self.accept("^"):
            node = self._raised(node)
        self.level -= 1
        return minus(node) if sign == "-" else node

    def postfix(self, node: Node) -> Node:
        for _ in range(MAX_POSTFIXES):
            if self.accept("!"):
                double = not self.peek().spaced and bool(self.accept("!"))
                node = Apply("factorial2" if double else "factorial", (node,))
            elif self.accept("%"):
                node = Apply("percent", (node,))
            elif self.accept("degree"):
                node = Apply("degree", (node,))
            else:
                return node
        return node

    def function(self, name: str) -> Node:
        if name in {"sqrt", "cbrt"}:
            return self._root(name)
        base: Node | None = None
        if self.accept("_") or (name == "log" and self.peek().kind == "num" and self.peek(1)[:2] == ("op", "(")):
            base = self.argument()
        exponent = self._function_power()
        if name in {"abs", "floor", "ceil"} and not self.is_op("(", "{"):
            raise Unreadable(f"{name} of nothing")
        args = self._arguments()
        if exponent == MINUS_ONE and f"arc{name}" in FUNCTIONS:
            name, exponent = f"arc{name}", None
        node: Node = called(name, args, base)
        return Power(node, exponent) if exponent is not None else node

    def _function_power(self) -> Node | None:
        if not self.accept("^"):
            return None
        return self.bracket() if self.is_op("{", "(") else self.exponent()

    def _arguments(self) -> tuple[Node, ...]:
        if self.is_op("(", "[", "{", "set{"):
            inside = self.bracket()
            return inside.items if isinstance(inside, (Bracketed, Items, Braces)) else (inside,)
        sign = self.accept("-")
        factors = [self.power()]
        while self.starts_factor() and not self.is_op("(", "[") and self.peek().value not in FUNCTIONS:
            if self.peek().kind == "num" and isinstance(factors[-1], Number):
                raise Unreadable("several numbers in a row", "number_spray")
            factors.append(self.power())
        return (minus(product_of(factors)) if sign else product_of(factors),)

    def _root(self, name: str) -> Node:
        index: Node = Number(Fraction(3)) if name == "cbrt" else Number(Fraction(2))
        if self.is_op("[") and name == "sqrt":
            self.next()
            index = self.sum()
            self.expect("]")
        exponent = HALF if index == Number(Fraction(2)) else quotient(Number(Fraction(1)), index)
        if isinstance(index, Number) and index.value:
            exponent = Number(1 / index.value)
        return Power(self.argument(), exponent)

    def standing(self, operator: str) -> Node:
        limits: list[Node] = []
        for _ in range(2):
            sign = self.accept("_", "^")
            if sign:
                limits.append(Apply(sign, (self.argument(),), known=False))
        return Standing(operator, (*limits, self.product()))


def called(name: str, args: tuple[Node, ...], base: Node | None) -> Node:
    """The function of these arguments, under one name for each function."""
    if name == "exp":
        return Power(Constant("e"), args[0])
    if name == "lg":
        return Apply("log", (args[0], Number(Fraction(10))))
    if name == "log" and base is not None:
        return Apply("log", (args[0], base))
    if name in {"ln", "log"}:
        return Apply("log", args)
    return Apply(name, args)


def minus(node: Node) -> Node:
    """The negative, of the value where there is a unit."""
    if isinstance(node, Quantity):
        return Quantity(negative(node.value), node.unit)
    return negative(node)


def sum_of(terms: list[Node]) -> Node:
    """The sum, or the one term."""
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def product_of(factors: list[Node]) -> Node:
    """The product, or the one factor."""
    return factors[0] if len(factors) == 1 else Product(tuple(factors))
