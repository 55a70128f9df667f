"""Verifications through worker processes of which a few are poisoned: they hang, eat memory or kill their process.

Part of math_verifier.py. Every verification, the cheap ones too, goes through the pool. One in a thousand carries
a mark on which the verifier around MathVerifier misbehaves; the others have to be judged as their labels say.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import cloudpickle
from math_rows import Row, available, rows_of

from rlenv import Completion, Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import judge_cheaply
from rlenv.envs.math.verifier import MathVerifier
from rlenv.workers.pool import PickledVerifier, WorkerPool

TIME_LIMIT_S, MEMORY_MB = 1.0, 512
ONE_IN, SEED = 1000, 0
MARK = "\x00poison:"


def hang() -> None:
    while True:
        pass


def eat_memory() -> None:
    held: list[bytearray] = []
    while True:
        held.append(bytearray(16 << 20))


def exit_at_once() -> None:
    os._exit(3)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


POISONS: dict[str, Callable[[], None]] = {
    "hangs": hang,
    "eats memory": eat_memory,
    "exits": exit_at_once,
    "kills itself": kill_itself,
}


class Poisonable:
    """MathVerifier without its cheap way, so that each verification is a job; marked completions misbehave."""

    cheap = False
    version = "poisonable"

    def __init__(self) -> None:
        self.inner = MathVerifier()

    def verify(self, task: Task, completion: Completion) -> Verdict:
        if completion.text.startswith(MARK):
            POISONS[completion.text.removeprefix(MARK)]()
        return self.inner.verify(task, completion)


def load(data: Path, count: int) -> None:
    rows, dropped = _judged_right(data)
    chance = random.Random(SEED)
    poisoned = dict(zip(sorted(chance.sample(range(count), count // ONE_IN)), _in_turn(count), strict=False))
    chosen = [rows[chance.randrange(len(rows))] for _ in range(count)]
    jobs = [_job(row, poisoned.get(index)) for index, row in enumerate(chosen)]
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    pickled = PickledVerifier.of(Poisonable())
    print(
        "\n| under load | healthy | judged right | lost | worker restarts | wall time, s |\n|---|---|---|---|---|---|"
    )
    with WorkerPool(memory_mb=MEMORY_MB) as pool:
        clean = [job for index, job in enumerate(jobs) if index not in poisoned]
        healthy = [row for index, row in enumerate(chosen) if index not in poisoned]
        _line("without poison", healthy, pool, lambda: pool.judge_all(pickled, clean, TIME_LIMIT_S))
        verdicts: list[Verdict] = []
        _line(
            f"{len(poisoned)} of {count:,} poisoned",
            healthy,
            pool,
            lambda: _healthy(pool.judge_all(pickled, jobs, TIME_LIMIT_S), poisoned, verdicts),
        )
        workers = pool.size
    outcomes = Counter(
        (kind, "no reward" if verdict.reward is None else f"graded {verdict.reward:g}")
        for kind, verdict in zip(poisoned.values(), verdicts, strict=True)
    )
    print(f"\n{workers} workers, {TIME_LIMIT_S:g} s and {MEMORY_MB} MB each; {len(rows):,} different rows,")
    print(f"{dropped} left out because the verifier alone judges them unlike their label. The poisoned:")
    print(", ".join(f"{kind}: {outcome} ({times})" for (kind, outcome), times in sorted(outcomes.items())) + ".")


def _line(name: str, healthy: Sequence[Row], pool: WorkerPool, judge: Callable[[], list[Verdict]]) -> None:
    before, began = pool.restarts, time.perf_counter()
    verdicts = judge()
    took = time.perf_counter() - began
    right = sum(v.reward == float(row.expected) for v, row in zip(verdicts, healthy, strict=True))
    lost = sum(v.reward is None for v in verdicts)
    print(f"| {name} | {len(healthy):,} | {right:,} | {lost} | {pool.restarts - before} | {took:.1f} |", flush=True)


def _healthy(verdicts: list[Verdict], poisoned: dict[int, str], aside: list[Verdict]) -> list[Verdict]:
    aside += [verdicts[index] for index in poisoned]
    return [verdict for index, verdict in enumerate(verdicts) if index not in poisoned]


def _judged_right(data: Path) -> tuple[list[Row], int]:
    """The rows of real solutions and answers that the verifier alone judges as labelled, without algebra."""
    names = [name for name in available(data) if name not in ("gaming", "dos")]
    rows = [row for name in names for row in rows_of(name, data) if not row.policy and not row.question]
    judge = MathVerifier()
    decided = [judge_cheaply(judge, Task("", row.gold), Completion(row.prediction)) for row in rows]
    right = [
        row
        for row, verdict in zip(rows, decided, strict=True)
        if verdict is not None and verdict.reward == float(row.expected)
    ]
    return right, len(rows) - len(right)


def _in_turn(count: int) -> list[str]:
    kinds = list(POISONS)
    return [kinds[number % len(kinds)] for number in range(count // ONE_IN)]


def _job(row: Row, poison: str | None) -> tuple[Task, Completion]:
    return Task("", row.gold, id=row.id), Completion(row.prediction if poison is None else MARK + poison)
