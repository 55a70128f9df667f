"""Runs the hostile suite against a sandbox: after every attack a witness looks at what is left of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from rlenv.sandbox.hostile.case import Case
from rlenv.sandbox.hostile.honest import HONEST_LIMITS, honest_programs
from rlenv.sandbox.hostile.judging import passed, problems
from rlenv.sandbox.hostile.secret import BEARER_LIMITS, Secret, planted
from rlenv.sandbox.hostile.suite import CASES
from rlenv.sandbox.hostile.witness import WITNESS, WITNESS_LIMITS
from rlenv.sandbox.program import Limits, Program, Result

CHUNK = 500
"""Honest programs that are given to the sandbox at once."""


class Box(Protocol):
    """The part of a sandbox that the suite needs."""

    def run(self, program: Program, limits: Limits) -> Result: ...

    def run_pair(self, judge: Program, candidate: Program, limits: Limits) -> tuple[Result, Result]: ...

    def map(self, programs: Sequence[Program], limits: Limits) -> list[Result]: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case; `problems` is empty when the verdict was right."""

    case: Case
    result: Result
    elapsed_s: float
    problems: tuple[str, ...]


class Witnesses:
    """Remembers what a witness sees in fresh cells, and says what it sees beyond that later."""

    def __init__(self, box: Box, cells: int) -> None:
        self._box = box
        self._clean = {self._look() for _ in range(4)} | {
            result.stdout for result in box.map([WITNESS] * (4 * cells), WITNESS_LIMITS)
        }

    def _look(self) -> bytes:
        result = self._box.run(WITNESS, WITNESS_LIMITS)
        return result.stdout if result.ok else f"{result.status} {result.exit_code} {result.detail}".encode()

    def complaints(self) -> list[str]:
        """What the next program finds changed."""
        seen = self._look()
        if seen in self._clean:
            return []
        clean = set().union(*(known.splitlines() for known in self._clean))
        changed = [line[:160] for line in seen.splitlines() if line not in clean]
        return [f"the next program finds {line!r}" for line in changed] or ["the next program does not answer"]


def run_suite(
    box: Box,
    cases: Sequence[Case] = CASES,
    *,
    cells: int = 1,
    tell: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Run every case, on as many threads as the sandbox has cells, each attack followed by a witness.

    `tell` is called with each outcome as it comes, from one thread at a time.
    """
    lock = threading.Lock()
    with planted() as secret, ThreadPoolExecutor(cells) as threads:
        witnesses = Witnesses(box, cells)

        def run(case: Case) -> Outcome:
            outcome = run_case(box, case, secret, witnesses)
            if tell is not None:
                with lock:
                    tell(outcome)
            return outcome

        return list(threads.map(run, cases))


def run_case(box: Box, case: Case, secret: Secret, witnesses: Witnesses) -> Outcome:
    """One attack, right after a program that holds the secret and right before a witness."""
    wrong: list[str] = []
    bearer = box.run(secret.bearer(), BEARER_LIMITS)
    if not (bearer.ok and secret.text in bearer.stdout):
        wrong.append(f"the program before it failed: {bearer.status} {bearer.detail}")
    result, elapsed, found = attack(box, case, secret)
    return Outcome(case, result, elapsed, (*wrong, *found, *witnesses.complaints()))


def attack(box: Box, case: Case, secret: Secret) -> tuple[Result, float, list[str]]:
    """Run the program of a case, with its judge if it has one: its result, how long it took, and what is wrong."""
    start = time.monotonic()
    judge = None
    program = secret.aim(case.program)
    if case.judge:
        judge, result = box.run_pair(Program(case.judge), program, case.limits)
    else:
        result = box.run(program, case.limits)
    elapsed = time.monotonic() - start
    return result, elapsed, problems(case, result, elapsed, secret.text, judge)


def run_honest(box: Box, count: int) -> list[str]:
    """Run so many honest programs; what is wrong with any of them, in words."""
    wrong: list[str] = []
    honest = honest_programs(count, seed=0)
    for start in range(0, count, CHUNK):
        part = honest[start : start + CHUNK]
        results = box.map([one.program for one in part], HONEST_LIMITS)
        if len(results) != len(part):
            wrong.append(f"{len(part)} programs gave {len(results)} results")
        for number, (one, result) in enumerate(zip(part, results, strict=False), start):
            if not passed(result, one.answer):
                end = result.stderr[-200:] or result.detail
                wrong.append(f"honest program {number} was judged wrong: {result.status} {end!r}")
    return wrong
