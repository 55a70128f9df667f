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
from fractions import Fraction
from functools import lru_cache

from rlenv.envs.math.comparing.equations import is_name
from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.comparing.values import guarded, symbols_of
from rlenv.envs.math.form.asked import asked
from rlenv.envs.math.form.faults import Fault, Sides, faults, mixed_fault
from rlenv.envs.math.form.flat import flat
from rlenv.envs.math.form.structure import is_solved
from rlenv.envs.math.reading.answer import read
from rlenv.envs.math.reading.nodes import Choice, Clock, Items, Node, Number, Ratio, Relation, Words, children
from rlenv.text.formulas import formulas

_PLAIN = re.compile(r"\s*-?[0-9]{1,30}\s*")  # 42
WORDLIKE = (Words, Choice, Clock)


def fault(gold: str, answer: str, question: str) -> Fault | None:
    """What is wrong with the form of an answer that equals the reference; None where nothing is."""
    if answer == gold or (_PLAIN.fullmatch(answer) and _PLAIN.fullmatch(gold)):
        return None
    sides = _sides(gold, answer)
    whole = flat(_stated(_read(answer)))
    if sides is None or (sides.gold == sides.said and is_solved(whole)):
        return mixed_fault(answer, question) if sides else None
    found = next(faults(sides, question), None) if sides.gold != sides.said else None
    if any(
        (found or _is_open(said, question)) and said in _shapes(question) for said in {whole, sides.said} - {sides.gold}
    ):
        return Fault("echo", "the question's own expression")
    return found


def _sides(gold: str, answer: str) -> Sides | None:
    """None for words, and for what would cost too much."""
    expected, said = _read(gold), _read(answer)
    if isinstance(expected, WORDLIKE) or isinstance(said, WORDLIKE) or guarded(expected) or guarded(said):
        return None
    return Sides(flat(_stated(expected)), flat(_stated(said, isinstance(expected, Relation))), gold, answer)


def _read(text: str) -> Node:
    """The tree; 18:24 is a ratio here, whichever time of day it may be."""
    node = read(text)
    parts = node.written.split(":") if isinstance(node, Clock) and not node.half else []
    return Ratio(tuple(Number(Fraction(part)) for part in parts)) if all(map(str.isdecimal, parts or "-")) else node


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
