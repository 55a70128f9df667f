"""Jobs for the worker pool; verifiers of the tests are pickled by value, for workers cannot import the tests."""

from __future__ import annotations

import os
import select
import sys

import cloudpickle

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier, VerifierFunction
from rlenv.workers.pool import OnVerdict, PickledVerifier, WorkerPool

TASK = Task("?", "4")
PATIENCE_S = 20.0


def judge(
    pool: WorkerPool,
    function: VerifierFunction,
    *texts: str,
    limit_s: float = 60.0,
    on_verdict: OnVerdict | None = None,
) -> list[Verdict]:
    """The verdicts of a function on texts."""
    jobs = [(TASK, Completion(text)) for text in texts]
    return pool.judge_all(PickledVerifier.of(FunctionVerifier(function)), jobs, limit_s, on_verdict)


def rewards(verdicts: list[Verdict]) -> list[float | None]:
    return [verdict.reward for verdict in verdicts]


def value(completion: str) -> float:
    """The number that the completion is; some completions are poison."""
    if completion == "loop":
        while True:
            pass
    if completion == "crash":
        os._exit(3)
    if completion == "allocate":
        bytearray(10**10)
    return float(completion)


def ends(pid: int) -> bool:
    """True as soon as the process is gone; False if it outlives our patience."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE_S)[0])
    finally:
        os.close(handle)


cloudpickle.register_pickle_by_value(sys.modules[__name__])
