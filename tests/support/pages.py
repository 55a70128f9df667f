"""A page of the documentation, followed as a reader would: its files saved, its programs and commands run in order.

What a block of Markdown means:

- a block behind "... as `my_tasks.py`:" is saved under that name;
- any other ```python is a program, and ```sh are commands, of which one that ends in `&` goes on in the background;
- ```text is what the block before it prints, with `...` for what differs from machine to machine;
- `    rlenv ...`, indented, is a command too (README.md);
- `<!-- not run: why -->` above a block leaves it out, `<!-- exit 1: why -->` says how it ends;
- `<!-- within 0.2: why -->` above an output lets its decimals differ by so much: processors round otherwise.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from warm import warm

BLOCK = re.compile(
    r"(?:as\s`(?P<file>[\w./-]+)`:\n\n)?"  # "Save this as `my_tasks.py`:"
    r"(?:<!-- (?P<note>not run|exit 1|within [\d.]+): (?P<why>[^>]+) -->\n)?"  # "<!-- not run: it needs a GPU -->"
    r"(?:```(?P<kind>python|sh|text|json|toml|md)\n(?P<body>.*?)```|^    (?P<command>rlenv (?:[^\n]*\\\n)*[^\n]*)$)",
    re.MULTILINE | re.DOTALL,
)
PORTS = ("8000", "8411")
"""Ports that pages name: free ones take their place, for these may be in use."""
DECIMAL = re.compile(r"\d+\.\d+")
OUR_WARNING = re.compile(r"^(?!.*site-packages).*\.py:\d+: \w*Warning", re.MULTILINE)
""""/x/rlenv/env/batch.py:9: UserWarning"; those of other packages are theirs to fix."""
Kind = Literal["file", "program", "commands", "output"]


@dataclass(frozen=True)
class Step:
    """One thing to do."""

    kind: Kind
    text: str
    file: str = ""
    not_run: str = ""
    ends_with: int = 0
    within: float = 0.0


def steps(page: str) -> list[Step]:
    """What a page tells its reader to do, in order."""
    found = []
    for block in BLOCK.finditer(page):
        kinds: dict[str, Kind] = {"python": "program", "sh": "commands", "text": "output"}
        kind = "file" if block["file"] else kinds.get(block["kind"] or "sh")
        if kind is not None:
            text, note = block["body"] or f"{block['command']}\n", block["note"] or ""
            not_run = block["why"] if note == "not run" else ""
            within = float(note.removeprefix("within ")) if note.startswith("within") else 0.0
            found.append(Step(kind, text, block["file"] or "", not_run, int(note == "exit 1"), within))
    return found


class Reader:
    """Somebody who does what a page says, in one folder, without a hub."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = ""
        self.ports = {port: _free_port() for port in PORTS}
        self.background: list[subprocess.Popen[str]] = []
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        ours = {
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
            "COLUMNS": "100",
            "NO_PROXY": "*",
            "PYTHONUNBUFFERED": "1",
        }
        self.environment = {**kept, **ours, "PATH": path}

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.background:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def follow(self, step: Step) -> None:
        """Do one step. Raises AssertionError where it does not do what the page says."""
        if step.not_run:
            self.said = ""
            return
        text = self._with_free_ports(step.text)
        if step.kind == "output":
            _expect(text, self.said, step.within)
        elif step.kind == "file":
            target = self.folder / step.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
        elif step.kind == "program":
            (self.folder / "program.py").write_text(text, "utf-8")
            self._run([str(warm()), "program.py"], step.ends_with)
        elif step.text.endswith("&\n"):
            self._start(text)
        else:
            self._run(["bash", "-euc", text], step.ends_with)

    def _run(self, command: list[str], ends_with: int) -> None:
        environment = dict(self.environment)
        if not any("PYTHONPATH=" in word for word in command):  # what is loaded already was found without it
            environment["PATH"] = f"{warm().parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        told = f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == ends_with, told
        assert "Traceback" not in done.stderr, told
        assert not OUR_WARNING.search(done.stderr), told
        self.said = done.stdout

    def _start(self, text: str) -> None:
        """Start a command and wait for the first line that it says."""
        process = subprocess.Popen(
            shlex.split(text.strip().rstrip("&")),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.background.append(process)
        assert process.stdout is not None
        self.said = process.stdout.readline()
        assert self.said, f"{text}: it ended without a word"

    def _with_free_ports(self, text: str) -> str:
        for port, free in self.ports.items():
            text = re.sub(rf"\b{port}\b", str(free), text)
        return text


def _expect(wanted: str, said: str, within: float) -> None:
    if within:
        pairs = zip(DECIMAL.findall(wanted), DECIMAL.findall(said), strict=False)
        far = [f"{page}, not {here}" for page, here in pairs if abs(float(page) - float(here)) > within]
        assert not far, f"further apart than {within}: the page says {'; '.join(far)}\n{said}"
        wanted, said = DECIMAL.sub("#", wanted), DECIMAL.sub("#", said)
    checker, options = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if not checker.check_output(wanted, said, options):
        raise AssertionError(checker.output_difference(doctest.Example("", wanted), said, options))


def _free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port: int = tried.getsockname()[1]
        return port
