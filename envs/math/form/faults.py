r"""Whether an answer of the right value is finished: not the question again, nothing left undone, in the form asked.

>>> def said(question, reference, *answers):
...     return [found.flag if (found := fault(reference, answer, question)) else "" for answer in answers]
>>> said(r"Simplify $\sqrt{72}$.", r"6\sqrt{2}", r"\sqrt{72}", r"2\sqrt{18}", r"\sqrt2\cdot6")
['echo', 'left_undone', '']
>>> said(r"Write $\frac{3}{20}$ as a decimal.", "0.15", r"\frac{3}{20}", ".15"), said("How many?", "10", r"\binom52")
(['echo', ''], [''])

The trees decide. What the answer leaves to be worked out is compared with what the reference leaves; how its numbers
are written and how it is built, with the reference's way. The words of the question only say which of these matter,
and never ask for what the reference itself does not have.

What can be wrong with the form of an answer, each from the trees first and then from the words of the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rlenv.envs.math.equality import compare
from rlenv.envs.math.equality.equations import is_name
from rlenv.envs.math.equality.exact import rational
from rlenv.envs.math.equality.quantities import as_ratio
from rlenv.envs.math.equality.values import guarded, symbols_of
from rlenv.envs.math.form.asked import asked
from rlenv.envs.math.form.flat import flat
from rlenv.envs.math.form.pending import pending
from rlenv.envs.math.form.shapes import (
    PLAIN,
    WHOLE,
    brackets,
    common_divisor,
    degrees,
    factor_count,
    features,
    is_solved,
    kinds,
)
from rlenv.envs.math.grammar.answer import read
from rlenv.envs.math.grammar.names import SCALES
from rlenv.envs.math.grammar.nodes import (
    MINUS_ONE,
    Apply,
    Choice,
    Clock,
    Constant,
    InBase,
    Items,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Relation,
    Sum,
    Words,
    children,
    walk,
)
from rlenv.text.formulas import formulas

_SCALED = re.compile(rf"\b(?:{'|'.join(SCALES)})s?\b", re.IGNORECASE)  # 5 million
_SIGNS = frozenset("+-−")
_REDUCTIONS = frozenset({"unreduced", "root below", "radical", "powers", "nested"})
"""What only a question for a simple form asks to be done."""
_ARITHMETIC = frozenset({"sum", "product"})
"""What no question asks to be left: a sum or product of plain numbers, where the reference is one number."""
MAX_EQUAL = 12
"""How many expressions of a question are compared with the reference."""


class Fault(NamedTuple):
    """`flag` is echo, left_undone or other_form."""

    flag: str
    reason: str


class Sides(NamedTuple):
    """Reference and answer as flat trees, without a name before the value, and their texts."""

    gold: Node
    said: Node
    gold_text: str
    said_text: str


def faults(sides: Sides, question: str) -> Iterator[Fault]:
    """Each fault of an answer that equals the reference."""
    yield from _written(sides, question)
    yield from _built(sides, question)
    left = _undone(sides)
    if left:
        left = _to_be_done(left, sides, question)
    if left:
        yield Fault("left_undone", f"left undone: {', '.join(sorted(left))}")


def _to_be_done(left: Counter[str], sides: Sides, question: str) -> Counter[str]:
    """What of the operations left undone the question asks to be carried out."""
    want = asked(question)
    simple = want.reduced or want.rational or want.single
    asks = simple or want.carried_out or want.factored or want.expanded or want.kind or want.named
    if not asks and not _holds_the_value(question, sides.gold_text):
        kept = {"sum below a root"} if children(sides.gold) else _ARITHMETIC | {"sum below a root"}
        return Counter({name: count for name, count in left.items() if name in kept})
    spared = set() if simple else set(_REDUCTIONS)
    if not want.rational:
        spared.add("root below")
    return Counter({name: count for name, count in left.items() if name not in spared})


def _undone(sides: Sides) -> Counter[str]:
    """What the answer leaves to be carried out and the reference does not. Primes are a number taken apart."""
    if "primes" in kinds(sides.gold, sides.gold_text) & kinds(sides.said, sides.said_text):
        return Counter()
    left, expected = pending(sides.said), pending(sides.gold)
    if _SCALED.search(sides.said_text):
        left = left - Counter({"product": 1})
    if isinstance(sides.said, Quantity) and not _SIGNS & set(sides.said_text):
        left = left - Counter({"product": 1, "sum": 1})
    return Counter(
        {
            name: count
            for name, count in (left - expected).items()
            if name != "functions" or not expected[name] or count > 1
        }
    )


def _written(sides: Sides, question: str) -> Iterator[Fault]:
    """Numbers in another way than the question names and the reference has."""
    if degrees(sides.said) and not degrees(sides.gold) and asked(question).radians:
        yield Fault("other_form", "degrees, where radians are asked for")
    if Constant("pi") in {*walk(sides.said)} - {*walk(sides.gold)} and asked(question).degrees:
        yield Fault("other_form", "radians, where degrees are asked for")
    expected, said = kinds(sides.gold, sides.gold_text), kinds(sides.said, sides.said_text)
    if expected == said or not said:
        return
    based = any(kind.startswith("base ") for kind in expected | said)
    if based or (not expected <= {WHOLE} and _differ(expected, said, question)):
        yield Fault("other_form", f"{_listed(said)}, where {_listed(expected)} is asked for")


def _differ(expected: frozenset[str], said: frozenset[str], question: str) -> bool:
    """Whether a special way to write numbers is missing, or another than the reference's is there, and one is asked."""
    if {"ratio", "fraction"} >= expected | said or not (expected - PLAIN - said or said - expected - {WHOLE}):
        return False
    mixed = expected == {"fraction"} and said == {"mixed number"}
    return asked(question).kind and not (mixed and not asked(question).reduced)


def _built(sides: Sides, question: str) -> Iterator[Fault]:
    """Another structure than the question names and the reference has."""
    gold, said = sides.gold, sides.said
    unfactored = factor_count(said) < factor_count(gold) or common_divisor(said) > common_divisor(gold)
    if unfactored and factor_count(gold) > 1 and asked(question).factored:
        yield Fault("left_undone", "not factored as far as the reference is")
    if brackets(said) > brackets(gold) and asked(question).expanded:
        yield Fault("left_undone", "brackets are not multiplied out")
    if isinstance(said, Sum) and not isinstance(gold, Sum) and asked(question).single:
        yield Fault("left_undone", "several terms, where a single one is asked for")
    if _is_relation(gold) != _is_relation(said) and asked(question).region:
        yield Fault("other_form", "an interval, where an inequality is asked for, or the other way")
    if is_solved(gold) and not is_solved(said) and (asked(question).solved or asked(question).named):
        yield Fault("left_undone", "not solved for the unknown")
    missing = features(gold) - features(said)
    if missing and asked(question).named:
        yield Fault("other_form", f"no {_listed(missing)}, which the form asked for has")


def _is_relation(node: Node) -> bool:
    return any(isinstance(part, Relation) and part.operators != ("in",) for part in walk(node))


def _listed(names: frozenset[str]) -> str:
    return " and ".join(sorted(names)) or "an expression"


@lru_cache(maxsize=1024)
def _holds_the_value(question: str, gold: str) -> bool:
    """Whether an expression of the question is worth the reference: then working it out is the task."""
    open_ones = (text for text in formulas(question) if _open_text(text))
    return any(compare(gold, text).equal for text, _ in zip(open_ones, range(MAX_EQUAL), strict=False))


def _open_text(text: str) -> bool:
    node = read(text)
    return not guarded(node) and bool(pending(flat(node)))


WORDLIKE = (Words, Choice, Clock)


def fault(gold: str, answer: str, question: str) -> Fault | None:
    """What is wrong with the form of an answer that equals the reference; None where nothing is."""
    if answer == gold or (_is_whole(answer) and _is_whole(gold)):
        return None
    sides = _sides(gold, answer)
    whole = flat(_stated(_read(answer)))
    if sides is None or (sides.gold == sides.said and is_solved(whole)):
        return None
    found = next(faults(sides, question), None) if sides.gold != sides.said else None
    if any(
        (found or _is_open(said, question)) and said in _shapes(question) for said in {whole, sides.said} - {sides.gold}
    ):
        return Fault("echo", "the question's own expression")
    return found


def number_fault(gold: str, answer: str) -> Fault | None:
    """A value that is left to be worked out: its last side states neither a number nor, beside a fraction, one.

    >>> [number_fault("22", said) is None for said in ("22", "72 - 50 = 22", "6*12-50", r"\\frac{44}{2}", r"22\\%")]
    [True, True, False, False, True]
    """
    written = _SCALED.search(answer) or _is_written(_stated(_read(answer), related=False), rational(_read(gold)))
    return None if written else Fault("left_undone", f"{answer[:80]!r} has the right value, but is not a number")


def _is_written(node: Node, gold: Fraction | None) -> bool:
    match node:
        case Number() | InBase() | Words() | Clock():
            return True
        case Quantity(value, _) | Apply("percent" | "degree", (value,)):
            return _is_written(value, gold)
        case Product((sign, value)) if sign == MINUS_ONE:
            return _is_written(value, gold)
        case Product((Number(), Power(Number(), exponent))) if exponent == MINUS_ONE:
            return gold is None or gold.denominator > 1
    return False


def _is_whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


def _sides(gold: str, answer: str) -> Sides | None:
    """None for words, and for what would cost too much."""
    expected, said = _read(gold), _read(answer)
    if isinstance(expected, WORDLIKE) or isinstance(said, WORDLIKE) or guarded(expected) or guarded(said):
        return None
    return Sides(flat(_stated(expected)), flat(_stated(said, isinstance(expected, Relation))), gold, answer)


def _read(text: str) -> Node:
    node = read(text)
    return as_ratio(node) or node


def _stated(node: Node, related: bool = True) -> Node:
    """The value behind a name or a chain of equal signs. A relation without a name stays where it is `related` to one
    that the reference states."""
    if isinstance(node, Items):
        return Items(tuple(_stated(item) for item in node.items), node.word)
    if not isinstance(node, Relation) or any(operator not in {"=", "~", "in"} for operator in node.operators):
        return node
    sides = node.sides[: node.operators.index("~") + 1] if "~" in node.operators[1:] else node.sides
    first, last = sides[0], sides[-1]
    if is_name(first) and not symbols_of(first) & symbols_of(last):
        return last
    return node if related else last


def _is_open(said: Node, question: str) -> bool:
    """Whether an expression of the question leaves something to do: it has symbols, is not solved, or is no rational
    number where the question asks to do anything."""
    if isinstance(said, Relation):
        return not is_solved(said)
    return bool(symbols_of(said)) or (bool(children(said)) and rational(said) is None and any(asked(question)))


@lru_cache(maxsize=1024)
def _shapes(question: str) -> frozenset[Node]:
    """The flat trees of the question's expressions."""
    return frozenset(flat(node) for node in map(_read, formulas(question)) if not isinstance(node, WORDLIKE))
