"""What README, docs, examples and recipes have printed as an import works, or warns of the new place and works."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import rlenv
from rlenv._moved import MOVED

PRINTED = Path(__file__).parents[1] / "data" / "public_imports_4a06c01.tsv"
"""Page, module, name: what the pages of that revision print (made by `moves/public_imports.py`)."""
TRY_ALL = """
import ast, importlib.util, json, sys, warnings

def there(module, name):
    "Whether the file of a module that other people's packages keep from being imported says this name at its top."
    tree = ast.parse(open(importlib.util.find_spec(module).origin, encoding="utf-8").read())
    return name in {getattr(node, "name", None) for node in tree.body}

problems, warned = {}, []
for module, name in json.load(sys.stdin):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            exec(f"from {module} import {name}" if name else f"import {module}", {})
        except Exception as error:
            ours = isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "rlenv"
            if ours or not there(module, name):
                problems[f"{module} {name}"] = f"{type(error).__name__}: {error}"
    warned += [(one.filename, str(one.message)) for one in seen if str(one.message).startswith("rlenv.")]
print(json.dumps([problems, warned]))
"""
WITH_OLD_NAMES = """
import importlib, pickle, sys, warnings
import rlenv, rlenv.text.folding
from rlenv._moved import MOVED, answer_old_names

MOVED.update({"rlenv.bygone": "rlenv.testing", "rlenv.text": "rlenv.text.folding"})
answer_old_names()
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    exec(sys.argv[1], {"__name__": "users_own"})
for one in seen:
    print(f"{one.category.__name__} {one.filename}:{one.lineno} {one.message}".partition(";")[0])
import rlenv.testing
assert sys.modules.get("rlenv.bygone", rlenv.testing) is rlenv.testing
assert rlenv.testing.__spec__.name == rlenv.testing.__name__ == "rlenv.testing"
"""
"""Has two old names more: of a module, and of one that has become the package of its name."""
MODULE = "DeprecationWarning <string>:1 rlenv.bygone is now rlenv.testing"
NAME = "DeprecationWarning <string>:1 rlenv.text.fold is now rlenv.text.folding.fold"


def run(program: str, *given: str, text: str = "") -> str:
    command = [sys.executable, "-c", program, *given]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def test_what_pages_have_printed_as_an_import_works() -> None:
    rows = [line.split("\t")[1:] for line in PRINTED.read_text().splitlines()[1:]]
    assert len({module for module, _ in rows}) == 59
    problems, warned = json.loads(run(TRY_ALL, text=json.dumps(rows)).splitlines()[-1])
    assert problems == {}
    assert {place for place, _ in warned} <= {"<string>"}  # the line that says the old name
    assert {message.split()[0] for _, message in warned} <= {*MOVED, *(f"{module}.{name}" for module, name in rows)}


FOREIGN = {f"rlenv.integrations.{name}" for name in ("verl.reward", "verl.turns", "verifiers.taskset")}
"""Made of other people's classes, which are not installed here."""


@pytest.mark.filterwarnings("ignore:rlenv:DeprecationWarning")
@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_is_a_module_of_today(old: str) -> None:
    assert importlib.util.find_spec(MOVED[old])
    if MOVED[old] not in FOREIGN:
        assert importlib.import_module(old).__name__ in (old, MOVED[old])


@pytest.mark.parametrize(
    ("use", "warning"),
    [
        ("import rlenv.bygone", MODULE),
        ("from rlenv.bygone import assert_not_hackable", MODULE),
        ("from rlenv import bygone", MODULE),
        ("import rlenv; rlenv.bygone.assert_not_hackable", MODULE),
        ("import importlib; importlib.import_module('rlenv.bygone')", MODULE),
        ("import pickle; pickle.loads(b'crlenv.bygone\\nassert_not_hackable\\n.')", MODULE),
        ("import rlenv.bygone\nfrom rlenv.bygone import assert_not_hackable", MODULE),
        ("from rlenv.text import fold", NAME),
        ("import rlenv.text; rlenv.text.fold", NAME),
        ("import pickle; pickle.loads(b'crlenv.text\\nfold\\n.')", NAME),
        ("from rlenv.text import folding, boxes", ""),
    ],
)
def test_an_old_name_warns_once_and_at_the_line_that_says_it(use: str, warning: str) -> None:
    assert run(WITH_OLD_NAMES, use).strip() == warning


def test_names_that_never_were_are_told_as_always() -> None:
    name = "passkey"
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'rlenv\.passkey'$"):
        importlib.import_module(f"rlenv.{name}")
    with pytest.raises(AttributeError, match=r"^module 'rlenv' has no attribute 'passkey'$"):
        getattr(rlenv, name)
