"""The boxes of a completion, and the strict rule of one value."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import tables

from rlenv import Verdict
from rlenv.envs.math.answer_place.boxed import final_box
from rlenv.text.boxes import Box, find_boxes, side_by_side

CASES = tables(__file__)

FRAGMENTS = st.lists(
    st.sampled_from(["\\boxed{", "\\boxed {", "{", "}", "\\", "\\}", "42", " ", "<think>", "</think>", "x", "\\boxed"])
)


def text_of(completion: str) -> str:
    box = final_box(completion)
    assert isinstance(box, Box), box
    return box.text


def refusal(completion: str) -> Verdict:
    verdict = final_box(completion)
    assert isinstance(verdict, Verdict), verdict
    assert verdict.reward == 0.0
    return verdict


def run_of(text: str) -> list[str]:
    boxes, _ = find_boxes(text, 0, len(text))
    return [box.text for box in side_by_side(text, boxes)]


@pytest.mark.parametrize(("completion", "text"), CASES["last"])
def test_the_last_box_is_the_answer(completion: str, text: str) -> None:
    assert text_of(completion) == text


@pytest.mark.parametrize("completion", ["", "42", r"\boxed{}", r"\boxed{  }", r"boxed{42}", r"\boxed 42"])
def test_what_is_not_boxed_is_no_answer(completion: str) -> None:
    assert "no \\boxed{}" in refusal(completion).reason


def test_different_values_are_refused_with_the_span_that_holds_them() -> None:
    completion = r"either \boxed{41} or \boxed{42}."
    flag = refusal(completion).flags[0]
    assert (flag.name, completion[flag.start : flag.end]) == ("conflicting_boxes", r"\boxed{41} or \boxed{42}")


def test_equal_values_in_several_boxes_are_one_answer() -> None:
    box = final_box(r"\boxed{0.50} = \boxed{0.5}", lambda left, right: float(left) == float(right))
    assert isinstance(box, Box)


def test_a_box_that_was_cut_is_no_answer() -> None:
    assert refusal(r"first \boxed{41}, no: \boxed{4").flags[0].name == "unclosed_box"


def test_the_span_of_the_box_is_its_place_in_the_text() -> None:
    text = r"4 so \boxed{42}!"
    box = final_box(text)
    assert isinstance(box, Box)
    assert text[box.start : box.end] == r"\boxed{42}"
    assert text[slice(*box.place(text))] == "42"


@pytest.mark.parametrize(
    "between", [", ", " and ", r" \quad \text{and} \quad ", "$, $", r"\) and \(", " or ", ";\n", r" \\ ", "$$\n$$"]
)
def test_boxes_with_nothing_but_connecting_words_between_stand_side_by_side(between: str) -> None:
    assert run_of(rf"so $\boxed{{1}}{between}\boxed{{-2}}$.") == ["1", "-2"]


@pytest.mark.parametrize("between", [" = ", " + ", " but not ", ", hence x = ", " no no ", "x", "." * 100])
def test_boxes_with_anything_else_between_do_not(between: str) -> None:
    assert run_of(rf"so $\boxed{{1}}{between}\boxed{{-2}}$.") == ["-2"]


@settings(deadline=None)
@given(FRAGMENTS.map("".join))
def test_any_text_is_read_or_refused(completion: str) -> None:
    box = final_box(completion)
    if isinstance(box, Box):
        assert box.text.strip()
        assert 0 <= box.start < box.end <= len(completion)
    else:
        assert box.reward == 0.0
