r"""What a completion says, as people say it: layouts, notations, words, remarks, and answers that are taken back.

`math_reading_cases.jsonl` holds one case a line: `gold`, `said` (the whole completion), `right`, and where needed the
`question` that explains the answer.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.envs.math import verify
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.extract import extract
from rlenv.envs.math.layout import as_read
from rlenv.envs.math.options import by_options, options, stem
from rlenv.envs.math.reading.naming import told_apart
from rlenv.envs.math.reading.normalise import normalise
from rlenv.envs.math.statement import Extracted
from rlenv.envs.math.withdrawal import denied

CASES = [json.loads(line) for line in Path(__file__).with_name("math_reading_cases.jsonl").read_text().splitlines()]
OPTIONS = "What is $3\\cdot4$? (A) $7$ (B) $12$ (C) $34$"
NOTATIONS = (
    "1.234.567",
    "1.234,56",
    "8C2",
    "1.5 x 10^8",
    "{}^8C_2",
    "USD 5",
    "0.333...",
    "22^\\circ 30'",
    "86'400",
    "US$5",
)
PIECES = (
    "<b>",
    "</b>",
    "<sup>",
    "`",
    "~~",
    "**",
    "__",
    "[1]",
    "\n",
    "Score: 1/1",
    "7",
    " is wrong",
    "?",
    "ratio 1 to 2",
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["said"][:40])
def test_what_is_said_is_judged_as_people_read_it(case: dict[str, Any]) -> None:
    verdict = verify(case["gold"], case["said"], question=case.get("question", ""))
    assert bool(verdict.reward) == case["right"], verdict.reason


def test_the_cases_are_told_once_and_hold_both_kinds() -> None:
    assert max(Counter((case["gold"], case["said"], case.get("question")) for case in CASES).values()) == 1
    assert min(Counter(case["right"] for case in CASES).values()) > 50


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_layout_is_read_in_place(text: str) -> None:
    assert len(as_read(text)) == len(text)
    found = extract(text, MathPolicy())
    if isinstance(found, Extracted):
        assert 0 <= found.start <= found.end <= len(text)


@given(st.lists(st.sampled_from(NOTATIONS), max_size=5).map(", ".join))
def test_a_notation_is_made_plain_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize("behind", [" is wrong.", "? No.", ". That is incorrect.", "\nI take that back."])
def test_a_box_that_is_taken_back_is_no_answer(behind: str) -> None:
    assert denied(behind)
    verdict = verify("12", f"\\boxed{{12}}{behind}")
    assert (verdict.reward, [flag.name for flag in verdict.flags]) == (0.0, ["denied_answer"])


@pytest.mark.parametrize(
    "behind", [". But this is impossible for $n = 3$.", ". 13 is wrong.", "? Yes.", ". Tell me if it is wrong."]
)
def test_what_speaks_of_something_else_takes_nothing_back(behind: str) -> None:
    assert not denied(behind)


def test_an_option_is_its_letter_or_what_it_says_and_not_both_of_two() -> None:
    assert options(OPTIONS) == {"A": "7", "B": "12", "C": "34"}
    assert list(by_options("B", "12", OPTIONS)) == ["B"]
    assert list(by_options("12", "C", OPTIONS)) == ["34"]
    assert verify("B", r"\boxed{(B)\ 34}", question=OPTIONS).reward == 0
    assert options("Let A. be a point, and C. another.") == {}


def test_a_letter_before_a_bracket_is_a_function_unless_the_question_uses_it_for_a_number() -> None:
    assert told_apart("f(f+1)", "Factor $f^2+f$.") == r"f \cdot (f+1)"
    assert told_apart("f(f+1)", "Let $f(x)=x$. Factor $f^2+f$.") == "f(f+1)"
    assert told_apart("f(2)", "The function $f$ is odd.") == "f(2)"


def test_forms_of_a_word_share_a_stem_and_opposites_do_not() -> None:
    assert [stem(word) for word in ("diverges", "divergent", "increasing", "increases")] == ["diverg"] * 2 + [
        "increas"
    ] * 2
    assert len({stem(word) for word in ("rational", "irrational", "even", "odd")}) == 4
