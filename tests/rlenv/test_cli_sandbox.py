"""`rlenv sandbox`: attacks, measures and builds, run as a user runs them."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

import pytest
from typer.testing import CliRunner, Result

import rlenv.sandbox
import rlenv.workers.worker_process
from rlenv.cli import app
from rlenv.sandbox import CellSettings, Limits, Program, Status
from rlenv.sandbox import Result as Outcome
from rlenv.sandbox.hostile import CASES

linux = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are a matter of Linux")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["sandbox", *arguments])


class Careless:
    """A sandbox that lets everything through and says that all is well."""

    backend, cells, guarantees, settings = "careless", 1, "nothing", CellSettings()

    def greeting(self) -> dict[str, object]:
        return {"landlock": 0, "job_uid": None, "memory_watch": True}

    def run(self, program: Program, limits: Limits) -> Outcome:
        return Outcome(Status.EXITED, stdout=b"BREACH\n42\n", exit_code=0)

    def run_pair(self, judge: Program, candidate: Program, limits: Limits) -> tuple[Outcome, Outcome]:
        return self.run(judge, limits), self.run(candidate, limits)

    def map(self, programs: Sequence[Program], limits: Limits) -> list[Outcome]:
        return [self.run(program, limits) for program in programs]

    def __enter__(self) -> "Careless":
        return self

    def __exit__(self, *exception: object) -> None:
        pass


@linux
def test_check_prints_a_row_for_each_family_and_ends_well_when_all_is_right() -> None:
    done = call("check", "--backend", "namespaces", "--family", "kernel", "--family", "network", "--honest", "20")
    assert done.exit_code == 0, done.output
    families = Counter(case.family for case in CASES)
    kernel, network = families["kernel"], families["network"]
    for name, count in (("kernel", kernel), ("network", network), ("all", kernel + network)):
        assert re.search(rf"^{name} +{count} +{count} +0 ", done.stdout, re.M)
    assert re.search(r"^  wall time: the clock of the supervisor", done.stdout, re.M)
    assert "honest programs judged wrong: 0" in done.stdout
    assert "left behind: 0" in done.stdout


def test_check_ends_with_1_and_names_each_wrong_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rlenv.sandbox, "open_sandbox", lambda backend, cells: Careless())
    done = call("check", "--backend", "namespaces", "--family", "network", "--honest", "3")
    assert done.exit_code == 1
    assert "network/connects-out: got through" in done.stderr
    assert "together, 1024 MB: not guaranteed here because no cgroup bounds it" in done.stdout
    assert re.search(r"^network +9 +0 +9 ", done.stdout, re.M)
    assert "honest programs judged wrong: 3" in done.stdout


@linux
def test_bench_prints_programs_a_second_and_percentiles() -> None:
    done = call("bench", "--backend", "namespaces", "--seconds", "0.2")
    assert done.exit_code == 0, done.output
    for name in ("one print", "ten calls"):
        row = re.search(rf"^{name} +(\d+) +([\d.]+) +([\d.]+)$", done.stdout, re.M)
        assert row, done.stdout
        assert 0 < float(row[2]) <= float(row[3])
        assert int(row[1]) > 0
    assert "from open to the first result" in done.stdout


def test_a_missing_engine_is_told_in_one_line() -> None:
    pytest.importorskip("docker")
    # In a process of its own: the SDK leaves the socket unclosed that it could not connect.
    done = subprocess.run(
        [sys.executable, "-m", "rlenv", "sandbox", "check", "--backend", "docker"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "DOCKER_HOST": "unix:///nowhere.sock"},
    )
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert "nowhere.sock" in line
