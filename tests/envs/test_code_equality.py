"""When a value is as good as the expected one, and what the expressions of tests may say."""

import datetime
import math
from collections import Counter, deque
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.core.errors import TaskError
from rlenv.envs.code.case import Case
from rlenv.envs.code.comparison import OutputRule, same_output
from rlenv.envs.code.equality import EQUAL, EXACT, PYTHON, Equality, is_plain
from rlenv.envs.code.expression import VALUE_ERRORS, Unsupported, evaluate, render
from rlenv.sandbox import Opaque

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
        (EQUAL, [True], [1], False),
        (EQUAL, 0.1 + 0.2, 0.3, True),
        (EQUAL, 0.3001, 0.3, False),
        (EQUAL, 10**9 + 1, 10**9, False),
        (EQUAL, (1, 2), [1, 2], False),
        (EQUAL, {1, 2}, frozenset({2, 1}), True),
        (EQUAL, {1: [2.0]}, {1: [2]}, True),
        (EQUAL, {1: 2}, {True: 2}, False),
        (EQUAL, {True}, {1}, False),
        (EQUAL, math.nan, math.nan, True),
        (EQUAL, math.inf, -math.inf, False),
        (EQUAL, "a", b"a", False),
        (EQUAL, None, False, False),
        (EQUAL, "1", 1, False),
        (EQUAL, Fraction(1, 2), 0.5, True),
        (EQUAL, 1 + 0j, 1, True),
        (EQUAL, deque([1]), [1], False),
        (EQUAL, range(3), [0, 1, 2], False),
        (EQUAL, Counter("ab"), {"a": 1, "b": 1}, True),
        (EQUAL, datetime.date(2024, 1, 2), datetime.date(2024, 1, 2), True),
        (EQUAL, [Opaque("Liar")], [1], False),
        (EQUAL, Opaque("Liar"), Opaque("Liar"), False),
        (PYTHON, 1, True, True),
        (PYTHON, [0], [False], True),
        (PYTHON, {1}, {True}, True),
        (EXACT, 2.0, 2, False),
        (EXACT, {2.0}, {2}, False),
        (EXACT, 0.1 + 0.2, 0.3, False),
        (EXACT, {1}, frozenset({1}), False),
        (EXACT, Counter("a"), {"a": 1}, False),
        (JSON, (1, (2,)), [1, [2]], True),
        (JSON, [(1, 2)], [[1, 3]], False),
        (UNORDERED, [2, 1, 1], (1, 2, 1), True),
        (UNORDERED, [2, 1], [1, 2, 2], False),
        (UNORDERED, [[2], [1]], [[1], [2]], True),
        (UNORDERED, 3, 3, False),
        (AS_SET, [1, 1, 2], [2, 1], True),
        (AS_SET, [1], [1, 2], False),
        (AS_SET, [True], [1], False),
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


@given(PLAIN)
def test_a_value_survives_being_written_as_an_expression(value: object) -> None:
    assert EXACT.same(evaluate(render(value)), value)


def test_an_opaque_value_is_found_at_any_depth() -> None:
    assert is_plain([{1: (2, {3})}, deque([4])])
    assert not is_plain([{1: (2, [Opaque("Liar")])}])
    assert not is_plain(deque([Opaque("Liar")]))


@pytest.mark.parametrize(
    ("expression", "value", "holds"),
    [
        ("abs(_ - 0.33) < 1e-6", 0.33, True),
        ("abs(_ - 0.33) < 1e-6", math.nan, False),
        ("_ is None", None, True),
        ("_ is True", 1, False),
        ("not _", [], True),
        ("_ in (1, 2)", 2.0, True),
        ("_ not in [1, 2]", 3, True),
        ("isinstance(_, str) and len(_) == 3", "abc", True),
        ("math.isclose(_, math.pi, rel_tol=1e-3)", 3.1416, True),
        ("1 <= _ <= 3", 2, True),
        ("1 <= _ <= 3", 4, False),
        ("sorted(_) == [1, 2]", (2, 1), True),
        ("_[0] == _[-1]", "aba", True),
        ("_ != 1", True, True),
        ("round(_, 2) == 0.33", 1 / 3, True),
        ("abs(_ - 1) < 1", "text", False),
        ("_[3] == 1", [], False),
        ("len(_) == 1", 5, False),
        ("list(_) == [0]", range(10**15), False),
        ("_ * 10 == 0", "x" * 200_000, False),
        pytest.param("_ ** 2 == 4", 10 ** (10**5), False, id="a huge number"),
    ],
)
def test_a_check_holds_or_not_and_never_raises(expression: str, value: object, holds: bool) -> None:
    assert Case.of({"call": "f()", "check": expression}).holds(value) is holds


@pytest.mark.parametrize(
    "expression",
    [
        "open('x')",
        "__import__('os')",
        "(1).__class__",
        "[x for x in _]",
        "lambda: 1",
        "_.upper()",
        "eval('1')",
        "sorted(_, key=print)",
        "f'{_}'",
        "(x := 1)",
        "getattr(_, 'a')",
        "*_,",
        "unknown",
    ],
)
def test_a_check_that_says_more_is_refused_when_the_task_is_read(expression: str) -> None:
    with pytest.raises(TaskError):
        Case.of({"call": "f()", "check": expression})
    with pytest.raises((Unsupported, *VALUE_ERRORS)):
        evaluate(expression, {"_": 1})


@pytest.mark.parametrize(
    "row",
    [
        {"call": "f(1)"},
        {"expect": "1"},
        {"call": "f(1)", "expect": "1", "check": "_"},
        {"call": "f(1)", "expect": "1", "typo": 1},
        {"call": "f", "expect": "1"},
        {"call": "f(x)", "expect": "1"},
        {"call": "f(*[1])", "expect": "1"},
        {"call": "f(1)", "expect": "open('x')"},
        {"call": "f(1)", "expect": "1", "types": "loose"},
        {"call": "a.b[0].f(1)", "expect": "1"},
        {"call": "f(9 ** 9 ** 9)", "expect": "1"},
    ],
)
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
        ("exact", b"a  b", b"a b", False),
        ("lines", b"a \nb\n\n", b"a\nb", True),
        ("lines", b"a\n\nb", b"a\nb", False),
        ("tokens", b"1  2\n3", b"1 2 3\n", True),
        ("tokens", b"1.0", b"1", False),
        ("floats", b"0.33333333", b"0.3333333333", True),
        ("floats", b"1.0000001e3", b"1000.0", True),
        ("floats", b"3", b"3.0", True),
        ("floats", b"1000000008", b"1000000007", False),
        ("floats", b"nan", b"1.0", False),
        ("floats", b"0.34", b"0.33", False),
        ("floats", b"1_0.0", b"10.0", False),
        ("floats", b"Yes 1.50", b"Yes 1.5", True),
        ("floats", b"1.5 2.5", b"1.5", False),
        ("exact", b"\xff\x00", b"\xff\x00", True),
    ],
)
def test_outputs_are_compared_as_declared(compare: str, given_output: bytes, expected: bytes, same: bool) -> None:
    assert same_output(given_output, expected, OutputRule(compare)) is same  # type: ignore[arg-type]


def test_an_unknown_comparison_is_refused() -> None:
    with pytest.raises(TaskError, match="expected compare in exact"):
        OutputRule("fuzzy")  # type: ignore[arg-type]
