"""What other people's packages bring that cannot be used is told in one line, and is never a reward of 0."""

from __future__ import annotations

import ast
import importlib
import json
import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import rlenv
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.env.tasksets import ListTasks
from rlenv.foreign import versions
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import export
from rlenv.integrations.openrlhf import reward_func

SUMS = "math/arithmetic-v0"


def made(module: str, name: str, *arguments: str) -> Callable[[], Any]:
    return lambda: getattr(importlib.import_module(f"rlenv.{module}"), name)(*arguments)


@pytest.mark.parametrize(
    ("use", "known"),
    [
        (made("foreign.gem", "gem_environment", "game:GuessTheNumber-v0"), "gem-llm==0.1.0"),
        (made("foreign.openenv", "openenv_environment", "http://localhost:8000"), "openenv==0.10.0"),
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


@pytest.mark.parametrize("reference", [{1, 2}, float("inf"), {"deep": [float("nan")]}])
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


@pytest.mark.parametrize("found", ["0.9.0", "0.10.0", "unknown"])
def test_another_version_is_refused_with_the_known_one(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "version", lambda name: found)
    with pytest.raises(ConfigError, match=rf"got {found}; known to work: pip install 'verl==0.9.1'"):
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
