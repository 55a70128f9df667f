"""The version of a function changes with its source file, those of its package that it imports, and what it holds."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import rlenv
from rlenv import FunctionVerifier
from rlenv.core.errors import RunError
from rlenv.core.fingerprint import code_version

PACKAGE = {
    "__init__.py": "",
    "rules.py": "from . import words\nimport json\n\ndef check(completion):\n    from .late import late\n"
    "    return words.known(completion) and late()\n",
    "words.py": "import checks_of_mine.deep.letters as letters\n\ndef known(text):\n    return text in letters.ALL\n",
    "deep/__init__.py": "",
    "deep/letters.py": "from ..others import *\nALL = 'abc'\n",
    "others.py": "",
    "late.py": "def late():\n    return True\n",
    "unrelated.py": "X = 1\n",
}
SCRIPT = "import sys; sys.path.insert(0, {folder!r})\nfrom rlenv.core.fingerprint import code_version\n"
LOOK = "from checks_of_mine import rules\nprint(code_version(rules.check))\n"


def seen(folder: Path, files: dict[str, str], look: str = LOOK, seed: str = "0") -> str:
    """The version of `check` in a package of these files, as another process sees it."""
    for name, content in files.items():
        path = folder / "checks_of_mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    command = [sys.executable, "-c", SCRIPT.format(folder=str(folder)) + look]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_it_follows_the_files_of_the_package_that_are_imported_and_no_others(tmp_path: Path) -> None:
    before = seen(tmp_path / "before", PACKAGE)
    assert before.startswith("source-")
    names = ("deep/letters.py", "late.py", "unrelated.py")
    changed = [n for n in names if seen(tmp_path / "changed", {**PACKAGE, n: PACKAGE[n] + "# more\n"}) != before]
    assert changed == [*names[:-1]]


def test_it_is_the_same_wherever_the_package_is_and_under_every_hash_seed(tmp_path: Path) -> None:
    held = (
        LOOK
        + "print(code_version(lambda c: c), code_version(__import__('functools').partial(rules.check, {'a', 'b'})))"
    )
    assert len({seen(tmp_path / seed, PACKAGE, held, seed) for seed in ("0", "77")}) == 1


def typed(source: str) -> Callable[[str], bool]:
    """A function as somebody types it at a prompt: of a module without a file."""
    space: dict[str, Any] = {"__name__": "typed_at_a_prompt"}
    exec(source, space)
    function: Callable[[str], bool] = space["check"]
    return function


def test_without_a_file_it_is_the_code_and_its_constants() -> None:
    version = code_version(typed("def check(text): return text == 'a'"))
    assert version.startswith("code-")
    assert version == code_version(typed("\n\ndef check(text): return text == 'a'"))
    assert version != code_version(typed("def check(text): return text == 'b'"))
    assert version != code_version(typed("def check(text): return text != 'a'"))
    assert code_version(len) == "no-version"


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
        (lambda: Longer(3, ("a",)), lambda: Longer(3, ("b",))),
        (lambda: Within(1).check, lambda: Within(2).check),
        (lambda: closed_over([1, 2.0]), lambda: closed_over([1, 2])),
        (lambda: closed_over({"a": {"b": 1}}), lambda: closed_over({"a": {"b": 2}})),
        (lambda: closed_over(Longer(1)), lambda: closed_over(Longer(2))),
        (lambda: functools.partial(at_least, 1), lambda: functools.partial(at_least, 2)),
        (lambda: closed_over(rlenv.Verdict.of(("a", 1.0))), lambda: closed_over(rlenv.Verdict.of(("a", 0.0)))),
    ],
)
def test_what_it_holds_is_part_of_it(same: Callable[[], Any], different: Callable[[], Any]) -> None:
    assert code_version(same()) == code_version(same())
    assert code_version(same()) != code_version(different())


def test_an_evaluation_is_not_gone_on_with_when_a_helper_changed(tmp_path: Path) -> None:
    def judged_by(helper: Callable[[str], bool]) -> rlenv.Definition:
        tasks = rlenv.ListTasks.from_rows([{"prompt": "say a", "answer": "a"}])
        verifier = FunctionVerifier(lambda completion, answer: helper(completion), cheap=True)
        return rlenv.Definition(tasks=tasks, verifier=verifier, id="test/helped-v0")

    def is_a(text: str) -> bool:
        return text == "a"

    rlenv.evaluate(judged_by(is_a), "reference", out=tmp_path, quiet=True)
    rlenv.evaluate(judged_by(is_a), "reference", out=tmp_path, quiet=True)
    with pytest.raises(RunError, match="holds another evaluation: verifier_version was"):
        rlenv.evaluate(judged_by(lambda text: text != "b"), "reference", out=tmp_path, quiet=True)
