"""Tasks whose programs read standard input and write standard output.

    {"kind": "stdio", "compare": "tokens",        rlenv.envs.code.comparison; with "rel" and "abs" for floats
     "tests": [{"stdin": "1 2", "stdout": "3"},
               {"stdin": "5 5", "stdout": "10", "shown": true}],      stands in the prompt: must pass, proves nothing
     "wall_s": 2.0,                                optional: the limit of one run
     "checker": "def check(stdin, stdout, expected):\\n    ..."}       for compare "checker": True or False

One run a test; only the input enters the cell. Runs come in waves, and a program that has failed (where all tests
must pass) or has timed out MAX_TIMEOUTS times is not run again: what is left counts as failed. A checker is a
program of the task: it runs in a cell of its own, after the run that it judges, on what that wrote. What it raises over
an output is the output's fault.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.code.comparison import DEFAULT_TOLERANCE, OutputRule, compare_kind, same_output
from rlenv.envs.code.outcome import Flags, Outcome, TestResult, parsed, what_it_did
from rlenv.envs.code.running import Answer, Ask, Judging
from rlenv.envs.code.trees import bound
from rlenv.sandbox import Call, CallResult, Limits, Program, Result, Sealed, Status, read

MAX_TIMEOUTS = 2
FIRST_WAVE = 2
OUTPUT_ROOM = 1 << 16
"""Bytes that a program may write beyond twice the expected output."""


@dataclass(frozen=True, slots=True)
class Run:
    """One test: what goes in and what must come out."""

    stdin: bytes
    stdout: bytes
    shown: bool = False


@dataclass(frozen=True, slots=True)
class StdioTask:
    """The reference of a task of this shape, read and checked."""

    runs: tuple[Run, ...]
    rule: OutputRule
    checker: str = ""
    wall_s: float | None = None

    @classmethod
    def of(cls, reference: Mapping[str, Json]) -> StdioTask:
        """Raises TaskError for tests that cannot be judged."""
        rows = cast("Sequence[Mapping[str, Json]]", reference["tests"])
        runs = tuple(Run(_bytes(row["stdin"]), _bytes(row["stdout"]), bool(row.get("shown", False))) for row in rows)
        if not runs:
            raise TaskError("expected at least one test, got none")
        tolerances = {name: float(cast("float", reference.get(name, DEFAULT_TOLERANCE))) for name in ("rel", "abs")}
        rule = OutputRule(compare_kind(reference.get("compare", "tokens")), **tolerances)
        checker, wall_s = str(reference.get("checker", "")), reference.get("wall_s")
        if bool(checker) is not (rule.compare == "checker"):
            raise TaskError("expected a checker with compare 'checker' and nowhere else")
        if checker and "check" not in bound(checker):
            raise TaskError("expected a checker that defines check(stdin, stdout, expected)")
        return cls(runs, rule, checker, None if wall_s is None else float(cast("float", wall_s)))


def judging(task: StdioTask, code: str, limits: Limits, early_stop: bool) -> Judging:
    """Runs the code on every input, in waves; `early_stop` ends after the first wave with a failure."""
    limits = limits if task.wall_s is None else replace(limits, wall_s=task.wall_s)
    tests: list[TestResult] = []
    flags: Flags = ()
    last: Result | None = None
    timeouts, wave = 0, FIRST_WAVE
    while len(tests) < len(task.runs):
        runs = task.runs[len(tests) : len(tests) + wave]
        answers = yield [Ask(Program(code, stdin=run.stdin), _limits(limits, run)) for run in runs]
        results = [result for result, _ in answers]
        passed = yield from _passed(task, runs, results, limits)
        for run, result, right in zip(runs, results, passed, strict=True):
            failure, new = what_it_did(result)
            if failure or isinstance(right, str):
                return Outcome((), failure=failure or str(right))
            flags += tuple(flag for flag in new if flag[0] not in dict(flags))
            timeouts += result.status is Status.TIMEOUT
            tests.append(TestResult(right, run.shown, "" if right else _note(run, result)))
            last = result
        failed = not all(test.passed for test in tests)
        if (early_stop and failed) or timeouts >= MAX_TIMEOUTS:
            tests += [TestResult(False, run.shown, "not run", answered=False) for run in task.runs[len(tests) :]]
        wave *= 4
    return Outcome(tuple(tests), last is None or parsed(last), flags)


def _passed(
    task: StdioTask, runs: Sequence[Run], results: Sequence[Result], limits: Limits
) -> Generator[list[Ask], list[Answer], list[bool | str]]:
    """Whether each run passed; a string says what went wrong with the checker."""
    if not task.checker:
        return [
            result.ok and read(len(result.stdout), same_output, result.stdout, run.stdout, task.rule)
            for run, result in zip(runs, results, strict=True)
        ]
    asked = [i for i, result in enumerate(results) if result.ok]
    passed: list[bool | str] = [False] * len(runs)
    if asked:
        answers = yield [_check(task.checker, runs[i], results[i], limits) for i in asked]
        for i, (result, _) in zip(asked, answers, strict=True):
            passed[i] = _said(result)
    return passed


def _said(result: Result) -> bool | str:
    """What the checker said. An exception and a limit come from the output that it was given."""
    call = result.calls[0] if result.calls else CallResult(answered=False)
    if call.ok:
        said = "what is too long to be" if isinstance(call.said, Sealed) else call.value
        return said if isinstance(said, bool) else f"the checker answered {said!r:.40}, not True or False"
    if call.answered:
        return False
    limits = (Status.TIMEOUT, Status.MEMORY_LIMIT, Status.OUTPUT_LIMIT)
    return False if result.status in limits else f"the checker gave no answer ({result.status}) {result.detail}"


def _check(checker: str, run: Run, result: Result, limits: Limits) -> Ask:
    """The checker's own run. Texts are what it asks for; bytes that are none reach it as surrogates."""
    texts = tuple(data.decode("utf-8", "surrogateescape") for data in (run.stdin, result.stdout, run.stdout))
    return Ask(Program(checker, calls=[Call("check", texts)]), limits)


def _limits(limits: Limits, run: Run) -> Limits:
    return replace(limits, output_bytes=max(limits.output_bytes, 2 * len(run.stdout) + OUTPUT_ROOM))


def _note(run: Run, result: Result) -> str:
    if not result.ok:
        return f"input {_brief(run.stdin)}: {result.status}, exit code {result.exit_code}"
    return f"input {_brief(run.stdin)}: wrote {_brief(result.stdout)}, expected {_brief(run.stdout)}"


def _brief(data: bytes) -> str:
    return repr(data[:60].decode("utf-8", "replace"))


def _bytes(value: Json) -> bytes:
    if not isinstance(value, str):
        raise TaskError(f"expected the input and output of a test as text, got {type(value).__name__}")
    return value.encode("utf-8", "surrogateescape")
