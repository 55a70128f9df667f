"""Rows with SWE-bench's fields as tasks: what is read of them, pytest's outcomes and, on an engine, exploits."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from container_engine import REQUIRED, needs_engine

from rlenv.core.errors import TaskError
from rlenv.envs.containers.findings import play
from rlenv.envs.containers.judging import Grader
from rlenv.envs.containers.reader import Folder
from rlenv.envs.containers.rows import read_rows, read_tasks
from rlenv.envs.containers.workshop import Workshop
from rlenv.sandbox.containers import docker_boxes

DATA = Path(__file__).parents[1] / "data" / "container_rows"
CASES: dict[str, Any] = json.loads((DATA / "cases.json").read_text())
EXPLOITS = sorted(path.name for path in (DATA / "exploits").iterdir())
"""Scripts that are played in boxes and nowhere else."""
IMAGE = "rlenv/agents-base:latest"
TESTS = "tests/test_sums.py"


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "next")
    return git(folder, "rev-parse", "HEAD").strip()


def row_of(place: Path, **changes: object) -> dict[str, object]:
    """A repository with its mend in a later commit, and the row of it."""
    folder = place / "sums"
    folder.mkdir()
    git(folder, "init", "-q")
    base, mended, tested = (commit(folder, CASES["commits"][name]) for name in ("base", "mended", "tested"))
    git(folder, "tag", "v2", tested)
    row = {
        "instance_id": "me__sums-1",
        "repository": "sums",
        "base_commit": base,
        "problem_statement": "mean([]) is to be 0",
        "patch": git(folder, "diff", base, mended),
        "test_patch": git(folder, "diff", mended, tested),
        "FAIL_TO_PASS": json.dumps([f"{TESTS}::test_mean_of_none", f"{TESTS}::TestSum::test_none[0]"]),
        "PASS_TO_PASS": [f"{TESTS}::TestSum::test_two", f"{TESTS}::test_known_bug"],
    }
    return {**row, **changes}


def written(place: Path, *rows: dict[str, object]) -> Path:
    path = place / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_row_becomes_a_task(tmp_path: Path) -> None:
    (folder,) = read_tasks(written(tmp_path, row_of(tmp_path)))
    assert (folder.name, folder.workdir) == ("me__sums-1", "/testbed")
    assert "mean([]) is to be 0" in folder.instruction
    assert set(folder.tests) == {"test.sh", "test.patch", "names.json", "more/test_more.py", "read_junit.py"}
    assert f"for path in tests {TESTS}; do" in folder.tests["test.sh"].decode()
    assert "git apply" in folder.solution["solve.sh"].decode()
    recipe = (folder.environment / "Dockerfile").read_text()
    assert recipe.startswith("FROM python:3.12-slim\nCOPY repository /testbed\n")
    assert (folder.environment / "repository" / "sums.py").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"patch": ""}, "expected patch"),
        ({"FAIL_TO_PASS": []}, "nothing is asked for"),
        ({"FAIL_TO_PASS": ["test_mean (tests.Case)"]}, "as pytest has them"),
        ({"FAIL_TO_PASS": ["../../etc/x.py::y"]}, "as pytest has them"),
        ({"PASS_TO_PASS": "[1"}, "a list of tests"),
        ({"base_commit": "x; curl evil"}, "one plain word"),
        ({"image": "a\nRUN b"}, "one plain word"),
        ({"repository": "../../etc"}, "beside the rows"),
        ({"repository": "rows.jsonl"}, "or one of .tar"),
    ],
)
def test_what_a_row_may_not_say_is_refused(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(TaskError, match=said):
        read_rows(written(tmp_path, row_of(tmp_path, **changes)))


def test_another_repository_is_another_task(tmp_path: Path) -> None:
    rows = written(tmp_path, row_of(tmp_path))
    before = read_rows(rows)[0].digest
    assert read_rows(rows)[0].digest == before
    (tmp_path / "sums" / "sums.py").write_text("changed = 1\n")
    assert read_rows(rows)[0].digest != before


def reward(folder: Folder, place: Path, source: str) -> float:
    """What pytest's file of these tests is read as."""
    for name, content in folder.tests.items():
        (place / "t" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "t" / name).write_bytes(content)
    (place / "tests").mkdir()
    (place / TESTS).write_text(source)
    told = ["-o", "junit_family=xunit1", f"--junitxml={place}/junit.xml", "-p", "no:cacheprovider", "--rootdir=."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    pytest_ = [sys.executable, "-m", "pytest", "-q", *told, "tests"]
    subprocess.run(pytest_, cwd=place, check=False, capture_output=True, env=alone)
    reader = [sys.executable, "-I", "-S", str(place / "t" / "read_junit.py"), str(place), TESTS]
    subprocess.run(reader, check=True, capture_output=True)
    return float(json.loads((place / "reward.json").read_text())["reward"])


@pytest.mark.parametrize(("replaced", "by", "paid"), CASES["outcomes"])
def test_each_test_is_read_by_its_own_outcome(tmp_path: Path, replaced: str, by: str, paid: float) -> None:
    (folder,) = read_rows(written(tmp_path, row_of(tmp_path)))
    source = CASES["commits"]["tested"][TESTS].replace("import sums", CASES["right"])
    assert replaced in source
    assert reward(folder, tmp_path, source.replace(replaced, by) + "\n\ndef test_more():\n    pass\n") == paid


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    backend = docker_boxes()
    if not backend.has_image(IMAGE):
        (pytest.fail if REQUIRED else pytest.skip)(f"the engine has no image {IMAGE}: make agents-base")
    yield Grader(Workshop(backend, {"python:3.12-slim": IMAGE}))
    backend.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    place = tmp_path_factory.mktemp("rows")
    return read_rows(written(place, row_of(place)))[0]


@needs_engine
def test_the_patch_is_paid_and_nothing_is_not(grader: Grader, folder: Folder) -> None:
    reference = grader.reference(folder)
    found = grader.of_reference(folder)
    assert (found.kind, found.reward, found.twin, reference.nothing.reward) == ("boxed", 1.0, "refused", 0.0)
    other = play(grader, folder, (DATA / "another_way.sh").read_bytes())
    assert (other.kind, other.reward) == ("boxed", 1.0)


@needs_engine
def test_the_box_holds_one_commit(grader: Grader, folder: Folder) -> None:
    with grader.workshop.open(folder) as box:
        ran = box.run("git rev-list --all --objects | wc -l; git count-objects; git tag; git reflog", timeout_s=60)
    lines = ran.output.splitlines()
    assert lines[:1] == ["5"]  # a commit, two folders and two files
    assert lines[1].startswith("5 objects")
    assert len(lines) == 3


@needs_engine
@pytest.mark.parametrize("exploit", EXPLOITS)
def test_exploits_of_a_repository_earn_nothing(grader: Grader, folder: Folder, exploit: str) -> None:
    assert play(grader, folder, (DATA / "exploits" / exploit).read_bytes()).reward == 0
