r"""Two answers of any kind: each kind is compared with what it can equal, down to values, which tiers compare.

>>> from rlenv.envs.math.equality.policy import MathPolicy
>>> from rlenv.envs.math.grammar.answer import read
>>> judge = TreeComparison(MathPolicy())
>>> [judge.same(read("x < -5"), read(text)).equal for text in (r"(-\infty, -5)", "-5 > x", "x < 5")]
[True, True, False]
"""

from __future__ import annotations

from dataclasses import dataclass

from rlenv.envs.math.equality.equations import (
    Stated,
    renamed,
    same_equation,
    same_name,
    stated,
    substituted,
    worth,
)
from rlenv.envs.math.equality.lists import as_matrix, cells, in_order, listed, matched, scaled_matrix, spread
from rlenv.envs.math.equality.policy import Comparison, MathPolicy
from rlenv.envs.math.equality.quantities import same_clock, same_quantity, same_words, spelled
from rlenv.envs.math.equality.question import asked_in_turn, is_ordered
from rlenv.envs.math.equality.regions import infinite, is_region, same_region
from rlenv.envs.math.equality.values import same_value, symbols_of
from rlenv.envs.math.grammar.nodes import (
    Apply,
    Braces,
    Bracketed,
    Builder,
    Choice,
    Clock,
    Constant,
    Given,
    InBase,
    Items,
    Matrix,
    Node,
    Number,
    Power,
    Product,
    Ratio,
    Relation,
    SetOperation,
    Sum,
    Symbol,
    Words,
    quotient,
    walk,
)

MAX_DEPTH = 40
_VALUES = (Number, InBase, Symbol, Constant, Sum, Product, Power, Apply)


def unequal(reason: str, *flags: str) -> Comparison:
    """A refusal by the kinds of the two answers."""
    return Comparison(False, "structure", reason, flags)


@dataclass
class TreeComparison:
    """Compares trees under a policy."""

    policy: MathPolicy
    question: str = ""
    depth: int = 0

    def same(self, gold: Node, answer: Node) -> Comparison:
        if gold == answer:
            return Comparison(True, "text" if isinstance(gold, Words) else "structure")
        if self.depth > MAX_DEPTH:
            return Comparison(False, "guard", "nested too deep", ("cost_guard",))
        self.depth += 1
        found = self._same(spread(gold), spread(answer))
        self.depth -= 1
        return found

    def _same(self, gold: Node, answer: Node) -> Comparison:
        if isinstance(gold, Choice) or isinstance(answer, Choice):
            return self._choice(gold, answer)
        if isinstance(gold, Clock) or isinstance(answer, Clock):
            return same_clock(gold, answer, self.question, self.same)
        if is_region(gold) or is_region(answer):
            found = same_region(gold, answer)
            if found is not None:
                return found
        if isinstance(gold, Words) or isinstance(answer, Words):
            return self._words(gold, answer)
        if isinstance(gold, (Items, Braces)) or isinstance(answer, (Items, Braces)):
            return self._lists(gold, answer)
        if isinstance(gold, Relation) or isinstance(answer, Relation):
            return self._relations(gold, answer)
        quantity = same_quantity(gold, answer, self.same, self.policy, self.question)
        if quantity is not None:
            return quantity
        return self._structures(gold, answer)

    def _structures(self, gold: Node, answer: Node) -> Comparison:
        gold, answer = scaled_matrix(gold), scaled_matrix(answer)
        if isinstance(gold, Matrix) != isinstance(answer, Matrix):
            gold, answer = as_matrix(gold), as_matrix(answer)
        if isinstance(gold, Matrix) and isinstance(answer, Matrix):
            return self._matrices(gold, answer)
        if isinstance(gold, (Bracketed, Matrix)) and isinstance(answer, (Bracketed, Matrix)):
            return self._tuples(gold, answer)
        if isinstance(gold, Ratio) or isinstance(answer, Ratio):
            return self._ratios(gold, answer)
        if isinstance(gold, SetOperation) and isinstance(answer, SetOperation) and gold.operator == answer.operator:
            return matched(gold.sets, answer.sets, self.same)
        if isinstance(gold, Builder) and isinstance(answer, Builder):
            return in_order((gold.element, gold.condition), (answer.element, answer.condition), self.same)
        if isinstance(gold, Given) and isinstance(answer, Given):
            return in_order((gold.value, gold.condition), (answer.value, answer.condition), self.same)
        if type(gold) in _COMPOUND or type(answer) in _COMPOUND:
            return unequal(f"a {type(answer).__name__.lower()}, expected a {type(gold).__name__.lower()}")
        return self._values(gold, answer)

    def _values(self, gold: Node, answer: Node) -> Comparison:
        gold, answer = _same_unit_of_i(gold, answer)
        if infinite(gold) or infinite(answer):
            equal = infinite(gold) == infinite(answer)
            return Comparison(equal, "structure", "" if equal else "infinity equals only itself")
        found = same_value(gold, answer, self.policy)
        if found.equal is False and symbols_of(gold) != symbols_of(answer):
            return unequal("other letters", *found.flags)  # of a constant or an index the letter says nothing
        return found

    def _choice(self, gold: Node, answer: Node) -> Comparison:
        """The letter decides where the reference has one; what stands beside it must not contradict."""
        letter = _letter(gold)
        if letter is None:
            content = answer.content if isinstance(answer, Choice) else None
            return unequal("an option, expected a value") if content is None else self.same(gold, content)
        expected = gold.content if isinstance(gold, Choice) else None
        said = _letter(answer)
        if said is None:
            return unequal("no option is named") if expected is None else self.same(expected, answer)
        if said != letter:
            return unequal(f"option {said}, expected {letter}")
        content = answer.content if isinstance(answer, Choice) else None
        if expected is not None and content is not None:
            return self.same(expected, content)
        return Comparison(True, "structure")

    def _words(self, gold: Node, answer: Node) -> Comparison:
        found = same_words(gold, answer)
        if found is not None:
            return found
        if isinstance(gold, (Items, Braces)) or isinstance(answer, (Items, Braces)):
            return self._lists(gold, answer)
        if isinstance(answer, Relation):
            inside = stated(answer, self.same)
            if isinstance(inside, Stated) and inside.value != answer:
                return self.same(gold, inside.value)
        if isinstance(gold, Relation):
            inside = stated(gold, self.same, trusted=True)
            if isinstance(inside, Stated) and inside.value != gold:
                return self.same(inside.value, answer)
        return Comparison(False, "text", f"got {spelled(answer)[:80]!r}, expected {spelled(gold)[:80]!r}")

    def _lists(self, gold: Node, answer: Node) -> Comparison:
        ordered, in_turn = is_ordered(self.question), asked_in_turn(self.question)
        return listed(gold, answer, self.same, self.policy, ordered, in_turn)

    def _relations(self, gold: Node, answer: Node) -> Comparison:
        expected = stated(gold, self.same, trusted=True)
        said = stated(answer, self.same)
        if isinstance(said, Comparison):
            return said
        if isinstance(expected, Comparison):
            return expected
        if expected.name is not None and said.name is not None:
            return self._named(gold, answer, expected, said)
        left, right = expected.value, said.value
        if isinstance(gold, Relation) and isinstance(right, Bracketed) and not isinstance(left, Bracketed):
            chained = len(gold.sides) - 1 == len(right.items) > 1  # a = b = c = 1 beside (1, 1, 1)
            return in_order((left,) * len(right.items), right.items, self.same) if chained else unequal("a tuple")
        if isinstance(left, Relation) and isinstance(right, Relation):
            return self._equations(left, right)
        if isinstance(left, Relation) or isinstance(right, Relation):
            whole, other = (left, answer) if isinstance(left, Relation) else (gold, right)
            if isinstance(whole, Relation) and isinstance(other, Relation):
                return self._equations(whole, other)
            number = worth(right)
            if number is not None and not symbols_of(left):
                return self.same(left, number)
            return unequal("an equation is not a value")
        return self.same(left, right)

    def _named(self, gold: Node, answer: Node, expected: Stated, said: Stated) -> Comparison:
        """Two values with names: the names must go together, else the two are compared as equations."""
        if expected.name is not None and said.name is not None:
            if same_name(expected.name, said.name) or self.same(expected.name, said.name).equal:
                found = self.same(expected.value, renamed(expected.name, said.name, said.value))
                if found.equal is not False:
                    return found
            if isinstance(gold, Relation) and isinstance(answer, Relation):
                return self._equations(gold, answer)
        return unequal("a value for another name")

    def _equations(self, gold: Relation, answer: Relation) -> Comparison:
        if len(gold.sides) != len(answer.sides):
            return unequal("a chain of another length")
        if len(gold.sides) == 2 and all(isinstance(side, _VALUES) for side in (*gold.sides, *answer.sides)):
            return same_equation(gold, answer)
        if gold.operators != answer.operators:
            return unequal("other relations")
        return in_order(gold.sides, answer.sides, self.same)

    def _matrices(self, gold: Matrix, answer: Matrix) -> Comparison:
        if (len(gold.rows), len(gold.rows[0])) != (len(answer.rows), len(answer.rows[0])):
            return unequal("a matrix of another shape")
        return in_order(cells(gold), cells(answer), self.same)

    def _tuples(self, gold: Bracketed | Matrix, answer: Bracketed | Matrix) -> Comparison:
        """Two tuples, intervals or vectors."""
        if isinstance(gold, Bracketed) and isinstance(answer, Bracketed):
            if (gold.opening, gold.closing) != (answer.opening, answer.closing):
                return unequal("other brackets")
            if self.policy.order == "none" and gold.opening == "(" == gold.opening and gold.closing == ")":
                return matched(gold.items, answer.items, self.same)
            return in_order(gold.items, answer.items, self.same)
        for matrix in (gold, answer):
            if isinstance(matrix, Matrix) and 1 not in (len(matrix.rows), len(matrix.rows[0])):
                return unequal("a matrix is not a tuple")
        return in_order(cells(gold), cells(answer), self.same)

    def _ratios(self, gold: Node, answer: Node) -> Comparison:
        left = gold.parts if isinstance(gold, Ratio) else (gold,)
        right = answer.parts if isinstance(answer, Ratio) else (answer,)
        if len(left) == len(right):
            pairs = [
                (quotient(one, left[0]), quotient(other, right[0]))
                for one, other in zip(left[1:], right[1:], strict=True)
            ]
            return in_order(tuple(one for one, _ in pairs), tuple(other for _, other in pairs), self.same)
        if sorted((len(left), len(right))) != [1, 2]:
            return unequal("a ratio of another length")
        one, other = (quotient(*parts) if len(parts) == 2 else parts[0] for parts in (left, right))
        if type(one) in _COMPOUND or type(other) in _COMPOUND:
            return unequal("a ratio is not that")
        return self.same(one, other)


_COMPOUND = frozenset({Bracketed, Matrix, SetOperation, Builder, Given, Ratio, Relation, Items, Braces, Words})


def _letter(node: Node) -> str | None:
    """The option that a tree names."""
    if isinstance(node, Choice):
        return node.letter
    if isinstance(node, Symbol) and len(node.name) == 1 and node.name.upper() in "ABCDEFGHIJ":
        return node.name.upper()
    if isinstance(node, Words) and len(node.text) == 1:
        return node.text.upper()
    return None


def _same_unit_of_i(gold: Node, answer: Node) -> tuple[Node, Node]:
    """A capital I as the imaginary unit where the other side writes i."""
    capital: dict[str, Node] = {"I": Constant("i")}
    if "I" in symbols_of(answer) and "I" not in symbols_of(gold) and Constant("i") in walk(gold):
        return gold, substituted(answer, capital)
    if "I" in symbols_of(gold) and "I" not in symbols_of(answer) and Constant("i") in walk(answer):
        return substituted(gold, capital), answer
    return gold, answer
