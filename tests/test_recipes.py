"""The recipes: each runs from a clean folder, gives the same figures twice, and its page says what was measured."""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from container_engine import needs_engine
from warm import warm

pytest.importorskip("torch", reason="the recipes train with torch")

ROOT = Path(__file__).parents[1]
RECIPES = sorted(path.stem for path in (ROOT / "recipes").glob("*.py") if path.stem != "common")
REPEATED = ("rlhf",)
"""What is run twice: imitation, comparisons, a reward model, PPO."""
PAPER = re.compile(r"arXiv \d{4}\.\d{5}")  # "arXiv 2501.12948"


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "recipes"))
    yield importlib.import_module("common")
    sys.modules.pop("common", None)


def measured(common: ModuleType, out: Path, last: float = 1.0) -> dict[str, Any]:
    out.mkdir()
    recipe = common.Recipe("made", out, 0, False, "", "cpu", 1)
    recipe.add("before", [0.0, 0.5] * 20)
    recipe.add("after", [0.5, last] * 20, episodes=12)
    recipe.finish()
    found: dict[str, Any] = json.loads((out / "figures.json").read_text())
    return found


def test_a_stage_is_compared_with_the_one_before_task_by_task(common: ModuleType, tmp_path: Path) -> None:
    figures = measured(common, tmp_path / "made")
    before, after = figures["stages"]
    assert before["value"][0] == 0.25
    assert "gain" not in before
    assert after["since"] == "before"
    assert after["gain"] == pytest.approx([0.5, 0.5, 0.5], abs=0.2)
    assert after["facts"] == {"episodes": 12}


def test_the_digest_is_of_the_figures_and_not_of_the_time_they_took(common: ModuleType, tmp_path: Path) -> None:
    digests = [measured(common, tmp_path / str(i), last)["digest"] for i, last in enumerate((1.0, 1.0, 0.99))]
    assert digests[0] == digests[1] != digests[2]


def test_the_table_is_made_of_the_stored_figures(common: ModuleType) -> None:
    assert common.table(common.stored()) == common.TABLE.read_text()
    for figures in common.stored():
        assert figures["recipe"] in RECIPES
    assert [name for name in common.PICTURES if not (common.IMAGES / f"recipe-{name}.png").is_file()] == []


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_opens_with_its_command_and_its_paper(name: str) -> None:
    about = ast.get_docstring(ast.parse((ROOT / "recipes" / f"{name}.py").read_text())) or ""
    assert f"    python recipes/{name}.py --out runs/recipes/{name}\n" in about
    assert PAPER.search(about)


BOXED = {"containers": (needs_engine,)}
"""Recipes whose tasks are worked on in containers."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=BOXED.get(name, ())) for name in RECIPES])
def test_a_recipe_runs_from_a_clean_folder(name: str, tmp_path: Path) -> None:
    digests = set()
    for run in range(1 + (name in REPEATED)):
        out = tmp_path / str(run) / name
        command = [str(warm()), str(ROOT / "recipes" / f"{name}.py"), "--smoke", "--out", str(out)]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=600)
        figures = json.loads((out / "figures.json").read_text())
        assert len(figures["stages"]) >= 3
        assert (out / "figures.png").is_file()
        digests.add(figures["digest"])
    assert len(digests) == 1


@pytest.mark.slow
def test_a_model_takes_the_place_of_the_tiny_policy(tmp_path: Path) -> None:
    from rlenv.policies.tiny import tiny_policy

    tiny_policy().save(tmp_path / "model")
    out = tmp_path / "out"
    command = [str(warm()), str(ROOT / "recipes" / "r1.py"), "--smoke", "--model", "model", "--device", "cpu"]
    subprocess.run([*command, "--out", str(out)], cwd=tmp_path, check=True, capture_output=True, timeout=600)
    assert json.loads((out / "figures.json").read_text())["model"] == "model"
