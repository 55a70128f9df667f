"""What poisoned jobs cost a pool of workers, and whether any verdict is lost or goes to another job.

    OMP_NUM_THREADS=1 python benchmarks/worker_faults.py

50,000 jobs, each with a number of its own, which is the reward that its verdict has to carry. One in twenty is
poisoned: it hangs, eats memory, leaves the process, returns twice (in a forked child too), or writes answers that
nobody asked for to every socket that it can find. Prints a Markdown table: the whole, and each kind by itself. The cost
of a poisoned job is the time that the workers lose with it (wall time beyond that of the clean jobs, times the workers,
by poisoned job), less the time limit where it runs into one. A hang, tried twice as all are, runs into it twice: one of
the two is counted as its cost.
"""

from __future__ import annotations

import argparse
import os
import random
import stat
import sys
import time
from collections.abc import Callable, Sequence

import cloudpickle

from rlenv import Completion, FunctionVerifier, Task, Verdict, WorkerPool
from rlenv.workers.pool import PickledVerifier

JOBS, ONE_IN, ALONE, SEED = 50_000, 20, 50, 0
WORKERS, TIME_LIMIT_S, MEMORY_MB = 2, 0.2, 64


def hang() -> None:
    while True:
        pass


def eat_memory() -> None:
    held: list[bytearray] = []
    while True:
        held.append(bytearray(8 << 20))


def leave() -> None:
    os._exit(3)


def return_twice() -> None:
    os.fork()


def answer_unasked() -> None:
    """Twice the bytes of a message of no length, as a worker's message begins, and then some that are none."""
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, bytes(16) + b"\xff" * 8)
        except OSError:
            continue


POISONS: dict[str, tuple[Callable[[], None], str]] = {
    "hangs": (hang, "graded 0"),
    "eats memory": (eat_memory, "graded 0"),
    "exits": (leave, "verifier_error"),
    "returns in a forked child too": (return_twice, "its own verdict"),
    "answers unasked": (answer_unasked, "verifier_error"),
}
"""With what its verdict has to be."""


def number(completion: str) -> float:
    value, _, poison = completion.partition(" ")
    if poison:
        POISONS[poison][0]()
    return float(value)


def outcome(verdict: Verdict, index: int) -> str:
    if verdict.reward is None:
        return "verifier_error"
    if verdict.reward == float(index + 1):
        return "its own verdict"
    return "graded 0" if verdict.reward == 0 and verdict.flags else "another job's verdict"


def judge(pool: WorkerPool, poisons: Sequence[str]) -> tuple[list[str], float]:
    """What became of each job, one for each name of a poison (empty: healthy), and the wall time."""
    texts = [f"{index + 1} {poison}".strip() for index, poison in enumerate(poisons)]
    jobs = [(Task("?", id="?"), Completion(text)) for text in texts]
    verifier = PickledVerifier.of(FunctionVerifier(number))
    began = time.perf_counter()
    verdicts = pool.judge_all(verifier, jobs, TIME_LIMIT_S)
    took = time.perf_counter() - began
    return [outcome(verdict, index) for index, verdict in enumerate(verdicts)], took


def mixed(kinds: Sequence[str], poisoned: int, jobs: int) -> list[str]:
    """The poisoned among the healthy, in an order drawn from the seed."""
    poisons = [kinds[place % len(kinds)] for place in range(poisoned)] + [""] * (jobs - poisoned)
    random.Random(SEED).shuffle(poisons)
    return poisons


def line(pool: WorkerPool, name: str, kinds: Sequence[str], poisoned: int, jobs: int) -> None:
    poisons = mixed(kinds, poisoned, jobs)
    _, clean_s = judge(pool, [poison for poison in poisons if not poison])
    restarts = pool.restarts
    outcomes, took = judge(pool, poisons)
    expected = [POISONS[poison][1] if poison else "its own verdict" for poison in poisons]
    shifted = outcomes.count("another job's verdict")
    late = outcomes_of_healthy(outcomes, poisons, "graded 0")
    lost = outcomes_of_healthy(outcomes, poisons, "verifier_error")
    right = sum(a == b for a, b in zip(outcomes, expected, strict=True))
    limits_s = TIME_LIMIT_S * poisons.count("hangs")
    cost_s = ((took - clean_s) * WORKERS - limits_s) / poisoned
    print(
        f"| {name} | {jobs:,} | {poisoned:,} | {right:,} | {lost} | {shifted} | {late} | {pool.restarts - restarts:,} "
        f"| {clean_s:.1f} | {took:.1f} | {cost_s:.3f} |",
        flush=True,
    )


def outcomes_of_healthy(outcomes: Sequence[str], poisons: Sequence[str], wanted: str) -> int:
    return sum(was == wanted for was, poison in zip(outcomes, poisons, strict=True) if not poison)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=JOBS)
    jobs = parser.parse_args().jobs
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    print(
        "| poison | jobs | poisoned | as expected | lost | another job's | healthy but late | restarts | clean, s "
        "| with poison, s | s a poisoned job beyond its limit |\n|" + "---|" * 11
    )
    with WorkerPool(WORKERS, memory_mb=MEMORY_MB) as pool:
        judge(pool, [""] * 1000)
        line(pool, "all five", list(POISONS), jobs // ONE_IN, jobs)
        for kind in POISONS:
            line(pool, kind, [kind], ALONE, 20 * ALONE)
    load = os.getloadavg()[0]
    print(
        f"\n{WORKERS} workers, {TIME_LIMIT_S:g} s, {MEMORY_MB} MB; {os.cpu_count()} cores, load {load:.1f} at the end."
    )


if __name__ == "__main__":
    main()
