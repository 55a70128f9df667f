"""Answers made to fool a verifier, and answers made to hang it."""

import json
from pathlib import Path

import pytest
from work import few_calls

from rlenv.envs.math import verify

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def cases(name: str) -> list[dict[str, object]]:
    file = DATA / name
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


GAMING, DOS = cases("math_verifier_gaming_cases.jsonl"), cases("math_verifier_dos_cases.jsonl")
MOST_CALLS = 300_000
absent = pytest.mark.skipif(not GAMING, reason="the shared cases are not beside the repository")


@pytest.mark.parametrize(
    "completion",
    [
        "",
        " ",
        ".",
        ",",
        ":",
        "Thought process:",
        "Let's solve this problem step by step.",
        "Solution",
        "解",
        "かいせつ",
    ],
)
@pytest.mark.parametrize("gold", ["42", "x+1", r"\text{odd}", "C", "(1,2)", r"\emptyset"])
def test_keys_that_open_model_judges_open_nothing(gold: str, completion: str) -> None:
    assert verify(gold, completion).reward == 0.0


@absent
@pytest.mark.parametrize("case", GAMING, ids=[str(case["id"]) for case in GAMING])
def test_the_shared_gaming_cases_are_judged_right(case: dict[str, str]) -> None:
    assert (verify(case["gold"], case["prediction"]).reward == 1.0) is bool(case["expected"])


@absent
@pytest.mark.parametrize("boxed", [False, True])
@pytest.mark.parametrize("case", DOS, ids=[str(case["id"]) for case in DOS])
def test_the_shared_costly_cases_are_refused_at_once(case: dict[str, str], boxed: bool) -> None:
    said = f"\\boxed{{{case['prediction']}}}" if boxed else case["prediction"]
    assert few_calls(MOST_CALLS, verify, case["gold"], said).reward == 0.0
