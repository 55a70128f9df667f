"""Certificates, and reward functions of files on the command line."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner, Result

import rlenv
from rlenv.audit import audit_reward, certificate
from rlenv.cli import app
from rlenv.cli.audit_subject import function_named, solution_as
from rlenv.core.errors import ConfigError

ROWS = [{"prompt": f"What is {20 + i} + {3 * i + 7}?", "answer": str(27 + 4 * i)} for i in range(12)]
TABLE = (Path(__file__).parents[2] / "docs" / "data" / "audit_rules.tsv").read_text("utf-8").splitlines()[1:]
IN_THE_DOCS = [pattern for line in TABLE for pattern in re.findall(r"`([^`]+)`", line.partition("\t")[0])]
REWARDS = """
import re
from sums_that_help import same

def contains(completions, answer, **kwargs):
    return [1.0 if a in c else 0.0 for c, a in zip(completions, answer)]

def tagged(prompts, completions, solution, **kwargs):
    said = [re.search(r"<answer>(.*?)</answer>", text, re.S) for text in completions]
    return [float(bool(m) and same(m.group(1).strip(), right)) for m, right in zip(said, solution)]

def hangs(prompt, completion, reference):
    while True:
        pass
"""


@pytest.fixture
def rewards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of rewards with a neighbour that it imports; a name of its own, because modules stay imported."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    number = abs(hash(tmp_path))
    (tmp_path / f"help_{number}.py").write_text("def same(a, b):\n    return a == b\n")
    file = tmp_path / f"rewards_{number}.py"
    file.write_text(REWARDS.replace("sums_that_help", f"help_{number}"))
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    renamed = [{"prompt": row["prompt"], "solution": row["answer"]} for row in ROWS]
    (tmp_path / "solutions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in renamed))
    return file


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, arguments)])


def test_a_reward_of_trl_in_a_file_is_audited_and_certified(rewards: Path) -> None:
    out, rows = rewards.parent / "audit.json", rewards.parent / "rows.jsonl"
    done = run(f"{rewards}:contains", "--rows", rows, "--set", f"certificate={out}", "--tasks", "8")
    assert done.exit_code == 1, done.output
    told = json.loads(out.read_text())
    assert (told["certificate"], told["rlenv"], told["passed"]) == (1, rlenv.__version__, False)
    assert told["audited"]["tasks"] == 8
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (rewards, rows)]
    assert [file["sha256"] for file in told["audited"]["files"]] == hashes
    assert told["reward"]["golden"] == {"mean_reward": 1.0, "refused_tasks": 0, "failed": False, "gets_the_most": True}
    assert told["reward"]["adversarial_floor"] == {"mean_share": 1.0, "by": "attack/enumeration"}
    assert (told["reward"]["gap"], told["reward"]["canaries"]) == (0.0, {"asked": 8, "paid": 0})
    assert told["command"] == f"rlenv audit {rewards}:contains --rows {rows} --tasks 8"
    unpaid = [one["rule"] for one in told["attacks"] if not one["paid"]]
    assert unpaid  # what was tried in vain stands there as well
    assert not [one["rule"] for one in told["attacks"] if not any(fnmatch(one["rule"], rule) for rule in IN_THE_DOCS)]


def test_a_form_and_another_column_are_said_on_the_command_line(rewards: Path) -> None:
    out, rows = rewards.parent / "audit.json", rewards.parent / "solutions.jsonl"
    form = ["--solution", "<answer>{answer}</answer>", "--reference", "solution", "--set", "style=trl"]
    done = run(f"{rewards}:tagged", "--rows", rows, *form, "--set", f"certificate={out}", "--tasks", "6")
    assert done.exit_code == 0, done.output
    told = json.loads(out.read_text())
    assert told["passed"]
    assert told["reward"]["golden"]["mean_reward"] == 1.0
    assert (told["reward"]["adversarial_floor"]["mean_share"], told["reward"]["gap"]) == (0.0, 1.0)
    assert "--solution '<answer>{answer}</answer>' --set style=trl --tasks 6" in told["command"]


def told_of(reward: Callable[[str, str, str], float]) -> dict[str, Any]:
    return cast("dict[str, Any]", certificate(audit_reward(reward, ROWS, tasks=8))["reward"])


def test_a_golden_solution_that_is_refused_or_outdone_is_told_and_so_are_canaries_that_are_paid() -> None:
    refused = told_of(lambda prompt, completion, reference: float(completion == reference and reference != "27"))
    assert refused["golden"] == {"mean_reward": 7 / 8, "refused_tasks": 1, "failed": False, "gets_the_most": False}
    longer = told_of(lambda prompt, completion, reference: (completion == reference) + min(len(completion), 400) / 100)
    assert not longer["golden"]["gets_the_most"]
    assert longer["gap"] < 0, "what adversaries get is more than what a right answer gets"
    even = told_of(lambda prompt, completion, reference: float(completion.isdigit() and len(completion) == 2))
    assert even["canaries"] == {"asked": 8, "paid": 8}


def test_what_cannot_be_loaded_is_one_line_that_says_what_to_do(rewards: Path) -> None:
    rows = rewards.parent / "rows.jsonl"
    for name, said in (
        (f"{rewards}:nothing", "has no 'nothing'; it has same, contains, tagged, hangs"),
        (f"{rewards.parent / 'none.py'}:contains", "no such file"),
        (str(rewards), "expected MODULE:FUNCTION or FILE.py:FUNCTION"),
    ):
        done = run(name, "--rows", rows)
        assert (done.exit_code, said in done.output) == (2, True), done.output
    assert "expected style out of" in run(f"{rewards}:contains", "--rows", rows, "--set", "style=verl").output
    assert "expected a column 'gold'" in run(f"{rewards}:contains", "--rows", rows, "--reference", "gold").output
    with pytest.raises(ConfigError, match=r"expected --solution with \{answer\}"):
        solution_as("the answer")


def test_a_file_is_loaded_once_and_never_in_the_place_of_another_module(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("def reward(completion, answer):\n    return 1.0\n")
    with pytest.raises(ConfigError, match="there is a module 'json' already; copy the file to another name"):
        function_named(f"{tmp_path / 'json.py'}:reward")
    assert str(tmp_path) not in sys.path


def test_a_function_that_hangs_is_ended_and_told(rewards: Path) -> None:
    done = audit_reward(function_named(f"{rewards}:hangs"), ROWS, tasks=2, time_limit_s=0.05)
    assert done.at_least("medium")
    assert "the checker ran past its time limit too often: not everything was played" in done.notes


def test_an_environment_that_brings_no_solutions_is_given_them(tmp_path: Path) -> None:
    tasks = rlenv.load("math/arithmetic-v0").tasks
    file, out = tmp_path / "solutions.jsonl", tmp_path / "audit.json"
    told = [{"id": tasks[i].id, "solution": f"\\boxed{{{tasks[i].reference}}}"} for i in range(5)]
    file.write_text("".join(json.dumps(row) + "\n" for row in told))
    done = run("math/arithmetic-v0", "--set", f"solutions={file}", "--set", f"certificate={out}")
    assert done.exit_code == 0, done.output
    made = json.loads(out.read_text())
    assert (made["audited"]["tasks"], made["reward"]["golden"]["mean_reward"]) == (5, 1.0)
    assert made["audited"]["files"][0]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert made["command"] == f"rlenv audit math/arithmetic-v0 --set solutions={file}"


def test_without_solutions_others_environments_are_refused_and_not_called_broken(tmp_path: Path) -> None:
    for name in ("http://localhost:1", "verifiers:no-such-taskset"):
        done = run(name)
        assert (done.exit_code, "give --set solutions=FILE" in done.output) == (2, True), done.output
    file = tmp_path / "solutions.jsonl"
    file.write_text('{"id": "none", "solution": "4"}\n')
    assert "has an id of the solutions; its first is" in run("math/arithmetic-v0", "--set", f"solutions={file}").output
    file.write_text('{"id": "none"}\n')
    assert (
        "expected 'id' of a task and 'solution' as text"
        in run("math/arithmetic-v0", "--set", f"solutions={file}").output
    )
