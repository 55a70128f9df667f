"""The table of jobs in README.md: at most three lines each, and those that need no package of their own run."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8").partition("## In other people's packages")[2]
JOBS = re.findall(r"^\| ([^|]+) \| (`[^|]+`) \| \[page\]\((\S+)\) \|$", TEXT.partition("\n## ")[0], re.MULTILINE)
"""`| train with verl | `from ... import to_verl`<br>`print(...)` | [page](docs/integrations/verl.md) |`"""
COMMAND = "$ "
ELSEWHERE = ("tinker", "openenv_server", "gem_out", "gem")
"""Adapters whose package is not in our own environment: make test-integrations runs the same calls there."""


def lines(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_there_are_twelve_of_at_most_three_lines_each_with_a_page() -> None:
    assert len(JOBS) == 12
    assert max(len(lines(cell)) for _, cell, _ in JOBS) <= 3
    assert [page for *_, page in JOBS if not (ROOT / page).is_file()] == []


@pytest.mark.parametrize(("job", "cell"), [(job, cell) for job, cell, _ in JOBS if COMMAND not in cell])
def test_the_lines_are_python_and_what_they_import_is_there(job: str, cell: str) -> None:
    [wanted] = [node for node in ast.parse("\n".join(lines(cell))).body if isinstance(node, ast.ImportFrom)]
    place = ROOT / str(wanted.module).replace(".", "/")
    module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    defined = {getattr(node, "name", "") for node in ast.parse(module.read_text(encoding="utf-8")).body}
    assert {name.name for name in wanted.names} <= defined


@pytest.mark.parametrize(
    ("job", "cell"),
    [
        (job, cell)
        for job, cell, _ in JOBS
        if COMMAND not in cell and not re.search(rf"\.({'|'.join(ELSEWHERE)}) ", cell)
    ],
)
def test_the_lines_run(job: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("datasets", "reasoning_gym"):
        pytest.importorskip(package, reason="needs the extras data and reasoning-gym")
    import reasoning_gym

    import rlenv

    trained: list[dict[str, Any]] = []
    known: dict[str, Any] = {"rlenv": rlenv, "reasoning_gym": reasoning_gym, "MODEL": "m"}
    known["GRPOTrainer"] = lambda **given: trained.append(given)  # the real one: tests/integrations/test_with_trl*.py
    monkeypatch.chdir(tmp_path)
    exec("\n".join(lines(cell)), known)
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert left or trained or known["dataset"].size > 0


def test_the_command_writes_the_package(tmp_path: Path) -> None:
    [(_, cell, _)] = [job for job in JOBS if "integrations.verifiers " in job[1]]
    write, install = (shlex.split(line.removeprefix(COMMAND)) for line in lines(cell))
    subprocess.run([sys.executable, *write[1:]], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / install[-1] / "pyproject.toml").is_file()
