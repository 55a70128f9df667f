"""A policy trained on a judge's scores: what the judge fails at is left out, not punished."""

from __future__ import annotations

from pathlib import Path

import pytest
from digits import ROWS, config, policy
from json_server import Answer, Body, Server, serving
from judge_server import chat, graded, says, verdict

from rlenv import BatchEnvironment, Definition, ListTasks, read_episodes
from rlenv.core.errors import TooManyVerifierErrors
from rlenv.scorers.judge import judge_scorer
from rlenv.scorers.scorer import ScorerVerifier
from rlenv.trainers import train
from rlenv.trainers.loop.checkpoint import fingerprint
from rlenv.trainers.records.logs import read_metrics


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def judged(server: Server) -> Definition:
    """The digits, graded by a judge."""
    scorer = judge_scorer(server.url, "m", endpoint={"retries": 0, "backoff_s": 0.0})
    return Definition(tasks=ListTasks.from_rows(ROWS), verifier=ScorerVerifier(scorer), id="test/judged-v0")


def moody(number: int, body: Body) -> tuple[int, object]:
    """Fails at answers with a 3 or a 7 in them; likes the even ones."""
    mark, answer = graded(body)
    if "3" in answer or "7" in answer:
        return 503, "overloaded"
    return 200, chat(verdict(mark, quality=5 if answer.strip()[-1:] in "02468" else 1))


def test_a_batch_has_scores_zeros_and_failures_each_where_it_belongs() -> None:
    with serving(moody) as server:
        batch = BatchEnvironment(judged(server), group_size=4)
        batch.reset(groups=1)
        verdicts = [episode.verdict for episode in batch.step(["2", "3", "", "5"])]
    assert [verdict.reward for verdict in verdicts] == [1.0, None, 0.0, 0.0]
    assert [verdict.status for verdict in verdicts] == ["graded", "verifier_error", "graded", "graded"]
    assert "overloaded" in verdicts[1].reason
    assert verdicts[2].flags[0].name == "no_substance"
    assert (verdicts[0].scores["judge"], verdicts[0].scores["quality"]) == (1.0, 5.0)


def test_training_leaves_out_what_the_judge_failed_at_and_goes_on(tmp_path: Path) -> None:
    with serving(moody) as server:
        trained = train(config(steps=2, max_error_share=1.0), judged(server), policy(), tmp_path, quiet=True)
    episodes = list(read_episodes(tmp_path))
    failed = [episode for episode in episodes if not episode.verdict.graded]
    assert 0 < len(failed) < len(episodes)
    assert all("3" in e.completion.text or "7" in e.completion.text for e in failed)
    metrics = read_metrics(tmp_path / "metrics.jsonl")
    assert sum(row["verifier_errors"] for row in metrics) == len(failed)
    graded_rewards = [e.verdict.reward for e in episodes if e.verdict.reward is not None and e.step == episodes[0].step]
    assert metrics[0]["reward"] == pytest.approx(sum(graded_rewards) / len(graded_rewards))
    assert fingerprint(trained.model.state_dict()) != fingerprint(policy().model.state_dict())


@pytest.mark.parametrize("answer", [lambda number, body: (503, "down"), says(lambda mark, answer: "five stars")])
def test_a_judge_that_only_fails_moves_nothing_and_stops_the_run(answer: Answer, tmp_path: Path) -> None:
    before = policy()
    with serving(answer) as server:
        after = train(config(steps=1, max_error_share=1.0), judged(server), policy(), tmp_path / "a", quiet=True)
        with pytest.raises(TooManyVerifierErrors, match="judge"):
            train(config(steps=1), judged(server), policy(), tmp_path / "b", quiet=True)
    said = [e.verdict for e in read_episodes(tmp_path / "a")]
    assert {v.reward for v in said} <= {None, 0.0}  # 0 only for what had no substance, which nobody was asked about
    assert None in {v.reward for v in said}
    assert fingerprint(after.model.state_dict()) == fingerprint(before.model.state_dict())
