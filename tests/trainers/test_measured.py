"""What training logs of verdicts: parts, raw scores and flags, each over the episodes that have them."""

import pytest

from rlenv import Completion, Episode, Task, Verdict
from rlenv.trainers.measured import measured
from rlenv.verdict import Flag


def episode(verdict: Verdict) -> Episode:
    return Episode(Task("?"), Completion("!", (1, 2), (-0.5, -0.5)), verdict)


def test_scores_are_means_over_the_graded_episodes_that_have_them() -> None:
    refused = Verdict.of(("refused", 1.0), scores={"refused_harmful": 1.0}, flags=[Flag("partial_refusal")])
    complied = Verdict.of(("refused", 0.0), scores={"refused_harmful": 0.0})
    helped = Verdict.of(("helped", 1.0), scores={"over_refused": 0.0})
    failed = Verdict(None, "verifier_error", scores={"over_refused": 1.0}, reason="down")
    metrics = measured([episode(verdict) for verdict in (refused, complied, helped, failed)], 2)
    assert metrics["scores/refused_harmful/mean"] == pytest.approx(0.5)
    assert metrics["scores/over_refused/mean"] == 0.0
    assert metrics["flags/partial_refusal"] == 1.0
    assert metrics["verifier_errors"] == 1.0


def test_score_that_is_no_number_leaves_the_mean_alone() -> None:
    verdicts = [Verdict.of(("r", 0.0), scores={"a": value, "b": float("inf")}) for value in (0.25, float("nan"))]
    metrics = measured([episode(verdict) for verdict in verdicts], 1)
    assert metrics["scores/a/mean"] == 0.25
    assert "scores/b/mean" not in metrics
