r"""The grammar of expressions: sums, products, powers and what they are made of.

Conventions where usage differs: a product without a sign binds as tightly as one with it and both go from left to
right, so `1/2x` is x/2; `\sin 2x` takes the whole product 2x and `\sin x \cos x` stops at the next function; an
unbraced exponent or root takes the whole number, so `x^12` is the twelfth power; `1\frac14` and `1 1/4` are mixed
numbers when the fraction is proper; `log` without a base is the natural one.
"""

from __future__ import annotations

from fractions import Fraction

from rlenv.envs.math.reading.atoms import Atoms
from rlenv.envs.math.reading.building import minus, product_of, sum_of
from rlenv.envs.math.reading.nodes import (
    MINUS_ONE,
    Apply,
    Node,
    Number,
    PlusMinus,
    Power,
    Quantity,
    Symbol,
    negative,
    quotient,
)
from rlenv.envs.math.reading.tokens import Unreadable

MAX_POSTFIXES = 4
_TEMPERATURES = {"C": "celsius", "F": "fahrenheit"}


class Expressions(Atoms):
    """The rules from sums down to powers."""

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
