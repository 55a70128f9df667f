r"""Letters that the answer is free to choose: constants of integration, parameters, what a family runs over.

>>> from rlenv.envs.math.grammar.answer import read
>>> sorted(letters_of("Solve $y' = 2x$, for a car.")), sorted(free(read("x^2 + C"), read("x^2 + K"), "Find $y(x)$."))
(['a', 'x', 'y', "y'"], [{'K': Symbol(name='C')}])

A letter is free where the question does not have it and the other side has another one in its place. The two must
share a letter of the question, or say what their letter runs over: 5m and 5s are no family.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

from rlenv.envs.math.equality.equations import is_name, substituted
from rlenv.envs.math.equality.numeric import Undefined, evaluate
from rlenv.envs.math.equality.policy import Comparison
from rlenv.envs.math.equality.values import guarded, points, symbols_of
from rlenv.envs.math.grammar.answer import read
from rlenv.envs.math.grammar.nodes import (
    Apply,
    Constant,
    Given,
    Items,
    Node,
    Product,
    Relation,
    Sum,
    Symbol,
    negative,
    walk,
)
from rlenv.text.formulas import formulas

MAX_FREE = 3
_COMMAND = re.compile(r"\\[A-Za-z]+")  # \pmod
_ALONE = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")  # the x of "in terms of x"


@lru_cache(maxsize=512)
def letters_of(question: str) -> frozenset[str]:
    """The letters that a question uses, in its mathematics and alone between words."""
    found = set(_ALONE.findall(question))
    for formula in formulas(question):
        node = read(formula)
        found |= symbols_of(node) or set(filter(str.isalpha, _COMMAND.sub("", formula)))
    return frozenset(found)


def free(gold: Node, answer: Node, question: str) -> list[dict[str, Node]]:
    """The ways to call the answer's free letters as the reference does; empty where the two share no ground."""
    left, right = _symbols(gold), _symbols(answer)
    own, others = sorted(left - right), sorted(right - left)
    if not left or len(own) != len(others) or len(own) > MAX_FREE:
        return []
    asked = letters_of(question)
    runs = bool(_domain(gold) and _domain(answer))
    shared = left & right & asked and not (_is_measured(gold, asked) or _is_measured(answer, asked))
    if not (runs or shared) or asked & {*own, *others}:
        return []
    return [dict(zip(others, map(Symbol, order), strict=True)) for order in permutations(own)]


def same_family(gold: Node, answer: Node, question: str, same: Callable[[Node, Node], Comparison]) -> Comparison | None:
    """Equal under other names for what is free, by a constant or by a shift of what runs over the integers."""
    for names in free(gold, answer, question):
        renamed = substituted(answer, names)
        found = same(gold, renamed) if names else None
        if found is not None and found.equal:
            return found
        if _by_a_constant(gold, renamed, question) or _by_a_shift(gold, renamed):
            return Comparison(True, "numeric")
    return None


def _symbols(node: Node) -> frozenset[str]:
    called = {part.name for part in walk(node) if isinstance(part, Apply) and not part.known}
    return frozenset(called | {part.name for part in walk(node) if isinstance(part, Symbol)})


def _is_measured(node: Node, asked: frozenset[str]) -> bool:
    """Whether a value is numbers times letters that the question does not have: a unit perhaps, as in v = 5 m/s."""
    if isinstance(node, Items):
        return any(_is_measured(item, asked) for item in node.items)
    value = node.sides[-1] if isinstance(node, Relation) else node
    return isinstance(value, Product) and bool(symbols_of(value)) and not symbols_of(value) & asked


def _domain(node: Node) -> str:
    """The letter that a tree says runs over all integers; empty where it says none, or bounds it."""
    relations = [part for part in walk(node) if isinstance(part, Relation) and part.operators != ("=",)]
    if len(relations) != 1 or relations[0].operators != ("in",) or relations[0].sides[1] != Constant("integers"):
        return ""
    letter = relations[0].sides[0]
    return letter.name if isinstance(letter, Symbol) else ""


def _value(node: Node) -> Node:
    """What a family's values are: without the name before them and the domain behind."""
    if isinstance(node, Given):
        node = node.value
    if isinstance(node, Items):
        kept = [item for item in node.items if not (isinstance(item, Relation) and item.operators == ("in",))]
        node = kept[0] if len(kept) == 1 else node
    if isinstance(node, Relation) and node.operators == ("=",) and is_name(node.sides[0]):
        return node.sides[1]
    return node


def _by_a_constant(gold: Node, answer: Node, question: str) -> bool:
    """Whether both are sums with one free letter alone, and differ by a number: ln 2x + C and ln x + C."""
    gold, answer = _value(gold), _value(answer)
    if not isinstance(gold, Sum) or not isinstance(answer, Sum):
        return False
    alone = {term for term in gold.terms if isinstance(term, Symbol) and term.name not in letters_of(question)}
    if len(alone) != 1 or not alone <= {*answer.terms}:
        return False
    return len({*_at_points(Sum((gold, negative(answer))), symbols_of(gold) | symbols_of(answer))}) == 1


def _at_points(node: Node, names: frozenset[str]) -> Iterator[str]:
    """The value to 12 digits at the points where it has one."""
    if guarded(node):
        return
    for point in points(names, repr(node)):
        try:
            value = evaluate(node, point, 60)
        except Undefined:
            continue
        yield f"{float(value.real):.12g} {float(value.imag):.12g}"


def _by_a_shift(gold: Node, answer: Node) -> bool:
    """Whether both run over the same numbers as one letter runs over the integers: 4k + 1 and 4k - 3."""
    letter = _domain(gold)
    if not letter or letter != _domain(answer):
        return False
    lines = []
    for node in (_value(gold), _value(answer)):
        if symbols_of(node) != {letter} or guarded(node):
            return False
        try:
            at = [evaluate(node, {letter: Fraction(number)}, 40) for number in range(3)]
        except Undefined:
            return False
        if abs(at[2] - 2 * at[1] + at[0]) > 1e-25 or abs(at[1] - at[0]) < 1e-25:
            return False
        lines.append((at[0], at[1] - at[0]))
    (start, step), (other, other_step) = lines
    shift = (other - start) / step
    return bool(abs(abs(step) - abs(other_step)) < 1e-25 and abs(shift - round(float(shift.real))) < 1e-25)
