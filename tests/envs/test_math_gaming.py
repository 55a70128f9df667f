"""Answers made to fool a verifier, answers made to hang it, and the cost of a tree, known before it is evaluated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tables import tables
from work import few_calls

from rlenv.envs.math import verify
from rlenv.envs.math.equality import compare, readable
from rlenv.envs.math.equality.numeric import too_costly
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.grammar.answer import read

CASES = tables(__file__)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def shared(name: str) -> list[dict[str, object]]:
    file = DATA / name
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


GAMING, DOS = shared("math_verifier_gaming_cases.jsonl"), shared("math_verifier_dos_cases.jsonl")
MOST_CALLS = 300_000
absent = pytest.mark.skipif(not GAMING, reason="the shared cases are not beside the repository")


@pytest.mark.parametrize("completion", CASES["keys"])
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


POLICY = MathPolicy()
COSTLY = [
    "9^{9^9}", "10^{10^8}", "(10^8)!", r"(3\cdot 10^7)!", r"\binom{10^9}{5 \cdot 10^8}", "2^{2^{2^{2^{2^2}}}}",
    "e^{10^{10}}", r"\sin(10^{20000})", "((10!)!)!", r"\frac{1}{(10^6)!}", "x^{10^{30}}",
    r"\gcd(3^{10^8}, 7)", r"e^{e^{e^{e^{2}}}}",
]  # fmt: skip
CHEAP = ["2^{2024}", r"\frac{2^{2024}-1}{3}", "1000!", r"10^{\frac{-5+\sqrt{13}}{6}}", "e^{-60}", r"\sin(10^{9})",
         "(x+y)^{60}", r"\binom{2000}{1000}", "1^{10^{12}}", "e^{x^2}", "10^{-300}"]  # fmt: skip


@pytest.mark.parametrize("text", COSTLY)
def test_costly_trees_are_refused_unseen_with_a_flag(text: str) -> None:
    assert too_costly(read(text))
    found = few_calls(MOST_CALLS, compare, "7", text, POLICY)
    assert found.equal is False
    assert found.flags == ("cost_guard",)


@pytest.mark.parametrize("text", COSTLY)
def test_costly_trees_still_equal_themselves(text: str) -> None:
    assert compare(text, f"$ {text} $", POLICY).equal


@pytest.mark.parametrize("text", CHEAP)
def test_what_people_write_passes_the_guard(text: str) -> None:
    assert too_costly(read(text)) == ""


def test_a_reference_without_content_or_over_the_limits_cannot_be_read() -> None:
    assert readable("5")
    assert readable(r"\text{The midpoints form a hexagon}")
    assert not readable("  ")
    assert not readable("(" * 500)
    assert not readable("x" * 5000)
