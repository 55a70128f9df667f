"""Rows of APPS, LiveCodeBench and CodeContests become tasks of ours."""

import base64
import json
import pickle
import zlib
from typing import Any

import pytest

from rlenv.core.errors import TaskError
from rlenv.envs.code.contests import contest_row


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


def test_a_method_of_solution_is_called_on_a_fresh_object() -> None:
    tests = {"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}
    row = contest_row(apps(input_output=json.dumps(tests), starter_code="class Solution:\n    def add(self, a, b):"))
    answer: Any = row["answer"]
    assert (answer["function"], answer["tests"][0]["call"]) == ("Solution", "Solution().add(1, 2)")
    assert str(row["prompt"]).endswith("def add(self, a, b):")


@pytest.mark.parametrize(
    "changes",
    [
        {"input_output": "{}"},
        {"input_output": "not json"},
        {"input_output": '{"inputs": ["1"], "outputs": []}'},
        {"input_output": '{"fn_name": "f", "inputs": ["1"], "outputs": ["1"]}'},
    ],
)
def test_an_apps_row_without_usable_tests_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(TaskError):
        contest_row(apps(**changes))


def test_public_tests_of_livecodebench_are_shown() -> None:
    answer: Any = contest_row(livecodebench())["answer"]
    assert [(test["stdin"], test["shown"]) for test in answer["tests"]] == [("1 2", True), ("3 4", False)]


def test_packed_private_tests_are_read_without_running_a_pickle() -> None:
    private = json.dumps([{"input": "5 6", "output": "11", "testtype": "stdin"}])
    packed = base64.b64encode(zlib.compress(pickle.dumps(private))).decode()
    answer: Any = contest_row(livecodebench(private_test_cases=packed))["answer"]
    assert answer["tests"][1]["stdin"] == "5 6"


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


def test_our_own_rows_stay_as_they_are_and_others_are_refused() -> None:
    row: dict[str, Any] = {"prompt": "Add.", "answer": {"kind": "stdio", "tests": []}}
    assert contest_row(row) is row
    with pytest.raises(TaskError, match="expected the columns"):
        contest_row({"text": "?"})
