"""The command line, run as a user runs it."""

import importlib.metadata
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import gymnasium
import pytest
from typer.testing import CliRunner, Result

import rlenv
from rlenv.cli import GROUPS, app
from rlenv.store.saved_episodes import count_episodes

MY_TASKS = '''
import rlenv

def exact(completion: str, answer: str) -> bool:
    """Reverse a word."""
    if completion == "break":
        print("asked about", completion, chr(27) + "[2J")
        raise LookupError("no such word")
    return completion.strip() == answer

rlenv.register("mine/reverse-v0", tasks=[{"prompt": f"Reverse: ab{i}", "answer": f"{i}ba"} for i in range(5)],
               verifier=exact, cheap=True)
rlenv.register("mine/file-v0", entry_point="my_tasks_NUMBER:from_file", kwargs={"data": "tasks.jsonl"})

def from_file(data: str, twice: bool = False) -> rlenv.Definition:
    """Rows of a file."""
    tasks = rlenv.load_tasks(data)
    return rlenv.Definition(tasks=tasks, verifier=rlenv.FunctionVerifier(exact, cheap=True), description="from a file")

def answer(task):
    return task.reference if task.reference.startswith("1") else "no"
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module of the user's in the current folder; a name of its own, because modules stay imported."""
    name = f"my_tasks_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(MY_TASKS.replace("my_tasks_NUMBER", name))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    yield name
    for id in ("mine/reverse-v0", "mine/file-v0"):
        gymnasium.registry.pop(id, None)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def command(arguments: Sequence[str], **options: object) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own."""
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "rlenv", *arguments], capture_output=True, text=True, check=False, **options
    )


def one_line_error(result: Result | subprocess.CompletedProcess[str], words: str) -> None:
    code = result.exit_code if isinstance(result, Result) else result.returncode
    assert code == 2, result.stderr
    assert result.stdout == ""
    assert re.fullmatch(f"error: .*{words}.*\n", result.stderr), result.stderr


def test_list_shows_ids_and_families(mine: str) -> None:
    assert "math/arithmetic-v0" in run("list").stdout.splitlines()
    assert {"mine/file-v0", "mine/reverse-v0"} <= set(run("list", "--family", "mine", "--import", mine).stdout.split())
    one_line_error(run("list", "--family", "mathh"), "did you mean math")


def test_show_debugs_a_verifier(mine: str) -> None:
    show = ("show", "mine/reverse-v0", "--import", mine, "--debug")
    out = run(*show, "--completion", "break").stdout
    assert "reward of the verifier, before any wrapper\n  verifier error; LookupError: no such word\n" in out
    assert "printed\n  asked about break \\x1b[2J\n" in out
    traceback = out.partition("traceback\n")[2]
    assert f'{mine}.py", line' in traceback
    assert traceback.endswith("  LookupError: no such word\n")
    assert "(it raised nothing)" in run(*show, "--completion", "0ba").stdout
    one_line_error(run(*show), "expected --completion TEXT with --debug")


def test_show_explains_an_environment(mine: str) -> None:
    out = run("show", "mine/reverse-v0", "--import", mine, "--index", "1").stdout
    for expected in ("Reverse a word.", "Reverse: ab1", "1ba", "reward of the solution\n  1\n", "nothing\n  0\n"):
        assert expected in out
    (Path.cwd() / "rows.jsonl").write_text('{"prompt": "Reverse: [bold]x[/]", "answer": "x"}\n')
    out = run("show", "mine/file-v0", "--import", mine, "--data", "rows.jsonl").stdout
    assert "data='tasks.jsonl'" in out
    assert "twice=False" in out
    assert "Reverse: [bold]x[/]" in out  # as it is: no markup
    one_line_error(run("show", "mine/reverse-v0", "--import", mine, "--index", "5"), "--index of 0 to 4, got 5")


def test_eval_prints_pass_at_k_and_saves(mine: str) -> None:
    arguments = ["eval", "mine/reverse-v0", "--import", mine, "--policy", f"{mine}:answer", "-n", "4", "--k", "1,4"]
    result = run(*arguments, "--out", "run")
    assert result.exit_code == 0, result.stderr
    assert re.search(r"pass@1 +0\.200 +\[0\.\d+, 0\.\d+\]", result.stdout)
    assert "saved in run" in result.stdout
    report = json.loads(Path("run/report.json").read_text())
    assert report["pass_at"]["4"]["value"] == pytest.approx(0.2)
    assert report["episodes"] == 20
    again = run(*arguments, "--out", "run").stdout
    assert again.replace("20 of 20 completions were there; nothing was asked for\n", "", 1) == result.stdout
    assert again != result.stdout
    one_line_error(run(*arguments, "--out", "run", "--seed", "1"), "seed was 0, is 1")


def test_rescore_judges_a_saved_run_again_and_lists_what_changed(mine: str) -> None:
    run("eval", "mine/reverse-v0", "--import", mine, "--policy", "reference", "--out", "run")
    same = run("rescore", "run", "--import", mine)
    assert same.exit_code == 0
    assert "0 verdicts changed" in same.stdout
    stricter = Path(f"{mine}.py").read_text().replace("completion.strip() == answer", 'completion == answer == "1ba"')
    Path("stricter.py").write_text(stricter.replace(f"{mine}:from_file", "stricter:from_file"))
    changed = command(["rescore", "run", "--import", "stricter"])
    assert changed.returncode == 0
    assert changed.stdout.count(": 1 -> 0") == 4
    assert "4 verdicts changed" in changed.stdout


def test_a_missing_extra_names_itself(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    endpoint = run("eval", "mine/reverse-v0", "--import", mine, "-p", "http://localhost/v1#m")
    one_line_error(endpoint, r"httpx2 is not installed; do: pip install .*\[openai\]")
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("rlenv.policies.tiny", "rlenv.policies.transformers", "rlenv.policies.generation"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    one_line_error(run("eval", "mine/reverse-v0", "--import", mine, "-p", "tiny"), r"pip install .*\[train\]")


def test_the_command_works_in_a_process_of_its_own(mine: str) -> None:
    done = command(["eval", "mine/reverse-v0", "--import", mine, "--policy", "reference"])
    assert done.returncode == 0
    assert done.stderr == ""
    assert "pass@1    1.000" in done.stdout
    one_line_error(command(["show", "math/gsm9k-v0"]), "did you mean math/gsm8k-v0")


def test_interrupting_says_how_to_go_on(mine: str) -> None:
    Path("slow.py").write_text(
        "import pathlib, time\nsaid = []\ndef answer(task):\n    said.append(task)\n"
        "    if len(said) > 200:\n        pathlib.Path('asked').touch()\n        time.sleep(60)\n    return ''\n"
    )
    arguments = [
        "eval",
        "math/arithmetic-v0",
        "--set",
        "level=2",
        "-p",
        "slow:answer",
        "--limit",
        "400",
        "--out",
        "run",
    ]
    process = subprocess.Popen([sys.executable, "-m", "rlenv", *arguments], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not Path("asked").exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on from there" in stderr
    assert "Traceback" not in stderr
    assert count_episodes("run") == 192


def test_every_command_has_help() -> None:
    for name in (name for commands in GROUPS.values() for name in commands):
        result = run(name, "-h")
        assert result.exit_code == 0
        assert "Usage" in result.stdout


def test_the_version_is_told_and_is_that_of_the_distribution() -> None:
    assert run("--version").stdout == f"rlenv {rlenv.__version__}\n"
    assert importlib.metadata.version("rlenv-llm") == rlenv.__version__
