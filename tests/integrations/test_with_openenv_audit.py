"""`rlenv audit URL` asks a live server of OpenEnv, a process of its own, and says what it pays for."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conformity import needs

needs("openenv.core")
needs("uvicorn")

from openenv.core.generic_client import GenericEnvClient  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import rlenv  # noqa: E402
from rlenv.cli import app  # noqa: E402
from rlenv.foreign.openenv import from_openenv  # noqa: E402

SERVER = """
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class Say(Action):
    text: str

class Heard(Observation):
    text: str = ""

class Sums(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, most=100, **_):
        self.first, self.second = seed % most + 100, seed // most % most + 100
        return Heard(text=f"What is {self.first} + {self.second}?")

    def step(self, action, **_):
        right = str(self.first + self.second)
        return Heard(done=True, reward=float(PAID))

    @property
    def state(self):
        return State()

app = create_app(Sums, Say, Heard, env_name="sums", max_concurrent_envs=512)
"""
CARELESS, CAREFUL = "right in action.text", "right == action.text.strip()"
TASKS = 4


@contextmanager
def served(folder: Path, paid: str) -> Iterator[str]:
    (folder / "sums_server.py").write_text(SERVER.replace("PAID", paid))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "sums_server:app", "--port", str(port), "--log-level", "error"]
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}) as process:
        try:
            while process.poll() is None:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def audited(url: str, folder: Path) -> tuple[int, dict[str, Any], str]:
    """Exit code, certificate and output; the solutions are those of the server's own sums."""
    tasks = rlenv.load(from_openenv(url), size=TASKS).tasks
    rows = [(tasks[i].id, sum(int(n) for n in str(tasks[i].prompt)[8:-1].split(" + "))) for i in range(TASKS)]
    solutions, left = folder / "solutions.jsonl", folder / "certificate.json"
    solutions.write_text("".join(json.dumps({"id": id, "solution": str(right)}) + "\n" for id, right in rows))
    words = ["audit", url, "--set", f"solutions={solutions}", "--set", f"size={TASKS}", "--set", f"certificate={left}"]
    done = CliRunner().invoke(app, words)
    return done.exit_code, json.loads(left.read_text()) if left.exists() else {}, done.output


def test_what_a_live_server_pays_for_is_found_and_it_pays_it_when_asked_directly(tmp_path: Path) -> None:
    with served(tmp_path, CARELESS) as url:
        code, told, shown = audited(url, tmp_path)
        assert code == 1, shown
        assert told["audited"]["files"][0]["path"].endswith("solutions.jsonl")
        critical = [finding for finding in told["findings"] if finding["severity"] == "critical"]
        assert "attack/enumeration" in {rule for finding in critical for rule in finding["rules"]}, shown
        with GenericEnvClient(base_url=url).sync() as client:
            client.reset(seed=7)
            assert client.step({"text": " ".join(map(str, range(1000)))}).reward == 1.0


def test_a_live_server_that_pays_for_the_answer_alone_passes(tmp_path: Path) -> None:
    with served(tmp_path, CAREFUL) as url:
        code, told, shown = audited(url, tmp_path)
    assert (code, told.get("passed")) == (0, True), shown
    assert told["reward"]["golden"] == {"mean_reward": 1.0, "refused_tasks": 0, "failed": False, "gets_the_most": True}


def test_keywords_of_a_reset_reach_the_server(tmp_path: Path) -> None:
    with served(tmp_path, CAREFUL) as url:
        prompts = {rlenv.load(from_openenv(url), size=3, reset={"most": 1}).tasks[i].prompt for i in range(3)}
    assert prompts == {"What is 100 + 100?"}


@pytest.mark.parametrize("words", [["http://127.0.0.1:9"], ["gem:game:GuessTheNumber-v0-easy"], ["verifiers:sums"]])
def test_without_right_completions_nothing_is_asked(words: list[str]) -> None:
    done = CliRunner().invoke(app, ["audit", *words])
    assert done.exit_code == 2
    assert "give --set solutions=FILE" in done.output + str(done.exception)
