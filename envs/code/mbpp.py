r"""`code/mbpp-v0`: write a Python function (Austin et al. 2021, arXiv 2108.07732).

>>> import rlenv
>>> row = {"text": "Add two numbers.", "code": "def add(a, b):\n  return a+b", "task_id": 1, "test_list":
...        ["assert add(1, 2) == 3", "assert add(2, 5) == 7"]}
>>> task = rlenv.Task.from_row(mbpp_row(row))
>>> print(task.prompt)
Add two numbers.
Write the function `def add(a, b):`. One of its tests is:
assert add(1, 2) == 3
Answer with the whole function in one ```python block.
>>> task.reference["tests"]
[{'call': 'add(1, 2)', 'expect': '3', 'shown': True}, {'call': 'add(2, 5)', 'expect': '7'}]

    completion                                                   reward
    ```python\ndef add(a, b):\n    return a + b\n```             1.0
    def add(a, b): return 3                                      0.0, flag shown_only
    def add(a, b): return 7                                      0.0

The signature is that of the data set's solution. The first test is shown; the others, the
challenge tests among them, are hidden, and all must pass. Classes of the solution that a test makes objects of are
shown as well and stand before the completion's code; a set-up that makes such objects is run beside it, without
anything that is expected.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import cast

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.env.tasksets import Row
from rlenv.envs.code.assertions import assertion_reference, evaluation_only
from rlenv.envs.code.definition import code_definition, fenced_solution, hidden_tests, read_tasks
from rlenv.envs.code.official import EVALUATION_ONLY, check_official, official_reference, plain_solution
from rlenv.envs.code.trees import checked_tree, names

HUB_ID = "google-research-datasets/mbpp"
SPLITS = ("train", "validation", "test", "prompt")
NEED_LONGER_S: dict[object, float] = {123: 60.0}
"""Limits of tasks whose solution is slow: that of 123 takes 4 s on a processor of 2026, all others under 0.01 s."""


def mbpp(
    split: str = "test",
    data: str | None = None,
    limit: int | None = None,
    pay: str = "all",
    trust: str = "split",
    sandbox: str = "auto",
    wall_s: float = 5.0,
    memory_mb: int = 512,
    probe: bool = False,
    official: bool = False,
) -> Definition:
    """A split of the hub data set, or the rows of a JSONL or Parquet file with its columns (`full` or `sanitized`).

    `official=True` is the published grader (rlenv.envs.code.official) with the published prompt.
    """
    if split not in SPLITS:
        raise ConfigError(f"expected split in {SPLITS}, got {split!r}")
    if official:
        check_official(pay, trust, probe)
    row_map = official_row if official else partial(mbpp_row, trust=trust)
    tasks = read_tasks(data, HUB_ID, "full", split, row_map, limit)
    return code_definition(
        tasks,
        plain_solution if official else fenced_solution,
        "write a function (MBPP)",
        pay=pay,
        sandbox=sandbox,
        wall_s=wall_s,
        memory_mb=memory_mb,
        probe=probe,
        evaluation_only=EVALUATION_ONLY if official else evaluation_only(trust),
    )


def mbpp_row(row: Row, trust: str = "split") -> Row:
    """A row of the data set as a row of ours: prompt, tests as `answer`, solution."""
    text, code, tests, setup = _columns(row)
    tests += [_clean(test) for test in _texts(row, "challenge_test_list")]
    function, signature, classes = _described(code, tests, setup)
    shown = f"These classes are there:\n{classes}\n" if classes else ""
    prompt = (
        f"{text}\n{shown}Write the function `{signature}`. One of its tests is:\n{tests[0]}\n"
        "Answer with the whole function in one ```python block."
    )
    answer = assertion_reference("\n".join(tests), function, prompt, preamble=classes, setup=setup, trust=trust)
    answer |= _longer(row)
    return {
        "id": f"mbpp/{row['task_id']}",
        "prompt": prompt,
        "answer": answer,
        "solution": code,
        **hidden_tests(answer),
    }


def official_row(row: Row) -> Row:
    """A row for the published grader: the prompt of the paper with its three tests, which are all that counts."""
    text, code, tests, setup = _columns(row)
    answer = official_reference("", "", "\n".join([setup, *tests])) | _longer(row)
    shown = "\n".join(tests)
    prompt = (
        f"You are an expert Python programmer, and here is your task: {text} "
        f"Your code should pass these tests:\n\n{shown}\n[BEGIN]\n"
    )
    return {"id": f"mbpp/{row['task_id']}", "prompt": prompt, "answer": answer, "solution": code}


def _columns(row: Row) -> tuple[str, str, list[str], str]:
    """What is asked for, the solution, the tests and what is run before them."""
    text = str(row["text"] if "text" in row else row["prompt"]).strip()
    tests = [_clean(test) for test in _texts(row, "test_list" if "test_list" in row else "test")]
    setup = "\n".join([*_texts(row, "test_imports"), _clean(str(row.get("test_setup_code") or ""))]).strip()
    return text, _clean(str(row["code"])), tests, setup


def _longer(row: Row) -> dict[str, Json]:
    return {"wall_s": NEED_LONGER_S[row["task_id"]]} if row["task_id"] in NEED_LONGER_S else {}


def _described(code: str, tests: Sequence[str], setup: str) -> tuple[str, str, str]:
    """The name of the function under test, its signature, and the classes of the solution that the tests use."""
    body = checked_tree(code).body
    used = names("\n".join(tests))
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name in used]
    if not functions:
        raise TaskError("expected tests of a function that the solution defines, got none")
    function = functions[-1]
    used |= names(setup)
    classes = [ast.unparse(node) for node in body if isinstance(node, ast.ClassDef) and node.name in used]
    return function.name, f"def {function.name}({ast.unparse(function.args)}):", "\n".join(classes)


def _texts(row: Row, column: str) -> list[str]:
    return [str(item) for item in cast("Sequence[Json]", row.get(column) or ())]


def _clean(code: str) -> str:
    return code.replace("\r\n", "\n").strip()
