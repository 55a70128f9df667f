"""What holds for every answer: judged by value, not by form; the same both ways; any text answered, at bounded work.

Values are drawn as plain Python objects (a Fraction, a tuple, a frozenset ...), whose own `==` is the judge, and
written down in two ways: as the reference, and as a completion that rewrites it harmlessly.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import few_calls

from rlenv import Completion, Task, Verdict
from rlenv.envs.math import verify
from rlenv.envs.math.verifier import MathVerifier

JUDGE = MathVerifier()
JUDGE.verify(Task("?", "\\sin 1"), Completion("\\boxed{\\cos 2}"))  # the first import is no work of a text
MOST_CALLS = 1_000_000
"""What the cheap tiers may call for one text, whatever it holds: a few tenths of a second."""
ANY_TEXT = st.text(st.characters(exclude_categories=()))
SOUP = st.lists(
    st.sampled_from(
        [
            *("\\frac", "\\sqrt", "\\boxed{", "\\left(", "\\right)", "\\begin{pmatrix}", "\\end{pmatrix}", "\\text{"),
            *("\\sum_{k=1}^{9}", "\\int", "\\binom", "\\infty", "\\pi", "\\le", "\\cup", "\\in", "\\pm", "\\\\", "\\"),
            *("{", "}", "(", ")", "[", "]", "|", "^", "_", "!", "%", "\\%", "$", "&", "=", "<", ">", "+", "-", "*"),
            *("/", ",", ";", ":", ".", " ", "\n", "0", "1", "7", "10", "99", "x", "y", "n", "e", "i", "sin", "log"),
            *("\0", "\u202e", "\ud800", "\udfff", "\u200b", "\u00bd", "\u221e", "\uff11", "cm", "PM", "or", "and"),
            *("The answer is ", "####", "<think>", "</think>", "<answer>", "</answer>", "9^9^9", "(10^8)!"),
        ]
    ),
    max_size=40,
).map("".join)


# What a value looks like as a reference.
def number(value: Fraction) -> str:
    sign, top, bottom = "-" * (value < 0), abs(value.numerator), value.denominator
    return f"{sign}{top}" if bottom == 1 else f"{sign}\\frac{{{top}}}{{{bottom}}}"


def polynomial(coefficients: tuple[int, ...]) -> str:
    """From the highest power to the constant."""
    powers = [(c, len(coefficients) - 1 - i) for i, c in enumerate(coefficients) if c]
    return _sum([f"{c}x^{{{power}}}" if power > 1 else f"{c}x" if power else str(c) for c, power in powers])


def _sum(terms: list[str]) -> str:
    return "+".join(terms).replace("+-", "-") or "0"


@dataclass(frozen=True)
class Interval:
    low: Fraction
    high: Fraction
    closed: tuple[bool, bool]

    def __str__(self) -> str:
        return f"{'(['[self.closed[0]]}{number(self.low)},{number(self.high)}{')]'[self.closed[1]]}"


@dataclass(frozen=True)
class Bound:
    sign: str
    value: Fraction

    def __str__(self) -> str:
        return f"x {self.sign} {number(self.value)}"


def matrix(rows: tuple[tuple[int, ...], ...]) -> str:
    inner = "\\\\".join("&".join(map(str, row)) for row in rows)
    return f"\\begin{{pmatrix}}{inner}\\end{{pmatrix}}"


integers = st.integers(-99, 99)
rationals = st.builds(Fraction, integers, st.integers(1, 40))
intervals = st.builds(
    lambda ends, closed: Interval(min(ends), max(ends), closed),
    st.lists(rationals, min_size=2, max_size=2, unique=True),
    st.tuples(st.booleans(), st.booleans()),
)
KINDS: dict[str, tuple[st.SearchStrategy[object], Callable[..., str]]] = {
    "number": (st.builds(Fraction, st.integers(-(10**9), 10**9), st.sampled_from([1, 1, 3, 8, 250, 997])), number),
    "tuple": (st.tuples(rationals, rationals, rationals), lambda v: f"({','.join(map(number, v))})"),
    "set": (
        st.frozensets(rationals, min_size=1, max_size=4),
        lambda v: f"\\{{{','.join(map(number, sorted(v)))}\\}}",
    ),
    "interval": (intervals, str),
    "bound": (st.builds(Bound, st.sampled_from(["<", ">", "\\le", "\\ge"]), rationals), str),
    "polynomial": (st.tuples(integers.filter(bool), integers, integers, integers), polynomial),
    "matrix": (st.tuples(st.tuples(integers, integers), st.tuples(integers, integers)), matrix),
}


# What a person or a model may do to the writing without changing what is meant.
REWRITINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda said: said,
    "spaces": lambda said: re.sub(r"(?<=[\d}x])([-+,=])(?=[\d\\x])", r" \1 ", said),
    "tall fractions": lambda said: said.replace("\\frac", "\\dfrac"),
    "small fractions": lambda said: said.replace("\\frac", "\\tfrac"),
    "sized brackets": lambda said: re.sub(
        r"(\\)?([(\[{]|[)\]}])",
        lambda m: m[0] if m[2] in "{}" and not m[1] else f"\\{'left' if m[2] in '([{' else 'right'}{m[0]}",
        said,
    ),
    "thin spaces": lambda said: said.replace(",", ",\\,").replace("+", "\\;+\\;"),
    "one dollar": lambda said: f"${said}$",
    "brackets of display": lambda said: f"\\[ {said} \\]",
    "display style": lambda said: f"\\displaystyle {said}",
    "full stop": lambda said: f"{said}.",
    "bold": lambda said: f"\\mathbf{{{said}}}",
}


def reward(gold: str, said: str) -> float | None:
    return verify(gold, f"\\boxed{{{said}}}").reward


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_values_are_told_apart_and_their_writing_is_not(kind: str, data: st.DataObject) -> None:
    strategy, write = KINDS[kind]
    value, other = data.draw(strategy), data.draw(strategy)
    name = data.draw(st.sampled_from(sorted(REWRITINGS)))
    rewrite = REWRITINGS[name]
    assert reward(write(value), rewrite(write(value))) == 1.0
    assert reward(write(value), rewrite(write(other))) == float(value == other)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_judging_is_symmetric(kind: str, data: st.DataObject) -> None:
    strategy, write = KINDS[kind]
    value = data.draw(strategy)
    rewrite = REWRITINGS[data.draw(st.sampled_from(sorted(REWRITINGS)))]
    left, right = write(value), rewrite(write(data.draw(st.just(value) | strategy)))
    assert reward(left, right) == reward(right, left)


@settings(deadline=None, max_examples=30)
@given(st.permutations(range(4)), st.lists(integers.filter(bool), min_size=4, max_size=4), st.integers(0, 3))
def test_terms_may_stand_in_any_order(order: list[int], coefficients: list[int], changed: int) -> None:
    terms = [f"{c}{letter}" for c, letter in zip(coefficients, ("x^2", "y", "xy", ""), strict=True)]
    other = [f"-{term}".replace("--", "") if i == changed else term for i, term in enumerate(terms)]
    assert reward(_sum(terms), _sum([terms[i] for i in order])) == 1.0
    assert reward(_sum(terms), _sum([other[i] for i in order])) == 0.0


@settings(deadline=None, max_examples=30)
@given(st.lists(integers, min_size=2, max_size=4, unique=True), st.integers(1, 5))
def test_factors_are_their_product(roots: list[int], scale: int) -> None:
    coefficients = [scale]
    for root in roots:
        coefficients = [a - root * b for a, b in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    said = str(scale) + "".join(f"(x-{root})".replace("--", "+") for root in roots)
    assert reward(polynomial(tuple(coefficients)), said) == 1.0
    coefficients[-1] += 1
    assert reward(polynomial(tuple(coefficients)), said) == 0.0


@settings(deadline=None, max_examples=80)
@given(ANY_TEXT | SOUP)
def test_any_text_gets_a_verdict_and_none_is_paid_by_chance(said: str) -> None:
    for text in (said, f"\\boxed{{{said}}}", f"The answer is {said}"):
        verdict = verify("987654321987654319", text)
        assert isinstance(verdict, Verdict)
        assert verdict.reward == 0.0


@settings(deadline=None, max_examples=30)
@given(SOUP | st.sampled_from(["(x+1)", "(x+y+1)", "\\pm 1,", "[1,2]\\cup ", "cm "]), st.integers(1, 300))
def test_repetition_costs_bounded_work(said: str, times: int) -> None:
    for text in (said * times, f"\\boxed{{{said * times}}}", f"\\boxed{{{said}}}\n" * times):
        few_calls(MOST_CALLS, JUDGE.verify, Task("?", "x^2+1"), Completion(text))


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from(["e^{|}", "\\pi^{|}", "9^{|}", "x^{|}", "\\exp(|)", "\\sin(|)", "\\sqrt{|+x}", "\\log_{1+|}(2)"])
    | st.sampled_from(
        ["\\frac{1}{1+|}", "(|)!", "(|+1)^{9}", "\\binom{9|}{|}", "\\sum_{k=1}^{|} k", "\\lfloor |\\rfloor"]
    ),
    st.integers(1, 40),
    st.sampled_from(["1", "x", "0.0000001", "10^9"]),
    st.sampled_from(["7", "x^2+1", "\\sqrt{2}+\\sqrt{3}"]),
)
def test_nesting_costs_bounded_work(around: str, depth: int, inner: str, gold: str) -> None:
    for _ in range(depth):
        if len(inner) < 5000:
            inner = around.replace("|", inner)
    few_calls(MOST_CALLS, JUDGE.verify, Task("?", gold), Completion(f"\\boxed{{{inner}}}"))
