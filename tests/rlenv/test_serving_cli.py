"""`rlenv serve` as a process: what it says, the program of docs/serve.md against it, and its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from served import ENV
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.core.errors import install_command
from rlenv.serving.settings import KEY_ENV

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"
TOLD = re.compile(r"judging (.+) at (http://\S+:\d+) (.+); Ctrl-C ends it\n")
"""`judging math/arithmetic-v1 at http://127.0.0.1:8411 without a key, for this machine alone; Ctrl-C ends it`"""


@contextmanager
def started(*arguments: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], re.Match[str]]]:
    """The command, once it has said where it listens, and what it said."""
    command = [sys.executable, "-m", "rlenv", "serve", *arguments, "--port", "0"]
    environment = {**os.environ, "NO_PROXY": "*", **environ}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            said = TOLD.fullmatch(process.stdout.readline())
            assert said is not None
            yield process, said
        finally:
            process.kill()


def test_the_program_of_the_page_runs_against_it(tmp_path: Path) -> None:
    [program] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    with started(ENV) as (_, said):
        assert said[1] == ENV
        assert said[3] == "without a key, for this machine alone"
        text = program.replace("http://127.0.0.1:8411", said[2])
        assert text != program
        done = subprocess.run(
            [sys.executable, "-c", text],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NO_PROXY": "*"},
        )
    assert done.stdout == "[1.0, 0.0, 0.0, 0.0]\n"
    assert f"It prints `{done.stdout.strip()}`" in PAGE.read_text(encoding="utf-8")


def test_with_a_key_it_listens_elsewhere_and_keeps_strangers_out() -> None:
    key = "a key of enough letters"
    with started(ENV, "--host", "0.0.0.0", "--set", f"{ENV}:level=2", **{KEY_ENV: key}) as (_, said):
        assert said[3] == f"with the key in {KEY_ENV}"
        url = said[2].replace("0.0.0.0", "127.0.0.1")
        assert httpx2.get(f"{url}/environments", trust_env=False).status_code == 401
        told = httpx2.get(f"{url}/environments", headers={"Authorization": f"Bearer {key}"}, trust_env=False).json()
        assert told["environments"][0]["kwargs"] == {"level": 2}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_ends_it(number: signal.Signals, code: int) -> None:
    with started(ENV) as (process, _):
        process.send_signal(number)
        assert process.wait(timeout=60) == code


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    done = CliRunner().invoke(app, ["serve", ENV, "--port", "0"])
    assert done.exit_code == 2
    assert done.stderr == f"error: fastapi is not installed; do: {install_command('serve')}\n"
