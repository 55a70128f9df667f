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
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rlenv.envs.math.comparing import compare
from rlenv.envs.math.comparing.equations import is_name
from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.comparing.values import guarded, symbols_of
from rlenv.envs.math.form.asked import Asked, asked
from rlenv.envs.math.form.flat import flat, walk
from rlenv.envs.math.form.kinds import PLAIN, WHOLE, degrees, kinds
from rlenv.envs.math.form.pending import pending
from rlenv.envs.math.form.structure import brackets, common_divisor, factor_count, features, is_solved
from rlenv.envs.math.reading.answer import read
from rlenv.envs.math.reading.names import SCALES
from rlenv.envs.math.reading.nodes import (
    Apply,
    Choice,
    Clock,
    Constant,
    InBase,
    Items,
    Node,
    Number,
    Quantity,
    Ratio,
    Relation,
    Sum,
    Words,
    children,
)
from rlenv.text.formulas import formulas

_PLAIN = re.compile(r"\s*-?[0-9]{1,30}\s*")  # 42
_SCALED = re.compile(rf"\b(?:{'|'.join(SCALES)})s?\b", re.IGNORECASE)  # 5 million
_WORDLIKE = (Words, Choice, Clock)
_REDUCTIONS = frozenset({"unreduced", "root below", "radical", "denominator", "powers", "nested"})
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


def fault(gold: str, answer: str, question: str) -> Fault | None:
    """What is wrong with the form of an answer that equals the reference; None where nothing is."""
    if answer == gold or (_PLAIN.fullmatch(answer) and _PLAIN.fullmatch(gold)):
        return None
    sides = _sides(gold, answer)
    if sides is None or sides.gold == sides.said:
        return None
    found = next(_faults(sides, asked(question), question, gold), None)
    whole = flat(_stated(_read(answer)))
    if any(_is_open(said, found) for said in {whole, sides.said} & _shapes(question)):
        return Fault("echo", "the question's own expression")
    return found


def _sides(gold: str, answer: str) -> Sides | None:
    """None for words, and for what would cost too much."""
    expected, said = _read(gold), _read(answer)
    if isinstance(expected, _WORDLIKE) or isinstance(said, _WORDLIKE) or guarded(expected) or guarded(said):
        return None
    return Sides(flat(_stated(expected)), flat(_stated(said, isinstance(expected, Relation))), gold, answer)


def _read(text: str) -> Node:
    """The tree; 18:24 is a ratio here, whichever time of day it may be."""
    node = read(text)
    parts = node.written.split(":") if isinstance(node, Clock) and not node.half else []
    return Ratio(tuple(Number(Fraction(part)) for part in parts)) if all(map(str.isdigit, parts or "-")) else node


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


def _is_open(said: Node, found: Fault | None) -> bool:
    """Whether an expression of the question leaves something to do: it is at fault, has symbols, or is not solved."""
    return found is not None or (not is_solved(said) if isinstance(said, Relation) else bool(symbols_of(said)))


def _faults(sides: Sides, want: Asked, question: str, gold: str) -> Iterator[Fault]:
    yield from _written(sides, want)
    yield from _built(sides, want)
    left = _undone(sides)
    if left and not (any(want[:6]) or want.kind or want.named or _holds_the_value(question, gold)):
        left = Counter({name: left[name] for name in _ARITHMETIC & left.keys() if not children(sides.gold)})
    if not (want.reduced or want.rational or want.single):
        left = Counter({name: count for name, count in left.items() if name not in _REDUCTIONS})
    if not want.rational:
        left.pop("root below", None)
    if left:
        yield Fault("left_undone", f"left undone: {', '.join(sorted(left))}")


def _undone(sides: Sides) -> Counter[str]:
    """What the answer leaves to be carried out and the reference does not. Primes are a number taken apart."""
    if "primes" in kinds(sides.gold, sides.gold_text) & kinds(sides.said, sides.said_text):
        return Counter()
    left, expected = pending(sides.said), pending(sides.gold)
    if _SCALED.search(sides.said_text):
        left = left - Counter({"product": 1})
    if isinstance(sides.said, Quantity) and not set("+-−") & set(sides.said_text):
        left = left - Counter({"product": 1, "sum": 1})
    return Counter(
        {
            name: count
            for name, count in (left - expected).items()
            if name != "functions" or not expected[name] or count > 1
        }
    )


def _written(sides: Sides, want: Asked) -> Iterator[Fault]:
    """Numbers in another way than the question names and the reference has."""
    if want.radians and degrees(sides.said) and not degrees(sides.gold):
        yield Fault("other_form", "degrees, where radians are asked for")
    if want.degrees and _holds_pi(sides.said) and not _holds_pi(sides.gold):
        yield Fault("other_form", "radians, where degrees are asked for")
    expected, said = kinds(sides.gold, sides.gold_text), kinds(sides.said, sides.said_text)
    if expected == said or not said or _same_digits(sides):
        return
    based = any(kind.startswith("base ") for kind in expected | said)
    if not want.reduced and expected == {"fraction"} and said == {"mixed number"}:
        return
    if based or (want.kind and not expected <= {WHOLE} and _differ(expected, said)):
        yield Fault("other_form", f"{_listed(said)}, where {_listed(expected)} is asked for")


def _differ(expected: frozenset[str], said: frozenset[str]) -> bool:
    """Whether a special way to write numbers is missing, or another than the reference's is there."""
    if {"ratio", "fraction"} >= expected | said:
        return False
    return bool(expected - PLAIN - said or said - expected - {WHOLE})


def _same_digits(sides: Sides) -> bool:
    """Whether a percent sign or a base is all that one of the two leaves out."""
    digits = {_percent(sides.gold), _percent(sides.said)}
    if len({_is_percent(sides.gold), _is_percent(sides.said)}) == 2:
        return len(digits) == 1 and None not in digits
    if len({isinstance(sides.gold, InBase), isinstance(sides.said, InBase)}) == 1:
        return False
    return _digits(sides.gold) == _digits(sides.said) != ""


def _is_percent(node: Node) -> bool:
    return isinstance(node, Apply) and node.name == "percent"


def _percent(node: Node) -> Fraction | None:
    return rational(node.args[0] if isinstance(node, Apply) and _is_percent(node) else node)


def _digits(node: Node) -> str:
    if isinstance(node, Number):
        return str(node.value)
    return node.digits if isinstance(node, InBase) else ""


def _holds_pi(node: Node) -> bool:
    return any(part == Constant("pi") for part in walk(node))


def _built(sides: Sides, want: Asked) -> Iterator[Fault]:
    """Another structure than the question names and the reference has."""
    gold, said = sides.gold, sides.said
    unfactored = factor_count(said) < factor_count(gold) or common_divisor(said) > common_divisor(gold)
    if want.factored and factor_count(gold) > 1 and unfactored:
        yield Fault("left_undone", "not factored as far as the reference is")
    if want.expanded and brackets(said) > brackets(gold):
        yield Fault("left_undone", "brackets are not multiplied out")
    if want.single and isinstance(said, Sum) and not isinstance(gold, Sum):
        yield Fault("left_undone", "several terms, where a single one is asked for")
    if want.region and _is_relation(gold) != _is_relation(said):
        yield Fault("other_form", "an interval, where an inequality is asked for, or the other way")
    if (want.solved or want.named) and is_solved(gold) and not is_solved(said):
        yield Fault("left_undone", "not solved for the unknown")
    if want.named and features(gold) - features(said) - {"solved"}:
        yield Fault("other_form", f"no {_listed(features(gold) - features(said))}, which the form asked for has")


def _is_relation(node: Node) -> bool:
    return any(isinstance(part, Relation) and part.operators != ("in",) for part in walk(node))


def _listed(names: frozenset[str]) -> str:
    return " and ".join(sorted(names)) or "an expression"


@lru_cache(maxsize=1024)
def _shapes(question: str) -> frozenset[Node]:
    """The flat trees of the question's expressions."""
    return frozenset(flat(node) for node in map(_read, formulas(question)) if not isinstance(node, _WORDLIKE))


@lru_cache(maxsize=1024)
def _holds_the_value(question: str, gold: str) -> bool:
    """Whether an expression of the question is worth the reference: then working it out is the task."""
    open_ones = (text for text in formulas(question) if _open_text(text))
    return any(compare(gold, text).equal for text, _ in zip(open_ones, range(MAX_EQUAL), strict=False))


def _open_text(text: str) -> bool:
    node = read(text)
    return not isinstance(node, _WORDLIKE) and not guarded(node) and bool(pending(flat(node)))
