"""Nothing that a completion, a prompt, a task or a file holds reaches the terminal as a command to it."""

import io
import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.evaluation.report import Report
from rlenv.store.saved_episodes import write_episodes
from rlenv.text.escaping import shown, shown_cell, shown_line

HOSTILE = "[red]x[/] \x1b[31m\x1b]0;t\x07\x9b2J\r\x08\x7f\u202e\u2066\u200b\ufeff\u2028\U000e0041\udc9b right"
OUR_BOLD = re.compile(r"\x1b\[[01]m")


def harmless(text: str) -> str:
    """The text, in which there is nothing that a terminal acts on or that cannot be seen."""
    sent = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")} - {"\n", "\t"}
    assert not sent, ascii(sent)
    return text


def run(*arguments: str, said: str | None = None) -> str:
    """With colours, so that nothing is stripped before it is seen here."""
    result = CliRunner().invoke(app, list(arguments), input=said, color=True)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return harmless(OUR_BOLD.sub("", result.output))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run whose every text is hostile."""
    flag = Flag("hedging", 0, len(HOSTILE), HOSTILE)
    task = Task(HOSTILE, HOSTILE, id=HOSTILE)
    verdicts = (Verdict.of((HOSTILE, 1.0), flags=[flag, Flag(HOSTILE)], reason=HOSTILE), Verdict.error(HOSTILE, [flag]))
    write_episodes(tmp_path / "episodes.jsonl", [Episode(task, Completion(HOSTILE), v) for v in verdicts])
    return tmp_path


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x00\x07\x7f\x9b", r"\x00\x07\x7f\x9b"),
        ("\u202e\u2066\u200b\ufeff", r"\u202e\u2066\u200b\ufeff"),
        ("\u2028\u2029\x85", r"\u2028\u2029\x85"),
        ("\ud800\U000e0041", r"\ud800\U000e0041"),
        ("a\r\n\tb", "a\\r\n\tb"),
        ("é 漢字 🙂 \u3000\xa0", "é 漢字 🙂 \u3000\xa0"),
    ],
)
def test_what_commands_or_hides_becomes_an_escape(text: str, seen: str) -> None:
    assert shown(text) == seen


def test_every_character_that_python_calls_printable_stays_and_no_other_but_spaces() -> None:
    characters = [*map(chr, range(0x3000)), *map(chr, range(0xD800, 0xE100)), *map(chr, range(0xE0000, 0xE0200))]
    kept = {c for c in characters if shown(c) == c}
    assert {c for c in kept if not c.isprintable() and not c.isspace()} == set()
    assert {c for c in characters if c.isprintable()} <= kept
    assert kept.isdisjoint("\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def test_a_line_cannot_be_left() -> None:
    assert shown_line("wrong\nright\r\n  \v\x1b[1A") == r"wrong right\r \x0b\x1b[1A"
    assert shown_line("a" * 50 + "b" * 50, 30) == f"{'a' * 20} ... {'b' * 10}"
    assert shown_line("a" * 30, 30) == "a" * 30
    assert shown_cell("a | b\n| c") == r"a \| b \| c"


def test_verify_reads_bytes_that_are_no_text() -> None:
    arguments = [sys.executable, "-m", "rlenv", "verify", "--gold", "42", "--answer", "-"]
    done = subprocess.run(arguments, input=b"\\boxed{41\x9b\xff\x1b[2J}", capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr == b""
    assert rb"41\udc9b\udcff\x1b[2J" in done.stdout


def test_hacks_shows_evidence(folder: Path) -> None:
    out = run("hacks", str(folder), "--every-flag")
    assert r"»[red]x[/] \x1b[31m" in out
    run("hacks", str(folder), "--watch", "all")


def test_eval_and_its_report_show_reasons_flags_and_names(folder: Path) -> None:
    report = Report(HOSTILE, HOSTILE, {"env": HOSTILE, HOSTILE: HOSTILE}).add(rlenv.read_episodes(folder))
    for page, sequence in ((str(report), r"\x1b[31m"), (report.markdown(), r"\\x1b[31m")):
        assert sequence in harmless(page)
        assert len(page.split("\n")) == len(page.splitlines()) + page.endswith("\n")


def test_errors_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({f"{HOSTILE}\nerror: right": 1}) + "\n")
    out = run("eval", "math/gsm8k-v0", "-p", "empty", "--data", str(file))
    assert out.count("\n") == 1
    assert r"\x1b[31m" in out or r"\\x1b[31m" in out
    run("show", HOSTILE)
    run(HOSTILE)
    run("list", f"--{HOSTILE}")


def test_the_log_of_a_training_run_is_shown_and_no_markup() -> None:
    pytest.importorskip("torch")
    from rlenv.trainers.records.logs import Display

    for terminal in (False, True):
        file = io.StringIO()
        display = Display(HOSTILE, 1)
        display.console = Console(file=file, force_terminal=terminal, no_color=True, width=400)
        display.update(1, HOSTILE)
        display.warn(HOSTILE)
        text = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue()) if terminal else file.getvalue()
        assert "warning: [red]x[/]" in harmless(text), terminal
