"""Made-up rows in the columns of the hub's HumanEval and MBPP, and how tests judge programs on them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rlenv import Completion, Definition, Verdict
from rlenv.judge.judge import Judge
from rlenv.sandbox import SandboxUnavailable, open_sandbox

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
BACKEND = "namespaces"

HUMANEVAL: list[dict[str, Any]] = [
    {
        "task_id": "made/0",
        "prompt": "from typing import List\n\n\ndef total(xs: List[int]) -> int:\n"
        '    """ Sum of the numbers.\n    >>> total([1, 2])\n    3\n    """\n',
        "entry_point": "total",
        "canonical_solution": "    found = 0\n    for x in xs:\n        found += x\n    return found\n",
        "test": "\n\nMETADATA = {'author': 'x'}\n\n\ndef check(candidate):\n    assert candidate([1, 2]) == 3\n"
        "    assert candidate([]) == 0\n    assert candidate([4, -9]) == -5\n    assert True, 'never mind'\n",
    },
    {
        "task_id": "made/1",
        "prompt": 'def mean(xs):\n    """ Mean of the numbers, None if there are none. """\n',
        "entry_point": "mean",
        "canonical_solution": "    return sum(xs) / len(xs) if xs else None\n",
        "test": "def check(candidate):\n    assert candidate([]) is None\n"
        "    assert abs(candidate([1, 2]) - 1.5) < 1e-6\n    for n in range(2, 5):\n"
        "        assert candidate([n]) == n\n",
    },
    {
        "task_id": "made/2",
        "prompt": "def shift(text):\n    return ''.join(chr((ord(c) - 92) % 26 + 97) for c in text)\n\n\n"
        'def unshift(text):\n    """ Undoes shift. """\n',
        "entry_point": "unshift",
        "canonical_solution": "    return ''.join(chr((ord(c) - 102) % 26 + 97) for c in text)\n",
        "test": "def check(candidate):\n    from random import choice\n    import string\n    for _ in range(20):\n"
        "        text = ''.join(choice(string.ascii_lowercase) for _ in range(9))\n"
        "        assert candidate(shift(text)) == text\n",
    },
    {
        "task_id": "made/3",
        "prompt": 'def even(n):\n    """ Whether n is even. """\n',
        "entry_point": "even",
        "canonical_solution": "    return n % 2 == 0\n",
        "test": "def check(candidate):\n    assert candidate(4)\n    assert not candidate(3)\n"
        "    assert candidate(0) is True\n",
    },
]
MBPP: list[dict[str, Any]] = [
    {
        "task_id": 1,
        "text": "Write a function to turn a list around.",
        "code": "def turn(xs):\r\n  return xs[::-1]",
        "test_list": ["assert turn([1, 2]) == [2, 1]", "assert turn([]) == []", "assert turn([3]) == [3]"],
        "test_setup_code": "",
        "challenge_test_list": ["assert turn(['a', 'b', 'c']) == ['c', 'b', 'a']"],
    },
    {
        "task_id": 2,
        "text": "Write a function to find the height of a tree.",
        "code": "class Node:\n  def __init__(self, key):\n    self.key = key\n    self.left = self.right = None\n"
        "def height(node):\n  return 0 if node is None else 1 + max(height(node.left), height(node.right))",
        "test_list": ["assert height(root) == 2", "assert (height(lone)) == 1 ", "assert height(None) == 0"],
        "test_setup_code": "root = Node(1) \r\nroot.left = Node(2);\r\nlone = Node(3)",
        "challenge_test_list": [],
    },
    {
        "task_id": 3,
        "text": "Write a function to drop the items of a type.",
        "code": "def without(xs, kind):\n  return [x for x in xs if not isinstance(x, kind)]",
        "test_list": [
            "assert without((1, 'a'), int) == ['a']",
            "assert without((1, 'a'), str) == [1]",
            "assert without((1, 2.5), float) == [1]",
        ],
        "test_setup_code": "",
        "challenge_test_list": [],
    },
    {
        "task_id": 4,
        "text": "Write a function to count the bytes of a tuple.",
        "code": "import sys\ndef size(t):\n  return sys.getsizeof(t)",
        "test_list": ["assert size((1,)) == sys.getsizeof((1,))", "assert size((1, 2)) == sys.getsizeof((1, 2))"],
        "test_setup_code": "",
        "challenge_test_list": [],
    },
]
STDIO: list[dict[str, Any]] = [
    {
        "prompt": "Add two numbers.",
        "answer": {"kind": "stdio", "tests": [{"stdin": f"{n} {n}", "stdout": str(2 * n)} for n in (1, -4, 10**9)]},
        "solution": "print(sum(map(int, input().split())))",
    }
]
APPS: list[dict[str, Any]] = [
    {
        "problem_id": 0,
        "question": "Double the number.",
        "input_output": json.dumps({"inputs": ["2\n", ["3"]], "outputs": ["4\n", ["6"]]}),
        "solutions": json.dumps(["print(2 * int(input()))"]),
    }
]


@cache
def sandbox_problem() -> str:
    """Why no sandbox can be opened here; "" where one can. In CI that is a failure, never a reason to skip."""
    try:
        open_sandbox(BACKEND, cells=1).close()
    except SandboxUnavailable as error:
        if "CI" in os.environ:
            raise
        return str(error)
    return ""


def written(rows: Sequence[Mapping[str, Any]], folder: Path) -> str:
    """The path of a JSONL file with these rows."""
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def judged(definition: Definition, index: int, *completions: str) -> list[Verdict]:
    """The verdicts of completions of one task."""
    task = definition.tasks[index]
    return Judge(definition).verdicts([(task, Completion(text)) for text in completions])


def of_references(definition: Definition) -> list[Verdict]:
    """The verdict of the solution of every task."""
    tasks = [definition.tasks[i] for i in range(len(definition.tasks))]
    return Judge(definition).verdicts([(task, Completion(definition.solution(task))) for task in tasks])


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"
