r"""Whether an answer of the right value is finished: not the question again, nothing left undone, in the form asked for.

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
from rlenv.envs.math.comparing.values import guarded, symbols_of
from rlenv.envs.math.form.asked import Asked, asked
from rlenv.envs.math.form.flat import flat
from rlenv.envs.math.form.kinds import PLAIN, WHOLE, degrees, kinds
from rlenv.envs.math.form.pending import pending
from rlenv.envs.math.form.structure import brackets, common_divisor, factor_count, features, is_solved
from rlenv.envs.math.reading.answer import read
from rlenv.envs.math.reading.nodes import Choice, Clock, Items, Node, Number, Ratio, Relation, Sum, Words
from rlenv.text.formulas import formulas

_PLAIN = re.compile(r"\s*-?[0-9]{1,30}\s*")  # 42
_WORDLIKE = (Words, Choice, Clock)
_REDUCTIONS = frozenset({"unreduced", "root below", "root", "denominator", "powers", "nested"})
"""What only a question for a simple form asks to be done."""
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
    echoed = flat(_stated(_read(answer))) in _shapes(question) or sides.said in _shapes(question)
    if echoed and (found or _is_open(sides)):
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


def _is_open(sides: Sides) -> bool:
    """Whether an expression of the question is more than a finished value: it has symbols, and is not solved."""
    if isinstance(sides.said, Relation):
        return not is_solved(sides.said)
    return bool(symbols_of(sides.said)) and bool(sides.said != sides.gold)


def _faults(sides: Sides, want: Asked, question: str, gold: str) -> Iterator[Fault]:
    yield from _written(sides, want)
    yield from _built(sides, want)
    left = _undone(sides)
    if not left:
        return
    kept = left if want.carried_out or want.kind or _holds_the_value(question, gold) else Counter[str]()
    if not want.reduced and not want.rational:
        kept = Counter({name: count for name, count in kept.items() if name not in _REDUCTIONS})
    if not want.rational:
        kept.pop("root below", None)
    if want.named:
        kept.pop("brackets", None)
    if kept:
        yield Fault("left_undone", f"left undone: {', '.join(sorted(kept))}")


def _undone(sides: Sides) -> Counter[str]:
    """What the answer leaves to be carried out and the reference does not."""
    left, expected = pending(sides.said), pending(sides.gold)
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
    if not want.kind and not want.reduced:
        return
    expected, said = kinds(sides.gold, sides.gold_text), kinds(sides.said, sides.said_text)
    special = {kind for kind in expected if kind not in PLAIN}
    if not want.kind or not said or expected == said or (expected <= {WHOLE} and not _based(said)):
        return
    if special - said or said - expected - {WHOLE} - ({"fraction"} if "ratio" in expected else set()):
        yield Fault("other_form", f"{_listed(said)}, where the question asks for {_listed(expected)}")


def _based(said: frozenset[str]) -> bool:
    return any(kind.startswith("base ") for kind in said)


def _built(sides: Sides, want: Asked) -> Iterator[Fault]:
    """Another structure than the question names and the reference has."""
    gold, said = sides.gold, sides.said
    if want.factored and factor_count(gold) > 1:
        if factor_count(said) < factor_count(gold) or common_divisor(said) > common_divisor(gold):
            yield Fault("left_undone", "not factored as far as the reference is")
    if want.expanded and brackets(said) > brackets(gold):
        yield Fault("left_undone", "brackets are not multiplied out")
    if want.single and isinstance(said, Sum) and not isinstance(gold, Sum):
        yield Fault("left_undone", "several terms, where a single one is asked for")
    if (want.solved or want.named) and is_solved(gold) and not is_solved(said):
        yield Fault("left_undone", "not solved for the unknown")
    if want.named and features(gold) - features(said) - {"solved"}:
        yield Fault("other_form", f"no {_listed(features(gold) - features(said))}, which the form asked for has")


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


