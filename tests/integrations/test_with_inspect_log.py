"""Inspect reads our runs as its logs: the same scores, the same pass@k, and what it reads can be judged again."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conformity import BREAKS, needs

needs("inspect_ai")

from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import rlenv  # noqa: E402
from rlenv.cli import app  # noqa: E402
from rlenv.core.completion import Completion  # noqa: E402
from rlenv.core.jsontypes import Json  # noqa: E402
from rlenv.core.task import Task  # noqa: E402
from rlenv.logs import import_logs  # noqa: E402
from rlenv.policies import ScriptedPolicy  # noqa: E402

HOSTILE = "<think>\x1b[2J \ud800</think>"


def converted(folder: Path) -> Any:
    """The log that the command makes of a run, as Inspect reads it."""
    file = folder / "run.eval"
    done = CliRunner().invoke(app, ["convert", str(folder / "run"), "--to", "inspect", "--out", str(file)])
    assert done.exit_code == 0, done.output
    log = read_eval_log(str(file))
    log.samples.sort(key=lambda sample: sample.metadata["index"])  # Inspect reads them by their ids
    return log


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run of 12 sums with 3 completions each: right, wrong, cut or hostile, and one that breaks the checker."""
    asked: Counter[str] = Counter()

    def right(completion: str, answer: str) -> float:
        if completion.startswith(BREAKS):
            raise RuntimeError("the judge is away")
        return float(completion.strip() == answer)

    def said(task: Task) -> Completion:
        number, asked[task.id] = asked[task.id], asked[task.id] + 1
        texts = [f"{HOSTILE}{task.reference}", "0", BREAKS if task.metadata["n"] == 3 else f"{HOSTILE} so"]
        return Completion(texts[number], finished=number != 2)

    tasks: list[dict[str, Json]] = [{"prompt": f"{n}+1=?", "answer": str(n + 1), "n": n} for n in range(12)]
    rlenv.register("test/logged-v0", tasks=tasks, verifier=right, cheap=True)
    folder = tmp_path_factory.mktemp("log")
    policy = ScriptedPolicy("scripted", said)
    rlenv.evaluate("test/logged-v0", policy, n=3, k=(1, 3), out=folder / "run", quiet=True)
    return folder


def test_the_log_has_the_scores_of_the_run(folder: Path) -> None:
    log, episodes = converted(folder), list(rlenv.read_episodes(folder / "run"))
    assert (log.status, log.eval.task, log.eval.model) == ("success", "test/logged-v0", "scripted")
    assert len(log.samples) == len(episodes) == 36
    for sample, episode in zip(log.samples, episodes, strict=True):
        value = sample.scores["rlenv"].value
        assert (None if math.isnan(value) else value) == episode.verdict.reward
        assert sample.id == episode.task.id
    assert {sample.epoch for sample in log.samples} == {1, 2, 3}
    [failed] = [sample.scores["rlenv"] for sample in log.samples if math.isnan(sample.scores["rlenv"].value)]
    assert "the judge is away" in failed.explanation
    assert len(read_eval_log_sample_summaries(str(folder / "run.eval"))) == 36


def test_the_metrics_are_those_of_the_report(folder: Path) -> None:
    [score] = converted(folder).results.scores
    report = rlenv.evaluate(
        "test/logged-v0", ScriptedPolicy("scripted", lambda task: ""), n=3, k=(1, 3), out=folder / "run", quiet=True
    )
    assert report.there == 36
    assert score.metrics["mean"].value == report.mean_reward
    assert score.metrics["pass@3"].value == report.pass_at[3].value
    assert score.metrics["pass@3"].metadata["high"] == report.pass_at[3].high
    assert (score.scored_samples, score.unscored_samples) == (35, 1)


def test_what_was_thought_and_cut_is_told_apart(folder: Path) -> None:
    first, _, third = converted(folder).samples[:3]
    thought, said = first.output.choices[0].message.content
    assert (thought.type, thought.reasoning, said.text) == ("reasoning", "\x1b[2J ?", "1")
    assert (first.output.stop_reason, third.output.stop_reason) == ("stop", "max_tokens")


def test_the_log_is_read_back_and_judged_to_the_same_rewards(folder: Path, tmp_path: Path) -> None:
    converted(folder)
    imported = import_logs([folder / "run.eval"], tmp_path / "back")
    assert (imported.report.episodes, imported.report.verifier_errors) == (36, 1)
    again = rlenv.rescore(tmp_path / "back").report
    assert (again.mean_reward, again.verifier_errors) == (imported.report.mean_reward, 1)


def test_a_game_is_a_conversation_and_is_read_back(tmp_path: Path) -> None:
    report = rlenv.evaluate("games/guess-v0", "reference", limit=4, out=tmp_path / "run", quiet=True)
    log = converted(tmp_path)
    episodes = list(rlenv.read_episodes(tmp_path / "run"))
    for sample, episode in zip(log.samples, episodes, strict=True):
        spoken = [message.role for message in sample.messages]
        assert spoken.count("assistant") == sum(turn.by_policy for turn in episode.completion.turns)
        assert sample.scores["rlenv"].value == episode.verdict.reward
    imported = import_logs([tmp_path / "run.eval"], tmp_path / "back")
    assert imported.report.mean_reward == report.mean_reward
    back = {episode.task.id: episode.completion for episode in rlenv.read_episodes(tmp_path / "back")}
    assert back == {episode.task.id: episode.completion for episode in episodes}
