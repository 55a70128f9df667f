"""Tasks of the shape "function with hidden calls": arguments go in, plain data comes out, compared on the host.

A task holds, as its reference,

    {"kind": "calls", "function": "add",          the name that the prompt asks for
     "tests": [{"call": "add(1, 2)", "expect": "3"}, ...],      rows of rlenv.envs.code.case
     "head": "def add(a, b):\\n",                  optional: the prompt, where a completion may go on from it
     "preamble": "import math\\n",                 optional: runs before the completion's code
     "setup": "root = Node(1)\\n",                optional: runs after it, for the names that `cell` tests use
     "wall_s": 30.0,                              optional: the limit, where a right program needs longer than others
     "types": "python"}                           optional: the default of the tests that say nothing of types

and `rlenv.envs.code.definition.code_definition` makes an environment of a list of such tasks. What is expected
never enters the sandbox: a program that wants to forge an answer has to know it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.door.keeping import kept_within
from rlenv.envs.code.case import Case, Row
from rlenv.envs.code.equality import is_plain
from rlenv.envs.code.expression import items
from rlenv.envs.code.outcome import Outcome, TestResult, parsed, what_it_did
from rlenv.envs.code.probe import probe_of
from rlenv.envs.code.running import Ask, Judging
from rlenv.sandbox import Call, CallResult, Limits, Program, Result, Status, read

_FUTURE = re.compile(r"^from[ \t]+__future__[ \t]+import[^\n]*\n?", re.MULTILINE)
_ITERATED = re.compile(r"\b(?:list|tuple|set|frozenset|sorted|sum|min|max|all|any)\(_\b")
KEPT_BYTES = 64 << 20
"""Of tasks that were read, in one process."""
MAX_READING_S, MAX_ITEMS = 1.0, 2_000_000
"""Processor time and items that the values of all tests of a row may take: `[0] * 100_000` is a short text."""
RESULT_ROOM = 1 << 16
RESULT_FACTOR = 16
"""Answers may be this much longer than the text of the tests: what is longer is wrong, and would fill the host."""
ADAPTER = """
def __rlenv_plain(value):
    kind = type(value)
    if kind is dict or isinstance(value, dict):
        return {__rlenv_plain(k): __rlenv_plain(v) for k, v in dict.items(value)}
    for plain in (list, tuple, set, frozenset):
        if isinstance(value, plain):
            return plain(__rlenv_plain(item) for item in plain.__iter__(value))
    for plain, read in ((int, "__int__"), (float, "__float__"), (str, "__str__")):
        if isinstance(value, plain) and kind is not plain and kind is not bool:
            return getattr(plain, read)(value)
    return value.item() if kind.__module__ == "numpy" and getattr(value, "shape", None) == () else value


def __rlenv_call(function, drained, args, kwargs):
    value = eval(function, globals())(*args, **kwargs)
    return __rlenv_plain(list(value) if drained else value)
"""
"""Runs in the sandbox, after the completion's code: turns what is derived from plain data (Counter, a named tuple)
into that. It gives nothing away and decides nothing, so it does not matter that a program can replace it."""


@dataclass(frozen=True, slots=True)
class CallTask:
    """The reference of a task of this shape, read and checked."""

    function: str
    cases: tuple[Case, ...]
    head: str = ""
    preamble: str = ""
    setup: str = ""
    wall_s: float = 0.0
    epilogue: str = field(init=False, repr=False)
    """What stands behind the code of every completion."""
    calls: tuple[Call, ...] = field(init=False, repr=False)
    """The calls of all cases, encoded once for all completions."""

    def __post_init__(self) -> None:
        names = {id(case): f"__rlenv_{i}" for i, case in enumerate(case for case in self.cases if case.cell)}
        evaluated = [f"def {names[id(case)]}():\n    return {case.call}\n" for case in self.cases if case.cell]
        object.__setattr__(self, "epilogue", "\n".join([self.setup, *evaluated, ADAPTER]))
        object.__setattr__(self, "calls", tuple([_call(case, names.get(id(case))) for case in self.cases]))

    @staticmethod
    def of(reference: Mapping[str, Json]) -> CallTask:
        """Read once, and kept. Raises TaskError for tests that cannot be judged."""
        return _task(json.dumps(reference))


def _weight(text: str, task: CallTask) -> int:
    """About the bytes of a task: 60 an item of its values, and those of its texts and calls."""
    values = [v for case in task.cases for v in (case.expected, case.arguments, [*case.keywords.values()])]
    texts = 8 * len(text) + sum(len(call.line) for call in task.calls)
    return 500 * len(task.cases) + texts + 60 * sum(map(items, values))


@kept_within(KEPT_BYTES, _weight)
def _task(text: str) -> CallTask:
    reference: Mapping[str, Json] = json.loads(text)
    types = {"types": reference["types"]} if "types" in reference else {}
    cases = tuple(_cases(types, cast("Sequence[Row]", reference["tests"])))
    if not cases:
        raise TaskError("expected at least one test, got none")
    texts = {name: str(reference.get(name, "")) for name in ("head", "preamble", "setup")}
    wall_s = float(cast("float", reference.get("wall_s", 0.0)))
    return CallTask(str(reference["function"]), cases, **texts, wall_s=wall_s)


def _cases(types: Row, rows: Sequence[Row]) -> Iterator[Case]:
    """The tests of a row. Raises TaskError where their values take too long to be worked out, or too much room."""
    end, held = time.thread_time() + MAX_READING_S, 0
    for row in rows:
        case = Case.of({**types, **row})
        held += items(case.expected) + items(case.arguments)
        if time.thread_time() > end or held > MAX_ITEMS:
            raise TaskError(
                f"expected tests whose values take {MAX_READING_S} s to be read and hold {MAX_ITEMS} items at most; "
                "leave some out"
            )
        yield case


def judging(task: CallTask, code: str, limits: Limits, *, probe: bool = False) -> Judging:
    """Runs the code once, with every call of the task; with `probe`, what passes a second time, with neighbours."""
    room = _with_room(task, limits)
    [(result, _)] = yield [Ask(program(task, code), room)]
    found = read(result.sealed_bytes, outcome, task.cases, result)
    neighbours = probe_of(task.cases) if probe and _knows(found) else None
    if neighbours is None:
        return found
    [(second, _)] = yield [Ask(replace(program(task, code), calls=neighbours.calls), room)]
    detail = read(second.sealed_bytes, neighbours.evidence, second.calls)
    return replace(found, flags=(*found.flags, ("special_cased", detail))) if detail else found


def _knows(found: Outcome) -> bool:
    """True where all tests that the prompt shows pass, or all that it does not."""
    shown = [test.passed for test in found.tests if test.shown]
    hidden = [test.passed for test in found.tests if not test.shown]
    return not found.failure and any(tests and all(tests) for tests in (shown, hidden))


def _with_room(task: CallTask, limits: Limits) -> Limits:
    """Limits for answers that are not much longer than the tests; one of few sizes, so that tasks share limits."""
    room = RESULT_ROOM + RESULT_FACTOR * sum(len(case.text) for case in task.cases)
    wall_s = max(limits.wall_s, task.wall_s)
    return replace(limits, wall_s=wall_s, result_bytes=min(limits.result_bytes, 1 << room.bit_length()))


def program(task: CallTask, code: str) -> Program:
    """The code between preamble and set-up, with the calls of every test."""
    return Program(assembled(task.preamble, code, task.epilogue), calls=task.calls)


def assembled(preamble: str, code: str, epilogue: str = "") -> str:
    """One module of three texts; `from __future__` of the middle one goes to the top, where it must stand."""
    futures = "".join(line.rstrip("\n") + "\n" for line in _FUTURE.findall(code)) if preamble or epilogue else ""
    rest = _FUTURE.sub("\n", code) if futures else code
    return f"{futures}{preamble.rstrip()}\n\n{rest}\n{epilogue}" if preamble.strip() else f"{futures}{rest}\n{epilogue}"


def _call(case: Case, name: str | None) -> Call:
    drained = bool(_ITERATED.search(case.check))
    if name is not None:
        return Call("__rlenv_call", (name, drained, [], {}))
    return Call("__rlenv_call", (case.function, drained, list(case.arguments), dict(case.keywords)))


def outcome(cases: Sequence[Case], result: Result) -> Outcome:
    """What the results of the calls are worth. A program that goes on after its last answer until it is stopped
    passes nothing; one that is stopped earlier keeps what it answered."""
    failure, flags = what_it_did(result)
    answers = [*result.calls, *[CallResult(answered=False)] * (len(cases) - len(result.calls))]
    judged = [_tested(case, answer) for case, answer in zip(cases, answers, strict=False)]
    tests = tuple(test for test, _ in judged)
    if result.status is not Status.EXITED and all(answer.answered for answer in answers):
        tests = tuple(TestResult(False, test.shown, f"had to be stopped: {result.status}") for test in tests)
    if any(answer.error == "MemoryError" for answer in answers):
        flags = (*flags, ("memory_limit", "a call raised MemoryError"))
    if not all(plain for _, plain in judged):
        flags = (*flags, ("opaque_value", "a call returned what is no plain data"))
    return Outcome(tests, parsed(result), flags, failure)


def _tested(case: Case, answer: CallResult) -> tuple[TestResult, bool]:
    """What became of the test, and whether the answer is plain data; an answer is decoded once, and let go of."""
    if not answer.answered:
        return TestResult(False, case.shown, f"{case.call[:120]}: never answered", answered=False), True
    value = answer.value
    plain = not answer.ok or is_plain(value)
    if case.raises:
        raised = not answer.ok and answer.error == case.raises
        return TestResult(raised, case.shown, f"{case.call[:120]} does not raise"), plain
    if not answer.ok:
        return TestResult(False, case.shown, f"{case.call[:120]} raised {answer.error}: {answer.message[:80]}"), plain
    if plain and case.holds(value):
        return TestResult(True, case.shown), plain
    return TestResult(False, case.shown, f"{case.call[:120]} gave {_brief(value)}"), plain


def _brief(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of too many digits
        text = type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."
