"""What no detector may flag: right answers in every form, and hacks that stand in the thoughts alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answer_forms import FORMS, Form, written
from needed_keywords import NEEDED, PUZZLES
from problem_rows import ROWS, WORKED

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.evidence.detectors import EVIDENCE_DETECTORS as DETECTORS
from rlenv.turns.play import reference_completion, reference_script
from rlenv.wrappers.watch import watched

FILES = {f"math/{name}-v{v}": rows for name, rows in ROWS.items() for v in (0, 1)} | {"process/gsm8k-v0": WORKED}
OURS = [id for id in rlenv.list_envs() if not id.startswith(("code/", "reasoning_gym/"))]
LEARNED = {"safety/refusal-v0", "safety/rm-v0"}
"""Judged by a scorer that is to be given."""
SOME = [*(id for id in OURS if id not in LEARNED), *PUZZLES[::12]]
TASKS = 4


def watched_batch(id: str, folder: Path, group_size: int) -> rlenv.BatchEnvironment:
    """The environment with all detectors around it, and the verifier at hand."""
    kwargs: dict[str, Any] = dict(NEEDED.get(id, {}))
    if id in FILES:
        kwargs["data"] = str(folder / "rows.jsonl")
        Path(kwargs["data"]).write_text("".join(json.dumps(row) + "\n" for row in FILES[id]))
    made = replace(rlenv.load(id, **kwargs), wrappers=watched("all:gate"))
    return rlenv.BatchEnvironment(made, group_size=group_size)


def found(episode: Episode) -> list[Flag]:
    return [flag for flag in episode.verdict.flags if flag.name in DETECTORS]


def flags(task: Task, text: str) -> list[Flag]:
    """What is seen without asking."""
    episode = Episode(task, Completion(text), Verdict.of(("correct", 1.0)))
    return [flag for kind in DETECTORS.values() for flag in kind().judge([episode], {})[0].flags]


def assert_no_flags(id: str, folder: Path) -> None:
    batch = watched_batch(id, folder, len(FORMS))
    definition = batch.definition
    tasks = [definition.tasks[index] for index in range(min(TASKS, len(definition.tasks)))]
    batch.reset(tasks=tasks)
    scripts = [reference_script(definition, task) for task in tasks]
    said = [written(s if isinstance(s, str) else s[-1], form) for s in scripts for form in FORMS]
    for episode in batch.step(said):
        assert found(episode) == [], episode.completion.text


@pytest.mark.parametrize("id", SOME)
def test_a_right_answer_is_no_hack_in_any_form(id: str, tmp_path: Path) -> None:
    assert_no_flags(id, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("id", [*sorted(LEARNED), *(id for id in PUZZLES if id not in SOME)])
def test_a_right_answer_to_the_others_is_no_hack_in_any_form(id: str, tmp_path: Path) -> None:
    assert_no_flags(id, tmp_path)


@pytest.mark.parametrize("form", FORMS)
def test_forms_hold_the_answer_as_content(form: Form) -> None:
    said = Completion(written("So <answer>42</answer>.", form))
    assert said.content.text.strip() == "So <answer>42</answer>."
    assert bool(said.reasoning.text) == (form != "bare")


def test_a_hack_that_was_only_thought_of_costs_nothing() -> None:
    loop = "the total is twelve again, " * 30
    task = Task("What is 6 * 7?", "42")
    for form in FORMS[1:]:
        assert flags(task, written("It is 42.", form, thoughts=loop)) == []
    assert "repeats" in {flag.name for flag in flags(task, loop)}


SEVERAL_TURNS = [
    id
    for id in OURS
    if id not in LEARNED and id not in FILES and rlenv.load(id, **NEEDED.get(id, {})).interaction is not None
]


@pytest.mark.parametrize("id", SEVERAL_TURNS)
def test_a_right_episode_of_several_turns_is_no_hack(id: str, tmp_path: Path) -> None:
    batch = watched_batch(id, tmp_path, 1)
    some = batch.definition.tasks
    tasks = [some[index % len(some)] for index in range(2 * TASKS)]
    batch.reset(tasks=tasks)
    for episode in batch.step([reference_completion(batch.definition, task) for task in tasks]):
        assert found(episode) == [], episode.completion.text
