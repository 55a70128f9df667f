"""Weighted sums of verifiers, and gates."""

import math

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Part, Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.compose import gate, weighted

TASK = Task("2+2=?", "4")
right = FunctionVerifier(lambda completion, answer: answer in completion, cheap=True)
short = FunctionVerifier(lambda completion: 1 - len(completion) / 10, cheap=True)
noted = Verdict.of(("a", 1.0), scores={"steps": 3}, flags=[Flag("odd")], reason="ok")
dear = FunctionVerifier(lambda completion: noted)
broken = FunctionVerifier(lambda completion: math.nan, cheap=True)


def test_weighted_sum_carries_named_parts_and_raw_scores() -> None:
    verdict = weighted(correct=(right, 1.0), short=(short, 0.5), dear=(dear, -0.1)).verify(TASK, Completion("4"))
    assert verdict.parts == (Part("correct", 1.0), Part("short", 0.45), Part("dear", -0.1))
    assert verdict.reward == math.fsum([1.0, 0.45, -0.1])
    assert verdict.scores == {"correct": 1.0, "short": 0.9, "dear": 1.0, "dear/steps": 3.0}
    assert (verdict.flags, verdict.reason) == ((Flag("odd"),), "dear: ok")


def test_term_that_fails_to_judge_fails_the_sum_by_name() -> None:
    verdict = weighted(correct=(right, 1.0), style=(broken, 0.1)).verify(TASK, Completion("4"))
    assert (verdict.reward, verdict.status) == (None, "verifier_error")
    assert verdict.reason == "style: the verifier returned nan"


def test_open_gate_pays_what_the_verifier_gives() -> None:
    verdict = gate(right, dear).verify(TASK, Completion("4"))
    assert (verdict.reward, verdict.parts) == (1.0, (Part("a", 1.0),))
    assert verdict.scores == {"gate": 1.0, "steps": 3.0}


def test_closed_gate_pays_nothing_and_says_why() -> None:
    verdict = gate(right, dear).verify(TASK, Completion("5"))
    assert (verdict.reward, verdict.parts, verdict.scores) == (0.0, (Part("gate", 0.0),), {"gate": 0.0})
    assert "gate closed" in verdict.reason


def test_gate_that_fails_to_judge_is_no_closed_gate() -> None:
    for verifier in (gate(broken, right), gate(right, broken)):
        assert verifier.verify(TASK, Completion("4")).status == "verifier_error"


def test_version_changes_with_weights_terms_and_thresholds() -> None:
    versions = [
        weighted(a=(right, 1.0)).version,
        weighted(a=(right, 0.5)).version,
        weighted(b=(right, 1.0)).version,
        weighted(a=(short, 1.0)).version,
        gate(right, short).version,
        gate(right, short, threshold=0.5).version,
    ]
    assert len(set(versions)) == len(versions)
