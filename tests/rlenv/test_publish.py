"""What `rlenv push` sends to a hub, and what it does not."""

import json
from pathlib import Path
from typing import Any

import pytest
from hub_stub import hub
from typer.testing import CliRunner

import rlenv
from rlenv.cards.publish import push, write_page
from rlenv.cli import app
from rlenv.core.errors import ConfigError, RunError
from rlenv.scaffold.write import new_package

huggingface_hub = pytest.importorskip("huggingface_hub")
pytest.importorskip("pyarrow")

PAGE = "---\npretty_name: words\ntags: [rlenv]\n---\n\n# words\n"
MODULE = """
import rlenv
words = "level one", "reward", "verdict", "drawer"
rows = [{"prompt": f"Say {word} backwards.", "answer": word[::-1]} for word in words]
rlenv.register("words/%s-v0", tasks=rows, verifier=lambda completion, answer: %s, cheap=True)
"""


@pytest.fixture(autouse=True)
def _online(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A new package beside files that are nobody's business."""
    new_package("my-words", tmp_path)
    folder = tmp_path / "my-words"
    (folder / ".env").write_text("KEY=1")
    (folder / "runs").mkdir()
    (folder / "runs" / "log.txt").write_text("x")
    (folder / "link.txt").symlink_to("/etc/hostname")
    return folder


def pushed(tmp_path: Path, check: str, *more: str) -> Any:
    """The command's result for an environment of this check."""
    name = "right" if "==" in check else "leaky"
    (tmp_path / f"{name}_words.py").write_text(MODULE % (name, check))
    words = [
        "push",
        f"words/{name}-v0",
        "--import",
        str(tmp_path / f"{name}_words.py"),
        *more,
        "--set",
        "tasks=4",
        "-q",
    ]
    return CliRunner().invoke(app, words)


@pytest.mark.slow
def test_the_command_sends_card_audit_rows_run_and_package(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "first"
    with hub() as server:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", server.url)
        first = pushed(tmp_path, "completion.strip() == answer", "--out", str(tmp_path / "look"))
        assert (first.exit_code, server.made) == (0, []), first.output
        rlenv.evaluate("words/right-v0", "reference", out=run, quiet=True)
        more = ("--run", str(run), "--package", str(package), "--set", "license=apache-2.0", "--to", "me/words")
        done = pushed(tmp_path, "completion.strip() == answer", *more)
    assert done.exit_code == 0, done.output
    assert done.output.strip().endswith("/datasets/me/words")
    assert (server.made[0]["name"], server.made[0]["type"]) == ("words", "dataset")
    assert server.made[0].get("private", server.made[0].get("visibility")) in (True, "private")
    assert server.tokens == {"Bearer hf_secret"}
    assert len(server.commits) == 1
    own = {"README.md", "audit.json", "tasks.jsonl", "runs/first.parquet", "runs/first.json"}
    assert own | {"pyproject.toml", "my_words/__init__.py", "my_words/tasks.jsonl"} <= set(server.files)
    assert not [name for name in server.files if name.startswith(".") or name in ("link.txt", "runs/log.txt")]
    card = huggingface_hub.DatasetCard(server.files["README.md"].decode())
    assert (card.data.license, card.data.pretty_name) == ("apache-2.0", "words/right-v0")
    assert [config["config_name"] for config in card.data.configs] == ["tasks", "run-first"]
    assert "## Audit" in card.text
    assert "# my-words" in card.text
    assert json.loads(server.files["audit.json"])["env"] == "words/right-v0"
    rows = [json.loads(text) for text in server.files["tasks.jsonl"].splitlines()]
    assert [rlenv.judge_row(row["rlenv_row"], row["reference"]).reward for row in rows] == [1.0] * 4


@pytest.mark.slow
def test_a_reward_with_a_hole_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub() as server:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", server.url)
        refused = pushed(tmp_path, "answer in completion", "--to", "me/words")
        assert (refused.exit_code, server.made) == (2, [])
        assert "nothing was sent: the audit of words/leaky-v0 found" in refused.output
        sent = pushed(tmp_path, "answer in completion", "--to", "me/words", "--fail-on", "never")
    assert sent.exit_code == 0, sent.output
    assert b"critical" in server.files["README.md"] or b"high" in server.files["README.md"]


def test_a_folder_is_one_commit_without_what_is_hidden(tmp_path: Path, package: Path) -> None:
    rows = rlenv.rows_of("math/arithmetic-v0", range(2))
    with hub() as server:
        write_page(tmp_path / "page", PAGE, None, rows, package=package)
        address = push(tmp_path / "page", "me/words", endpoint=server.url)
    assert (address.rpartition("/datasets/")[2], len(server.commits)) == ("me/words", 1)
    assert {"README.md", "tasks.jsonl", "pyproject.toml", "my_words/__init__.py"} <= set(server.files)
    assert not [name for name in server.files if name.startswith(".") or name in ("link.txt", "runs/log.txt")]
    assert b"config_name: tasks" in server.files["README.md"]


def test_what_the_hub_refuses_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(PAGE)
    with hub(refuses=True) as server, pytest.raises(RunError, match=r"the hub did not take me/words: .*HF_TOKEN"):
        push(tmp_path, "me/words", endpoint=server.url)
    with hub() as server, pytest.raises(ConfigError, match="expected a repository USER/NAME, got 'me/too/many'"):
        push(tmp_path, "me/too/many", endpoint=server.url)
    assert server.made == []
