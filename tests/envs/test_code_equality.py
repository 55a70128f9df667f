"""When a value is as good as the expected one, what tests may say, and that no answer costs more than its length."""

from __future__ import annotations

import datetime
import math
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from code_rows import BACKEND, fenced, sandbox_problem
from hypothesis import given
from hypothesis import strategies as st
from tables import tables

from rlenv import Completion, Task, Verdict
from rlenv.core.errors import TaskError
from rlenv.envs.code import calls, equality
from rlenv.envs.code.case import Case
from rlenv.envs.code.comparison import OutputRule, same_output
from rlenv.envs.code.equality import EQUAL, EXACT, PYTHON, Equality, is_plain
from rlenv.envs.code.expression import VALUE_ERRORS, Unsupported, evaluate, parse
from rlenv.envs.code.outcome import Outcome, verdict_of
from rlenv.envs.code.running import run
from rlenv.envs.code.verifier import code_verifier
from rlenv.sandbox import (
    CallResult,
    Limits,
    Opaque,
    Program,
    Result,
    Sandbox,
    SandboxUnavailable,
    Sealed,
    Status,
    Unreadable,
)
from rlenv.sandbox.codec import dumps

CASES = tables(__file__)

JSON, UNORDERED, AS_SET = Equality("json"), Equality(collections="unordered"), Equality(collections="set")
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=10,
)


def holds_nan(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(holds_nan, value))
    if isinstance(value, dict):
        return any(map(holds_nan, value.values()))
    return isinstance(value, float) and math.isnan(value)


@pytest.mark.parametrize(
    ("rule", "given_value", "expected", "same"),
    [
        (EQUAL, 2.0, 2, True),
        (EQUAL, 1, True, False),
        (EQUAL, 0.1 + 0.2, 0.3, True),
        (EQUAL, 10**9 + 1, 10**9, False),
        (EQUAL, (1, 2), [1, 2], False),
        (EQUAL, {1, 2}, frozenset({2, 1}), True),
        (EQUAL, {1: 2}, {True: 2}, False),
        (EQUAL, math.nan, math.nan, True),
        (EQUAL, "a", b"a", False),
        (EQUAL, Fraction(1, 2), 0.5, True),
        (EQUAL, deque([1]), [1], False),
        (EQUAL, Counter("ab"), {"a": 1, "b": 1}, True),
        (EQUAL, datetime.date(2024, 1, 2), datetime.date(2024, 1, 2), True),
        (EQUAL, [Opaque("Liar")], [1], False),
        (PYTHON, 1, True, True),
        (PYTHON, {1}, {True}, True),
        (EXACT, 2.0, 2, False),
        (EXACT, {1}, frozenset({1}), False),
        (EXACT, Counter("a"), {"a": 1}, False),
        (JSON, (1, (2,)), [1, [2]], True),
        (UNORDERED, [2, 1, 1], (1, 2, 1), True),
        (UNORDERED, [2, 1], [1, 2, 2], False),
        (UNORDERED, [[2], [1]], [[1], [2]], True),
        (AS_SET, [1, 1, 2], [2, 1], True),
        (AS_SET, [1], [1, 2], False),
    ],
)
def test_equality_is_the_declared_one(rule: Equality, given_value: object, expected: object, same: bool) -> None:
    assert rule.same(given_value, expected) is same


@given(PLAIN)
def test_every_value_equals_itself_under_every_rule(value: object) -> None:
    assert all(rule.same(value, value) for rule in (EQUAL, EXACT, JSON))
    assert PYTHON.same(value, value) is not holds_nan(value), "nothing is == NaN"


@given(PLAIN, PLAIN)
def test_equality_has_no_direction(left: object, right: object) -> None:
    assert all(rule.same(left, right) == rule.same(right, left) for rule in (EQUAL, PYTHON, EXACT, JSON))


def test_an_opaque_value_is_found_at_any_depth() -> None:
    assert is_plain([{1: (2, {3})}, deque([4])])
    assert not is_plain([{1: (2, [Opaque("Liar")])}])
    assert not is_plain(deque([Opaque("Liar")]))


@pytest.mark.parametrize(
    ("expression", "value", "holds"),
    [
        ("abs(_ - 0.33) < 1e-6", 0.33, True),
        ("abs(_ - 0.33) < 1e-6", math.nan, False),
        ("_ is True", 1, False),
        ("_ in (1, 2)", 2.0, True),
        ("math.isclose(_, math.pi, rel_tol=1e-3)", 3.1416, True),
        ("1 <= _ <= 3", 2, True),
        ("sorted(_) == [1, 2]", (2, 1), True),
        ("_ != 1", True, True),
        ("_[3] == 1", [], False),
        ("list(_) == [0]", range(10**15), False),
        ("_ * 10 == 0", "x" * 200_000, False),
        pytest.param("_ ** 2 == 4", 10 ** (10**5), False, id="a huge number"),
    ],
)
def test_a_check_holds_or_not_and_never_raises(expression: str, value: object, holds: bool) -> None:
    assert Case.of({"call": "f()", "check": expression}).holds(value) is holds


@pytest.mark.parametrize("expression", CASES["refused_checks"])
def test_a_check_that_says_more_is_refused_when_the_task_is_read(expression: str) -> None:
    with pytest.raises(TaskError):
        Case.of({"call": "f()", "check": expression})
    with pytest.raises((Unsupported, *VALUE_ERRORS)):
        evaluate(expression, {"_": 1})


@pytest.mark.parametrize("row", CASES["refused_tests"])
def test_a_test_that_cannot_be_judged_is_refused_when_the_task_is_read(row: dict[str, str]) -> None:
    with pytest.raises(TaskError):
        Case.of(row)


def test_a_case_reads_arguments_of_every_kind() -> None:
    case = Case.of({"call": "Solution().f({1}, [(2.5,)], k={'a': None}, d=Decimal('1.5'))", "expect": "inf"})
    assert case.function == "Solution().f"
    assert case.arguments == ({1}, [(2.5,)])
    assert case.keywords == {"k": {"a": None}, "d": Decimal("1.5")}
    assert case.expected == math.inf


@pytest.mark.parametrize(
    ("compare", "given_output", "expected", "same"),
    [
        ("exact", b"a b\n", b"a b", True),
        ("lines", b"a \nb\n\n", b"a\nb", True),
        ("tokens", b"1  2\n3", b"1 2 3\n", True),
        ("tokens", b"1.0", b"1", False),
        ("floats", b"0.33333333", b"0.3333333333", True),
        ("floats", b"1000000008", b"1000000007", False),
        ("floats", b"nan", b"1.0", False),
        ("floats", b"1_0.0", b"10.0", False),
        ("floats", b"1.5 2.5", b"1.5", False),
        ("exact", b"\xff\x00", b"\xff\x00", True),
    ],
)
def test_outputs_are_compared_as_declared(compare: str, given_output: bytes, expected: bytes, same: bool) -> None:
    assert same_output(given_output, expected, OutputRule(compare)) is same  # type: ignore[arg-type]


needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
TASK = calls.CallTask("f", (Case.of({"call": "f()", "expect": "53"}), Case.of({"call": "f()", "check": "len(_) == 2"})))


class Box:
    """Gives every program this result."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def map(self, programs: Sequence[Program], limits: Limits) -> list[Result]:
        return [self.result for _ in programs]


def sealed(*values: object) -> Result:
    """A program that answered with these, and said so much that they were left as they came."""
    answers = tuple(CallResult(ok=True, value=Sealed(dumps(value))) for value in values)
    return Result(Status.EXITED, exit_code=0, calls=answers)


def judged(task: calls.CallTask, result: Result) -> Outcome:
    [(_, outcome)] = run(cast("Sandbox", Box(result)), [calls.judging(task, "", Limits())])
    return outcome


def test_long_honest_answers_are_read_apart_and_paid() -> None:
    numbers = [n % 9000 for n in range(60_000)]
    task = calls.CallTask("f", (Case("f()", "f", expected=numbers), Case("f()", "f", expected="x" * 300_000)))
    right = judged(task, sealed(numbers, "x" * 300_000))
    assert [test.passed for test in right.tests] == [True, True]
    wrong = judged(task, sealed([*numbers[:-1], 9999], "x" * 299_999))
    assert [test.passed for test in wrong.tests] == [False, False]
    assert not wrong.failure
    assert wrong.tests[0].note.startswith("f() gave [0, 1, 2")


@pytest.mark.parametrize("problem", [Unreadable("more memory than may be had"), SandboxUnavailable("no reader")])
def test_what_cannot_be_read_is_graded_0_and_a_missing_reader_is_no_grade(
    problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise problem

    monkeypatch.setattr(calls, "read", fails)
    verdict = verdict_of(judged(TASK, sealed([1] * 9000, 2)), "all")
    if isinstance(problem, Unreadable):
        assert (verdict.status, verdict.reward) == ("graded", 0.0)
        assert [flag.name for flag in verdict.flags] == ["unreadable"]
    else:
        assert verdict.status == "verifier_error"


def test_what_decodes_to_nothing_is_graded_0() -> None:
    result = sealed([0] * 9000, "ab")
    broken = replace(result, calls=(CallResult(ok=True, value=Sealed(b"[" * 100_000)), result.calls[1]))
    outcome = judged(TASK, broken)
    assert [test.passed for test in outcome.tests] == [False, True]
    assert ("opaque_value", "a call returned what is no plain data") in outcome.flags


PAIR = {
    "kind": "pair",
    "function": "add",
    "judge": "import random\nfor n in range(20):\n    x = random.randint(0, 9)\n    assert add(x, 1) == x + 1",
}
ROWS = {
    "kind": "calls",
    "function": "f",
    "tests": [{"call": "f()", "check": "tuple(_) == (1,)"}, {"call": "f()", "check": "sorted(_) == [1]"}],
}
RAW = "import os\ndef {function}(*_):\n    os.write(3, b'= 0 0.0 ' + {body} + b'\\n')\n    os._exit(0)"
NESTED = """
import itertools
def add(x, y):
    pool = list(itertools.product((-1, -2), repeat=7))
    sets = [frozenset([*pool[:63], other]) for other in pool[63:]]
    return [frozenset(sets[:n]) for n in range(len(sets))]
"""


def verdict(reference: dict[str, object], code: str) -> Verdict:
    task = Task("", reference=reference, id="t")  # type: ignore[arg-type]
    return code_verifier(sandbox=BACKEND, wall_s=10.0).verify(task, Completion(fenced(code)))


@needs_sandbox
@pytest.mark.parametrize(
    ("reference", "code"),
    [
        pytest.param(PAIR, NESTED, marks=pytest.mark.slow),
        (PAIR, RAW.format(function="add", body="b'[' * 200000")),
        (ROWS, RAW.format(function="f", body="""b'{"$":"ndarray","v":["<f8",[20000000,0],""]}'""")),
        (ROWS, RAW.format(function="f", body="""b'{"$":"range","v":[0,1000000000000,1]}'""")),
        (ROWS, RAW.format(function="f", body="b'[' + b'[],' * 30000 + b'[]]'")),
    ],
    ids=["nested-frozensets", "brackets", "rows-without-data", "range", "many-lists"],
)
def test_a_program_cannot_turn_its_zero_into_a_failure_of_the_machine(reference: dict[str, object], code: str) -> None:
    found = verdict(reference, code)
    assert (found.status, found.reward) == ("graded", 0.0)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("_ % 2 == 0", "%1000000000d"),
        ("_ ** 1000 == 1", 1 << 90_000),
        ("2 ** _ == 1", 200_000),
        ("bytes(_) == 0", 1 << 33),
        ("Fraction(_) == 1", "1e999999999"),
        ("int(_) == 1", Decimal("1e999999")),
        ("sum(_) == 1", [Fraction(1, (1 << 800) + 2 * n + 1) for n in range(200)]),
        ("list(_) == []", range(10**12)),
        ("len(tuple(_)) == 5", np.zeros((262_144, 0))),
    ],
    ids=lambda part: part if isinstance(part, str) and "_" in part else type(part).__name__,
)
def test_what_is_short_as_an_answer_stays_short_in_an_expression(expression: str, value: object) -> None:
    assert not Case.of({"call": "f()", "check": expression}).holds(value)


def test_the_expressions_of_tests_go_on_meaning_what_they_did() -> None:
    for expression, value in (
        ("2 ** _", 10),
        ("bytes(_)", 3),
        ("Fraction(_, 3)", 2),
        ("sum(_)", [Fraction(1, 3), Fraction(1, 6)]),
        ("int(_)", Decimal("12.5")),
        ("sum(_)", list(range(200_000))),
        ("_ % 7", 2.5),
    ):
        assert evaluate(expression, {"_": value}) == eval(expression, {"_": value, "Fraction": Fraction})
    with pytest.raises(Unsupported):
        parse("1 +")


NUMBERS = (
    st.integers()
    | st.floats(allow_nan=False)
    | st.fractions()
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9)
    | st.complex_numbers(allow_nan=False)
)


@given(NUMBERS, NUMBERS)
def test_two_numbers_freeze_alike_where_python_finds_them_equal(left: complex, right: complex) -> None:
    for other in (right, left, +left):
        assert (PYTHON.freeze(left) == PYTHON.freeze(other)) is (left == other)
    assert EXACT.freeze(2) != EXACT.freeze(2.0)
    assert EQUAL.freeze(True) != EQUAL.freeze(1)


def test_a_crowd_of_equal_hashes_is_compared_without_pythons_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists over -1 and -2, in any order: as tuples they would have one hash, and each be compared with each."""
    digests = 0
    digest = equality._digest

    def counted(kind: str, content: bytes) -> bytes:
        nonlocal digests
        digests += 1
        return digest(kind, content)

    monkeypatch.setattr(equality, "_digest", counted)
    crowd = [[-1 - (n >> bit & 1) for bit in range(10)] for n in range(1024)]
    rule = Equality(collections="unordered")
    assert rule.same(crowd, crowd[::-1])
    assert not rule.same(crowd, [*crowd[:-1], crowd[0]])
    assert digests == 4 * 1024 * 11
    assert len({hash(tuple(row)) for row in crowd}) == 1
