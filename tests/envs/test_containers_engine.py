"""Task folders on a real engine: solutions are paid, nothing is not, and exploits earn nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from container_engine import REQUIRED, needs_engine
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.envs.containers.findings import in_image, of_task, play, script
from rlenv.envs.containers.judging import Grader
from rlenv.envs.containers.reader import read_folder
from rlenv.envs.containers.workshop import Workshop
from rlenv.sandbox.containers import docker_boxes

pytestmark = needs_engine
FOLDERS = Path(__file__).parents[1] / "data" / "containers"
IMAGE = "rlenv/agents-base:latest"
BASE = {"python:3.12-slim": IMAGE, "gcc:14": IMAGE}
WAYS = {
    "median": "printf 'import statistics\\n\\nmedian = statistics.median\\n' > stats.py",
    "wordcount": """cat > wc.c <<'EOF'
#include <stdio.h>
int main(void) { char w[99]; int n = 0; while (scanf("%98s", w) == 1) n++; printf("%d\\n", n); return 0; }
EOF""",
    "report": "mkdir -p /srv/report && awk -F, 'NR>1{s+=$2}END{print s}' sales.csv > /srv/report/total.txt",
}
"""The tasks solved another way than by their references."""
TRIED = {
    "median": ["conftest_hook", "sitecustomize", "early_exit", "replaced_python", "daemon", "paying_module"],
    "wordcount": ["makefile", "early_reward", "link_at_logs", "preload", "replaced_bash"],
    "report": ["link_at_tests", "daemon"],
}


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    backend = docker_boxes()
    if not backend.has_image(IMAGE):
        (pytest.fail if REQUIRED else pytest.skip)(f"the engine has no image {IMAGE}: make agents-base")
    yield Grader(Workshop(backend, BASE))
    backend.close()


@pytest.mark.parametrize("name", sorted(WAYS))
def test_solutions_are_paid_and_nothing_is_not(grader: Grader, name: str) -> None:
    folder = read_folder(FOLDERS / name)
    reference, outcome = grader.reference(folder), grader.of_reference(folder)
    assert (reference.nothing.reward, reference.needs) == (0, "outside" if name == "report" else "work")
    assert (outcome.kind, outcome.reward) == ("boxed", 1.0)
    assert list(of_task(reference)) == []
    assert list(in_image(grader, folder, reference)) == []
    other = play(grader, folder, f"#!/bin/sh\n{WAYS[name]}\n".encode())
    assert (other.kind, other.reward) == ("boxed", 1.0)


@pytest.mark.parametrize(("name", "exploit"), [(name, each) for name, tried in TRIED.items() for each in tried])
def test_exploits_earn_nothing(grader: Grader, name: str, exploit: str) -> None:
    assert play(grader, read_folder(FOLDERS / name), script(exploit)).reward == 0


def test_a_part_of_the_work_is_paid_its_part(grader: Grader) -> None:
    code = "#!/bin/sh\nprintf 'int puts(char *);int main(void){puts(\"3\");return 0;}' > wc.c\n"
    outcome = play(grader, read_folder(FOLDERS / "wordcount"), code.encode())
    assert (outcome.reward, outcome.components) == (0.25, {"reward": 0.25, "style": 1.0})


def test_the_command_tells_and_writes_what_a_script_earns(grader: Grader, tmp_path: Path) -> None:
    (tmp_path / "hack.sh").write_bytes(script("conftest_hook"))
    told = ["--script", str(tmp_path / "hack.sh"), "--json", str(tmp_path / "told.json")]
    ran = CliRunner().invoke(app, ["tasks", str(FOLDERS / "median"), "--base", f"python:3.12-slim={IMAGE}", *told])
    assert (ran.exit_code, "median" in ran.output) == (0, True)
    (row,) = json.loads((tmp_path / "told.json").read_text())["tasks"]
    assert (row["reward"], row["nothing"], row["verdict"], row["findings"]) == (0, 0, "disputed", [])
