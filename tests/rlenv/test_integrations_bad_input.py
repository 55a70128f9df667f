"""What other people's packages bring that cannot be used is told in one line, and is never a reward of 0."""

from __future__ import annotations

import ast
import importlib
import json
import math
import tomllib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.rows import GroupJudge
from rlenv.env.tasksets import ListTasks
from rlenv.foreign import versions
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import ROW, export
from rlenv.integrations.lm_eval import folder_task
from rlenv.integrations.openrlhf import reward_func

SUMS = "math/arithmetic-v0"


def made(module: str, name: str, *arguments: str) -> Callable[[], Any]:
    return lambda: getattr(importlib.import_module(f"rlenv.{module}"), name)(*arguments)


@pytest.mark.parametrize(
    ("use", "known"),
    [
        (made("foreign.gem", "gem_environment", "game:GuessTheNumber-v0"), "gem-llm==0.1.0"),
        (made("foreign.openenv", "openenv_environment", "http://localhost:8000"), "openenv==0.10.0"),
        (made("foreign.verifiers", "taskset_environment", "sums"), "verifiers==0.4.0"),
        (made("foreign.inspect", "inspect_environment", "sums.py@sums"), "inspect-ai==0.3.285"),
        (made("integrations.inspect_task", "to_inspect", SUMS), "inspect-ai==0.3.285"),
        (made("integrations.openenv_server", "to_openenv", SUMS), "openenv==0.10.0"),
        (made("integrations.gem_out", "to_gem", SUMS), "gem-llm==0.1.0"),
        (made("integrations.verifiers.taskset", "tasks_of", SUMS), "verifiers==0.4.0"),
    ],
)
def test_a_version_that_nobody_tried_names_the_one_that_works(
    use: Callable[[], Any], known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "version", lambda name: "99.1")
    with pytest.raises(ConfigError, match=rf"got 99\.1; known to work: pip install '{known}'"):
        use()


def test_every_adapter_names_the_version_that_its_test_installs() -> None:
    """Of the packages that are only there under `make test-integrations`, too."""
    root = Path(__file__).parents[2]
    packages = tomllib.loads((root / "tests" / "integrations" / "packages.toml").read_text()).values()
    wanted = [line for package in packages for line in (*package["requires"], *package.get("no_deps", ()))]
    pinned = dict(line.split("==") for line in wanted if "==" in line)
    named: dict[str, set[str]] = {}
    for file in [*(root / "rlenv" / "integrations").rglob("*.py"), *(root / "rlenv" / "foreign").glob("*.py")]:
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "check_version":
                name, known = [ast.literal_eval(one) for one in (*call.args, *(k.value for k in call.keywords))][:2]
                named.setdefault(name, set()).add(known)
    assert len(named) == 10
    assert named == {name: {pinned.get(name, pinned.get(f"{name}[api]"))} for name in named}


def test_a_version_of_trl_that_nobody_tried_names_the_one_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trl", reason="needs the extra: trl")
    monkeypatch.setattr(versions, "version", lambda name: "2.0.1")
    with pytest.raises(ConfigError, match=r"got 2\.0\.1; known to work: pip install 'trl==1\.16\.0'"):
        made("integrations.trl", "to_trl", SUMS)()


@pytest.mark.parametrize("reference", [{1, 2}, b"x", object(), float("nan"), float("inf"), {"deep": [float("nan")]}])
def test_a_task_that_json_cannot_hold_has_no_row(reference: Any) -> None:
    with pytest.raises(TaskError, match=r"task a1: expected JSON values, .*give text"):
        rlenv.to_row(SUMS, Task("1+1=?", reference, id="a1"))


def test_a_file_for_others_says_which_task_json_cannot_hold(tmp_path: Path) -> None:
    rlenv.register("bad/nan-v0", tasks=ListTasks([Task("1+1=?", float("nan"), id="a1")]), verifier=lambda: 1.0)
    try:
        for module, name in (("nemo_gym", "to_nemo_gym"), ("openrlhf", "to_openrlhf"), ("lm_eval", "to_lm_eval")):
            with pytest.raises(TaskError, match="task a1: expected JSON values"):
                made(f"integrations.{module}", name, "bad/nan-v0", str(tmp_path / module))()
    finally:
        gymnasium.registry.pop("bad/nan-v0")


def test_keywords_that_no_row_may_hold_are_given_beside_it() -> None:
    own: dict[str, Json] = {"level": 2, "isolation": "inline"}
    with pytest.raises(ConfigError, match="isolation"):
        export(SUMS, own, 1)
    assert json.loads(export(SUMS, own, 1, beside=True).rows[0])["kwargs"] == {"level": 2}
    with pytest.raises(ConfigError, match="may only set"):
        rlenv.to_row(SUMS, Task("1+1=?", "2"), {"check": print})  # type: ignore[dict-item]


def test_groups_of_unequal_size_are_each_a_group() -> None:
    """One, two and three completions, in mixed order: the centre of each group is of its own completions."""

    class Sizes:
        name = "sizes"

        def judge(self, episodes: Any, state: Any, *rest: Any) -> list[Verdict]:
            return [e.verdict.with_part("size", float(len(episodes))) for e in episodes]

    definition = rlenv.Definition(
        tasks=ListTasks([Task(f"{n}?", str(n)) for n in range(3)]),
        verifier=FunctionVerifier(lambda completion, answer: completion == answer, cheap=True),
        wrappers=[Sizes()],
    )
    places = (0, 1, 2, 1, 2, 2)
    tasks = [definition.tasks[n] for n in places]
    said = [Completion(text) for text in ("0", "1", "x", "x", "2", "2")]
    episodes = GroupJudge(definition).judge(tasks, said, [task.id for task in tasks])
    assert [e.verdict.reward for e in episodes] == [2.0, 3.0, 3.0, 2.0, 4.0, 4.0]
    assert [e.group for e in episodes] == list(places)


@pytest.mark.parametrize("found", ["0.9.1", "0.9.1+cpu", "0.9.14rc2", "0.9.2.dev0"])
def test_a_known_version_passes(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "version", lambda name: found)
    check_version("verl", "0.9.1", "0.10")


@pytest.mark.parametrize("found", ["0.9.0", "0.8.14", "0.10.0", "1.0", "unknown"])
def test_another_version_is_refused_with_the_known_one(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "version", lambda name: found)
    with pytest.raises(ConfigError, match=rf"got {found}; known to work: pip install 'verl==0.9.1'"):
        check_version("verl", "0.9.1", "0.10")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(versions, "version", missing)
    with pytest.raises(ConfigError, match=r"verl is not installed; do: pip install 'verl==0\.9\.1'"):
        check_version("verl", "0.9.1", "0.10")


ODD: list[Any] = [None, 5, math.nan, b"\xff", {"env": SUMS}, [1], "", "[" * 100_000]


@pytest.mark.parametrize("odd", ODD[:6])
def test_what_openrlhf_hands_over_of_another_type_is_not_graded(odd: Any) -> None:
    label = rlenv.to_row(SUMS, Task("2+5=?", "7"))
    good = ("2+5=?\\boxed{7}</s>", "2+5=?", label)
    for place in range(3):
        paid: Any = reward_func(*([odd if at == place else one] for at, one in enumerate(good)))
        assert paid["extra_logs"]["graded"] == 0.0
    paid = reward_func(*([one] for one in good))
    assert (paid["rewards"], paid["extra_logs"]["graded"]) == (1.0, 1.0)


@pytest.mark.parametrize("given", [(["a"], [], ["a"]), (["a"], ["a"], ["a"] * 2), ("ab", "ab", "ab"), (None, [], [])])
def test_lists_of_unequal_length_are_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match="expected lists of one length, got"):
        reward_func(*given)


def test_documents_results_and_rows_of_lm_eval_that_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(versions, "version", lambda name: "0.4.13")
    task, row = folder_task(str(tmp_path / "t.py")), rlenv.to_row(SUMS, Task("2+5=?", "7"))
    for odd in ODD:
        assert task.process_results({ROW: row}, [odd])["verifier_errors"] == float(not isinstance(odd, str))
        if not isinstance(odd, str):
            with pytest.raises(ConfigError, match=f"a row as text in '{ROW}', got"):
                task.process_results({ROW: odd}, ["7"])
        if not isinstance(odd, list):
            with pytest.raises(ConfigError, match="expected lists of one length"):
                task.process_results({ROW: row}, odd)
    assert task.process_results({ROW: row}, [])["verifier_errors"] == 1.0
    for line in (b"\xff", b"{}", b"\xed\xa0\x80", row.encode()[:-1]):
        (tmp_path / "rows.jsonl").write_bytes(row.encode() + b"\n" + line + b"\n")
        with pytest.raises(TaskError, match=r"rows\.jsonl line 2: .*to_lm_eval again"):
            task.load()
    (tmp_path / "rows.jsonl").write_text(rlenv.to_row(SUMS, Task("\ud800", "7")) + "\n")
    assert task.load()["test"]["prompt"] == ["?"]
