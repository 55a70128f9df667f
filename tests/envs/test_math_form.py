"""The form that a question asks for: what is paid of the answers that have the right value."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv import Completion, Task
from rlenv.core.verdict import Verdict
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.form import fault
from rlenv.envs.math.form.flat import flat
from rlenv.envs.math.form.pending import pending
from rlenv.envs.math.grammar.answer import read
from rlenv.envs.math.verifier import MathVerifier

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("math_form_cases.jsonl").read_text(encoding="utf-8").splitlines()
]
CHECK, ANY = MathVerifier(), MathVerifier(MathPolicy(form="any"))


def verdict(question: str, reference: str, answer: str, check: MathVerifier = CHECK) -> Verdict:
    return check.verify(Task(question, reference), Completion(f"So \\boxed{{{answer}}}."))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"][:40])
def test_finished_answers_are_paid_and_unfinished_ones_are_not(case: dict[str, Any]) -> None:
    question, reference = case["question"], case["reference"]
    paid = [text for text in [*case["right"], *case["wrong"]] if verdict(question, reference, text).reward == 1.0]
    assert paid == case["right"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"][:40])
def test_the_reference_is_always_paid(case: dict[str, Any]) -> None:
    assert verdict(case["question"], case["reference"], case["reference"]).reward == 1.0


@pytest.mark.parametrize(
    ("question", "reference", "answer", "flag"),
    [
        (r"Simplify $\sqrt{72}$.", r"6\sqrt{2}", r"\sqrt{72}", "echo"),
        (r"Simplify $\sqrt{72}$.", r"6\sqrt{2}", r"\sqrt{ 8 \cdot 9 }", "left_undone"),
        (r"Simplify $b+a-(c-d)$, where $a=b$.", "2a-c+d", "d - c + a + a", "left_undone"),
        (r"Factor $ab+5b+2a+10$.", "(a+5)(b+2)", r"10 + 2a + 5b + ba", "echo"),
        (r"Write $\frac18$ as a decimal.", "0.125", r"12.5\%", "other_form"),
    ],
)
def test_the_flag_names_the_fault_at_the_answer(question: str, reference: str, answer: str, flag: str) -> None:
    found = verdict(question, reference, answer)
    assert (found.reward, [f.name for f in found.flags]) == (0.0, [flag])
    assert found.answer == (found.flags[0].start, found.flags[0].end)
    assert found.reason.startswith("form: ")


def test_the_policy_turns_it_off_and_stands_in_the_version() -> None:
    assert verdict("Compute $2+3$.", "5", "2+3").reward == 0.0
    assert verdict("Compute $2+3$.", "5", "2+3", ANY).reward == 1.0
    assert CHECK.version != ANY.version


def test_without_a_question_any_form_is_right() -> None:
    assert verdict("", "5", "2+3").reward == 1.0


def test_the_question_of_the_metadata_is_read_before_the_prompt() -> None:
    task = Task("Compute $2+3$. Put your answer in a box.", "5", metadata={"question": "What stands here?"})
    assert CHECK.verify(task, Completion(r"\boxed{2\cdot\frac{5}{2}}")).reward == 0.0
    assert CHECK.verify(task, Completion(r"\boxed{\binom{5}{1}}")).reward == 1.0


def test_a_form_that_the_reference_lacks_is_not_asked_for() -> None:
    assert verdict("Factor $x^2+1$ over the integers.", "x^2+1", "1+x^2").reward == 1.0
    assert verdict("Express your answer as a common fraction.", "3", "3").reward == 1.0
    assert verdict(r"What is $\sqrt{53}$ in simplest radical form?", r"\sqrt{53}", r"\sqrt{53}").reward == 1.0


def test_a_chain_that_ends_in_the_value_is_finished() -> None:
    assert verdict(r"Compute $2^{10}$.", "1024", r"2^{10} = 1024").reward == 1.0
    assert verdict(r"Simplify $\sqrt{8}$.", r"2\sqrt{2}", r"\sqrt{8} = 2\sqrt2").reward == 1.0
    assert verdict(r"Simplify $\sqrt{8}$.", r"2\sqrt{2}", r"\sqrt{8} = \sqrt{8}").reward == 0.0


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 99), st.integers(2, 99), st.sampled_from(["+", "-", r"\cdot", r"\times"]))
def test_what_is_to_be_worked_out_is_not_paid_and_its_result_is(left: int, right: int, sign: str) -> None:
    asked = f"{left} {sign} {right}"
    value = {"+": left + right, "-": left - right}.get(sign, left * right)
    assert verdict(f"What is ${asked}$?", str(value), asked).reward == 0.0
    assert verdict(f"What is ${asked}$?", str(value), f"{right} {sign} {left}" if sign != "-" else asked).reward == 0.0
    assert verdict(f"What is ${asked}$?", str(value), str(value)).reward == 1.0


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from("0123456789x+-*/^(){}\\ =,.ifracsqtbno")), st.text(max_size=40), st.text(max_size=40))
def test_any_texts_are_judged(answer: str, reference: str, question: str) -> None:
    assert fault(answer, answer, question) is None
    assert fault(reference, answer, f"Simplify ${answer}$. {question}") is None or answer != reference
    assert flat(flat(read(answer))) == flat(read(answer))
    assert all(count > 0 for count in pending(flat(read(answer))).values())
