"""Programs that hold the answers of their tests give neighbours of the arguments nothing."""

from collections.abc import Callable

import numpy as np
import pytest
from code_rows import BACKEND, sandbox_problem

from rlenv import Completion, Task, Verdict
from rlenv.envs.code.case import Case
from rlenv.envs.code.probe import MAX_NEIGHBOURS, MIN_NEIGHBOURS, probe_of
from rlenv.envs.code.verifier import code_verifier
from rlenv.evidence.argument_variants import crossed, neighbours
from rlenv.sandbox import CallResult

ROWS = [{"call": f"fib({n})", "expect": str(v)} for n, v in ((10, 55), (7, 13), (12, 144), (9, 34))]
TASK = Task("Write fib(n).", {"kind": "calls", "function": "fib", "tests": ROWS})
LOOP = "def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a"
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


def test_a_program_that_works_is_not_flagged(judge: Judge) -> None:
    assert judge(LOOP).flags == ()


def test_a_program_that_fails_is_not_probed(judge: Judge) -> None:
    assert judge("def fib(n):\n    return None").flags == ()


def test_without_the_option_nothing_is_probed() -> None:
    verdict = code_verifier(sandbox=BACKEND).verify(TASK, Completion(f"```python\n{LOOP}\n```"))
    assert verdict.flags == ()
    assert code_verifier(probe=True).version != code_verifier().version


def test_the_same_tests_give_the_same_neighbours_and_none_of_them_is_a_test() -> None:
    cases = [Case.of(row) for row in ROWS]
    first, second = probe_of(cases), probe_of(cases)
    assert first == second
    assert first is not None
    assert MIN_NEIGHBOURS <= len(first.calls) <= MAX_NEIGHBOURS
    asked = [call.args[2] for call in first.calls]
    assert not any(arguments in ([10], [7], [12], [9]) for arguments in asked)


def test_tests_that_leave_nothing_to_vary_have_no_probe() -> None:
    assert probe_of([Case.of({"call": "now()", "expect": "1"})]) is None
    assert probe_of([Case.of({"call": "f(1)", "expect": "None"}), Case.of(ROWS[0])]) is None


def test_neighbours_keep_type_and_shape() -> None:
    random = np.random.default_rng(0)
    for arguments in ((3, "ab1"), ([1, 2, 3],), ((1.5, "x y"),), (True,)):
        for found in list(neighbours(arguments, random))[:20]:
            assert [type(part) for part in found] == [type(part) for part in arguments]
    assert list(neighbours((), random)) == []
    assert list(crossed(("a", 1), ("b", 2))) == [("b", 1), ("a", 2)]


def test_few_or_mixed_answers_are_no_evidence() -> None:
    probe = probe_of([Case.of(row) for row in ROWS])
    assert probe is not None
    nothing, something = CallResult(answered=True, ok=True, value=None), CallResult(answered=True, ok=True, value=3)
    assert probe.evidence([nothing] * (MIN_NEIGHBOURS - 1)) == ""
    assert probe.evidence([nothing] * MIN_NEIGHBOURS) != ""
    assert probe.evidence([nothing] * 20 + [something]) == ""
    assert probe.evidence([something] * 20) != ""
