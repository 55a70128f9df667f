"""Which option a sentence picks."""

import pytest

from rlenv.envs.math.answer_place.choice import chosen_letter, is_choice


@pytest.mark.parametrize(
    "sentence", ["", "A B C D", "A or B", "not C", "A, B, C", "ABCD", "It can't be C.", "C" + " no" * 400]
)
def test_none_or_several_are_no_choice(sentence: str) -> None:
    assert chosen_letter(sentence) is None


@pytest.mark.parametrize(
    ("gold", "choice"),
    [("C", True), ("(C)", True), (r"\text{(E)}", True), ("x", False), ("AB", False), ("(A) Cecile", False)],
)
def test_a_reference_that_is_a_letter_is_a_choice(gold: str, choice: bool) -> None:
    assert is_choice(gold) is choice
