"""What travels into cells runs there: the standard library, an old Python; and which installed packages are seen."""

from __future__ import annotations

import ast
import json
import sys
from importlib import resources
from pathlib import Path

import pytest

import rlenv.sandbox.inside
from rlenv.sandbox import SandboxUnavailable
from rlenv.sandbox.bundle import MODULES, PACKAGES, _source, packed
from rlenv.sandbox.launcher import BOOT, CellSettings, ServerSettings
from rlenv.sandbox.packages import closure, entries, folders

SOURCES = [name for name in MODULES if name not in PACKAGES]


def test_every_module_of_the_cell_travels() -> None:
    folder = Path(str(resources.files(rlenv.sandbox.inside)))
    there = {f"rlenv.sandbox.inside.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"}
    assert there == {name for name in SOURCES if name.startswith("rlenv.sandbox.inside.")}


@pytest.mark.parametrize("name", SOURCES)
def test_modules_of_the_cell_are_written_in_the_oldest_python_that_may_run_them(name: str) -> None:
    tree = ast.parse(_source(name), feature_version=(3, 8))
    first = next(node for node in tree.body if isinstance(node, ast.ImportFrom))
    assert first.module == "__future__"  # so that annotations may be newer


@pytest.mark.parametrize("name", SOURCES)
def test_modules_of_the_cell_import_the_standard_library_and_each_other_in_order(name: str) -> None:
    known = set(MODULES[: MODULES.index(name)])
    for node in ast.walk(ast.parse(_source(name))):
        if isinstance(node, ast.Import):
            found = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found = {node.module or ""}
        else:
            continue
        for module in found:
            top = module.partition(".")[0]
            assert module in known or top in sys.stdlib_module_names or top == "numpy", (name, module)


def test_what_is_sent_holds_the_settings() -> None:
    data = packed(CellSettings(preload=("json",)), ServerSettings(job_uid=7))
    settings = json.loads(data[data.rindex(b'{"job_uid"') :])
    assert (settings["job_uid"], settings["preload"], settings["memory_mb"]) == (7, ["json"], 1024)


def test_the_first_words_fit_on_a_command_line() -> None:
    assert len(BOOT) < 1000
    ast.parse(BOOT, feature_version=(3, 8))


def test_a_module_brings_its_distribution_and_what_that_requires() -> None:
    assert closure(("numpy.linalg", "json")) == ("numpy",)
    assert set(closure(("gymnasium",))) >= {"gymnasium", "numpy", "cloudpickle"}


def test_only_what_is_needed_is_listed() -> None:
    found = entries(("numpy",))
    assert "numpy" in found
    assert Path(found["numpy"], "__init__.py").exists()
    assert not {name for name in found if not name.startswith("numpy")}


def test_the_standard_library_needs_nothing() -> None:
    assert entries(("json", "math")) == {}
    assert folders(()) == []


def test_what_is_not_installed_is_refused() -> None:
    with pytest.raises(SandboxUnavailable, match="install it first"):
        entries(("surely_not_installed",))
