"""Where the final answer of a completion stands, and why there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv import Completion
from rlenv.envs.math.answer_place.place import MAX_CANDIDATES, Extracted, Refusal, answer_of, extract
from rlenv.envs.math.equality.policy import MathPolicy, Place

POLICY = MathPolicy()
TAGS = ("<think>", "</think>", "<answer>", "</answer>", "#### ", "\\boxed{", "}", "{", "$", "\\(", "\\)", "**", "\n")
PIECES = (*TAGS, "7", " or ", "The answer is ", "Therefore ", "= 8", ". ", "\ud800", "因此", "A", "not ")


def found(text: str, policy: MathPolicy = POLICY) -> Extracted:
    extracted = extract(text, policy)
    assert isinstance(extracted, Extracted), extracted
    return extracted


def refused(text: str, policy: MathPolicy = POLICY) -> Refusal:
    extracted = extract(text, policy)
    assert isinstance(extracted, Refusal), extracted
    return extracted


@pytest.mark.parametrize(
    ("text", "place", "answer"),
    [
        (r"Adding gives \boxed{7}.", "box", "7"),
        (r"The answer is \boxed{7}.", "box", "7"),
        ("3 + 4 = 7\n#### 7", "hash", "7"),
        ("so\n####1,250\n", "hash", "1,250"),
        ("<answer>7</answer>", "tag", "7"),
        ("<answer> The sum is 7. </answer>", "tag", "7"),
        ("Hence the answer is 7.", "line", "7"),
        ("Working ...\nA: 7", "line", "7"),
        ("Ans: 7", "line", "7"),
        ("**Answer:** 7", "line", "7"),
        ("**Final Answer**\n\n$7$", "line", "7"),
        ("✅ Final Answer: **7**", "line", "7"),
        (r"The final answer is \(\frac{7}{2}\). I hope it is correct.", "line", r"\frac{7}{2}"),
        ("The answer is $x=3$.", "line", "x=3"),
        ("The answer is 3x + 2.", "line", "3x + 2"),
        ("Final Answer: The largest $n$ is 34.", "line", "34"),
        ("Answer: John has 180 minutes to nap.", "line", "180 minutes"),
        ("A: -1.8 billion", "line", "-1.8 billion"),
        (r"$\sec^2(y)$", "whole", r"\sec^2(y)"),
        ("x = 3", "whole", "x = 3"),
        ("1, 2", "whole", "1, 2"),
        ("7<|im_end|>", "whole", "7"),
        ("The sum is 7.<|im_end|>\n<|im_start|>user\nThe answer is 8.", "line", "7"),
    ],
)
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


def test_a_box_that_was_cut_is_no_answer_even_behind_another() -> None:
    assert refused(r"First \boxed{41}. No: \boxed{4").flags[0].name == "unclosed_box"


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
    def test_the_last_one_counts_and_the_conflict_is_flagged(self) -> None:
        extracted = found(r"First \boxed{41} pears are left, then one is added: \boxed{42}.")
        assert (extracted.text, extracted.flags[0].name) == ("42", "conflicting_boxes")

    def test_side_by_side_they_are_one_list(self) -> None:
        extracted = found(r"So \boxed{41} and \boxed{42}.")
        assert (extracted.text, extracted.flags[0].name) == ("41, 42", "joined_boxes")

    def test_equal_ones_are_one_answer_without_a_flag(self) -> None:
        extracted = extract(r"\boxed{0.5}, \boxed{.5}", POLICY, lambda a, b: float(a) == float(b))
        assert isinstance(extracted, Extracted)
        assert extracted.flags == ()

    def test_many_are_refused_as_a_spray(self) -> None:
        text = " then ".join(rf"\boxed{{{n}}}" for n in range(MAX_CANDIDATES + 1))
        assert "spray" in [flag.name for flag in refused(text).flags]


@pytest.mark.parametrize(
    "text",
    [
        r"\boxed{42}. The final answer is 42.",
        "\\boxed{42}\n#### 42",
        r"The answer is 41? No: \boxed{42}.",
        r"\boxed{42} is the answer.",
        r"\boxed{42}. The final answer is 41.",
        "The answer is 41. The answer is 42.",
    ],
)
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
