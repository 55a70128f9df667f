"""What comes from elsewhere is data: it names no code, no file, no address, and holds nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import rlenv
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.env.admission import admitted
from rlenv.env.keywords import Between
from rlenv.logs import import_logs
from rlenv.scorers.load import load_scorer
from rlenv.store.members import index_of, members
from rlenv.trainers.records.runfolder import cut_back

TASK: dict[str, Json] = {"prompt": "a", "reference": "1"}
NO_BOARD: dict[str, Json] = {"board": "." * 25, "mark": "o", "misere": False, "worth": 0, "turns": 25}


def row(env: str, kwargs: Json, **metadata: Json) -> str:
    return json.dumps({"env": env, "kwargs": kwargs, "task": {**TASK, "metadata": metadata}})


ARITHMETIC = "math/arithmetic-v0"
REFUSED: list[tuple[str, Json, str]] = [
    (ARITHMETIC, {"factory": "os:system", "command": "touch ran"}, "factory='os:system'"),
    (ARITHMETIC, {"tools": {"os:system": {"command": "touch ran"}}}, "tools"),
    (ARITHMETIC, {"tools": ["python", "os:system"]}, "only name calculator or python"),
    (ARITHMETIC, {"isolation": "inline"}, "auto or process"),
    (ARITHMETIC, {"time_limit_s": 1e9}, "0.001 to 60"),
    (ARITHMETIC, {"template": "{expression.__class__}"}, "braces"),
    (ARITHMETIC, ["level", 1], "keywords by name"),
    ("safety/rm-v0", {"scorer": "os:system"}, "scorer"),
    ("safety/rm-v0", {"scorer": {"kind": "judge", "url": "http://127.0.0.1:9/v1"}}, "scorer"),
    ("safety/rm-v0", {"scorer": "toy", "cost": "../models/x"}, "cost"),
    ("safety/rm-v0", {"scorer": "toy", "cache": "ran"}, "cache"),
    ("safety/rm-v0", {"scorer": "toy", "lagrangian": {"kind": "function"}}, "lagrangian"),
    ("safety/refusal-v0", {"scorer": "some/hub-model"}, "scorer"),
    ("process/gsm8k-v0", {"scorer": {"kind": "function", "function": "os:system"}}, "scorer"),
    ("math/gsm8k-v0", {"data": "/etc/passwd"}, "data"),
    ("code/stdio-v0", {"hub_id": "somebody/else"}, "hub_id"),
    ("code/snippets-v0", {"sandbox": "unsafe"}, "sandbox"),
    ("code/humaneval-v0", {"trust": "in_process"}, "trust"),
    ("code/humaneval-v0", {"official": True}, "official"),
    ("code/snippets-v0", {"memory_mb": 10**9}, "memory_mb"),
    (ARITHMETIC, {"level": 101}, "1 to 100"),
    (ARITHMETIC, {"pay_more": 1}, "may only set"),
    ("math/countdown-v0", {"use": "$HOME"}, "plain words"),
]


@pytest.mark.parametrize(("env", "kwargs", "said"), REFUSED)
def test_a_row_that_asks_for_more_than_plain_values_is_refused(
    env: str, kwargs: Json, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    verdict = rlenv.judge_row(row(env, kwargs), "x")
    assert verdict.reward is None
    assert said in verdict.reason
    assert not list(tmp_path.iterdir())


def test_an_environment_declares_what_a_row_may_set() -> None:
    factory = "rlenv.envs.math.countdown:countdown"
    rlenv.register("door/closed-v0", entry_point=factory)
    rlenv.register("door/open-v0", entry_point=factory, row_may_set={"use": ("exactly_once",), "seed": Between(0, 9)})
    assert admitted("door/open-v0", {"use": "exactly_once", "seed": 9}) == {"use": "exactly_once", "seed": 9}
    for env, name, value in (("open", "use", "at_most_once"), ("open", "seed", 10), ("closed", "use", "exactly_once")):
        with pytest.raises(ConfigError, match=f"asks for {name}"):
            admitted(f"door/{env}-v0", {name: value})


def test_what_the_operator_gives_stands_in_the_place_of_what_the_row_asks_for() -> None:
    asks = row("safety/rm-v0", {"scorer": "os:system"})
    given = {"safety/rm-v0": {"scorer": length}}
    assert rlenv.judge_row(asks, "four", given=given).graded
    other = row(ARITHMETIC, {"factory": "os:system"})
    assert "factory" in rlenv.judge_row(other, "four", given=given).reason


def length(completion: str) -> float:
    return float(len(completion))


def test_a_file_of_the_operator_gives_keywords_in_processes_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "given.json").write_text(json.dumps({ARITHMETIC: {"isolation": "inline"}}))
    monkeypatch.setenv("RLENV_GIVEN", str(tmp_path / "given.json"))
    assert admitted(ARITHMETIC, {"isolation": "nowhere", "level": 2}) == {"isolation": "inline", "level": 2}
    (tmp_path / "given.json").write_text("[]")
    with pytest.raises(ConfigError, match="RLENV_GIVEN"):
        admitted(ARITHMETIC, {})


def test_a_checkpoint_cuts_no_file_but_the_runs_own(tmp_path: Path) -> None:
    (tmp_path / "victim.txt").write_text("kept")
    run = tmp_path / "run"
    run.mkdir()
    (run / "metrics.jsonl").write_text("{}\n")
    for sizes in ({"../victim.txt": 0}, {"metrics.jsonl": 1 << 50}, {"metrics.jsonl": -1}, {"metrics.jsonl": "0"}):
        with pytest.raises(RunError, match="checkpoint cuts"):
            cut_back(run, sizes)  # type: ignore[arg-type]
    cut_back(run, {"metrics.jsonl": 0})
    assert (tmp_path / "victim.txt").read_text() == "kept"
    assert (run / "metrics.jsonl").read_text() == ""


@pytest.mark.parametrize("indexed", [True, False])
def test_a_member_that_unpacks_to_gigabytes_is_an_error(
    indexed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlenv.store.members.MAX_TEXT", 1_000_000)
    file = tmp_path / "episodes.jsonl.gz"
    file.write_bytes(gzip.compress(bytes(50_000_000)))
    if indexed:
        index_of(file).write_text(f"{file.stat().st_size} 1\n")
    with pytest.raises(RunError, match=r"byte 0 is damaged \(more than 1000000 bytes"):
        members(file)


SETTINGS: list[dict[str, Json]] = [
    {"kind": "function", "function": "os:system"},
    {"kind": "http", "url": "http://127.0.0.1:9"},
    {"kind": "judge", "url": "http://127.0.0.1:9/v1", "endpoint": {"api_key_env": "HOME"}},
    {"kind": "sequence_classification", "path": "../other"},
    {"kind": "token_classification", "trust_remote_code": True},
    {"kind": "ensemble", "members": [{"kind": "function", "function": "os:system"}]},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_folder_given_as_a_scorer_is_a_model_and_names_no_code(settings: dict[str, Json], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "scorer.json").write_text(json.dumps(settings))
    with pytest.raises(ConfigError, match=r"yourself|as scorer=|cannot|yours to give"):
        load_scorer(str(folder))


def test_the_code_that_a_log_names_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asks = row(ARITHMETIC, {"factory": "os:system", "command": "touch ran"})
    record = {"task": {"data": {"row": asks}}, "rlenv_row": asks, "completion": "x", "prompt": "a", "reward": 1.0}
    (tmp_path / "traces.jsonl").write_text(json.dumps(record) + "\n")

    with pytest.raises(ConfigError):
        import_logs([tmp_path / "traces.jsonl"], tmp_path / "out")
    assert not (tmp_path / "ran").exists()


def test_the_code_that_a_runs_folder_names_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rlenv.evaluate(ARITHMETIC, "reference", limit=2, out=tmp_path / "run", quiet=True)
    settings_file = tmp_path / "run" / "config.json"
    told = json.loads(settings_file.read_text())
    told["env_kwargs"] = {"factory": "os:system", "command": "touch ran"}
    settings_file.write_text(json.dumps(told))
    with pytest.raises(ConfigError, match="factory"):
        rlenv.rescore(tmp_path / "run", quiet=True)
    assert not (tmp_path / "ran").exists()


def test_what_the_operator_gives_beside_the_rows_is_not_written_into_them() -> None:
    given = {"safety/rm-v0": {"scorer": "my_models:scorer"}}
    row = rlenv.to_row("safety/rm-v0", Task("a", "1"), {"scorer": "my_models:scorer"}, given=given)
    assert json.loads(row)["kwargs"] == {}


@pytest.mark.parametrize("odd", [None, 5, b"{}", ["a"], {"env": ARITHMETIC}, "", "[1]", '"\ud800"', "9" * 10**6])
def test_what_is_no_row_is_no_verdict(odd: Any) -> None:
    judged = rlenv.judge_rows([odd, row(ARITHMETIC, {})], ["x", "\\boxed{1}"])
    assert (judged[0].reward, judged[1].reward) == (None, 1.0)


@pytest.mark.parametrize(
    ("env", "task", "text"),
    [
        ("safety/agreement-v0", {"reference": "1e999999999", "metadata": {"told": "1"}}, "\\boxed{2}"),
        ("games/tictactoe-v0", {"metadata": {"game": "tictactoe", "level": 1, "rules": NO_BOARD}}, "[3]"),
    ],
)
def test_a_number_that_would_fill_the_memory_is_no_task(env: str, task: dict[str, Json], text: str) -> None:
    asked = json.dumps({"env": env, "kwargs": {}, "task": {"prompt": "a", "reference": "1", **task}})
    assert rlenv.judge_row(asked, text).reward is None
