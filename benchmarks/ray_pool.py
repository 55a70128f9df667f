"""Verdicts on three nodes of Ray that share this machine, beside the local pool; one node is killed on the way.

    OMP_NUM_THREADS=1 python benchmarks/ray_pool.py

Rounds take turns: both judge the same completions, half of them wrong, and each verdict is compared. The ratio is taken
inside a round, then its median and quartiles. In the last round one node is killed when a third of the verdicts is
there: that round stands apart. A verdict that is wrong, missing or told twice ends the benchmark.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import cloudpickle
import serve_programs

import rlenv
from rlenv import Completion, Task, WorkerPool
from rlenv.cluster.pool import RayPool
from rlenv.core.verdict import Verdict
from rlenv.envs.math.verifier import MathVerifier
from rlenv.judge.judge import Judge
from rlenv.workers.pool import OnVerdict, PickledVerifier, Pool

NODES, ROUNDS = 3, 5
STORE_BYTES = 200 << 20
TIME_LIMIT_S = 5.0
Jobs: TypeAlias = "list[tuple[Task, Completion]]"
Judging: TypeAlias = "Callable[[Pool, Jobs, OnVerdict], Sequence[Verdict]]"


class Kind(NamedTuple):
    """What is judged."""

    name: str
    jobs: Callable[[int, int], Jobs]
    """So many, from this number on; every second one is right."""
    judge: Judging


def programs(count: int, first: int) -> Jobs:
    task = serve_programs.ten_tests().tasks[0]
    return [(task, Completion(serve_programs.said(i, right=i % 2 == 0))) for i in range(first, first + count)]


def answers(count: int, first: int) -> Jobs:
    """Whole numbers, fractions that are not in lowest terms, and products that have to be multiplied out."""
    found: Jobs = []
    for i in range(first, first + count):
        n = i % 997 + 2
        reference, said = [
            (str(n), str(n)),
            (f"\\frac{{{n}}}{{{n + 1}}}", f"\\frac{{{3 * n}}}{{{3 * n + 3}}}"),
            (f"x^2+{n + 1}x+{n}", f"(x+1)(x+{n})"),
        ][i // 2 % 3]
        found.append(
            (Task(f"number {i}", reference), Completion(f"So it is \\boxed{{{said if i % 2 == 0 else n + 5}}}."))
        )
    return found


def by_definition(pool: Pool, jobs: Jobs, told: OnVerdict) -> Sequence[Verdict]:
    return Judge(serve_programs.ten_tests(), pool).verdicts(jobs, told)


def by_workers(pool: Pool, jobs: Jobs, told: OnVerdict) -> Sequence[Verdict]:
    """Every job goes to a worker, the simple ones too."""
    return pool.judge_all(PickledVerifier.of(MathVerifier()), jobs, TIME_LIMIT_S, told)


KINDS = {
    "programs": Kind("programs of ten tests", programs, by_definition),
    "mathematics": Kind("mathematics", answers, by_workers),
}


def judged(kind: Kind, pool: Pool, jobs: Jobs, loss: Callable[[], None] | None = None) -> float:
    """Verdicts a second. Ends the benchmark where one is wrong, lost or told twice."""
    told = Counter[int]()

    def tell(index: int, _: Verdict) -> None:
        told[index] += 1
        if loss is not None and told.total() == len(jobs) // 3:
            loss()

    start = time.perf_counter()
    verdicts = kind.judge(pool, jobs, tell)
    seconds = time.perf_counter() - start
    wrong = [v for i, v in enumerate(verdicts) if v.reward != float(i % 2 == 0)]
    if wrong or len(verdicts) != len(jobs) or told != Counter(range(len(jobs))):
        sys.exit(f"{len(wrong)} of {len(jobs)} verdicts are not what they should be: {wrong[:2]}; told {told.total()}")
    return len(jobs) / seconds


def measured(kind: Kind, count: int, local: Pool, far: RayPool, kill: Callable[[], None]) -> None:
    """A line of the table."""
    size = count // ROUNDS
    for pool in (local, far):
        judged(kind, pool, kind.jobs(max(60, size // 20), 0))  # warm
    pairs = [
        (judged(kind, local, jobs), judged(kind, far, jobs))
        for jobs in (kind.jobs(size, i * size) for i in range(ROUNDS - 1))
    ]
    last = kind.jobs(count - size * (ROUNDS - 1), size * (ROUNDS - 1))
    here, there = judged(kind, local, last), judged(kind, far, last, kill)
    ratios = statistics.quantiles([far / near for near, far in pairs], n=4)
    print(
        f"| {kind.name} | {count:,} | {statistics.median(near for near, _ in pairs):,.0f} "
        f"| {statistics.median(far for _, far in pairs):,.0f} | {ratios[1]:.2f} ({ratios[0]:.2f} to {ratios[2]:.2f}) "
        f"| {there / here:.2f} | {far.lost} of {NODES} | 0 | 0 |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--mathematics", type=int, default=100_000)
    given = parser.parse_args()
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    rlenv.load(serve_programs.ID)
    cloudpickle.register_pickle_by_value(serve_programs)
    machine = f"{platform.machine()}, {os.cpu_count()} cores for all"
    print(f"{machine}, Python {platform.python_version()}, Ray {ray.__version__}\n")
    print("| what | verdicts | local/s | three nodes/s | nodes / local | with the loss | nodes lost | lost | twice |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, kind in KINDS.items():
        if getattr(given, name):
            beside(kind, getattr(given, name))


def beside(kind: Kind, count: int) -> None:
    """A cluster of three nodes of one core, and the local pool."""
    import ray
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster()
    cluster.add_node(num_cpus=0, object_store_memory=STORE_BYTES)  # the head, where this process is
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES) for _ in range(NODES)]
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    with RayPool("ray", cpus=1) as far, WorkerPool() as local:
        while len(far.nodes) < NODES:
            judged(kind, far, kind.jobs(60, 0))
        measured(kind, count, local, far, lambda: cluster.remove_node(nodes[-1], allow_graceful=False))
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
