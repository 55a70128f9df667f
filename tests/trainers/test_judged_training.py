"""A policy trained on a judge's scores: what the judge fails at is left out, not punished."""

from __future__ import annotations

from pathlib import Path

import pytest
from digits import ROWS, config, policy
from json_server import Answer, Body, Server, serving
from judge_server import chat, graded, says, verdict
from typer.testing import CliRunner

from rlenv import Definition, ListTasks, read_episodes
from rlenv.cli import make_app
from rlenv.core.errors import TooManyVerifierErrors
from rlenv.judges.rubric import judge_scorer
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


JUDGED = """
import os

import rlenv
from rlenv.judges.rubric import judge_scorer
from rlenv.scorers.scorer import ScorerVerifier

scorer = judge_scorer(os.environ["JUDGE"], "m", endpoint={"retries": 0, "backoff_s": 0.0})
rlenv.register(
    "test/judged-v0", tasks=[{"prompt": f"{n}+1=?"} for n in range(8)], verifier=ScorerVerifier(scorer)
)
"""


def cent(number: int, body: Body) -> tuple[int, object]:
    """Likes the even ones, for a cent each."""
    mark, answer = graded(body)
    said = chat(verdict(mark, quality=5 if answer.strip()[-1:] in "02468" else 1))
    assert isinstance(said, dict)
    return 200, {**said, "usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.01}}


def test_a_training_stops_at_its_limit_of_money_and_goes_on_with_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "judged.py").write_text(JUDGED)
    imported = ["--import", str(tmp_path / "judged.py")]
    common = ["--steps", "4", "--groups", "4", "--group-size", "4", "--max-new-tokens", "3", "-q", *imported]
    with serving(cent) as server:
        monkeypatch.setenv("JUDGE", server.url)
        command = ["train", "test/judged-v0", *common, "--out", str(tmp_path / "run"), "--set", "max_cost=0.1"]
        stopped = CliRunner().invoke(make_app(), command)
        asked, steps = len(server.bodies), len(read_metrics(tmp_path / "run" / "metrics.jsonl"))
        more = ["train", "--resume", str(tmp_path / "run"), *imported, "-q", "--set"]
        again = CliRunner().invoke(make_app(), [*more, "max_cost=0.1"])
        assert (again.exit_code, len(server.bodies)) == (2, asked)
        ended = CliRunner().invoke(make_app(), [*more, "max_cost=100"])
        whole = CliRunner().invoke(make_app(), ["train", "test/judged-v0", *common, "--out", str(tmp_path / "whole")])
    assert stopped.exit_code == 2
    assert "max_cost of 0.1 is reached" in stopped.output
    assert "rlenv train --resume" in stopped.output
    assert 0 < steps < 4
    assert 10 <= asked < 32  # the rollout that reached it is finished, and none begun behind it
    assert (ended.exit_code, whole.exit_code) == (0, 0), ended.output
    report = (tmp_path / "run" / "report.md").read_text()
    assert "- spent: " in report
    assert "US dollars" in report
    assert read_metrics(tmp_path / "run" / "metrics.jsonl")[-1]["spent/cost"] > 0.1
    weights = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("run", "whole")]
    assert weights[0] == weights[1]
