"""Naive rewards for programs, as they are found in the wild: the tests run where the code runs, exit code 0 is paid.

`script` appends the tests to the code; `pytest` puts them into a file beside it. What runs here was written by our
own templates; each run has a folder of its own and a time limit.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

LIMIT_S = 6


@cache
def pays(source: str, tests: tuple[str, ...], runner: str = "script") -> bool:
    """Whether the reward is given."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in _files(source, tests, runner).items():
            Path(folder, name).write_text(content, encoding="utf-8")
        try:
            done = subprocess.run(_command(runner), cwd=folder, capture_output=True, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def _files(source: str, tests: Sequence[str], runner: str) -> dict[str, str]:
    if runner == "script":
        return {"tests.py": source + "\n\n" + "\n".join(tests) + "\n"}
    indented = "\n".join(f"    {test}" for test in tests)
    if runner == "unittest":
        lines = "\n".join(
            f"        self.assertEqual({test.removeprefix('assert ').replace(' == ', ', ', 1)})" for test in tests
        )
        body = f"import unittest\nfrom solution import *\n\nclass TestSolution(unittest.TestCase):\n    def test_all(self):\n{lines}\n\nif __name__ == '__main__':\n    unittest.main()\n"
        return {"solution.py": source, "test_solution.py": body}
    return {"solution.py": source, "test_solution.py": f"from solution import *\n\ndef test_all():\n{indented}\n"}


def _command(runner: str) -> list[str]:
    if runner == "pytest":
        return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "test_solution.py"]
    return [sys.executable, "tests.py" if runner == "script" else "test_solution.py"]
