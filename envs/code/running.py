"""Runs what the shapes of tasks ask for: many programs at once in the one sandbox of this process.

A shape judges one completion as a generator: it yields the programs that it wants to see run, is sent their
results, and returns its Outcome. `run` drives the generators of a whole batch side by side, so that every
round fills all cells, whatever the tasks of the batch are.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from rlenv.envs.code.outcome import Outcome, TestResult
from rlenv.sandbox import Limits, Program, Result, Status, Unreadable

if TYPE_CHECKING:
    from rlenv.sandbox import Sandbox

STARVED = 0.9
"""A program that timed out with less than this share of its time on a processor is run once more: the machine may
have been busy."""
ASLEEP = 0.05
"""One that had less than this share waits for something else than a processor, where the machine is not busy."""
BUSY = 2.0
"""Processes that want a processor, for each that there is, on a busy machine."""
MOST_ROOM = 16
"""What a second run may take on the clock, in times of the first."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One program to run; with a `judge`, that one runs apart and calls the program's functions."""

    program: Program
    limits: Limits
    judge: Program | None = None


Answer: TypeAlias = "tuple[Result, Result | None]"
"""The program's result, and that of its judge where there is one."""
Judging: TypeAlias = "Generator[list[Ask], list[Answer], Outcome]"


def run(box: Sandbox, judgings: Sequence[Judging]) -> Iterator[tuple[int, Outcome]]:
    """The outcome of every judging with its index, as soon as it is known."""
    waiting: dict[int, list[Ask]] = {}
    for index, judging in enumerate(judgings):
        yield from _advance(index, judging, None, waiting)
    while waiting:
        asked, waiting = waiting, {}
        answers = iter(_answers(box, [ask for asks in asked.values() for ask in asks]))
        for index, asks in asked.items():
            yield from _advance(index, judgings[index], [next(answers) for _ in asks], waiting)


def _advance(
    index: int, judging: Judging, answers: list[Answer] | None, waiting: dict[int, list[Ask]]
) -> Iterator[tuple[int, Outcome]]:
    try:
        waiting[index] = next(judging) if answers is None else judging.send(answers)
    except StopIteration as end:
        yield index, end.value
    except Unreadable as problem:  # no one knows any more which of its answers are right: none is
        note = f"what it said cannot be read: {problem}"
        yield index, Outcome((TestResult(False, note=note, answered=False),), flags=(("unreadable", note),))
    except Exception as error:  # a task that cannot be judged must not stop the others
        yield index, Outcome((), failure=f"{type(error).__name__}: {error}")


def _answers(box: Sandbox, asks: Sequence[Ask]) -> list[Answer]:
    found = _once(box, asks)
    again = {i: second for i, answer in enumerate(found) if (second := _second(asks[i], answer))}
    for i, answer in zip(again, _once(box, list(again.values())), strict=True):
        found[i] = answer
    return found


def _second(ask: Ask, answer: Answer) -> Ask | None:
    """The second run of a program that timed out without its share of a processor, None for one that had it.

    What bounds it then is the processor time, and the clock leaves room for as busy a machine as the first run met.
    """
    results = [result for result in answer if result is not None]
    if all(result.status is not Status.TIMEOUT for result in results):
        return None
    limits = ask.limits
    room = room_for(sum(result.cpu_s for result in results) / limits.wall_s, pair=ask.judge is not None)
    if room < 2:
        return ask if room else None
    return replace(ask, limits=replace(limits, cpu_s=limits.cpu_s or limits.wall_s, wall_s=room * limits.wall_s))


def room_for(share: float, *, pair: bool = False) -> int:
    """How many times the clock of a second run is the first one's, by the share of a processor that it had.

    0 is none at all: it had its share. 1 is for what slept. Two programs that talk wait for each other, and for the
    host: these sleep on any busy machine. Powers of two, so that programs with the same limits run side by side.
    """
    if share >= STARVED:
        return 0
    if share >= ASLEEP:
        return min(MOST_ROOM, 1 << math.ceil(math.log2(2 / share)))
    return MOST_ROOM if pair or busy() else 1


def busy() -> bool:
    """True where far more wants to run than there are processors."""
    return os.getloadavg()[0] > BUSY * (os.cpu_count() or 1)


def _once(box: Sandbox, asks: Sequence[Ask]) -> list[Answer]:
    answers: dict[int, Answer] = {}
    alone: dict[Limits, list[int]] = defaultdict(list)
    pairs: list[int] = []
    for i, ask in enumerate(asks):
        if ask.judge is None:
            alone[ask.limits].append(i)
        else:
            pairs.append(i)
    for limits, indices in alone.items():
        results = box.map([asks[i].program for i in indices], limits)
        answers |= {i: (result, None) for i, result in zip(indices, results, strict=True)}
    if pairs:
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            answers |= dict(zip(pairs, threads.map(lambda i: _pair(box, asks[i]), pairs), strict=True))
    return [answers[i] for i in range(len(asks))]


def _pair(box: Sandbox, ask: Ask) -> Answer:
    try:
        judge, candidate = box.run_pair(ask.judge or Program(), ask.program, ask.limits)
    except Exception as error:  # the machinery's: it fails this pair, not the batch
        failed = Result(Status.SANDBOX_FAILURE, detail=f"{type(error).__name__}: {error}")
        return failed, failed
    return candidate, judge
