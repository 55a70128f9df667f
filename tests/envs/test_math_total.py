"""Whatever stands in a reference, a question or an answer, the verifier judges it or says that the task is broken."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlenv import Completion, Task
from rlenv.core.errors import TaskError
from rlenv.envs.math.verifier import MathVerifier

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
