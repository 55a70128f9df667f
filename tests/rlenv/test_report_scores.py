"""A report shows the mean of every raw score beside pass@k, and says over how many episodes."""

import json
from pathlib import Path

import rlenv
from rlenv import Completion, Definition, Episode, Task, Verdict
from rlenv.evaluation.report import Report
from rlenv.evaluation.summary import ScoreMean
from rlenv.policies import ScriptedPolicy


def tallied(*verdicts: Verdict) -> Report:
    episodes = [Episode(Task("?", id=str(i)), Completion("!"), verdict) for i, verdict in enumerate(verdicts)]
    return Report("test/scores-v0", "policy", {}).add(episodes)


def scored(**scores: float) -> Verdict:
    return Verdict.of(("reward", 1.0), scores=scores)


def test_mean_and_count_are_over_the_episodes_that_have_the_score() -> None:
    report = tallied(scored(refused=1.0), scored(refused=0.0, fluent=0.25), scored(refused=1.0))
    assert report.scores == {"fluent": ScoreMean(0.25, 1), "refused": ScoreMean(2 / 3, 3)}


def test_failures_of_the_checker_and_scores_that_are_no_numbers_are_left_out() -> None:
    failed = Verdict(None, "verifier_error", scores={"refused": 0.0}, reason="down")
    report = tallied(scored(refused=1.0), failed, scored(refused=float("nan")))
    assert report.scores == {"refused": ScoreMean(1.0, 1)}


def test_text_names_the_count_only_where_it_is_not_that_of_all_judged_episodes() -> None:
    text = str(tallied(scored(refused=1.0), scored(refused=0.0, fluent=0.25)))
    assert "scores: fluent 0.250 (1), refused 0.500\n" in f"{text}\n"


def test_markdown_and_json_show_scores() -> None:
    report = tallied(scored(refused=1.0), scored(refused=0.0))
    assert "- scores: refused 0.500" in report.markdown()
    assert json.loads(json.dumps(report.to_json()))["scores"] == {"refused": [0.5, 2]}


def test_many_scores_are_cut_short_in_text_and_whole_in_json() -> None:
    report = tallied(scored(**{f"member-{i:02}": i / 20 for i in range(20)}))
    assert "member-07 0.350, and 12 more in report.json" in str(report)
    assert "member-08" not in str(report)
    assert len(report.scores) == 20


def test_report_without_scores_does_not_speak_of_them() -> None:
    assert "scores: " not in str(tallied(Verdict.of(("reward", 1.0))))


def test_evaluation_saves_scores_and_rebuilds_them_when_it_resumes(tmp_path: Path) -> None:
    def judge(completion: str, answer: str) -> Verdict:
        return Verdict.of(("reward", float(completion == answer)), scores={"length": float(len(completion))})

    rows: list[dict[str, str]] = [{"prompt": f"say {i}", "answer": str(i)} for i in range(4)]
    made = Definition(
        tasks=rlenv.ListTasks.from_rows(rows), verifier=rlenv.FunctionVerifier(judge, cheap=True), id="test/length-v0"
    )
    policy = ScriptedPolicy("twelve", lambda task: "12")
    first = rlenv.evaluate(made, policy, out=tmp_path / "run", quiet=True)
    again = rlenv.evaluate(made, policy, out=tmp_path / "run", quiet=True)
    assert first.scores == again.scores == {"length": ScoreMean(2.0, 4)}
    assert json.loads((tmp_path / "run" / "report.json").read_text())["scores"] == {"length": [2.0, 4]}
