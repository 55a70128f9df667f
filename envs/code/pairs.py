"""Tasks whose tests are code of their own: the tests run in a judge's cell, the program in another.

    {"kind": "pair", "function": "find_zero", "head": ..., "preamble": "def poly(xs, x): ...",
     "judge": "for n in range(100):\\n    assert abs(poly(...)) < 1e-4",
     "shown": ["round(find_zero([1, 2]), 2) == -0.5"]}        optional: assertions that stand in the prompt

In the judge's cell the function is a stub: a call of it travels through the host into the program's cell, and
only plain data comes back. So the tests, what they expect and the verdict stay out of reach, as they do
where a test is a single call. The judge's random numbers are seeded: same program, same verdict.

Tests that use helpers of the prompt are run twice: with the helpers as the prompt has them, which no program can bend,
and with those of the program, which has to leave them whole.

Every `assert` that is run counts as one test. A test that fails does not end the file; an exception elsewhere
does, and what would have come after it counts as one more failed test.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from rlenv.core.jsontypes import Json
from rlenv.door.keeping import kept_within
from rlenv.envs.code.calls import assembled
from rlenv.envs.code.outcome import Outcome, TestResult, last_line, parsed, what_it_did
from rlenv.envs.code.running import Ask, Judging
from rlenv.envs.code.trees import checked_tree, names
from rlenv.sandbox import Call, Limits, Program, Result, Status, read

DONE = "done"
MAX_NOTE = 120
_SEED = """
import random as __rlenv_random
__rlenv_random.seed(0)
"""
_STUB = """
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
    judge = judge_program(str(reference["judge"]), function, preamble, _shown(reference))
    [(result, judged)] = yield [Ask(Program(assembled(preamble, code)), limits, judge)]
    judged = judged or Result(Status.SANDBOX_FAILURE, detail="the judge gave no result")
    return read(judged.sealed_bytes, outcome, result, judged)


def judge_program(tests: str, function: str, preamble: str, shown: frozenset[str] = frozenset()) -> Program:
    """The tests as a program that reports of every assertion. Raises TaskError where they are not Python."""
    return _program((tests, function, preamble, shown))


@kept_within(64 << 20, lambda key, program: 500 + 4 * (2 * len(key[0]) + 2 * len(key[2])))
def _program(key: tuple[str, str, str, frozenset[str]]) -> Program:
    tests, function, preamble, shown = key
    once = f"{_SEED}{counted_source(tests, shown)}\n"
    helpers = [node.name for node in checked_tree(preamble).body if isinstance(node, ast.FunctionDef)]
    stubs = "".join(_STUB.format(function=name) for name in helpers if name in names(tests))
    again = f"{stubs}{once}" if stubs else ""
    return Program(f"{preamble}\n{_STUB.format(function=function)}{once}{again}report({DONE!r})\n")


def counted_source(tests: str, shown: frozenset[str] = frozenset()) -> str:
    """The tests with a report of every assertion; those in `shown`, as text, are reported as such."""
    counted = _Counted(shown).visit(checked_tree(tests))
    return ast.unparse(ast.fix_missing_locations(counted))


def _shown(reference: Mapping[str, Json]) -> frozenset[str]:
    return frozenset(map(str, cast("Sequence[Json]", reference.get("shown", ()))))


def in_process_judging(reference: Mapping[str, Json], code: str, limits: Limits) -> Judging:
    """Runs the tests in the program's own process, where it can forge what they say: for evaluation only."""
    tests, function = str(reference["judge"]), str(reference["function"])
    counted = f"{counted_source(tests, _shown(reference))}\nreport({DONE!r})\n"
    epilogue = _IN_PROCESS.format(source=counted)
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
    """`assert x` becomes a report of whether it holds, and whether the prompt shows it."""

    def __init__(self, shown: frozenset[str]) -> None:
        self.shown = shown

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        text = ast.unparse(node.test)
        passed, failed = ([held, text in self.shown, "" if held else text[:MAX_NOTE]] for held in (True, False))
        template = f"try:\n    assert 0\nexcept Exception:\n    report({failed})\nelse:\n    report({passed})"
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
        case [bool() as passed, bool() as shown, str() as note]:
            return TestResult(passed, shown, note)
    return TestResult(False, note="an unknown report")


def _unfinished(judge: Result) -> str:
    return f"the tests did not come to their end: {last_line(judge) or judge.status}"
