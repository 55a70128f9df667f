"""The version of a verifier function changes with everything that it is made of that is ours, and with nothing else."""

import functools
import importlib
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import rlenv
from rlenv import FunctionVerifier
from rlenv.errors import RunError
from rlenv.fingerprint import MOST_DEEP, MOST_WORK, PARTIAL, code_version, unseen

PACKAGE = {
    "__init__.py": "",
    "rules.py": '''
"""The rules."""
from dataclasses import dataclass
from enum import Enum
import functools, json, re
from . import words
from .words import tidy
from pathlib import Path

HERE = Path(__file__).parent
LIMIT = 3
MARKS = {"yes", "y", "true"}
UNUSED = 1
SHAPE = re.compile("[a-z]+")
TABLE = {"a": 1, "b": [1, 2]}

class Kind(Enum):
    GOOD = 1
    BAD = 2

class Base:
    def weigh(self, text):
        """What it weighs."""
        return len(text) * 2

@dataclass
class Rule(Base):
    name: str = "first"
    most: int = 5

    def judge(self, text):
        return self.weigh(text) < self.most and words.known(text)

def helper(text, strict=True):
    """Help."""
    def inner(word):
        return word.lower() if strict else word
    return inner(text)

def lonely():
    return 1

@functools.lru_cache
def cached(text):
    return text + "!"

def even(n):
    return n == 0 or odd(n - 1)

def odd(n):
    return n != 0 and even(n - 1)

def listed():
    return json.loads((HERE / "table.json").read_text())

def check(completion, answer):
    """Check it."""
    from .late import late
    good = Rule().judge(helper(completion)) and completion not in MARKS and SHAPE.match(tidy(completion))
    return bool(good and len(completion) < LIMIT + TABLE["a"] and cached(answer) and even(2) and Kind.GOOD and listed())
''',
    "words.py": "import string\ndef known(text):\n    return text in string.ascii_letters\n\n"
    "def tidy(text):\n    return text.strip()\n\ndef other():\n    return 2\n",
    "late.py": "def late():\n    return 1\n",
    "table.json": '["a"]',
    "unrelated.py": "X = 1\n",
}
CHANGES = [
    ("rules.py", "LIMIT = 3", "LIMIT = 4"),
    ("rules.py", '"true"}', '"on"}'),
    ("rules.py", '"[a-z]+"', '"[a-z]*"'),
    ("rules.py", '"b": [1, 2]', '"b": [1, 3]'),
    ("rules.py", "GOOD = 1", "GOOD = 3"),
    ("rules.py", "len(text) * 2", "len(text) * 3"),
    ("rules.py", "self.weigh(text) <", "self.weigh(text) <="),
    ("rules.py", "most: int = 5", "most: int = 6"),
    ("rules.py", "class Rule(Base):", "class Rule:\n    weigh = len\n"),
    ("rules.py", "strict=True", "strict=False"),
    ("rules.py", "word.lower()", "word.upper()"),
    ("rules.py", 'text + "!"', 'text + "?"'),
    ("rules.py", "n != 0 and even", "n != 1 and even"),
    ("rules.py", "bool(good and", "bool(good or"),
    ("words.py", "text in string", "text not in string"),
    ("words.py", "text.strip()", "text.lstrip()"),
    ("late.py", "return 1", "return 2"),
    ("table.json", '"a"', '"b"'),
]
NO_CHANGES = [
    ("rules.py", "UNUSED = 1", "UNUSED = 2"),
    ("rules.py", "def lonely():\n    return 1", "def lonely():\n    return 2"),
    ("rules.py", '"""Check it."""', '"""Check it well."""'),
    ("rules.py", '"""Help."""', '"""Help out."""'),
    ("rules.py", '"""What it weighs."""', '"""What it is worth."""'),
    ("rules.py", '"""The rules."""', '"""The rules.\n\nAll of them.\n"""'),
    ("rules.py", "LIMIT = 3", "# a comment\n\n\nLIMIT = 3"),
    ("words.py", "return 2", "return 3"),
    ("unrelated.py", "X = 1", "X = 2"),
]


@pytest.fixture
def version_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The version of `check` in a package whose file had one text replaced by another."""
    made = iter(range(1000))

    def version(name: str = "", old: str = "", new: str = "") -> str:
        root = tmp_path / str(next(made))
        (root / "checks_of_mine").mkdir(parents=True)
        for file, content in PACKAGE.items():
            assert file != name or content.count(old) == 1, f"{old!r} is not in {name} once"
            (root / "checks_of_mine" / file).write_text(content.replace(old, new) if file == name else content)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(root))
            for module in [module for module in sys.modules if module.startswith("checks_of_mine")]:
                patch.delitem(sys.modules, module)
            importlib.invalidate_caches()
            found = code_version(importlib.import_module("checks_of_mine.rules").check)
            for module in [module for module in sys.modules if module.startswith("checks_of_mine")]:
                del sys.modules[module]
        return found

    return version


def test_every_change_to_what_a_verifier_is_made_of_is_another_version(version_with: Callable[..., str]) -> None:
    versions = [version_with(), *(version_with(*change) for change in CHANGES)]
    same = [change for change, version in zip(CHANGES, versions[1:], strict=True) if version == versions[0]]
    assert same == []
    assert len(set(versions)) == len(versions)
    assert not any(version.endswith(PARTIAL) for version in versions)


def test_what_does_not_concern_it_changes_nothing(version_with: Callable[..., str]) -> None:
    before = version_with()
    assert [change for change in NO_CHANGES if version_with(*change) != before] == []


def test_the_version_is_the_same_in_every_process_and_under_every_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "checks_of_mine").mkdir()
    for file, content in PACKAGE.items():
        (tmp_path / "checks_of_mine" / file).write_text(content)
    script = (
        "from rlenv.fingerprint import code_version\nfrom checks_of_mine import rules\n"
        "print(code_version(rules.check), code_version(rules.Rule('second')))"
    )
    found = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_a_loose_module_is_seen_through_its_neighbours_and_not_through_what_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    monkeypatch.syspath_prepend(str(here))
    monkeypatch.syspath_prepend(str(elsewhere))
    (here / "my_loose_checks.py").write_text(
        "import my_neighbour, somebody_elses\n"
        "def check(completion): return my_neighbour.near(completion) and somebody_elses.far(completion)\n"
    )
    (here / "my_neighbour.py").write_text("def near(text): return len(text) > 1\n")
    (elsewhere / "somebody_elses.py").write_text("def far(text): return len(text) > 1\n")
    checks = importlib.import_module("my_loose_checks")
    before = code_version(checks.check)
    monkeypatch.setattr(checks.somebody_elses, "far", lambda text: True)
    monkeypatch.setattr(checks.my_neighbour.near, "__code__", (lambda text: len(text) > 2).__code__)
    changed = code_version(checks.check)
    assert changed != before
    monkeypatch.undo()
    for module in ("my_loose_checks", "my_neighbour", "somebody_elses"):
        del sys.modules[module]


class Longer:
    """A verifier as an object."""

    def __init__(self, least: int, words: tuple[str, ...] = ()) -> None:
        self.least, self.words = least, words

    def __call__(self, completion: str) -> bool:
        return len(completion) >= self.least and completion not in self.words


@dataclass
class Within:
    low: int
    high: int = 9

    def check(self, completion: str) -> bool:
        return self.low <= len(completion) <= self.high


def closed_over(limit: object) -> Callable[[str], bool]:
    def check(completion: str, bound: int = 3) -> bool:
        return (completion, bound) != limit

    return check


def at_least(least: int, completion: str) -> bool:
    return len(completion) >= least


@pytest.mark.parametrize(
    ("same", "different"),
    [
        (lambda: Longer(3), lambda: Longer(4)),
        (lambda: Longer(3, ("a",)), lambda: Longer(3, ("b",))),
        (lambda: Within(1).check, lambda: Within(2).check),
        (lambda: closed_over(1), lambda: closed_over(True)),
        (lambda: closed_over([1, 2.0]), lambda: closed_over([1, 2])),
        (lambda: closed_over({"a": {"b": 1}}), lambda: closed_over({"a": {"b": 2}})),
        (lambda: closed_over(re.compile("a")), lambda: closed_over(re.compile("a", re.IGNORECASE))),
        (lambda: closed_over({Longer, Within}), lambda: closed_over({Longer})),
        (lambda: closed_over(Longer(1)), lambda: closed_over(Longer(2))),
        (lambda: functools.partial(at_least, 1), lambda: functools.partial(at_least, 2)),
        (lambda: closed_over(rlenv.Verdict.of(("a", 1.0))), lambda: closed_over(rlenv.Verdict.of(("a", 0.0)))),
    ],
)
def test_state_closures_and_bound_arguments_are_part_of_it(
    same: Callable[[], Any], different: Callable[[], Any]
) -> None:
    assert code_version(same()) == code_version(same())
    assert code_version(same()) != code_version(different())
    assert unseen(same()) == []


@pytest.mark.parametrize("opaque", [threading.Lock(), random.Random(1), sys.__stdin__], ids=["lock", "C", "file"])
def test_it_says_where_it_cannot_see(opaque: object) -> None:
    version = code_version(closed_over(opaque))
    assert version.endswith(PARTIAL)
    assert version == code_version(closed_over(opaque))
    assert unseen(closed_over(opaque)) == [f"{type(opaque).__module__}.{type(opaque).__qualname__}"]


def test_its_work_is_bounded_whatever_a_function_holds() -> None:
    many = [[n] for n in range(MOST_WORK + 10)]
    deep: list[object] = []
    for _ in range(10 * MOST_DEEP):
        deep = [deep]
    assert unseen(closed_over(many)) == [f"more than {MOST_WORK:,} objects"]
    assert unseen(closed_over(deep)) == [f"deeper than {MOST_DEEP}"]
    ring: list[object] = [1]
    ring.append(ring)
    assert unseen(closed_over(ring)) == []
    numbers = list(range(1_000_000))  # of plain values a large table is seen whole
    assert code_version(closed_over(numbers)) != code_version(closed_over([*numbers[:-1], 0]))


def test_an_evaluation_is_not_gone_on_with_when_a_helper_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged_by(helper: Callable[[str], bool]) -> rlenv.Definition:
        tasks = rlenv.ListTasks.from_rows([{"prompt": "say a", "answer": "a"}])
        verifier = FunctionVerifier(lambda completion, answer: helper(completion), cheap=True)
        return rlenv.Definition(tasks=tasks, verifier=verifier, id="test/helped-v0")

    rlenv.evaluate(judged_by(lambda text: text == "a"), "reference", out=tmp_path, quiet=True)
    rlenv.evaluate(judged_by(lambda text: text == "a"), "reference", out=tmp_path, quiet=True)
    with pytest.raises(RunError, match="holds another evaluation: verifier_version was"):
        rlenv.evaluate(judged_by(lambda text: text != "b"), "reference", out=tmp_path, quiet=True)
