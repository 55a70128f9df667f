"""Tasks whose tests are code of their own: the tests run in a judge's cell, the program in another.

    {"kind": "pair", "function": "find_zero", "head": ..., "preamble": "def poly(xs, x): ...",
     "judge": "for n in range(100):\\n    assert abs(poly(...)) < 1e-4"}

In the judge's cell the function is a stub: a call of it travels through the host into the program's cell, and
only plain data comes back. So the tests, what they expect and the verdict stay out of reach, as they do
where a test is a single call. The judge's random numbers are seeded: same program, same verdict.

Every `assert` that is run counts as one test. A test that fails does not end the file; an exception elsewhere
does, and what would have come after it counts as one more failed test.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

from rlenv.envs.code.calls import assembled
from rlenv.envs.code.outcome import Outcome, TestResult
from rlenv.envs.code.running import Ask, Judging
from rlenv.envs.code.statuses import last_line, parsed, what_it_did
from rlenv.envs.code.trees import tree
from rlenv.errors import TaskError
from rlenv.jsontypes import Json
from rlenv.sandbox import Call, Limits, Program, Result, Status, read

DONE = "done"
MAX_NOTE = 120
_STUB = """
import random as __rlenv_random
__rlenv_random.seed(0)
def {function}(*args, **kwargs):
    return call({function!r}, *args, **kwargs)
"""
_IN_PROCESS = """
def __rlenv_tests():
    reports = []
    exec(compile({source!r}, "tests.py", "exec"), {{**globals(), "report": reports.append}})
    return reports
"""


def judging(reference: Mapping[str, Json], code: str, limits: Limits) -> Judging:
    """Runs the tests in one cell and the code in another."""
    preamble, function = str(reference.get("preamble", "")), str(reference["function"])
    judge = judge_program(str(reference["judge"]), function, preamble)
    [(result, judged)] = yield [Ask(Program(assembled(preamble, code)), limits, judge)]
    judged = judged or Result(Status.SANDBOX_FAILURE, detail="the judge gave no result")
    return read(judged.sealed_bytes, outcome, result, judged)


@lru_cache(maxsize=1024)
def judge_program(tests: str, function: str, preamble: str) -> Program:
    """The tests as a program that reports of every assertion. Raises TaskError where they are not Python."""
    return Program(f"{preamble}\n{_STUB.format(function=function)}\n{counted_source(tests)}")


def counted_source(tests: str) -> str:
    """The tests with a report of every assertion, and one of having come to the end."""
    try:
        counted = _Counted().visit(tree(tests))
    except SyntaxError as error:
        raise TaskError(f"expected tests in Python, got {error}") from error
    return f"{ast.unparse(ast.fix_missing_locations(counted))}\nreport({DONE!r})\n"


def in_process_judging(reference: Mapping[str, Json], code: str, limits: Limits) -> Judging:
    """Runs the tests in the program's own process, where it can forge what they say: for evaluation only."""
    tests, function = str(reference["judge"]), str(reference["function"])
    epilogue = _IN_PROCESS.format(source=counted_source(tests))
    source = assembled(str(reference.get("preamble", "")), code, epilogue)
    [(result, _)] = yield [Ask(Program(source, calls=[Call("__rlenv_tests")]), limits)]
    failure, flags = what_it_did(result)
    if failure:
        return Outcome((), failure=failure)
    found = read(result.sealed_bytes, _reported_outcome, result)
    return replace(found, flags=(*flags, ("in_process", f"{function} could forge this verdict")))


def _reported_outcome(result: Result) -> Outcome:
    """The outcome of a program whose one call answers what a judge would have reported."""
    answer = result.calls[0].value if result.calls else None
    return outcome(result, replace(result, said=tuple(answer) if isinstance(answer, list) else ()))


class _Counted(ast.NodeTransformer):
    """`assert x` becomes a report of whether it holds."""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        text = ast.unparse(node.test)[:MAX_NOTE]
        template = (
            f"try:\n    assert 0\nexcept Exception:\n    report([False, {text!r}])\nelse:\n    report([True, ''])"
        )
        counted = cast("ast.Try", ast.parse(template).body[0])
        counted.body = [node]
        return counted


def outcome(result: Result, judge: Result) -> Outcome:
    """What the judge's reports are worth."""
    if judge.status is Status.SYNTAX_ERROR:
        return Outcome((), failure="the tests of this task do not compile")
    for one in (judge, result):
        failure, _ = what_it_did(one)
        if failure:
            return Outcome((), failure=failure)
    reports = judge.reports
    done = bool(reports) and reports[-1] == DONE
    tests = [_tested(report) for report in (reports[:-1] if done else reports)]
    if not done or not tests:
        tests.append(TestResult(False, note=_unfinished(judge), answered=False))
    return Outcome(tuple(tests), parsed(result), what_it_did(result)[1])


def _tested(report: object) -> TestResult:
    match report:
        case [True, str()]:
            return TestResult(True)
        case [False, str() as note]:
            return TestResult(False, note=note)
    return TestResult(False, note="an unknown report")


def _unfinished(judge: Result) -> str:
    return f"the tests did not come to their end: {last_line(judge) or judge.status}"


def without_shown(tests: str, shown: Sequence[str]) -> str:
    """The tests without the assertions that are given as text."""
    kept = _Without(frozenset(shown)).visit(tree(tests))
    return ast.unparse(ast.fix_missing_locations(kept))


class _Without(ast.NodeTransformer):
    def __init__(self, shown: frozenset[str]) -> None:
        self.shown = shown

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return ast.Pass() if ast.unparse(node.test) in self.shown else node
