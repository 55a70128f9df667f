"""Answers that are announced, and sentences that only look like it."""

import pytest

from rlenv.envs.math import verify
from rlenv.envs.math.announced import line_answer
from rlenv.envs.math.closing import closing_answer


@pytest.mark.parametrize(
    "text",
    [
        "the answer should be 42",
        "answer = 42",
        "Ans: 42",
        r"\textbf{Answer:} 42",
        "The answer is:\n\\[ 42 \\]",
        "Answer: `42`",
        "The correct answer is 42 dollars, which is less than 50.",
        "I first got 41 but the answer is 42.",
        "The answer is 42 because 6 * 7 = 42.",
        "If we add them all, the answer is 42.",
        "My final answer: 42\n\nConfidence: 90%",
        "Answer: 42\n\nExplanation: 40 + 2 = 42",
        "The answer is 41. Wait, that is wrong. The answer is 42.",
        "The answer is 41. No, it is 42.",
        "The answer is 42? Let me check: 6*7 = 42. Yes.",
        "Die Antwort ist 42.",
        "Jibu ni 42.",
    ],
)
def test_the_announced_answer_is_paid(text: str) -> None:
    assert verify("42", text).reward == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Suppose the answer is 42.",
        "Maybe the answer is 42.",
        "The answer is 42 if n is even.",
        "The answer is 42? No.",
        "The answer is 42. No, wait, it is 41.",
        r"\boxed{42}. No, wait, it is 41.",
        "The answer is at least 42.",
        "The answer is less than 42.",
        "The answer is twice 42.",
        "Answer: anything but 42",
        "The answer is not 42.",
        r"The answer is not \boxed{42}.",
        r"It cannot be $\boxed{42}$.",
        "La réponse n'est pas 42.",
        "Die Antwort ist nicht 42.",
        "La respuesta no es 42.",
        r"The value 42 is a trap. \boxed{}",
        "There are 42 of them. How many are ripe cannot be said.",
        "It cannot be determined from the 42 equations.",
    ],
)
def test_what_is_supposed_asked_compared_denied_or_taken_back_is_not(text: str) -> None:
    assert verify("42", text).reward == 0.0


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("yes", "Yes, because 3 is odd."),
        ("no", "Answer: No, it diverges."),
        ("A", "The answer is A because B is wrong."),
        (r"\text{none}", "Final Answer: The final answer is none. I hope it is correct."),
        ("B", "Answer: B\n\nBecause A and C fail."),
        ("B", "The answer is B.\n\nI hope that it helps!"),
        (r"\text{Monday}", "So the day is Monday."),
        (r"\text{no solution}", "There is no solution."),
    ],
)
def test_words_are_answers_too(gold: str, text: str) -> None:
    assert verify(gold, text).reward == 1.0


@pytest.mark.parametrize(
    ("gold", "text"), [("yes", "Yes or no."), ("A", r"\boxed{\text{A) 5, B) 6}}"), ("no", "Nothing.")]
)
def test_several_words_are_none(gold: str, text: str) -> None:
    assert verify(gold, text).reward == 0.0


def test_an_answer_is_not_looked_for_far_from_the_end() -> None:
    text = "The answer is 42. " + "And so on it goes. " * 100
    assert line_answer(text, 0, len(text)) is None
    assert closing_answer(text, 0, len(text)) is None


def test_sentences_without_a_value_may_follow_the_one_that_states_it() -> None:
    text = r"So the range is \(\left[0, 1\right]\). This covers all the steps. I hope that it helps."
    value = closing_answer(text, 0, len(text))
    assert value is not None
    assert text[value.start : value.end] == r"\(\left[0, 1\right]\)"


@pytest.mark.parametrize("gold", ["100", "1", "99.5"])
@pytest.mark.parametrize("text", ["I am 100% certain.", "I am 99.5 percent sure.", "I'm 100\\% confident of it."])
def test_how_sure_a_text_is_is_no_answer(gold: str, text: str) -> None:
    assert verify(gold, text).reward == 0.0
    assert verify("12", f"So Ann has 12 pears. {text}").reward == 1.0
