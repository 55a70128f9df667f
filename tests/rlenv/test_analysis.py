"""`rlenv report`: what a saved run says without a model, each figure against the count by hand."""

import itertools
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rlenv
from rlenv import Completion, Definition, Task, Verdict
from rlenv.analysis import analyse
from rlenv.cli import app
from rlenv.core.errors import ConfigError, RunError
from rlenv.policies import ScriptedPolicy


def judge(completion: str, answer: str) -> Verdict:
    """Compares numbers and names what it judged; what says `broken` it fails at."""
    said = completion.rpartition("=")[2]
    if said == "broken":
        return Verdict.error("broken")
    right = said != "" and float(said) == float(answer)
    start = len(completion) - len(said)
    place = (start, len(completion)) if said else None
    return Verdict.of(("reward", float(right)), answer=place, scores={"sure": 1.0 if said == answer else 0.25})


SAID = {
    "1": ["x=1", "y=1.0", "=2", "=2.0", "=3", ""],
    "2": ["=2", "=2.0", "=5", "=5.0", "=5.00", "=7"],
    "3": ["=4", "=4", "=4", "=4", "=4", "=3"],
}
CLASSES = {
    "1": {"a": [1, 1], "b": [0, 0], "c": [0], "none": [0]},
    "2": {"a": [1, 1], "b": [0, 0, 0], "c": [0]},
    "3": {"a": [0] * 5, "b": [1]},
}
"""The same by hand: 5 and 5.0 are one answer, as the verifier compares numbers."""


def definition(rows: list[dict[str, object]] | None = None) -> Definition:
    made = rows or [{"prompt": f"say {i}", "answer": i, "level": 10 if i == "3" else 2} for i in SAID]
    return Definition(
        tasks=rlenv.ListTasks.from_rows(made),  # type: ignore[arg-type]
        verifier=rlenv.FunctionVerifier(judge, cheap=True),
        id="test/analysed-v0",
    )


def saved(out: Path, said: dict[str, list[str]] = SAID, n: int = 6) -> Path:
    left = {answer: list(texts) for answer, texts in said.items()}

    def script(task: Task) -> Completion:
        text = left[str(task.reference)].pop(0)
        return Completion(text, (1,) * (len(text) + 1), (-0.5,) * (len(text) + 1))

    rlenv.evaluate(definition(), ScriptedPolicy("script", script), n=n, k=1, out=out)
    return out


def majority(k: int) -> float:
    shares = []
    for answers in CLASSES.values():
        votes = [(name, passed) for name, own in answers.items() for passed in own]
        drawn = []
        for subset in itertools.combinations(votes, k):
            names = [name for name, _ in subset]
            top = {name for name in names if names.count(name) == max(map(names.count, names))}
            drawn.append(sum(answers[name][0] for name in top) / len(top))
        shares.append(sum(drawn) / len(drawn))
    return sum(shares) / len(shares)


@pytest.mark.parametrize("k", [2, 6])
def test_maj_at_k_groups_answers_as_the_verifier_compares_them(tmp_path: Path, k: int) -> None:
    found = analyse(saved(tmp_path), k=[k], maj=True, definition=definition())
    assert found.estimates[f"maj@{k}"].value == pytest.approx(majority(k), abs=1e-12)
    assert "by the verifier" in str(found)


def test_best_of_k_by_log_probs_and_by_a_score_of_the_verdict(tmp_path: Path) -> None:
    found = analyse(saved(tmp_path), k=[1, 2, 6], best_of=["logprob", "logprob-mean", "sure"])
    assert found.estimates["best-of-1 by logprob"].value == pytest.approx(found.estimates["pass@1"].value)
    assert found.estimates["best-of-6 by logprob"].value == pytest.approx((0 + 1 / 3 + 1 / 6) / 3)  # the shortest
    assert found.estimates["best-of-6 by sure"].value == 1.0  # sure of the text that is the reference
    assert found.estimates["best-of-6 by logprob-mean"].value == pytest.approx(found.estimates["pass@1"].value)


def test_the_same_by_a_column_in_the_order_of_numbers(tmp_path: Path) -> None:
    found = analyse(saved(tmp_path), k=[2], by=["level"])
    assert list(found.by["level"]) == ["2", "10"]
    assert found.by["level"]["10"]["average@6"].value == pytest.approx(1 / 6)
    assert found.by["level"]["2"]["pass@2"].problems == 2
    with pytest.raises(ConfigError, match=r"no column|no task has the column 'colour'; give one of level"):
        analyse(tmp_path, by=["colour"])


def test_average_reward_and_difficulty_leave_verifier_errors_out(tmp_path: Path) -> None:
    said = {**SAID, "1": ["=1", "=broken", "=1", "=1", "=1", "=1"]}
    found = analyse(saved(tmp_path, said), k=[6])
    assert found.estimates["average@6"].value == pytest.approx((1 + 2 / 6 + 1 / 6) / 3)
    assert (found.estimates["pass@6"].problems, found.estimates["pass@6"].dropped) == (2, 1)
    difficulty = next(table for table in found.tables if table.title == "Difficulty")
    assert [row[1] for row in difficulty.rows] == ["0", "1", "1", "0", "0", "0", "1"]


def test_what_has_no_estimate_is_refused_with_what_there_is(tmp_path: Path) -> None:
    run = saved(tmp_path)
    with pytest.raises(ConfigError, match=r"k of 1 to 6"):
        analyse(run, k=[7])
    with pytest.raises(ConfigError, match="give one of logprob, logprob-mean, sure, or a scorer"):
        analyse(run, best_of=["unsure"])
    with pytest.raises(RunError, match="holds no episodes"):
        analyse(tmp_path / "nothing")


def test_the_command_prints_and_writes_the_tables(tmp_path: Path) -> None:
    run, page = saved(tmp_path / "run"), tmp_path / "page.md"
    asked = ["report", str(run), "--k", "1,3", "--by", "level", "--best-of", "logprob"]
    done = CliRunner().invoke(app, [*asked, "--maj", "-o", str(page)])
    assert done.exit_code == 0, done.output
    for words in ("maj@3", "best-of-3 by logprob", "By level", "Difficulty"):
        assert words in done.output
        assert words in page.read_text()


def test_episodes_of_training_are_grouped_by_step(tmp_path: Path) -> None:
    task, file = Task("say 1", "1"), tmp_path / "episodes.jsonl"
    paid = [(0, 1.0), (0, 0.0), (1, 1.0), (1, 1.0)]
    episodes = [
        rlenv.Episode(task, Completion("=1"), Verdict.of(("reward", reward)), step=step, index=i, env_id="mine/sums-v0")
        for i, (step, reward) in enumerate(paid)
    ]
    rlenv.write_episodes(file, episodes)
    found = analyse(file, k=[2])
    assert (found.estimates["pass@2"].problems, found.estimates["pass^2"].value) == (2, 0.5)
    assert found.report.pass_at[2] == found.estimates["pass@2"]
    assert str(found).startswith("mine/sums-v0, ")
