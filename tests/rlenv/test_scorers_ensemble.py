"""Ensembles of scorers: what they combine, what they report, and that a member's failure is theirs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.task import Task
from rlenv.scorers.ensemble import EnsembleScorer, EnsembleStepScorer
from rlenv.scorers.load import load_scorer, load_step_scorer
from rlenv.scorers.scorer import FunctionScorer, FunctionStepScorer, Score, ScorerVerifier, Stepped, StepScores, ask

JOB = (Task("Say hi"), Completion("hi there"))
STEPS = Stepped(Task("Add"), Completion("a;b"), ((0, 1), (2, 3)))


def constant(value: float, name: str = "rm") -> FunctionScorer:
    return FunctionScorer(lambda completion: value, name=name, version=str(value))


def steps(*values: float, name: str = "prm") -> FunctionStepScorer:
    return FunctionStepScorer(lambda prompt, texts: values, name=name, version=str(values))


def test_each_rule_combines_the_members_and_the_labels_hold_them_and_their_spread() -> None:
    members = [constant(value, name) for value, name in ((1.0, "a"), (2.0, "b"), (6.0, "c"))]
    variance = 14 / 3
    for rule, value in (("mean", 3.0), ("min", 1.0), ("cautious", 3.0 - 0.5 * variance)):
        score = EnsembleScorer(members, rule, 0.5).score([JOB])[0]  # type: ignore[arg-type]
        assert score.value == pytest.approx(value)
        assert score.labels == {"a": 1.0, "b": 2.0, "c": 6.0, "spread": 5.0}


def test_members_of_one_name_are_told_apart() -> None:
    score = EnsembleScorer([constant(1.0), constant(2.0)]).score([JOB])[0]
    assert score.labels == {"rm-0": 1.0, "rm-1": 2.0, "spread": 1.0}


def test_a_member_that_fails_fails_the_ensemble_for_that_completion_alone() -> None:
    picky = FunctionScorer(lambda completion: 1.0 if completion == "fine" else float("nan"), name="picky")
    fine, failed = ask(EnsembleScorer([constant(3.0), picky]), ["?", "?"], ["fine", "odd"])
    assert (fine.value, failed.value) == (1.0, None)
    assert "picky" in failed.reason
    verdict = ScorerVerifier(EnsembleScorer([constant(3.0), picky])).verify(*JOB)
    assert verdict.status == "verifier_error"


def test_step_scores_are_combined_step_by_step_and_stay_probabilities() -> None:
    ensemble = EnsembleStepScorer([steps(1.0, 0.0), steps(0.5, 1.0)], "min")
    assert ensemble.score_steps([STEPS])[0] == StepScores((0.5, 0.0), ("spread 0.5", "spread 1"))
    cautious = EnsembleStepScorer([steps(1.0, 0.0), steps(0.5, 1.0)], "cautious", k=4.0).score_steps([STEPS])[0]
    assert cautious.values == (0.75 - 4 * 0.0625, 0.0)


class Short:
    """Gives no score at all."""

    name, version = "short", "1"

    def score(self, jobs: object) -> list[Score]:
        return []


def test_a_member_that_gives_another_number_of_scores_breaks_the_contract() -> None:
    with pytest.raises(VerifierContractError, match="expected 1 scores"):
        EnsembleScorer([constant(1.0), Short()]).score([JOB])


@pytest.mark.parametrize(
    "make",
    [
        lambda: EnsembleScorer([constant(1.0)]),
        lambda: EnsembleScorer([constant(1.0), constant(2.0)], "best"),  # type: ignore[arg-type]
        lambda: EnsembleScorer([constant(1.0), constant(2.0)], k=-1.0),
        lambda: EnsembleStepScorer([steps(1.0)]),
    ],
)
def test_impossible_settings_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ConfigError):
        make()


def length(completion: str) -> float:
    return len(completion)


def halves(prompt: object, texts: list[str]) -> list[float]:
    return [0.5 for _ in texts]


def test_it_is_made_from_a_specification_of_specifications(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import ModuleType

    module = ModuleType("given_rewards")
    module.length, module.halves = length, halves  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "given_rewards", module)
    spec = {"kind": "ensemble", "members": ["given_rewards:length"] * 2, "combine": "mean"}
    assert load_scorer(spec).score([JOB])[0].value == 8.0
    step_spec = {"kind": "ensemble", "members": ["given_rewards:halves"] * 2}
    assert load_step_scorer(step_spec).score_steps([STEPS])[0].values == (0.5, 0.5)
