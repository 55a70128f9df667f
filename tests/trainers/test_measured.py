"""What training logs of verdicts: parts, raw scores and flags, each over the episodes that have them."""

import pytest

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.verdict import Flag
from rlenv.trainers.rollouts.measured import measured


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


def test_each_value_of_a_column_has_the_mean_reward_of_its_graded_episodes() -> None:
    failed = Verdict(None, "verifier_error", reason="down")
    verdicts: list[tuple[int | str, float | None]] = [(1, 1.0), (1, 0.0), (2, 1.0), (2, None), ("\x1b", 0.5)]
    episodes = [
        Episode(
            Task("?", metadata={"level": level}),
            Completion("!", (1,), (-0.5,)),
            failed if reward is None else Verdict.of(("r", reward)),
        )
        for level, reward in verdicts
    ]
    metrics = measured(episodes, 1, "level")
    found = {name: value for name, value in metrics.items() if name.startswith("reward/")}
    assert found == {"reward/level=1": 0.5, "reward/level=2": 1.0, "reward/level=\\x1b": 0.5}
    assert not any(name.startswith("reward/") for name in measured(episodes, 1, "subject") | measured(episodes, 1))
