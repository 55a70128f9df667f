"""Scorers as verifiers, functions as scorers, ensembles of them, and finding them by specification."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

import rlenv
from rlenv import Completion, Definition, ListTasks, Task
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Prompt
from rlenv.judge.judge import Judge
from rlenv.scorers import Job, Score, Stepped, ask
from rlenv.scorers.ensemble import EnsembleScorer
from rlenv.scorers.load import KINDS, STEP_KINDS, load_scorer, load_step_scorer
from rlenv.scorers.scorer import FunctionScorer, ScorerVerifier

TASKS = [Task("Why?", "because", metadata={"weight": 2.0})]


def length(completion: str) -> float:
    return float(len(completion))


def halves(prompt: Prompt, steps: Sequence[str]) -> list[float]:
    return [0.5] * len(steps)


class Partial:
    """Scores short completions and fails on the others."""

    name = "short"
    version = "1"

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        return [
            Score(0.25, {"short/margin": 3.0}) if len(completion.text) < 5 else Score.failure("too long for it")
            for _, completion in jobs
        ]


def graded(scorer: Partial, *texts: str) -> list[rlenv.Verdict]:
    definition = Definition(tasks=ListTasks(TASKS), verifier=ScorerVerifier(scorer))
    return Judge(definition).verdicts([(TASKS[0], Completion(text)) for text in texts])


def test_a_score_is_the_reward_and_its_labels_are_raw_scores() -> None:
    verdict = graded(Partial(), "no")[0]
    assert verdict.parts == (("short", 0.25),)
    assert verdict.scores == {"short": 0.25, "short/margin": 3.0}


def test_a_failure_of_the_scorer_is_no_reward_and_spares_the_others() -> None:
    short, long = graded(Partial(), "no", "much too long")
    assert short.reward == 0.25
    assert not long.graded
    assert "too long for it" in long.reason


def test_what_a_function_raises_and_nan_are_failures_of_one_completion() -> None:
    scorer = FunctionScorer(lambda completion: math.nan if completion == "nan" else 1 / len(completion))
    scores = ask(scorer, ["?", "?", "?"], ["", "nan", "ab"])
    assert [score.value for score in scores] == [None, None, 0.5]
    assert "ZeroDivisionError" in scores[0].reason
    assert "nan" in scores[1].reason


def stepped(text: str, *spans: tuple[int, int]) -> Stepped:
    return Stepped(TASKS[0], Completion(text), spans)


def test_a_name_stands_for_a_function_or_a_scorer_of_a_module() -> None:
    assert ask(load_scorer("math:sqrt"), ["?"], ["x"])[0].value is None
    assert load_scorer({"kind": "function", "function": f"{__name__}:length"}).name == "score"
    assert load_scorer(length).name == "length"
    scorer = Partial()
    assert load_scorer(scorer) is scorer
    assert load_step_scorer(halves).score_steps([stepped("ab", (0, 2))])[0].values == (0.5,)


@pytest.mark.parametrize("where", sorted({*KINDS.values(), *STEP_KINDS.values()}))
def test_every_row_of_the_tables_names_something_to_call(where: str) -> None:
    module, _, name = where.partition(":")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("no/such/folder", "cannot find the scorer"),
        ("no_such_module:thing", "no module 'no_such_module'"),
        ("math:no_such_thing", "has no 'no_such_thing'"),
        ("math:pi", "expected a scorer of completions, got float"),
        (3, "expected a scorer of completions, got int"),
        ({"kind": "nonsense"}, "expected 'kind' to be one of"),
        ({"path": "x"}, "expected 'kind' to be one of"),
        ({"kind": "monte_carlo"}, "scores steps"),
        ({"kind": "function"}, "it takes: function, name"),
        ({"kind": "function", "function": "math:sqrt", "speed": 3}, "it takes: function, name"),
    ],
)
def test_a_specification_that_means_nothing_is_one_clear_error(
    spec: Json, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match=said) as caught:
        load_scorer(spec)
    assert "\n" not in str(caught.value)


def test_a_folder_says_its_kind_and_settings_in_scorer_json(tmp_path: Path) -> None:
    settings = {"kind": "sequence_classification", "name": "size"}
    (tmp_path / "scorer.json").write_text(json.dumps(settings))
    assert load_scorer(str(tmp_path)).name == "size"
    (tmp_path / "scorer.json").write_text("[1]")
    with pytest.raises(RunError, match="expected a JSON object"):
        load_scorer(str(tmp_path))
    (tmp_path / "scorer.json").write_text("{")
    with pytest.raises(RunError, match="not valid JSON"):
        load_scorer(str(tmp_path))


JOB = (Task("Say hi"), Completion("hi there"))


def constant(value: float, name: str = "rm") -> FunctionScorer:
    return FunctionScorer(lambda completion: value, name=name, version=str(value))


def test_each_rule_combines_the_members_and_the_labels_hold_them_and_their_spread() -> None:
    members = [constant(value, name) for value, name in ((1.0, "a"), (2.0, "b"), (6.0, "c"))]
    variance = 14 / 3
    for rule, value in (("mean", 3.0), ("min", 1.0), ("cautious", 3.0 - 0.5 * variance)):
        score = EnsembleScorer(members, rule, 0.5).score([JOB])[0]  # type: ignore[arg-type]
        assert score.value == pytest.approx(value)
        assert score.labels == {"a": 1.0, "b": 2.0, "c": 6.0, "spread": 5.0}


def test_a_member_that_fails_fails_the_ensemble_for_that_completion_alone() -> None:
    picky = FunctionScorer(lambda completion: 1.0 if completion == "fine" else float("nan"), name="picky")
    fine, failed = ask(EnsembleScorer([constant(3.0), picky]), ["?", "?"], ["fine", "odd"])
    assert (fine.value, failed.value) == (1.0, None)
    assert "picky" in failed.reason
    verdict = ScorerVerifier(EnsembleScorer([constant(3.0), picky])).verify(*JOB)
    assert verdict.status == "verifier_error"
