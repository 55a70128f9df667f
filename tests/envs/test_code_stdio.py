"""Programs that read standard input: waves, comparisons, checkers, limits; APPS rows end to end."""

import json
from pathlib import Path
from typing import Any

import pytest
from code_rows import BACKEND, fenced, judged, sandbox_problem, written

from rlenv import Definition
from rlenv.core.errors import TaskError
from rlenv.envs.code.apps import apps
from rlenv.envs.code.stdio import StdioTask
from rlenv.envs.code.stdio_tasks import stdio

pytestmark = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
SUMS = [
    {"stdin": f"{a} {b}\n", "stdout": f"{a + b}\n"} for a, b in ((1, 2), (3, 4), (-5, 5), (10**9, 1), (0, 0), (7, 8))
]
RIGHT = fenced("a, b = map(int, input().split())\nprint(a + b)")
CHECKER = """
def check(stdin, stdout, expected):
    a, b = map(int, stdout.split())
    return a + b == int(stdin)
"""


def made(folder: Path, reference: dict[str, Any] | None = None, **settings: Any) -> Definition:
    answer = {"kind": "stdio", "tests": SUMS, **(reference or {})}
    row = {"prompt": "Add.", "answer": answer, "solution": "print(sum(map(int, input().split())))"}
    return stdio(data=written([row], folder), sandbox=BACKEND, **settings)


def test_a_right_program_is_paid_however_it_is_written(tmp_path: Path) -> None:
    said = [
        RIGHT,
        "print(sum(map(int, input().split())))",
        fenced("import sys\nif __name__ == '__main__':\n    print(sum(map(int, sys.stdin.read().split())))"),
        fenced("import sys\nprint(sum(map(int, input().split())), end='')\nsys.exit(0)"),
    ]
    assert [verdict.reward for verdict in judged(made(tmp_path), 0, *said)] == [1.0] * len(said)


@pytest.mark.parametrize(
    ("code", "flag"),
    [
        ("print(3)", None),
        ("print(sum(map(int, input().split())) or 1)", None),
        ("print(sum(map(int, input().split())))\nraise SystemExit(1)", None),
        ("while True: pass", "timeout"),
        ("import os\nprint(open('expected').read())", None),
    ],
)
def test_a_wrong_program_is_not(tmp_path: Path, code: str, flag: str | None) -> None:
    [verdict] = judged(made(tmp_path, wall_s=0.5), 0, fenced(code))
    assert verdict.reward == 0.0
    assert flag is None or flag in [f.name for f in verdict.flags]


def test_a_program_that_fails_is_not_run_to_the_end_unless_its_share_is_paid(tmp_path: Path) -> None:
    never_zero = fenced("print(sum(map(int, input().split())) or 1)")
    half = fenced("a, b = map(int, input().split())\nprint(a + b if a > 0 else 'x')")
    [strict] = judged(made(tmp_path), 0, fenced("print('x')"))
    assert (
        strict.reason == "0 of 6 hidden tests pass; the first that fails: input '1 2\\n': wrote 'x\\n', expected '3\\n'"
    )
    shares = judged(made(tmp_path, pay="share"), 0, never_zero, half)
    assert [verdict.reward for verdict in shares] == [pytest.approx(4 / 6), pytest.approx(4 / 6)]
    assert [shares[1].scores[f"test/{i}"] for i in range(6)] == [1, 1, 0, 1, 0, 1]


def test_a_program_that_never_ends_costs_a_few_time_limits_and_not_one_a_test(tmp_path: Path) -> None:
    tests = [{"stdin": str(n), "stdout": str(n)} for n in range(60)]
    [verdict] = judged(made(tmp_path, {"tests": tests}, pay="share", wall_s=0.3), 0, fenced("while True: pass"))
    assert (verdict.reward, verdict.scores["tests"]) == (0.0, 60)
    assert "timeout" in [flag.name for flag in verdict.flags]


def test_shown_tests_prove_nothing_and_must_pass(tmp_path: Path) -> None:
    tests = [{**SUMS[0], "shown": True}, *SUMS[1:]]
    only_shown, all_but_shown = judged(
        made(tmp_path, {"tests": tests}, pay="share"),
        0,
        fenced("print(3)"),
        fenced("n = sum(map(int, input().split()))\nprint(n if n != 3 else 4)"),
    )
    assert (only_shown.reward, [flag.name for flag in only_shown.flags]) == (0.0, ["shown_only"])
    assert (all_but_shown.reward, all_but_shown.scores["shown_passed"]) == (0.0, 0)


def test_a_checker_decides_where_many_outputs_are_right(tmp_path: Path) -> None:
    tests = [{"stdin": str(n), "stdout": ""} for n in (5, 9, 0)]
    definition = made(tmp_path, {"tests": tests, "compare": "checker", "checker": CHECKER})
    said = ["n = int(input())\nprint(n - 2, 2)", "print(2, 3)", "print('nonsense')", "raise SystemExit"]
    verdicts = judged(definition, 0, *map(fenced, said))
    assert [verdict.reward for verdict in verdicts] == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("checker", ["def check(stdin, stdout, expected): return 'yes'", "def check(", "x = 1"])
def test_a_checker_that_does_not_work_is_no_wrong_answer(tmp_path: Path, checker: str) -> None:
    definition = made(tmp_path, {"compare": "checker", "checker": checker})
    [verdict] = judged(definition, 0, RIGHT)
    assert (verdict.reward, verdict.status) == (None, "verifier_error")
    assert "check" in verdict.reason


@pytest.mark.parametrize(
    "reference",
    [
        {"tests": []},
        {"compare": "fuzzy"},
        {"compare": "checker"},
        {"checker": CHECKER},
    ],
)
def test_a_reference_that_cannot_be_judged_is_a_failure_of_the_checker(
    tmp_path: Path, reference: dict[str, Any]
) -> None:
    with pytest.raises(TaskError):
        StdioTask.of({"kind": "stdio", "tests": SUMS, **reference})
    assert judged(made(tmp_path, reference), 0, RIGHT)[0].reward is None


def test_apps_rows_of_both_kinds_are_judged(tmp_path: Path) -> None:
    reads = {"inputs": ["2\n", ["3"]], "outputs": ["4\n", ["6"]]}
    calls = {"fn_name": "twice", "inputs": [[[1, 2]], [[]]], "outputs": [[[2, 4]], [[]]]}
    starter = "class Solution:\n    def twice(self, xs: List[int]) -> List[int]:\n        "
    rows = [
        {
            "problem_id": 0,
            "question": "Double.",
            "input_output": json.dumps(reads),
            "solutions": '["print(2*int(input()))"]',
        },
        {"problem_id": 1, "question": "Double.", "input_output": json.dumps(calls)},
        {"problem_id": 2, "question": "Double.", "input_output": json.dumps(calls), "starter_code": starter},
    ]
    definition = apps(data=written(rows, tmp_path), sandbox=BACKEND)
    method = f"{starter}return tuple(2 * x for x in xs)"
    assert judged(definition, 0, definition.solution(definition.tasks[0]))[0].reward == 1.0
    assert judged(definition, 0, fenced("print(4)"))[0].reward == 0.0
    assert judged(definition, 1, fenced("def twice(xs): return [2 * x for x in xs]"))[0].reward == 1.0
    assert [v.reward for v in judged(definition, 2, fenced(method), fenced("def twice(xs): return xs"))] == [1.0, 0.0]
