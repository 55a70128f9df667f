"""`rlenv train` as a process that is stopped, and `rlenv train --resume DIR`, which needs nothing else."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.trainers.records.logs import read_metrics

SMALL = [
    *("--groups", "2", "--group-size", "2", "--max-new-tokens", "4", "--learning-rate", "1e-3"),
    *("--set", "trackers=none", "--set", "level=1", "--set", "control.clip_high=0.3"),
]
TRAIN = ["train", "math/arithmetic-v0", *SMALL]


def started(arguments: list[str], cwd: Path) -> subprocess.Popen[str]:
    """The command in a process group of its own, as a shell starts it."""
    command = [sys.executable, "-m", "rlenv", *arguments]
    found = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.environ.get("PYTHONPATH", str(Path.cwd()))}
    return subprocess.Popen(command, cwd=cwd, env=found, stderr=subprocess.PIPE, text=True, start_new_session=True)


def stopped(arguments: list[str], cwd: Path, number: int) -> tuple[int, list[str]]:
    """Exit status and lines of a run whose process group gets a signal once it has told of its first rollout."""
    lines: list[str] = []
    with started(arguments, cwd) as process:
        for line in process.stderr or ():
            if " reward " in line and not any(" reward " in before for before in lines):
                os.killpg(process.pid, number)
            lines.append(line.rstrip("\n"))
    return process.returncode, lines


def ended(arguments: list[str], cwd: Path) -> tuple[int, list[str]]:
    """Exit status and lines of a run that is left alone."""
    with started(arguments, cwd) as process:
        said = process.communicate()[1]
    return process.returncode, said.splitlines()


def run(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output.splitlines()


def test_ctrl_c_saves_and_prints_the_one_command_that_goes_on_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 12
    code, said = stopped([*TRAIN, "--steps", str(steps), "--out", "run"], tmp_path, signal.SIGINT)
    assert code == 128 + signal.SIGINT
    assert said[-1] == "rlenv train --resume run"
    done = len(read_metrics(tmp_path / "run" / "metrics.jsonl"))
    assert 2 <= done < steps
    assert said[-2] == f"stopped after rollout {done} of {steps}; to go on:"
    monkeypatch.chdir(tmp_path)
    code, said = run("train", "--resume", "run")
    assert code == 0, said
    assert said[0] == f"continuing from rollout {done} of {steps}"
    assert [row["step"] for row in read_metrics(tmp_path / "run" / "metrics.jsonl")] == list(range(steps))
    assert not (tmp_path / "run" / "resumed.jsonl").exists()


def test_what_is_not_given_is_as_it_was_and_what_is_given_follows_the_rules(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, said = run(*TRAIN, "--steps", "1", "-q", "--out", str(out))
    assert code == 0, said
    code, said = run("train", "--resume", str(out), "--steps", "2", "-q")
    assert code == 0, said
    (changed,) = (json.loads(line) for line in (out / "resumed.jsonl").read_text().splitlines())
    assert changed["changed"] == {"steps": [1, 2]}
    code, said = run("train", "--resume", "--out", str(out), "--steps", "3", "-q")
    assert code == 0, said
    assert len(read_metrics(out / "metrics.jsonl")) == 3
    assert json.loads((out / "config.json").read_text())["groups"] == 2
    code, said = run("train", "--resume", str(out), "--groups", "3", "-q")
    assert (code, len(said)) == (2, 1)
    assert "groups was 2, is 3" in said[0]
    code, said = run("train", "--resume", str(out), "--set", "control.clip_high=0.4", "-q")
    assert (code, "algorithm" in said[0]) == (2, True)
    code, said = run("train", "--resume", str(tmp_path / "none"), "-q")
    assert (code, "holds no run to continue with" in said[0]) == (2, True)


OWN = """
import pathlib
import rlenv

pathlib.Path("imported").touch()
rlenv.register("stopped/any-v0", tasks=[{"prompt": "Say a letter"}], verifier=lambda completion: completion.isalpha())
"""


@pytest.mark.slow
def test_a_run_of_a_module_goes_on_where_it_is_given_again_and_ends_with_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "letters_of_mine.py").write_text(OWN)
    more = ["--set", "trackers=none", "--set", "correction.kind=truncate", "--set", "staleness=1", "--steps", "12"]
    given = ["train", "stopped/any-v0", "--import", "letters_of_mine", *SMALL[:8], *more]
    assert ended([*given, "--out", "alone"], tmp_path)[0] == 0
    code, said = stopped([*given, "--out", "a run"], tmp_path, signal.SIGTERM)
    assert code == 128 + signal.SIGTERM, said
    assert said[-1] == "rlenv train --resume 'a run' --import letters_of_mine"
    (tmp_path / "imported").unlink()
    monkeypatch.chdir(tmp_path)
    code, refused = run("train", "--resume", "a run")
    assert (code, len(refused)) == (2, 1)
    assert said[-1] in refused[0]
    assert not (tmp_path / "imported").exists()
    assert ended(shlex.split(said[-1])[1:], tmp_path)[0] == 0
    weights = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("alone", "a run")]
    assert weights[0] == weights[1]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("imports", ["letters_of_theirs"]),
        ("teacher", "letters_of_theirs:policy"),
        ("policy", "http://127.0.0.1:1/v1#theirs"),
        ("watch", "repeats,letters_of_theirs:Detector"),
        ("kwargs", {"tools": "letters_of_theirs:tool"}),
        ("engine", {"vllm": {"url": "http://127.0.0.1:1"}}),
        ("data", "/etc/hostname"),
        ("verdicts", "http://127.0.0.1:1"),
        ("out", "/elsewhere"),
    ],
)
def test_a_folder_names_neither_code_nor_files_nor_addresses(
    option: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letters_of_theirs.py").write_text("import pathlib\npathlib.Path('imported').touch()\n")
    (tmp_path / "run").mkdir()
    theirs = {"row": {}, "command": {"env": "math/arithmetic-v0", "gold": "safety/rm-v0", option: value}}
    (tmp_path / "run" / "config.json").write_text(json.dumps(theirs))
    code, said = run("train", "--resume", "run", "--set", "level=1", "--set", "subject=algebra")
    assert (code, len(said)) == (2, 1), said
    refusals = ("a folder may not give", "no setting", "to be text", "is no settings")
    assert any(words in said[0] for words in refusals), said
    assert not (tmp_path / "imported").exists()
