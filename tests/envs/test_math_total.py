"""Whatever stands in a reference, a question or an answer, the verifier judges it or says that the task is broken."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlenv import Completion, Task
from rlenv.envs.math.verifier import MathVerifier
from rlenv.errors import TaskError

TOKENS = [
    r"x",
    r"y",
    r"n",
    r"k",
    r"a",
    r"C",
    r"f(x)",
    r"f",
    r"e",
    r"i",
    r"0",
    r"1",
    r"2",
    r"-3",
    r"0.5",
    r"1,5",
    r"12",
    r",",
    r";",
    r":",
    r".",
    r"=",
    r"<",
    r">",
    r"\le",
    r"\ge",
    r"\ne",
    r"\neq",
    r"\equiv",
    r"\in",
    r"\pm",
    r"\mp",
    r"+",
    r"-",
    r"*",
    r"/",
    r"^",
    r"_",
    r"(",
    r")",
    r"[",
    r"]",
    r"\{",
    r"\}",
    r"{",
    r"}",
    r"|",
    r"\frac",
    r"\sqrt",
    r"\frac12",
    r"\frac{1}{2}",
    r"\sqrt{2}",
    r"\pi",
    r"\infty",
    r"\mathbb{R}",
    r"\mathbb{Z}",
    r"\setminus",
    r"\cup",
    r"\cap",
    r"\emptyset",
    r"\pmod",
    r"\pmod7",
    r"\bmod",
    r"\sin",
    r"\ln",
    r"\log",
    r"\int",
    r"\sum",
    r"\text{if}",
    r"\text{or}",
    r"\text{and}",
    r"\text{none}",
    r"\text{for}",
    r"\text{where}",
    r"\begin{cases}",
    r"\end{cases}",
    r"\begin{pmatrix}",
    r"\end{pmatrix}",
    r"&",
    r"\\",
    r"if",
    r"or",
    r"and",
    r"otherwise",
    r"for",
    r"all",
    r"real",
    r"odd",
    r"even",
    r"integer",
    r"no",
    r"solution",
    r"Alice",
    r"quotient",
    r"remainder",
    r"infinitely",
    r"many",
    r"unique",
    r"at",
    r"is",
    r"not",
    r"multiple",
    r"of",
    r"3",
    r"(A)",
    r"B",
    r"%",
    r"\circ",
    r"cm",
    r"$",
    r"$$",
    r"\boxed{",
    r"\boxed{2}",
    r"**",
    r"...",
    r"\ldots",
    r"!",
    r"\binom",
    r"\left",
    r"\right",
    r"'",
    r"\mid",
    r"\lfloor",
    r"\rfloor",
    r"\to",
    r":",
    r"±",
    r"≤",
    r"²",
    r"½",
    r"π",
]
QUESTIONS = (
    "",
    "Find all integers $n$.",
    "Solve $y'=2y$.",
    "Write $8$ in base 2 in simplest form. (A) 1 (B) 2",
    "How many?",
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
