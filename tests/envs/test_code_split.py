"""Assertion files become calls and expectations; what cannot is named; what the prompt shows is marked."""

import pytest

from rlenv.core.errors import ConfigError, TaskError
from rlenv.envs.code.assertions import assertion_reference, evaluation_only, shared_objects
from rlenv.envs.code.definition import hidden_tests
from rlenv.envs.code.pairs import counted_source
from rlenv.envs.code.shown import mark_shown
from rlenv.envs.code.split import split


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("assert f(1, [2]) == (3, 4)", [{"call": "f(1, [2])", "expect": "(3, 4)"}]),
        ("assert 3 == f(1)", [{"call": "f(1)", "expect": "3"}]),
        ("assert f(k={1}) == 1.0 / 4, 'message'", [{"call": "f(k={1})", "expect": "0.25"}]),
        ("assert f('a')", [{"call": "f('a')", "check": "_"}]),
        ("assert not f('a')", [{"call": "f('a')", "check": "not _"}]),
        ("assert f(1) is None", [{"call": "f(1)", "check": "_ is None"}]),
        ("assert abs(f(1) - 2.5) < 1e-3", [{"call": "f(1)", "check": "abs(_ - 2.5) < 0.001"}]),
        ("assert (f(1)) == -float('inf')", [{"call": "f(1)", "expect": "-inf"}]),
        ("x = [1, 2]\nassert f(x) == sorted(x)", [{"call": "f([1, 2])", "expect": "[1, 2]"}]),
        (
            "for a, b in [(1, 2), (3, 4)]:\n    assert f(a) == b",
            [{"call": "f(1)", "expect": "2"}, {"call": "f(3)", "expect": "4"}],
        ),
        ("def check(candidate):\n    assert candidate(1) == 2\ncheck(f)", [{"call": "f(1)", "expect": "2"}]),
        ("METADATA = {'author': 'x'}\nimport math\nassert f(1) == 2", [{"call": "f(1)", "expect": "2"}]),
        ("assert tuple(f(1)) == tuple(f(1))", [{"call": "f(1)", "check": "tuple(_) == tuple(_)"}]),
        ("assert f([1], int) == []", [{"call": "f([1], int)", "expect": "[]", "cell": True}]),
    ],
)
def test_assertions_about_one_call_are_split(source: str, rows: list[dict[str, object]]) -> None:
    found = split(source, "f")
    assert (found.rows, found.rest) == (rows, "")


@pytest.mark.parametrize("source", ["assert True", "assert 1 == 1.0", "assert g(1) == 1 or True"])
def test_what_tests_nothing_is_dropped_or_refused(source: str) -> None:
    found = split(source, "f")
    assert found.rows == []
    assert bool(found.dropped) is not bool(found.rest)


@pytest.mark.parametrize(
    "source",
    [
        "assert f(g(1)) == 2",
        "assert f(f(1)) == 1",
        "assert f(1) == f(2)",
        "assert f(1).upper() == 'A'",
        "assert f(1) == open('x').read()",
        "import random\nx = random.random()\nassert f(x) == x",
        "x = f(1)\nassert x == 2",
        "f(1)",
        "while True:\n    assert f(1) == 2",
        "for n in range(10 ** 6):\n    assert f(n) == n",
        "assert 1 == 2",
        "assert f(1) ==",
        "try:\n    f(1)\nexcept ValueError:\n    pass",
    ],
)
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
        ("f([1,2])", True),
        ("f([4, 5, 6])", True),
        ("f([7, 8])", True),
        ("f('hello there')", True),
        ("f(5)", False),
        ("f([1])", False),
        ("f([1, 2, 3])", False),
        ("f([4, 5, 6], 1)", False),
    ],
)
def test_a_test_is_shown_when_the_prompt_holds_its_call_or_its_arguments(call: str, shown: bool) -> None:
    rows = mark_shown(PROMPT, "f", [{"call": call, "expect": "1"}, {"call": "f([9, 9, 9])", "expect": "27"}])
    assert [bool(row.get("shown")) for row in rows] == [shown, False]


def test_where_every_test_is_shown_the_task_says_so() -> None:
    rows = mark_shown(PROMPT, "f", [{"call": "f([1, 2])", "expect": "3"}])
    assert rows == [{"call": "f([1, 2])", "expect": "3", "shown": True}]
    assert hidden_tests({"kind": "calls", "tests": [*rows]}) == {"hidden_tests": 0}
    assert hidden_tests({"kind": "calls", "tests": [*rows, {"call": "f([3])", "expect": "3"}]}) == {}


def test_a_file_that_splits_becomes_hidden_calls() -> None:
    reference = assertion_reference("assert f([1, 2]) == 3\nassert f([3]) == 3", "f", PROMPT, head=PROMPT)
    assert reference["kind"] == "calls"
    assert reference["tests"] == [
        {"call": "f([1, 2])", "expect": "3", "shown": True},
        {"call": "f([3])", "expect": "3"},
    ]


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
        "assert callable(f)",
        "def check(candidate):\n    assert list(map(candidate, [1])) == [2]\ncheck(f)",
    ],
)
def test_tests_that_share_objects_are_refused_unless_asked_for(tests: str) -> None:
    with pytest.raises(TaskError, match="trust='in_process'"):
        assertion_reference(tests, "f", PROMPT)
    assert assertion_reference(tests, "f", PROMPT, trust="in_process")["kind"] == "in_process"


def test_a_file_that_splits_stays_split_whatever_the_trust() -> None:
    assert assertion_reference("assert f([3]) == 3", "f", PROMPT, trust="in_process")["kind"] == "calls"


def test_only_the_careful_trust_may_train() -> None:
    assert evaluation_only("split") == ""
    assert "forge" in evaluation_only("in_process")
    with pytest.raises(ConfigError, match="expected trust"):
        evaluation_only("loose")


def test_helpers_of_the_prompt_are_not_the_programs_own() -> None:
    assert shared_objects("assert abs(poly(f(1))) < 1", "f", "def poly(x): return x") == ""
    assert shared_objects("assert abs(poly(f(1))) < 1", "f") == "poly is the program's own"


def test_objects_of_a_class_do_not_cross_between_cells() -> None:
    tests = "root = Node(1)\nfor n in (1, 2):\n    assert f(root, n) == n"
    assert shared_objects(tests, "f", "class Node:\n    def __init__(self, n): ...") == "objects of Node go in or out"


def test_a_file_without_a_test_is_refused() -> None:
    with pytest.raises(TaskError, match="at least one assertion"):
        assertion_reference("assert True", "f", PROMPT)


def test_every_assertion_reports_whether_it_holds_and_whether_it_is_shown() -> None:
    reports: list[object] = []
    tests = "for n in (1, 2):\n    assert n == 1, 'no'\nassert []"
    exec(counted_source(tests, frozenset(["n == 1"])), {"report": reports.append})
    assert reports == [[True, True, ""], [False, True, "n == 1"], [False, False, "[]"]]
