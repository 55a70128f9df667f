"""The labelled cases of mathematical answers: the file keeps its own rules, and each case is judged right.

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
