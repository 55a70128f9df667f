"""A task whose ten tests run in the sandbox, for benchmarks/serve.py: `rlenv serve benchmark/ten-tests-v0`."""

from __future__ import annotations

import rlenv
from rlenv.core.jsontypes import Json
from rlenv.env.tasksets import ListTasks, Row
from rlenv.envs.code.definition import code_definition, fenced_solution

ID = "benchmark/ten-tests-v0"
RIGHT = """def has_close(numbers, threshold):
    numbers = sorted(numbers)
    return any(b - a < threshold for a, b in zip(numbers, numbers[1:]))
"""
WRONG = "def has_close(numbers, threshold):\n    return False\n"
TESTS: list[Json] = [{"call": f"has_close([1.0, 2.5, 4.5], {n / 2})", "expect": str(n / 2 > 1.5)} for n in range(10)]
ROWS: list[Row] = [
    {
        "id": "has_close",
        "prompt": "Write has_close(numbers, threshold): are two of the numbers closer than the threshold?",
        "answer": {"kind": "calls", "function": "has_close", "tests": TESTS},
        "solution": RIGHT,
    }
]


def ten_tests(sandbox: str = "namespaces") -> rlenv.Definition:
    return code_definition(ListTasks.from_rows(ROWS), fenced_solution, "ten tests", sandbox=sandbox)


def said(number: int, *, right: bool) -> str:
    """A completion that no other equals, so that each is run."""
    return f"```python\n# number {number}\n{RIGHT if right else WRONG}```"


rlenv.register(ID, entry_point="serve_programs:ten_tests")
