"""What became of one program, and the verdict that it earns.

    pay      parts
    all      tests 1.0 when every test passes, shown or hidden, else 0
    share    tests: the share of the hidden tests that pass, times the share of the shown ones
    staged   parses 0.1, runs 0.1 (every test was answered), passes 0.8 (every test passes)

So knowing what the prompt shows pays nothing by itself, and contradicting it costs. A task without a hidden test is
judged by what is shown, and its verdicts say so. The scores hold what was counted: `tests`, `passed` (the hidden
ones), `shown`, `shown_passed` and `test/I` for each hidden test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Flag, Verdict
from rlenv.sandbox import Result, Status

Pay: TypeAlias = Literal["all", "share", "staged"]
PARSES, RUNS, PASSES = 0.1, 0.1, 0.8
ONLY_SHOWN = "the task has no hidden test: it passes those that the prompt shows"
Flags: TypeAlias = "tuple[tuple[str, str], ...]"
MAX_LISTED = 200
"""Hidden tests beyond this many have no score of their own."""
MAX_LINE = 4096
"""Bytes."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test: whether it passed, whether the prompt shows it, and what was wrong."""

    passed: bool
    shown: bool = False
    note: str = ""
    answered: bool = True
    """False where the program ended before it came to this test."""

    __test__ = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a program did with all tests of its task."""

    tests: tuple[TestResult, ...]
    parsed: bool = True
    flags: Flags = ()
    """Names and details of what is worth seeing."""
    failure: str = ""
    """What the machinery, not the program, did wrong; there is no verdict then."""


def check_pay(pay: str) -> None:
    """Raise ConfigError for a way to pay that does not exist."""
    if pay not in get_args(Pay):
        raise ConfigError(f"expected pay in {', '.join(get_args(Pay))}, got {pay!r}")


def verdict_of(outcome: Outcome, pay: Pay, start: int = 0, end: int = 0) -> Verdict:
    """The verdict of an outcome; its flags point at the code, `[start, end)` of the content, which is its answer."""
    flags = tuple(Flag(name, start, end, detail[:200]) for name, detail in outcome.flags)
    if outcome.failure:
        return Verdict.error(outcome.failure, flags)
    if not outcome.tests:
        return Verdict.error("the task has no test", flags)
    hidden, shown = _hidden(outcome), _shown(outcome)
    passed, shown_passed = (sum(test.passed for test in tests) for tests in (hidden, shown))
    if hidden and shown and shown_passed == len(shown) and not passed:
        flags = (*flags, Flag("shown_only", start, end, "passes every test that the prompt shows and no hidden one"))
    scores = {
        "tests": len(hidden),
        "passed": passed,
        "shown": len(shown),
        "shown_passed": shown_passed,
        **{f"test/{i}": float(test.passed) for i, test in enumerate(hidden[:MAX_LISTED])},
    }
    reason = _reason(hidden, "hidden") or _reason(shown, "shown") or ("" if hidden else ONLY_SHOWN)
    return Verdict.of(*_parts(outcome, pay), scores=scores, flags=flags, reason=reason, answer=(start, end))


def refused(flag: str, reason: str, pay: Pay, start: int = 0, end: int = 0) -> Verdict:
    """The verdict of a completion without a program to run."""
    names = ("parses", "runs", "passes") if pay == "staged" else ("tests",)
    return Verdict.of(*((name, 0.0) for name in names), flags=(Flag(flag, start, end),), reason=reason)


def _hidden(outcome: Outcome) -> list[TestResult]:
    return [test for test in outcome.tests if not test.shown]


def _shown(outcome: Outcome) -> list[TestResult]:
    return [test for test in outcome.tests if test.shown]


def _parts(outcome: Outcome, pay: Pay) -> list[tuple[str, float]]:
    everything = all(test.passed for test in outcome.tests)
    if pay == "share":
        return [("tests", _share(_hidden(outcome)) * _share(_shown(outcome)))]
    if pay == "all":
        return [("tests", float(everything))]
    runs = outcome.parsed and all(test.answered for test in outcome.tests)
    return [
        ("parses", PARSES if outcome.parsed else 0.0),
        ("runs", RUNS if runs else 0.0),
        ("passes", PASSES if everything and runs else 0.0),
    ]


def _share(tests: Sequence[TestResult]) -> float:
    return sum(test.passed for test in tests) / len(tests) if tests else 1.0


def _reason(tests: Sequence[TestResult], kind: str) -> str:
    failed = [test for test in tests if not test.passed]
    if not failed:
        return ""
    passed = len(tests) - len(failed)
    return f"{passed} of {len(tests)} {kind} tests pass; the first that fails: {failed[0].note or 'failed'}"


def what_it_did(result: Result) -> tuple[str, Flags]:
    """What the machinery did wrong ("" if nothing), and the flags of what the program did."""
    if result.status is Status.SANDBOX_FAILURE:
        return f"the sandbox failed: {result.detail}", ()
    if result.status is not Status.EXITED:
        return "", ((str(result.status), result.detail or last_line(result)),)
    if any(not call.answered for call in result.calls):
        if result.exit_code:
            return "", (("crashed", last_line(result)),)
        return "", (("exited_early", "it ended before its tests were answered"),)
    return "", ()


def parsed(result: Result) -> bool:
    """True when the code was at least Python."""
    return result.status not in (Status.SYNTAX_ERROR, Status.TAMPERED)


def last_line(result: Result) -> str:
    """The last that it wrote to stderr: the name and text of an exception, as a rule."""
    lines = result.stderr[-MAX_LINE:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
