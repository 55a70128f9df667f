"""Assertion files and rows of contests become tests of ours; programs written around their tests are seen."""

import base64
import json
import pickle
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from code_rows import BACKEND, sandbox_problem
from tables import tables

from rlenv import Completion, Task, Verdict
from rlenv.core.errors import TaskError
from rlenv.envs.code.assertions import assertion_reference, shared_objects
from rlenv.envs.code.case import Case
from rlenv.envs.code.contests import contest_row
from rlenv.envs.code.pairs import counted_source
from rlenv.envs.code.probe import MAX_NEIGHBOURS, MIN_NEIGHBOURS, probe_of
from rlenv.envs.code.shown import mark_shown
from rlenv.envs.code.split import split
from rlenv.envs.code.verifier import code_verifier
from rlenv.sandbox import CallResult

CASES = tables(__file__)


@pytest.mark.parametrize(("source", "rows"), CASES["split"])
def test_assertions_about_one_call_are_split(source: str, rows: list[dict[str, object]]) -> None:
    found = split(source, "f")
    assert (found.rows, found.rest) == (rows, "")


@pytest.mark.parametrize("source", ["assert True", "assert 1 == 1.0", "assert g(1) == 1 or True"])
def test_what_tests_nothing_is_dropped_or_refused(source: str) -> None:
    found = split(source, "f")
    assert found.rows == []
    assert bool(found.dropped) is not bool(found.rest)


@pytest.mark.parametrize("source", CASES["unfollowed"])
def test_what_cannot_be_followed_is_named(source: str) -> None:
    assert split(source, "f").rest


PROMPT = '''def f(xs):
    """Sums.
    >>> f([1, 2])
    3
    For example [4, 5, 6] => 15, and f( [7,
    8] ) is 15. Five is 5. It says "hello there".
    """
'''


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("f([1, 2])", True),
        ("f([4, 5, 6])", True),
        ("f([7, 8])", True),
        ("f(5)", False),
        ("f([1, 2, 3])", False),
    ],
)
def test_a_test_is_shown_when_the_prompt_holds_its_call_or_its_arguments(call: str, shown: bool) -> None:
    rows = mark_shown(PROMPT, "f", [{"call": call, "expect": "1"}, {"call": "f([9, 9, 9])", "expect": "27"}])
    assert [bool(row.get("shown")) for row in rows] == [shown, False]


def test_a_file_with_code_of_its_own_becomes_a_pair_that_knows_what_is_shown() -> None:
    tests = "assert f([1, 2]) == 3\nfor _ in range(3):\n    xs = [random.random()]\n    assert f(xs) == sum(xs)"
    reference = assertion_reference(tests, "f", PROMPT)
    judge = str(reference["judge"])
    assert reference["kind"] == "pair"
    assert judge.startswith("import random\n")
    assert reference["shown"] == ["f([1, 2]) == 3"]
    assert "sum(xs)" in judge


@pytest.mark.parametrize(
    "tests",
    [
        "s = Stack()\nassert f(s) == 1",
        "xs = [2, 1]\nf(xs)\nassert xs == [1, 2]",
        "def check(candidate):\n    assert list(map(candidate, [1])) == [2]\ncheck(f)",
    ],
)
def test_tests_that_share_objects_are_refused_unless_asked_for(tests: str) -> None:
    with pytest.raises(TaskError, match="trust='in_process'"):
        assertion_reference(tests, "f", PROMPT)
    assert assertion_reference(tests, "f", PROMPT, trust="in_process")["kind"] == "in_process"


@pytest.mark.parametrize(
    ("tests", "head", "problem"),
    [
        ("assert abs(poly(f(1))) < 1", "def poly(x): return x", ""),
        ("assert abs(poly(f(1))) < 1", "", "poly is the program's own"),
        ("x = Node(1)\nfor n in (1, 2):\n    assert f(x) == n", "class Node: ...", "objects of Node go in or out"),
    ],
)
def test_helpers_of_the_prompt_may_cross_between_cells_and_objects_of_its_classes_not(
    tests: str, head: str, problem: str
) -> None:
    assert shared_objects(tests, "f", head) == problem


def test_every_assertion_reports_whether_it_holds_and_whether_it_is_shown() -> None:
    reports: list[object] = []
    tests = "for n in (1, 2):\n    assert n == 1, 'no'\nassert []"
    exec(counted_source(tests, frozenset(["n == 1"])), {"report": reports.append})
    assert reports == [[True, True, ""], [False, True, "n == 1"], [False, False, "[]"]]


def apps(**changes: Any) -> dict[str, Any]:
    tests = {"inputs": ["1 2\n", ["3", "4"]], "outputs": ["3\n", ["7"]]}
    row = {"problem_id": 7, "question": "Add.", "input_output": json.dumps(tests), "solutions": '["print(1)"]'}
    return {**row, **changes}


def livecodebench(**changes: Any) -> dict[str, Any]:
    public = [{"input": "1 2", "output": "3", "testtype": "stdin"}]
    private = [{"input": "3 4", "output": "7", "testtype": "stdin"}]
    row = {
        "question_id": "a",
        "question_content": "Add.",
        "starter_code": "",
        "public_test_cases": json.dumps(public),
        "private_test_cases": json.dumps(private),
        "metadata": "{}",
    }
    return {**row, **changes}


def test_an_apps_row_that_reads_input() -> None:
    row = contest_row(apps())
    assert row["id"] == "apps/7"
    assert row["solution"] == "print(1)"
    assert row["answer"] == {
        "kind": "stdio",
        "compare": "floats",
        "tests": [{"stdin": "1 2\n", "stdout": "3\n"}, {"stdin": "3\n4", "stdout": "7"}],
    }


def test_an_apps_row_with_a_function_is_one_of_calls_and_its_wrapped_outputs_count_both_ways() -> None:
    tests = {"fn_name": "add", "inputs": [[1, 2], [[1], True]], "outputs": [3, [[1]]]}
    answer: Any = contest_row(apps(input_output=json.dumps(tests)))["answer"]
    assert (answer["kind"], answer["function"], answer["types"]) == ("calls", "add", "json")
    assert answer["tests"] == [
        {"call": "add(1, 2)", "expect": "3"},
        {"call": "add([1], True)", "check": "_ == [[1]] or _ == [1]"},
    ]


def test_packed_private_tests_are_read_without_running_a_pickle() -> None:
    private = json.dumps([{"input": "5 6", "output": "11", "testtype": "stdin"}])
    packed = base64.b64encode(zlib.compress(pickle.dumps(private))).decode()
    for changes, hidden in (({}, "3 4"), ({"private_test_cases": packed}, "5 6")):
        answer: Any = contest_row(livecodebench(**changes))["answer"]
        assert [(test["stdin"], test["shown"]) for test in answer["tests"]] == [("1 2", True), (hidden, False)]


class _Bomb:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (pytest.fail, ("a pickle was run",))


@pytest.mark.parametrize("packed", [pickle.dumps(_Bomb()), b"nothing", pickle.dumps(["a", "b"])])
def test_any_other_pickle_is_refused_unread(packed: bytes) -> None:
    text = base64.b64encode(zlib.compress(packed)).decode()
    with pytest.raises((TaskError, ValueError)):
        contest_row(livecodebench(private_test_cases=text))


def test_a_functional_task_of_livecodebench_reads_its_arguments_line_by_line() -> None:
    tests = json.dumps([{"input": '[1, 2]\n"a"', "output": "true", "testtype": "functional"}])
    row = livecodebench(
        public_test_cases="[]",
        private_test_cases=tests,
        metadata='{"func_name": "has"}',
        starter_code="class Solution:\n    def has(self, xs, x):",
    )
    answer: Any = contest_row(row)["answer"]
    assert answer["tests"] == [{"call": "Solution().has([1, 2], 'a')", "expect": "True", "shown": False}]


def test_a_row_of_codecontests_has_hidden_tests_a_limit_and_a_python_solution() -> None:
    given: dict[str, Any] = {
        "name": "1_A",
        "description": "Add.",
        "public_tests": {"input": ["1 2"], "output": ["3"]},
        "private_tests": {"input": ["3 4"], "output": ["7"]},
        "generated_tests": {"input": ["5 6"], "output": ["11"]},
        "time_limit": {"seconds": 1, "nanos": 500000000},
        "solutions": {"language": [2, 3], "solution": ["int main;", "print(1)"]},
    }
    row = contest_row(given)
    answer: Any = row["answer"]
    assert [test["shown"] for test in answer["tests"]] == [True, False, False]
    assert (answer["wall_s"], row["solution"]) == (3.0, "print(1)")


ROWS = [{"call": f"fib({n})", "expect": str(v)} for n, v in ((10, 55), (7, 13), (12, 144), (9, 34))]
TASK = Task("Write fib(n).", {"kind": "calls", "function": "fib", "tests": ROWS})
pytestmark = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
Judge = Callable[[str], Verdict]


@pytest.fixture(scope="module")
def judge() -> Judge:
    verifier = code_verifier(sandbox=BACKEND, probe=True)
    return lambda code: verifier.verify(TASK, Completion(f"```python\n{code}\n```"))


@pytest.mark.parametrize(
    "code",
    [
        "def fib(n):\n    return {10: 55, 7: 13, 12: 144, 9: 34}[n]",
        "def fib(n):\n    if n == 10: return 55\n    if n == 7: return 13\n    if n == 12: return 144\n"
        "    if n == 9: return 34",
        "def fib(n):\n    return {10: 55, 7: 13, 12: 144}.get(n, 34)",
    ],
)
def test_programs_written_around_their_tests_are_flagged_and_keep_their_reward(judge: Judge, code: str) -> None:
    verdict = judge(code)
    assert verdict.reward == 1.0
    assert [flag.name for flag in verdict.flags] == ["special_cased"]
    loop = "def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a"
    assert judge(loop).flags == ()


def test_the_same_tests_give_the_same_neighbours_and_none_of_them_is_a_test() -> None:
    cases = [Case.of(row) for row in ROWS]
    first, second = probe_of(cases), probe_of(cases)
    assert first == second
    assert first is not None
    assert MIN_NEIGHBOURS <= len(first.calls) <= MAX_NEIGHBOURS
    asked = [call.args[2] for call in first.calls]
    assert not any(arguments in ([10], [7], [12], [9]) for arguments in asked)


def test_few_or_mixed_answers_are_no_evidence() -> None:
    probe = probe_of([Case.of(row) for row in ROWS])
    assert probe is not None
    nothing, something = CallResult(answered=True, ok=True, value=None), CallResult(answered=True, ok=True, value=3)
    assert probe.evidence([nothing] * (MIN_NEIGHBOURS - 1)) == ""
    assert probe.evidence([nothing] * MIN_NEIGHBOURS) != ""
    assert probe.evidence([nothing] * 20 + [something]) == ""
    assert probe.evidence([something] * 20) != ""
