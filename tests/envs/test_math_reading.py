"""What a completion says, and the labelled cases of mathematical answers: each is judged right.

`math_reading_cases.jsonl` holds one case a line: `gold`, `said` (the whole completion), `right`, and where needed the
`question` that explains the answer and the `policy` of the task.

`math_cases.jsonl` holds one case a line: `id`, `type`, `template` (cases of one template vary one idea), `gold`,
`prediction` (what a policy says: a bare answer or a whole completion), `expected`, and where needed `policy`
(fields of MathPolicy), `question` and `note`. Labels follow mathematics and the defaults of MathPolicy; a case is
relabelled for a mathematical reason only, never because the verifier disagrees.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import pytest

from rlenv import Verdict
from rlenv.core.jsontypes import Json
from rlenv.envs.math import MathPolicy, verify
from rlenv.envs.math.answer_place.choice import by_options, options

CASES = [json.loads(line) for line in Path(__file__).with_name("math_reading_cases.jsonl").read_text().splitlines()]
OPTIONS = "What is $3\\cdot4$? (A) $7$ (B) $12$ (C) $34$"


def right(case: dict[str, Any]) -> bool:
    return bool(verify(case["gold"], case["said"], question=case.get("question", ""), **case.get("policy", {})).reward)


def test_what_is_said_is_judged_as_people_read_it() -> None:
    assert [case for case in CASES if right(case) != case["right"]] == []


def test_an_option_is_its_letter_or_what_it_says() -> None:
    assert options(OPTIONS) == {"A": "7", "B": "12", "C": "34"}
    assert list(by_options("B", "12", OPTIONS)) == ["B"]
    assert list(by_options("12", "C", OPTIONS)) == ["34"]
    assert options("Let A. be a point, and C. another.") == {}


FILE = Path(__file__).with_name("math_cases.jsonl")
TYPES = {
    *("number", "mixed", "scientific", "thousands", "percent", "complex", "base", "expression", "tuple", "set"),
    *("interval", "relation", "matrix", "text", "choice", "time", "unit", "unicode", "language", "rounding"),
    *("completion", "hedging", "place", "thinking"),
}


class _Optional(TypedDict, total=False):
    policy: dict[str, Json]
    question: str
    note: str


class Case(_Optional):
    id: str
    type: str
    template: str
    gold: str
    prediction: str
    expected: bool


@cache
def cases() -> list[Case]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def judged(case: Case, prediction: str) -> Verdict:
    policy: dict[str, Any] = dict(case.get("policy", {}))
    return verify(case["gold"], prediction, question=case.get("question", ""), **policy)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_case_is_judged_right(name: str) -> None:
    rewards = {case["id"]: judged(case, case["prediction"]).reward for case in cases() if case["type"] == name}
    expected = {case["id"]: float(case["expected"]) for case in cases() if case["type"] == name}
    assert {key: reward for key, reward in rewards.items() if reward != expected[key]} == {}


def test_every_reference_is_right_for_itself() -> None:
    answers = {f"\\boxed{{{case['gold']}}}": case for case in cases() if _box_counts(case)}
    assert [said for said, case in answers.items() if judged(case, said).reward != 1.0] == []


def _box_counts(case: Case) -> bool:
    return "box" in MathPolicy.of(case.get("policy", {})).answer_in
