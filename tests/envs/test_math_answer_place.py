"""Where the final answer of a completion stands, and why there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import tables

from rlenv import Completion
from rlenv.envs.math.answer_place.place import MAX_CANDIDATES, Extracted, Refusal, answer_of, extract
from rlenv.envs.math.equality.policy import MathPolicy, Place

CASES = tables(__file__)

POLICY = MathPolicy()
TAGS = ("<think>", "</think>", "<answer>", "</answer>", "#### ", "\\boxed{", "}", "{", "$", "\\(", "\\)", "**", "\n")
PIECES = (
    *TAGS, "7", " or ", "The answer is ", "Therefore ", "= 8", ". ", "\ud800", "因此", "A", "not ", "<b>", "</b>",
    "<sup>", "`", "~~", "__", "[1]", "Score: 1/1", " is wrong", "?", "ratio 1 to 2",
)  # fmt: skip


def found(text: str, policy: MathPolicy = POLICY) -> Extracted:
    extracted = extract(text, policy)
    assert isinstance(extracted, Extracted), extracted
    return extracted


def refused(text: str, policy: MathPolicy = POLICY) -> Refusal:
    extracted = extract(text, policy)
    assert isinstance(extracted, Refusal), extracted
    return extracted


@pytest.mark.parametrize(("text", "place", "answer"), CASES["found"])
def test_the_answer_is_found_where_people_put_it(text: str, place: Place, answer: str) -> None:
    extracted = found(text)
    assert (extracted.place, extracted.text) == (place, answer)


@pytest.mark.parametrize("text", ["", "  ", "I do not know.", "x" * 2000, "7 " + "it goes on. " * 600])
def test_no_answer_is_made_up(text: str) -> None:
    assert refused(text).flags == ()


def test_the_span_is_the_place_of_the_answer() -> None:
    for text in (r"So \boxed{7}!", "so\n#### 7", "<answer>7</answer>", "The answer is 7.", "a\nA: 7", "7"):
        extracted = found(text)
        assert text[extracted.start : extracted.end] == "7"
    assert found("<answer>a</answer>").start == len("<answer>")


def test_places_are_asked_in_the_order_of_the_policy() -> None:
    text = r"<answer>7</answer> or as they write it \boxed{7}"
    assert found(text, MathPolicy(answer_in=("tag", "box"))).place == "tag"
    assert found(text, MathPolicy(answer_in=("box", "tag"))).place == "box"


def test_a_place_that_the_policy_does_not_name_holds_no_answer() -> None:
    policy = MathPolicy(answer_in=("box",))
    for text in ("#### 7", "<answer>7</answer>", "The answer is 7.", "7"):
        assert "no final answer" in refused(text, policy).reason


class TestReasoning:
    @pytest.mark.parametrize(
        "text",
        [
            r"<think>\boxed{7}</think> That is it.",
            r"<think>\boxed{7}",
            "<thinking>The answer is 7.</thinking>",
            r"so \boxed{7}</think> That is it.",
        ],
    )
    def test_what_is_only_thought_is_no_answer(self, text: str) -> None:
        refusal, passage = answer_of(Completion(text), POLICY)
        assert isinstance(refusal, Refusal)
        (flag,) = refusal.flags
        assert (flag.name, text[slice(*passage.place(flag.start, flag.end))]) == ("thinking_only", "7")

    def test_the_policy_may_count_it_and_it_stays_flagged(self) -> None:
        text = r"<think>\boxed{7}</think> That is it."
        extracted, passage = answer_of(Completion(text), MathPolicy(thinking="counts"))
        assert isinstance(extracted, Extracted)
        assert (extracted.text, [flag.name for flag in extracted.flags]) == ("7", ["thinking_only"])
        assert text[slice(*passage.place(extracted.start, extracted.end))] == "7"

    @pytest.mark.parametrize("policy", [POLICY, MathPolicy(thinking="counts")])
    @pytest.mark.parametrize("before", [r"<think>\boxed{7}</think>", r"maybe \boxed{7}</think>"])
    def test_what_was_said_wins(self, before: str, policy: MathPolicy) -> None:
        extracted, _ = answer_of(Completion(rf"{before} So \boxed{{8}}."), policy)
        assert isinstance(extracted, Extracted)
        assert extracted.text == "8"


class TestSeveralBoxes:
    def test_equal_ones_are_one_answer_without_a_flag(self) -> None:
        extracted = extract(r"\boxed{0.5}, \boxed{.5}", POLICY, lambda a, b: float(a) == float(b))
        assert isinstance(extracted, Extracted)
        assert extracted.flags == ()

    def test_many_are_refused_as_a_spray(self) -> None:
        text = " then ".join(rf"\boxed{{{n}}}" for n in range(MAX_CANDIDATES + 1))
        assert "spray" in [flag.name for flag in refused(text).flags]


@pytest.mark.parametrize("text", CASES["believed"])
def test_the_first_place_of_the_policy_is_believed_and_in_it_the_last_statement(text: str) -> None:
    assert found(text).text == "42"


@pytest.mark.parametrize(
    "text", ["1 000 000", r"\boxed{2 1/4}", "x = 1, 2, 3", r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}"]
)
def test_thousands_mixed_numbers_and_lists_are_answers(text: str) -> None:
    found(text)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_has_an_answer_or_a_reason(text: str) -> None:
    for choice in (False, True):
        extracted = extract(text, POLICY, choice=choice)
        if isinstance(extracted, Refusal):
            assert extracted.reason
        else:
            assert extracted.text
            assert 0 <= extracted.start < extracted.end <= len(text)
        assert all(0 <= flag.start <= flag.end <= len(text) for flag in extracted.flags)
