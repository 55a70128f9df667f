"""Scorers as verifiers, functions as scorers, and finding them by specification."""

from __future__ import annotations

import importlib
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import rlenv
from rlenv import BatchVerifier, Completion, Definition, ListTasks, Task
from rlenv.core.errors import ConfigError, RunError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Prompt
from rlenv.judge.judge import Judge
from rlenv.scorers import Job, Score, Stepped, ask
from rlenv.scorers.load import KINDS, STEP_KINDS, load_scorer, load_step_scorer
from rlenv.scorers.scorer import FunctionScorer, FunctionStepScorer, ScorerVerifier, StepFunction

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


class Miscounting(Partial):
    def score(self, jobs: Sequence[Job]) -> list[Score]:
        return []


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


def test_a_scorer_verifier_is_a_batch_verifier_whose_version_names_the_scorer() -> None:
    verifier = ScorerVerifier(Partial())
    assert isinstance(verifier, BatchVerifier)
    assert not verifier.cheap
    assert verifier.version == "short:1:0"
    with pytest.raises(VerifierContractError, match="expected 1 scores"):
        ScorerVerifier(Miscounting()).verify(TASKS[0], Completion("x"))


def test_a_function_gets_what_its_parameters_name() -> None:
    scorer = FunctionScorer(lambda prompt, completion, reference, weight: weight * (reference in completion))
    assert scorer.score([(TASKS[0], Completion("because"))])[0].value == 2.0


def test_what_a_function_raises_and_nan_are_failures_of_one_completion() -> None:
    scorer = FunctionScorer(lambda completion: math.nan if completion == "nan" else 1 / len(completion))
    scores = ask(scorer, ["?", "?", "?"], ["", "nan", "ab"])
    assert [score.value for score in scores] == [None, None, 0.5]
    assert "ZeroDivisionError" in scores[0].reason
    assert "nan" in scores[1].reason


def test_the_version_of_a_function_follows_its_code() -> None:
    assert FunctionScorer(length).version == FunctionScorer(length).version
    assert FunctionScorer(length).version != FunctionScorer(lambda completion: 1.0).version
    assert FunctionStepScorer(halves).version != FunctionStepScorer(lambda prompt, steps: [1.0]).version


def stepped(text: str, *spans: tuple[int, int]) -> Stepped:
    return Stepped(TASKS[0], Completion(text), spans)


def test_a_step_function_sees_the_steps_and_its_mistakes_are_failures() -> None:
    scorer = FunctionStepScorer(lambda prompt, steps: [1.0 if "2" in step else 0.0 for step in steps])
    assert scorer.score_steps([stepped("1+1=2\n1+1=3", (0, 5), (6, 11))])[0].values == (1.0, 0.0)
    wrong: list[StepFunction] = [lambda p, s: [0.5], lambda p, s: [2.0, 0.5], lambda p, s: [math.nan, 1.0]]
    for function in [*wrong, lambda p, s: [1 / 0]]:
        found = FunctionStepScorer(function).score_steps([stepped("ab", (0, 1), (1, 2))])[0]
        assert found.values is None
        assert found.reasons[0]


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


def test_finding_a_scorer_loads_nothing_heavy() -> None:
    command = "import sys, rlenv.scorers; print(*{'torch', 'transformers', 'httpx2', 'jinja2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


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
        ({"kind": "math_shepherd"}, "scores steps"),
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


def test_a_model_without_scorer_json_is_known_by_its_architecture_alone(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    with pytest.raises(ConfigError, match="cannot tell what kind of scorer"):
        load_scorer(str(tmp_path))
    (tmp_path / "config.json").unlink()
    with pytest.raises(ConfigError, match="cannot find the scorer"):
        load_scorer(str(tmp_path))
