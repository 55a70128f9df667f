"""The right verdict of a case, compared with what the sandbox said: an empty list when all of it is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rlenv.sandbox.codec import Opaque
from rlenv.sandbox.hostile.case import Case
from rlenv.sandbox.program import Result, Status

GRACE_S = 2.0
"""A result must be there this long after the program's wall limit."""

JUDGE_S = 1.0
"""How much longer a judge may run than its candidate."""

REPORT = "all was asked"
"""What a judge reports at its end."""


def same(given: object, wanted: object) -> bool:
    """Equal in type and value all the way down; 1 is not True and 2.0 is not 2."""
    if type(given) is not type(wanted):
        return False
    if isinstance(given, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(given) == len(wanted) and all(map(same, given, wanted))
    if isinstance(given, dict) and isinstance(wanted, dict):
        return same(list(given), list(wanted)) and same(list(given.values()), list(wanted.values()))
    return repr(given) == repr(wanted) if isinstance(given, float) else given == wanted


def texts(values: Iterable[object]) -> bytes:
    """All text inside values of any depth and size, without asking any number for its digits."""
    found: list[bytes] = []
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value.encode("utf-8", "surrogatepass"))
        elif isinstance(value, bytes):
            found.append(value)
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting += value
    return b"\n".join(found)


def passed(result: Result, answer: bytes | tuple[object, ...]) -> bool:
    """What a grader says of a program: it ended well, and printed or returned the answer."""
    if result.status is not Status.EXITED or result.exit_code != 0 or result.truncated:
        return False
    if isinstance(answer, bytes):
        return result.stdout == answer
    calls = result.calls
    return len(calls) == len(answer) and all(c.ok and same(c.value, a) for c, a in zip(calls, answer, strict=True))


def problems(case: Case, result: Result, elapsed_s: float, secret: bytes, judge: Result | None = None) -> list[str]:
    """What is wrong with the sandbox's answer to this case, in words; nothing is the right verdict.

    For a pair, `result` is that of the candidate, and `judge` that of the judge.
    """
    return list(_problems(case, result, elapsed_s, secret, judge))


def _problems(case: Case, result: Result, elapsed_s: float, secret: bytes, judge: Result | None) -> Iterator[str]:
    good = passed(result, case.answer) if judge is None else judge.ok and judge.reports == (REPORT,)
    if case.passes is not None and good is not case.passes:
        yield f"{'passes' if case.passes is False else 'fails'}, and must not"
    if isinstance(case.answer, tuple):
        for call, wanted in zip(result.calls, case.answer, strict=False):
            if isinstance(call.value, Opaque) and call.value == wanted:
                yield f"what is no plain value equals {wanted!r}"
    if result.status not in case.statuses:
        yield f"status {result.status}, expected {' or '.join(sorted(case.statuses))}"
    if case.shows not in result.stdout:
        yield f"the attack was not carried out: {case.shows!r} is not in its output"
    if judge is not None and judge.status is Status.SANDBOX_FAILURE:
        yield f"its judge failed: {judge.detail}"
    if elapsed_s > case.limits.wall_s + GRACE_S + (JUDGE_S if judge else 0.0):
        yield f"took {elapsed_s:.1f} s with a limit of {case.limits.wall_s} s"
    told = result.stdout + texts(call.value for call in result.calls)
    for mark in case.hides:
        if mark in told:
            at = told.index(mark)
            yield f"got through: {told[at : at + 120]!r}"
    if secret in told + result.stderr + texts(call.error + call.message for call in result.calls):
        yield "the secret leaked"
