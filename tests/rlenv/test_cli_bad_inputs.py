"""What a user can get wrong, a row each in bad_inputs.tsv: one line that says what to do, and never a traceback."""

import gzip
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rlenv.cli import app
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.store.saved_episodes import write_episodes

DEEP, DIGITS = "[" * 100_000, "1" * 200_000
VALUES = {"deep": DEEP, "digits": DIGITS, "esc": "\x1b"}
ASKED = '{"prompt": "2+2=", "answer": "4"}\n'
FILES = {
    "asked.jsonl": ASKED,
    "rows.csv": "prompt,answer\n2+2=,4\n",
    "empty.jsonl": "\n\n",
    "cut.jsonl": '{"question": "2+2=", "answer": "#### 4"}\n{"question": \n',
    "deep.jsonl": f"{DEEP}\n",
    "digits.jsonl": f'{{"question": "2+2=", "answer": {DIGITS}}}\n',
    "numbers.jsonl": "1\n2\n",
    "columns.jsonl": '{"colour": "red"}\n',
    "types.jsonl": '{"question": 7, "prompt": null, "task_id": {}, "text": 1, "code": 2, "answer": {}}\n',
    "preferences.jsonl": "".join(f'{{"prompt": "{i}+2=", "chosen": "{i + 2}", "rejected": "no"}}\n' for i in range(8)),
    "broken.py": "x = 1\n1 / 0\n",
    "leaves.py": "raise SystemExit(3)\n",
    "rewards.py": "def length(prompt, completion, reference):\n    return float(len(completion))\n",
    "folder-with-files/notes.txt": "mine",
}


def table() -> list[tuple[str, str]]:
    """Arguments, and the expression that the answer holds."""
    lines = Path(__file__).with_name("bad_inputs.tsv").read_text().splitlines()
    return [(line.split("\t")[0], line.split("\t")[1]) for line in lines if not line.startswith("#")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the table speaks of."""
    folder = tmp_path_factory.mktemp("bad")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "folder").mkdir()
    for name in ("binary.jsonl", "binary.json", "binary.parquet"):
        (folder / name).write_bytes(b"\xff\xfe\x00\x01\x80" * 40)
    (folder / "deep.jsonl.gz").write_bytes(gzip.compress(DEEP.encode()))
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(ASKED.encode() * 1000)[:-20])
    (folder / "run").mkdir()
    episodes = [Episode(Task("2+2="), Completion(f"{i}"), Verdict.of(("correct", float(i)))) for i in range(2)]
    write_episodes(folder / "run" / "episodes.jsonl", episodes)
    return folder


@pytest.fixture(autouse=True)
def here(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("rlenv.door.posting.MAX_PAUSE_S", 0.0)
    yield
    for name in ("broken", "leaves", "rewards"):
        sys.modules.pop(name, None)


def told(result: Result) -> str:
    """What a reader is told: the one line, or what stands in typer's box."""
    stderr = result.stderr
    assert isinstance(result.exception, SystemExit), f"{result.exception!r}\n{result.stderr}"
    assert result.exit_code in (1, 2)
    assert "Traceback" not in stderr
    assert re.fullmatch(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f]*", result.output)
    assert len(result.output) < 10_000
    if stderr.startswith("Usage: "):
        return re.sub(r"[\s│╭╮╰╯─]+", " ", stderr)
    errors = [line for line in stderr.splitlines() if not line.startswith("note: ")]
    assert len(errors) == 1, stderr
    assert errors[0].startswith("error: ")
    return errors[0]


@pytest.mark.parametrize(("typed", "words"), table(), ids=[typed for typed, _ in table()])
def test_bad_input_is_one_line(typed: str, words: str) -> None:
    arguments = ["" if word == '""' else word for word in typed.split()]
    for name, value in VALUES.items():
        arguments = [argument.replace(f"{{{name}}}", value) for argument in arguments]
    assert re.search(words, told(CliRunner().invoke(app, arguments)))


def started(*arguments: str, **options: object) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    line = [sys.executable, "-m", "rlenv", *arguments]
    return subprocess.Popen(line, stderr=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["list", "audit --all"])
def test_an_interrupted_command_says_so_in_one_line(typed: str, tmp_path: Path) -> None:
    """While it imports a module of the user's, or reads a file that nobody writes to: a named pipe."""
    fifo = tmp_path / "rows.jsonl"
    os.mkfifo(fifo)
    (tmp_path / "waits.py").write_text(f"open({str(fifo)!r}).read()\n")
    process = started(*typed.split(), "--import", "waits", cwd=tmp_path)
    with fifo.open("w"):  # opens when the command has begun to read
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, "interrupted\n")


def test_a_full_disk_behind_the_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        process = started("list", stdout=full)
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr.count("\n")) == (2, 1)
    assert "No space left on device" in stderr
