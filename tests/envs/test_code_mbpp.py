"""MBPP: signature and one test shown, the others hidden; classes, set-ups and tests with code of their own."""

from pathlib import Path
from typing import Any

import pytest
from code_rows import BACKEND, DATA, MBPP, fenced, judged, of_references, sandbox_problem, written

from rlenv import Definition
from rlenv.core.errors import TaskError
from rlenv.envs.code.mbpp import mbpp

FILE = DATA / "mbpp" / "mbpp.jsonl"
needs_data = pytest.mark.skipif(not FILE.exists(), reason="the MBPP file is not beside the repository")
needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
TURN, HEIGHT, WITHOUT, SIZE = range(4)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Definition:
    return mbpp(data=written(MBPP, tmp_path_factory.mktemp("rows")), sandbox=BACKEND)


def test_the_prompt_shows_the_signature_and_the_first_test_alone(made: Definition) -> None:
    assert made.tasks[TURN].prompt == (
        "Write a function to turn a list around.\n"
        "Write the function `def turn(xs):`. One of its tests is:\n"
        "assert turn([1, 2]) == [2, 1]\n"
        "Answer with the whole function in one ```python block."
    )
    reference: Any = made.tasks[TURN].reference
    assert [bool(test.get("shown")) for test in reference["tests"]] == [True, False, False, False]


def test_a_class_that_tests_make_objects_of_is_shown_and_given(made: Definition) -> None:
    reference: Any = made.tasks[HEIGHT].reference
    assert "These classes are there:\nclass Node:\n\n    def __init__(self, key):" in str(made.tasks[HEIGHT].prompt)
    assert reference["preamble"].startswith("class Node:")
    assert [test["call"] for test in reference["tests"]] == ["height(root)", "height(lone)", "height(None)"]
    assert [test.get("shown", False) for test in reference["tests"]] == [True, False, False]


def test_no_hidden_expectation_stands_in_what_the_sandbox_is_given(made: Definition) -> None:
    from rlenv.envs.code.calls import CallTask, program

    reference: Any = made.tasks[TURN].reference
    sent = repr(program(CallTask.of(reference), "def turn(xs): return xs"))
    assert "['a', 'b', 'c']" in sent
    assert "['c', 'b', 'a']" not in sent


@needs_sandbox
def test_every_reference_is_paid(made: Definition) -> None:
    assert [verdict.reward for verdict in of_references(made)] == [1.0] * len(MBPP)


@needs_sandbox
def test_objects_of_a_set_up_are_made_beside_the_program(made: Definition) -> None:
    right = "def height(n): return n and 1 + max(height(n.left), height(n.right)) or 0"
    own = "class Node:\n    def __init__(self, key): self.left = self.right = None\n" + right
    wrong = "def height(n): return 1"
    assert [v.reward for v in judged(made, HEIGHT, *map(fenced, (right, own, wrong)))] == [1.0, 1.0, 0.0]


@needs_sandbox
def test_tests_with_code_of_their_own_are_run_by_a_judge(made: Definition) -> None:
    reference: Any = made.tasks[SIZE].reference
    assert reference["kind"] == "pair"
    assert judged(made, SIZE, fenced("def size(t): return 48"))[0].reward == 0.0


@needs_sandbox
def test_the_published_assertion_decides_what_is_equal(made: Definition) -> None:
    """`==` takes 1 for True and 2.0 for 2; a list is not a tuple."""
    said = ["[float(x) if x == 3 else x for x in xs[::-1]]", "tuple(xs[::-1])"]
    assert [v.reward for v in judged(made, TURN, *(fenced(f"def turn(xs): return {s}") for s in said))] == [1.0, 0.0]


def test_the_sanitized_columns_are_read_as_well(tmp_path: Path) -> None:
    row = {
        "task_id": 9,
        "prompt": "Add.",
        "code": "import math\ndef add(a, b): return a + b",
        "test_imports": ["import math"],
        "test_list": ["assert math.isclose(add(1, 2), 3, rel_tol=0.1)", "assert add(2, 2) == 4"],
    }
    reference: Any = mbpp(data=written([row], tmp_path)).tasks[0].reference
    assert reference["tests"][0]["check"] == "math.isclose(_, 3, rel_tol=0.1)"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"code": "turn = 1"}, "tests of a function that the solution defines"),
        ({"code": "def turn(:"}, "expected Python"),
        ({"test_list": ["assert turn([1]) ="]}, "expected Python"),
    ],
)
def test_a_row_that_cannot_be_judged_is_named(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(TaskError, match=rf"rows\.jsonl line 1: .*{problem}"):
        mbpp(data=written([{**MBPP[TURN], **changes}], tmp_path))


@needs_data
def test_all_974_rows_are_split_but_one_that_needs_a_judge() -> None:
    definition = mbpp(data=str(FILE))
    references: list[Any] = [definition.tasks[i].reference for i in range(len(definition.tasks))]
    assert len(references) == 974
    assert [i for i, reference in enumerate(references) if reference["kind"] != "calls"] == [595]
    calls = [reference["tests"] for reference in references if reference["kind"] == "calls"]
    assert all(tests[0].get("shown") for tests in calls)
    tasks = [definition.tasks[i] for i in range(974)]
    assert [task.id for task in tasks if "hidden_tests" in task.metadata] == ["mbpp/37"], "one test, three times"
    assert definition.description.endswith("no hidden test: mbpp/37")


@needs_data
@needs_sandbox
@pytest.mark.slow
def test_all_974_reference_solutions_are_paid() -> None:
    definition = mbpp(data=str(FILE), sandbox=BACKEND)
    refused = [definition.tasks[i].id for i, v in enumerate(of_references(definition)) if v.reward != 1.0]
    assert refused == []
