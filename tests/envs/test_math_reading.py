r"""What a completion says, as people say it: layouts, notations, words, and remarks.

`math_reading_cases.jsonl` holds one case a line: `gold`, `said` (the whole completion), `right`, and where needed the
`question` that explains the answer and the `policy` of the task.
"""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rlenv.envs.math import verify
from rlenv.envs.math.answer_place.choice import by_options, options
from rlenv.envs.math.answer_place.place import Extracted, extract
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.grammar.notation import normalise

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


def right(case: dict[str, Any]) -> bool:
    return bool(verify(case["gold"], case["said"], question=case.get("question", ""), **case.get("policy", {})).reward)


def test_what_is_said_is_judged_as_people_read_it() -> None:
    assert [case for case in CASES if right(case) != case["right"]] == []


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_the_span_lies_in_the_text(text: str) -> None:
    found = extract(text, MathPolicy())
    if isinstance(found, Extracted):
        assert 0 <= found.start <= found.end <= len(text)


@given(st.lists(st.sampled_from(NOTATIONS), max_size=5).map(", ".join))
def test_a_notation_is_made_plain_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_an_option_is_its_letter_or_what_it_says() -> None:
    assert options(OPTIONS) == {"A": "7", "B": "12", "C": "34"}
    assert list(by_options("B", "12", OPTIONS)) == ["B"]
    assert list(by_options("12", "C", OPTIONS)) == ["34"]
    assert options("Let A. be a point, and C. another.") == {}
