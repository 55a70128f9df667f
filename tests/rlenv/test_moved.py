"""What README, docs, examples and recipes have printed as an import works, or warns of the new place and works."""

import ast
import importlib.util
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from rlenv._moved import MOVED

PRINTED = Path(__file__).parents[1] / "data" / "public_imports_4a06c01.tsv"
"""Page, module, name: what the pages of that revision print (made by `moves/public_imports.py`)."""
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


def run(program: str, *given: str) -> str:
    command = [sys.executable, "-c", program, *given]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def there(module: str, name: str) -> bool:
    """Whether the file of a module that other people's packages keep from being imported says this name at its top."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    tree = ast.parse(Path(str(spec.origin)).read_text(encoding="utf-8"))
    return name in {getattr(node, "name", None) for node in tree.body}


def test_what_pages_have_printed_as_an_import_works() -> None:
    rows = [line.split("\t")[1:] for line in PRINTED.read_text().splitlines()[1:]]
    assert len({module for module, _ in rows}) == 59
    for module, name in rows:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                exec(f"from {module} import {name}" if name else f"import {module}", {})
            except Exception as error:
                ours = isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "rlenv"
                if ours or not there(module, name):
                    pytest.fail(f"{module} {name}: {error}")
        warned = [one for one in seen if str(one.message).startswith("rlenv.")]
        assert {one.filename for one in warned} <= {"<string>"}  # the line that says the old name
        assert {str(one.message).split()[0] for one in warned} <= {*MOVED, f"{module}.{name}"}


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
        ("from rlenv import bygone", MODULE),
        ("import rlenv; rlenv.bygone.assert_not_hackable", MODULE),
        ("import pickle; pickle.loads(b'crlenv.bygone\\nassert_not_hackable\\n.')", MODULE),
        ("import rlenv.bygone\nfrom rlenv.bygone import assert_not_hackable", MODULE),
        ("from rlenv.text import fold", NAME),
        ("import pickle; pickle.loads(b'crlenv.text\\nfold\\n.')", NAME),
        ("from rlenv.text import folding, boxes", ""),
    ],
)
def test_an_old_name_warns_once_and_at_the_line_that_says_it(use: str, warning: str) -> None:
    assert run(WITH_OLD_NAMES, use).strip() == warning
