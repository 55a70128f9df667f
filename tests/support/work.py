"""How much work a call takes, told without a clock that another machine, or a busy one, would read differently."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
ATTEMPTS, TIMES, SLACK = 5, 8, 3
"""Linear work grows eightfold with the length, quadratic work sixty-four fold; three times eight lies between."""


def assert_linear(run: Callable[[int], object], length: int) -> None:
    """Fail where `run(length)` costs more than SLACK * TIMES `run(length / TIMES)`, in each attempt.

    The lengths differ a little from attempt to attempt, so that nothing is remembered from the one before.
    """
    run(length // TIMES // 2)  # what is only done once in a process
    ratios = []
    for attempt in range(ATTEMPTS):
        share = 1 - attempt / 50
        small = min(_cost(run, int(length * (share - i / 200) / TIMES)) for i in range(3))
        ratios.append(_cost(run, int(length * share)) / small)
        if ratios[-1] < SLACK * TIMES:
            return
    raise AssertionError(f"{TIMES} times the length costs {min(ratios):.0f} times the work or more")


def _cost(run: Callable[[int], object], length: int) -> float:
    """Processor seconds of this thread."""
    gc.disable()  # a collection of what all tests before have left is not of this call
    try:
        began = time.thread_time()
        run(length)
        return time.thread_time() - began
    finally:
        gc.enable()


def few_calls(most: int, run: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `run(...)` gives; fails as soon as it has made more than `most` calls of functions, in Python or in C."""
    made = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal made
        if event in ("call", "c_call"):
            made += 1
            if made > most:
                sys.setprofile(None)
                raise AssertionError(f"more than {most} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = run(*args, **kwargs)
    finally:
        sys.setprofile(before)
    assert made <= most, f"more than {most} calls, and the error of it was caught"
    return found
