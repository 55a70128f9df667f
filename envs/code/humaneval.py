r"""`code/humaneval-v0`: complete a Python function (Chen et al. 2021, arXiv 2107.03374).

>>> import rlenv
>>> row = {"task_id": "x", "prompt": "def add(a, b):\n    '''Adds, as in add(1, 2) == 3.'''\n", "entry_point": "add",
...        "canonical_solution": "    return a + b\n",
...        "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(2, 5) == 7\n"}
>>> task = rlenv.Task.from_row(humaneval_row(row))
>>> task.reference["tests"]
[{'call': 'add(1, 2)', 'expect': '3', 'shown': True}, {'call': 'add(2, 5)', 'expect': '7'}]

    completion                                                   reward
    ```python\ndef add(a, b):\n    return a + b\n```             1.0
    `    return a + b` (goes on where the prompt ends)           1.0
    def add(a, b): return 3                                      0.0, flag shown_only
    def add(a, b): return 7                                      0.0
    an object whose __eq__ is always True                        0.0, flag opaque_value

Arguments go into the sandbox and plain data comes out; what is expected stays on the host. Every
test must pass, also those that stand in the prompt. A test file that draws random inputs or needs the helpers of the
prompt is run in a judge's sandbox that only calls the candidate's (rlenv.envs.code.pairs).
"""

from __future__ import annotations

import ast
import re
from functools import partial

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.env.tasksets import Row
from rlenv.envs.code.assertions import assertion_reference, evaluation_only
from rlenv.envs.code.definition import code_definition, fenced_solution, hidden_tests, read_tasks
from rlenv.envs.code.official import EVALUATION_ONLY, check_official, official_reference, plain_solution
from rlenv.envs.code.trees import tree

HUB_ID = "openai/openai_humaneval"
INSTRUCTION = "Complete this Python function. Answer with the whole function in one ```python block.\n\n"
STYLES = ("instruct", "continue")
WALL_S = 3.0
"""The published limit of a program with all its tests."""


def humaneval(
    split: str = "test",
    data: str | None = None,
    limit: int | None = None,
    style: str = "",
    pay: str = "all",
    trust: str = "split",
    sandbox: str = "auto",
    wall_s: float = WALL_S,
    memory_mb: int = 512,
    probe: bool = False,
    official: bool = False,
) -> Definition:
    """The hub data set, or the rows of a JSONL file (.gz too) or Parquet file with its columns.

    `style="continue"` gives the bare head of the function as the prompt, for models that only go on with text;
    the other one is "instruct", the default. `official=True` is the published grader (rlenv.envs.code.official), which
    has the style "continue" alone.
    """
    if split != "test":
        raise ConfigError(f"expected split 'test', the only one there is, got {split!r}")
    style = style or STYLES[official]
    if style not in STYLES or (official and style != "continue"):
        raise ConfigError(f"expected style in {STYLES}, and 'continue' with official=True, got {style!r}")
    if official:
        check_official(pay, trust, probe)
    row_map = official_row if official else partial(humaneval_row if style == "instruct" else _bare_row, trust=trust)
    tasks = read_tasks(data, HUB_ID, None, split, row_map, limit)
    return code_definition(
        tasks,
        plain_solution if official else fenced_solution,
        "complete a function (HumanEval)",
        pay=pay,
        sandbox=sandbox,
        wall_s=wall_s,
        memory_mb=memory_mb,
        probe=probe,
        evaluation_only=EVALUATION_ONLY if official else evaluation_only(trust),
    )


def humaneval_row(row: Row, trust: str = "split") -> Row:
    """A row of the data set as a row of ours: prompt, tests as `answer`, solution."""
    made = _bare_row(row, trust)
    return {**made, "prompt": INSTRUCTION + str(made["prompt"])}


def official_row(row: Row) -> Row:
    """A row for the published grader: the head is the prompt, and what goes on from it is the solution."""
    head, function, tests = _published(row)
    answer = official_reference(function, head, tests)
    return {"id": str(row["task_id"]), "prompt": head, "answer": answer, "solution": str(row["canonical_solution"])}


def _bare_row(row: Row, trust: str = "split") -> Row:
    head, function, tests = _published(row)
    answer = assertion_reference(tests, function, head, head=head, preamble=_before(head, function), trust=trust)
    return {
        "id": str(row["task_id"]),
        "prompt": head,
        "answer": answer,
        "solution": head + str(row["canonical_solution"]),
        **hidden_tests(answer),
    }


def _published(row: Row) -> tuple[str, str, str]:
    """The head of the function, its name, and the tests with the call that runs them."""
    head = str(row["prompt"])
    function = str(row.get("entry_point") or _last_definition(head))
    tests = str(row["test"])
    if re.search(rf"^check\({re.escape(function)}\)", tests, re.MULTILINE) is None:
        tests += f"\ncheck({function})"
    return head, function, tests


def _last_definition(head: str) -> str:
    names = re.findall(r"^def\s+(\w+)\s*\(", head, re.MULTILINE)
    if not names:
        raise TaskError("expected a prompt that begins a function, got none; add the column entry_point")
    return str(names[-1])


def _before(head: str, function: str) -> str:
    """The imports and helpers that stand above the function in the prompt."""
    try:
        body = tree(head + "\n    pass\n").body
    except SyntaxError as error:
        raise TaskError(f"expected a prompt that is the head of a function, got {error}") from error
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return "".join(head.splitlines(keepends=True)[: node.lineno - 1])
    raise TaskError(f"expected a prompt that defines {function}, got none")
