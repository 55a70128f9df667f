"""Functions as task folders in Harbor's format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from container_engine import REQUIRED, needs_engine

from rlenv.core.errors import ConfigError, TaskError
from rlenv.envs.containers.reader import read_folders
from rlenv.integrations.harbor import to_harbor

IMAGE = "rlenv/agents-base:latest"


def test_every_task_is_a_folder_that_the_reader_takes(tmp_path: Path) -> None:
    made = to_harbor("code/snippets-v0", tmp_path / "tasks", size=3)
    assert [folder.path for folder in read_folders(tmp_path / "tasks")] == sorted(made)


def test_the_hidden_calls_are_in_the_tests_alone(tmp_path: Path) -> None:
    (place,) = to_harbor("code/snippets-v0", tmp_path, size=1)
    hidden = [case["call"] for case in json.loads((place / "tests/cases.json").read_text())][1:]
    shown = [path.read_text() for path in place.rglob("*") if path.is_file() and path.parent.name != "tests"]
    assert len(hidden) > 5
    assert not [call for call in hidden for text in shown if call in text]


def test_a_task_that_is_no_function_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="expected a function with calls"):
        to_harbor("math/arithmetic-v0", tmp_path, size=1)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    to_harbor("code/snippets-v0", tmp_path, size=1)
    with pytest.raises(ConfigError, match="expected a new folder"):
        to_harbor("code/snippets-v0", tmp_path, size=1)


@pytest.mark.slow
@needs_engine
def test_the_solution_is_paid_and_an_early_end_is_not(tmp_path: Path) -> None:
    from rlenv.envs.containers.findings import play
    from rlenv.envs.containers.judging import Grader
    from rlenv.envs.containers.workshop import Workshop
    from rlenv.sandbox.containers import docker_boxes

    boxes = docker_boxes()
    if not boxes.has_image(IMAGE):
        (pytest.fail if REQUIRED else pytest.skip)(f"the engine has no image {IMAGE}: make agents-base")
    try:
        to_harbor("code/snippets-v0", tmp_path, size=1)
        (folder,), grader = read_folders(tmp_path), Grader(Workshop(boxes, {"python:3.12-slim": IMAGE}))
        paid = grader.of_reference(folder)
        assert (paid.kind, paid.reward, paid.twin) == ("boxed", 1.0, "refused")
        early = play(grader, folder, b"#!/bin/bash\necho 'import os; os._exit(0)' > /app/solution.py\n")
        assert early.reward == 0
    finally:
        boxes.close()
