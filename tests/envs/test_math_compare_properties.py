"""What holds for any two texts and any reference: an answer, quickly, which spelling does not change."""

from __future__ import annotations

import contextlib
import re
import sys
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from work import few_calls

from rlenv import Completion, Task
from rlenv.core.errors import TaskError
from rlenv.envs.math.equality import Comparison, compare, readable
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.grammar.answer import reading
from rlenv.envs.math.grammar.notation import normalise
from rlenv.envs.math.verifier import MathVerifier

POLICY = MathPolicy()
TIERS = {"identity", "exact", "structure", "polynomial", "numeric", "text", "guard"}
PIECES = [
    r"\frac", r"\sqrt", "{", "}", "(", ")", "[", "]", r"\{", r"\}", "^", "_", "x", "y", "n", "1", "2", "10",
    "0.5", "+", "-", "*",
    "/", "=", "<", r"\le", r"\cup", r"\pm", "!", "%", "|", ",", ";", ":", " ", r"\text{", "cm", " apples",
    r"\pi", "e", "i",
    r"\infty", r"\sin", r"\log", " and ", " or ", r"\begin{pmatrix}", r"\end{pmatrix}", "&", r"\\", r"\sum",
    r"\int", r"^\circ",
    "'", "f(", r"\binom", r"\ldots", "$", r"\$", "(A)", "∞", "²", "٣", "\ud800", "\x00", r"\left",
    r"\overline{", "**", r"\in",
    r"\mathbb{R}", "percent", "million", "12:30", r"\choose", "no solution",
    "1.234.567", "1.234,56", "8C2", "1.5 x 10^8", "{}^8C_2", "USD 5", "0.333...", r"22^\circ 30'", "86'400", "US$5",
    ", ",
]  # fmt: skip
GOLDS = [
    "5",
    r"\frac{1}{2}",
    "x^2+1",
    "(1,2)",
    "[1,2)",
    r"\{1,2\}",
    "x<3",
    "12:30",
    r"10\text{ cm}",
    r"50\%",
    r"|x|",
    "C",
]
ANSWERS = [
    "3", "-7", "0.25", "1,234", r"\frac{3}{4}", r"\sqrt{2}", r"2\pi", "x^2+2x+1", "(1, 2)", "[0, 1)",
    r"\{1, 2, 3\}",
    r"\frac{1}{x+1}", r"\sin x", r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", "3:7", r"5 \pm \sqrt{2}",
    "e^{2x}", r"\log_2 x",
    r"y = 2x + 1", r"x \le 4", r"30^\circ", r"\text{even}", "2i + 1",
]  # fmt: skip


def tangled() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), tangled()), st.one_of(st.sampled_from(GOLDS), tangled()))
def test_any_two_texts_are_compared_without_an_error(answer: str, gold: str) -> None:
    found = compare(gold, answer, POLICY)
    assert isinstance(found, Comparison)
    assert found.tier in TIERS
    assert found.equal is not None or found.tier in {"numeric", "structure"}


@settings(max_examples=80, deadline=None)
@example("𝚽")
@given(st.one_of(st.text(alphabet=st.characters(), max_size=300), tangled()))
def test_normalising_twice_is_normalising_once_and_never_fails(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    reading(text)
    readable(text)


@settings(max_examples=150, deadline=None)
@given(tangled())
def test_a_text_that_says_something_equals_itself(text: str) -> None:
    found = compare(text, text, POLICY)
    assert found.equal is bool(text.strip())


@pytest.mark.parametrize("left", ANSWERS)
def test_forms_of_different_values_are_unequal_in_both_directions(left: str) -> None:
    for right in ANSWERS:
        assert (compare(left, right, POLICY).equal is True) == (left == right), right
        assert compare(left, right, POLICY).equal == compare(right, left, POLICY).equal, right


def test_a_nearly_full_stack_costs_the_answer_and_not_the_process() -> None:
    hostile = r"\sqrt{" * 20 + "2" + "}" * 20

    def down(depth: int) -> Comparison:
        return compare("7", hostile, POLICY) if depth == 0 else down(depth - 1)

    frame, used = sys._getframe(), 0
    while frame is not None:
        frame, used = frame.f_back, used + 1  # type: ignore[assignment]
    for margin in (60, 120, 240, 480):
        with suppress(RecursionError):
            assert down(sys.getrecursionlimit() - used - margin).equal is False


MOST_CALLS = 3_000_000


def test_no_text_costs_more_than_a_moment() -> None:
    hostile = [
        "(" * 1400 + "x" + ")" * 1400, r"\sqrt" * 400 + "2", "-" * 1500 + "5", "2^" * 300 + "2",
        "+".join(f"x_{k}" for k in range(300)),
        "(x+y+z+1)^{40}", "(x+1)" * 120, "+".join(f"{k}!" for k in range(1900, 1960)), r"1\pm2" * 80,
        ",".join(f"x^{k}+y" for k in range(150)), r"\cup".join(f"({k},{k}.5)" for k in range(120)),
        "=".join(["x+1"] * 200),
        "9" * 399 + "^{70}", r"\sin(10^{200})", "2^{2^{2^{2^{2^2}}}}", r"\sqrt[1000]{10^{29000}}",
        r"\binom{10^9}{5\cdot10^8}", "|" * 200,
        r"\text{" * 500 + "a" + "}" * 500, "5" + "%" * 1000, "+".join(rf"\sqrt{{{k}}}" for k in range(2, 120)),
        "1 000 " * 480, "(10^8)!",
    ]  # fmt: skip
    for text in hostile:
        for gold in ("7", "x+1", "(1,2)", r"\sqrt{2}", "x<3", r"\{1,2\}", "x=5"):
            assert not few_calls(MOST_CALLS, compare, gold, text, POLICY).equal


TOKENS = re.findall(
    r"\S+",
    r"""
    x y n k a C f(x) f e i 0 1 2 -3 0.5 1,5 12 , ; : . = < > \le \ge \ne \neq \equiv \in \pm \mp + - * / ^ _ ( ) [ ]
    \{ \} { } | \frac \sqrt \frac12 \frac{1}{2} \sqrt{2} \pi \infty \mathbb{R} \mathbb{Z} \setminus \cup \cap
    \emptyset \pmod \pmod7 \bmod \sin \ln \log \int \sum \text{if} \text{or} \text{and} \text{none} \text{for}
    \text{where} \begin{cases} \end{cases} \begin{pmatrix} \end{pmatrix} & \\ if or and otherwise for all real odd
    even integer no solution Alice quotient remainder infinitely many unique at is not multiple of 3 (A) B % \circ cm
    $ $$ \boxed{ \boxed{2} ** ... \ldots ! \binom \left \right ' \mid \lfloor \rfloor \to ± ≤ ² ½ π
    """,
)
QUESTIONS = (
    "",
    "Find all integers $n$.",
    "Solve $y'=2y$.",
    "Write $8$ in base 2 in simplest form. (A) 1 (B) 2",
    "How many?",
    "Find $x$ modulo 7 in increasing order.",
)
texts = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=9).map(" ".join)
VERIFIER = MathVerifier()


def judge(reference: str, answer: str, question: str = "") -> None:
    task = Task(question, reference, metadata={"question": question})
    for completion in (f"\\boxed{{{answer}}}", f"So the answer is {answer}."):
        with contextlib.suppress(TaskError):
            assert VERIFIER.verify(task, Completion(completion)).reward in (0.0, 1.0)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts, texts, st.sampled_from(QUESTIONS))
def test_any_row_of_tokens_is_judged(reference: str, answer: str, question: str) -> None:
    judge(reference, answer, question)


@pytest.mark.slow
@settings(max_examples=8000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts, texts, st.sampled_from(QUESTIONS))
def test_many_rows_of_tokens_are_judged(reference: str, answer: str, question: str) -> None:
    judge(reference, answer, question)


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{cases} \end{cases}",
        r"k \ne \pm 1: \text{unique}",
        r"\mathbb{R} \setminus \{\pm 2\}",
        r"x \in \{\pm 1, \pm \{\pm 2\}\} \pmod 7",
        r"\pm \{1 \mid \pm x\} \equiv \pm 3 \pmod 5",
        r"f(x) = 1 \text{ for all } x, \text{ or } f(x) = 0 \text{ for all } x",
    ],
)
def test_signs_inside_sets_and_cases_end(text: str) -> None:
    for reference, answer in ((text, text + " "), (text, "x = 1"), ("x = 1", text), (text, "1, 2")):
        judge(reference, answer, "Find all integers $x$.")
