"""What no reader of the rendered text sees holds no answer, in any environment whose answer is mathematics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import tables
from work import assert_linear

from rlenv import Completion, Task, Verifier
from rlenv.envs.math import verify
from rlenv.envs.math.answer_place.boxed import IntegerVerifier, visible
from rlenv.envs.math.countdown import CountdownVerifier
from rlenv.envs.math.problem_sets import problem_verifier

CASES = tables(__file__)


@pytest.mark.parametrize("hidden", CASES["unseen"])
def test_a_hidden_answer_is_none(hidden: str) -> None:
    text = hidden.format(r"\boxed{12}")
    for said in (text, rf"So it is \boxed{{13}}. {text}", f"The answer is 13. {text}", f"13 {text}"):
        assert [check.verify(Task("7+5=?", "12"), Completion(said)).reward for check in checks()] == [0.0] * 3
    assert CountdownVerifier().verify(COUNT, Completion(hidden.format("<answer>(9-3)*4</answer>"))).reward == 0.0


COUNT = Task("?", 24, metadata={"numbers": [2, 3, 4, 9]})


def checks() -> list[Verifier]:
    return [IntegerVerifier(), problem_verifier("gsm8k"), problem_verifier("math500")]


@pytest.mark.parametrize("shown", CASES["seen"])
def test_what_is_seen_counts(shown: str) -> None:
    said = shown.format(r"\boxed{12}")
    assert visible(said).count(r"\boxed{12}") == 1
    assert IntegerVerifier().verify(Task("7+5=?", "12"), Completion(said)).reward == 1.0
    assert verify("12", said).reward == 1.0


def test_a_hidden_denial_takes_nothing_back() -> None:
    assert verify("12", r"\boxed{12} <!-- is wrong, it is \boxed{13} -->").reward == 1.0


def test_zero_width_characters_are_no_part_of_a_number() -> None:
    said = "\\boxed{1\u200b2\u2060}"
    assert visible(said) == "\\boxed{12}  "
    assert IntegerVerifier().verify(Task("7+5=?", "12"), Completion(said)).reward == 1.0
    assert IntegerVerifier().verify(Task("7+5=?", "12"), Completion("\\boxed{\U000e0031\U000e0032}")).reward == 0.0


@given(
    st.lists(st.sampled_from([*"x{}<>~\\\n ", "<!--", "-->", "~~", "<s>", "</s>", "\\cancel{", "\u200b"])).map("".join)
)
def test_every_place_stays(text: str) -> None:
    seen = visible(text)
    assert len(seen) == len(text)
    assert visible(seen) == seen or "<" in seen or "~" in seen or "\\" in seen


@pytest.mark.parametrize(
    "piece", ["<!-- ", "~~a", "<s>", "<s></s>", "\\cancel{", "\\cancel{}", "<del hidden>", "a\u200b"]
)
def test_the_time_is_linear(piece: str) -> None:
    assert_linear(lambda size: visible(piece * size), 2_000)
