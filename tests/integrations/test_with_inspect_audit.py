"""Tasks of Inspect as environments of ours and as what an audit asks, by their own scorers."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from conformity import needs

needs("inspect_ai")

from typer.testing import CliRunner  # noqa: E402

import rlenv  # noqa: E402
from rlenv.cli import app  # noqa: E402
from rlenv.core.errors import ConfigError  # noqa: E402
from rlenv.foreign.inspect import from_inspect  # noqa: E402

TASKS = """
import math
import time

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, answer, includes, mean, scorer

ROWS = [(f"What is {137 + 11 * i} + {258 + 6 * i}?", str(395 + 17 * i)) for i in range(24)]
SAMPLES = [Sample(input=asked, target=target) for asked, target in ROWS]

@task
def careless(count=24):
    return Task(dataset=SAMPLES[:count], scorer=includes())

@task
def careful():
    return Task(dataset=SAMPLES, scorer=answer("line"))

@scorer(metrics=[mean()])
def odd():
    async def score(state, target):
        text = state.output.completion
        if text == "break":
            raise OSError("the disk is full")
        if text == "hang":
            time.sleep(60)
        given = {"nan": math.nan, "words": "very good", "list": [1.0]}.get(text, 0.25)
        return None if text == "nothing" else Score(value=given, explanation=f"{state.output.stop_reason}")
    return score

@task
def odds():
    return Task(dataset=SAMPLES, scorer=[odd(), includes()])

@task
def choices():
    return Task(dataset=[Sample(input="Which?", choices=["a", "b"], target="A")], scorer=includes())

@task
def boxed():
    return Task(dataset=SAMPLES, scorer=includes(), sandbox="docker")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sums.py"
    path.write_text(TASKS)
    return path


def verdict(env: Any, completion: rlenv.Completion | str) -> Any:
    env.reset(options={"task": 2})
    return env.step(completion)[4]["verdict"]


def audited(name: str, folder: Path, *options: str) -> tuple[int, dict[str, Any], str]:
    """Exit code and certificate of `rlenv audit`."""
    left = folder / "certificate.json"
    done = CliRunner().invoke(app, ["audit", name, "--tasks", "8", "--set", f"certificate={left}", *options])
    return done.exit_code, json.loads(left.read_text()) if left.exists() else {}, done.output


def test_the_scorers_of_a_task_are_the_verdict(file: Path) -> None:
    id = from_inspect(f"{file}@careful")
    assert id == "inspect/sums-careful-v0"
    env = rlenv.make(id).unwrapped
    assert verdict(env, "<think>417</think>It is\nANSWER: 429").reward == 1.0
    assert verdict(env, "<think>ANSWER: 429</think>ANSWER: 417").reward == 0.0
    both = verdict(rlenv.make(from_inspect(f"{file}@odds")).unwrapped, rlenv.Completion("so 429", finished=False))
    assert (both.reward, both.scores, both.reason) == (0.25, {"includes": 1.0}, "max_tokens")


@pytest.mark.parametrize(
    ("text", "why"),
    [("break", "the disk is full"), ("nan", "nan"), ("words", "very good"), ("list", "no reward"), ("nothing", "None")],
)
def test_what_a_scorer_does_wrong_is_never_a_0(text: str, why: str, file: Path) -> None:
    found = verdict(rlenv.make(from_inspect(f"{file}@odds")).unwrapped, text)
    assert found.status == "verifier_error"
    assert why in found.reason


def test_a_scorer_that_hangs_is_never_a_0(file: Path) -> None:
    env = rlenv.make(from_inspect(f"{file}@odds"), answer_limit_s=2).unwrapped
    found = verdict(env, "hang")
    assert found.status == "verifier_error"
    assert "gave no answer in 2 s" in found.reason
    assert verdict(env, "well").reward == 0.25


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("choices", "choices, which a solver marks"),
        ("boxed", "needs a sandbox"),
        ("none", "has no function 'none'"),
        ("SAMPLES", "has no function"),
        ("odd", "to give a Task of Inspect"),
    ],
)
def test_what_a_text_alone_does_not_score_is_refused_in_a_line(task: str, why: str, file: Path) -> None:
    with pytest.raises(ConfigError, match=why):
        rlenv.load(from_inspect(f"{file}@{task}"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot load .*nowhere\.py: FileNotFoundError"):
        rlenv.load(from_inspect(f"{tmp_path}/nowhere.py@sums"))


def test_an_audit_finds_what_a_scorer_pays_for_and_inspect_pays_it_too(file: Path, tmp_path: Path) -> None:
    code, told, shown = audited(f"inspect:{file}@careless", tmp_path)
    assert code == 1, shown
    assert told["audited"]["files"][0]["path"] == str(file)
    assert told["reward"]["golden"]["gets_the_most"]
    assert told["reward"]["adversarial_floor"]["mean_share"] == 1.0
    assert told["reward"]["canaries"]["paid"] == 0
    critical = [finding for finding in told["findings"] if finding["severity"] == "critical"]
    rules = {rule for finding in critical for rule in finding["rules"]}
    assert {"attack/enumeration", "hedge", "corruption/another-sign"} <= rules
    text = " ".join(map(str, range(1000)))

    async def asked() -> str:
        from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
        from inspect_ai.scorer import Target, includes
        from inspect_ai.solver import TaskState

        state = TaskState(ModelName("a/b"), 1, 1, "?", [ChatMessageUser(content="?")])
        state.output = ModelOutput.from_content("b", text)
        return str((await includes()(state, Target("395"))).value)

    assert asyncio.run(asked()) == "C"


def test_a_scorer_that_reads_the_answer_alone_passes(file: Path, tmp_path: Path) -> None:
    code, told, shown = audited(f"inspect:{file}@careful", tmp_path, "--solution", "so\\nANSWER: {answer}")
    assert (code, told.get("passed")) == (0, True), shown
    assert "'kwargs.solution=so\\nANSWER: {answer}'" in told["command"]
