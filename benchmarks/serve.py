"""How many verdicts a second `rlenv serve` gives, beside the same judge called as a function.

    OMP_NUM_THREADS=1 python benchmarks/serve.py

The server is a process of its own on this very machine, so client and server share its cores. Rounds take turns: the
service and the function judge the same completions, half of them wrong, and each verdict is compared. The ratio is
taken inside a round, then its median and quartiles; processor time is counted too, because a machine that others use
makes the clock say little. The last row sends every completion in a request of its own.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeAlias

import serve_programs

import rlenv
from rlenv import Completion, Task
from rlenv.cluster.client import RemoteVerifier
from rlenv.env.rows import GroupJudge

HERE = Path(__file__).parent
SUMS = "math/arithmetic-v0"
CLIENTS = 4
Jobs = list[tuple[Task, Completion]]
Judge: TypeAlias = "Callable[[Jobs], Sequence[float | None]]"
Arm: TypeAlias = "tuple[str, Judge, Judge, Callable[[], Jobs]]"


@contextmanager
def served(*envs: str) -> Iterator[tuple[str, int]]:
    """The address and the process of a server of these environments."""
    command = [sys.executable, "-m", "rlenv", "serve", *envs, "--port", "0", "--import", "serve_programs"]
    with subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            said = process.stdout.readline()
            yield next(word for word in said.split() if word.startswith("http://")), process.pid
        finally:
            process.terminate()


def sums(numbers: Iterator[int], groups: int, size: int) -> Jobs:
    """Groups of completions, half of them wrong."""
    definition = rlenv.load(SUMS)
    tasks = [definition.tasks[next(numbers) % len(definition.tasks)] for _ in range(groups)]
    texts = [("The sum comes to ", definition.solution(task)) for task in tasks]
    return [
        (task, Completion(f"{i}: {before}" + (right if i % 2 else "\\boxed{-1}")))
        for task, (before, right) in zip(tasks, texts, strict=True)
        for i in range(size)
    ]


def programs(numbers: Iterator[int], groups: int, size: int) -> Jobs:
    """Programs that differ, half of them wrong."""
    task = serve_programs.ten_tests().tasks[0]
    return [(task, Completion(serve_programs.said(next(numbers), right=i % 2 == 1))) for i in range(groups * size)]


class Measured(NamedTuple):
    """One round of one arm."""

    per_second: float
    server_us: float
    """Processor time of the server for a verdict, with its workers and the cells of its sandbox."""
    own_us: float
    """Processor time of this process for a verdict."""


def measured(judge: Judge, jobs: Jobs, server: int) -> Measured:
    """Ends the benchmark where a verdict is wrong."""
    start, own, of_server = time.perf_counter(), time.process_time(), cpu_s(server)
    rewards = judge(jobs)
    seconds, own, of_server = time.perf_counter() - start, time.process_time() - own, cpu_s(server) - of_server
    wanted = [float("boxed{-1}" not in c.text and "return False" not in c.text) for _, c in jobs]
    if list(rewards) != wanted:
        sys.exit(f"wrong verdicts: {sum(a != b for a, b in zip(rewards, wanted, strict=True))} of {len(jobs)}")
    return Measured(len(jobs) / seconds, 1e6 * of_server / len(jobs), 1e6 * own / len(jobs))


def cpu_s(process: int) -> float:
    """Seconds on a processor of a process and all below it, ended ones too (proc(5), fields 4 and 14 to 17)."""
    parents, spent = dict[int, int](), dict[int, int]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)], spent[int(stat.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))

    def below(pid: int) -> bool:
        return pid == process or (pid in parents and below(parents[pid]))

    return sum(ticks for pid, ticks in spent.items() if below(pid)) / os.sysconf("SC_CLK_TCK")


def by_call(env: str) -> Judge:
    judge = GroupJudge(rlenv.load(env))

    def judged(jobs: Jobs) -> list[float | None]:
        episodes = judge.judge([t for t, _ in jobs], [c for _, c in jobs], [t.id for t, _ in jobs], wrappers=False)
        return [episode.verdict.reward for episode in episodes]

    return judged


def by_service(url: str, env: str, batch_size: int = 64) -> Judge:
    verifier = RemoteVerifier(url, env, batch_size=batch_size, concurrency=CLIENTS)

    def judged(jobs: Jobs) -> list[float | None]:
        found = dict(verifier.verify_all(jobs))
        return [found[i].reward for i in range(len(jobs))]

    return judged


def one_by_one(url: str, env: str) -> Judge:
    """A client of its own for each of several threads, and a request for each completion."""
    verifiers = [RemoteVerifier(url, env, concurrency=1) for _ in range(CLIENTS)]

    def judged(jobs: Jobs) -> list[float | None]:
        with ThreadPoolExecutor(CLIENTS) as threads:
            places = [range(i, len(jobs), CLIENTS) for i in range(CLIENTS)]
            found = threads.map(lambda v, mine: [(i, v.verify(*jobs[i]).reward) for i in mine], verifiers, places)
            rewards = dict(pair for pairs in found for pair in pairs)
        return [rewards[i] for i in range(len(jobs))]

    return judged


def told(values: Sequence[float], form: str) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:{form}} ({low:{form}} to {high:{form}})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    rlenv.load(serve_programs.ID)
    numbers = count()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores shared by client and server, Python {platform.python_version()}"
    )
    print("\n| what | verdicts/s, service | verdicts/s, function | service / function | processor, server and client |")
    print("|---|---|---|---|---|")
    with served(SUMS, serve_programs.ID) as (url, server):
        for name, service, function, jobs in arms(url, numbers):
            measured(service, jobs(), server), measured(function, jobs(), server)  # both are warm
            rounds = [(measured(service, j, server), measured(function, j, server)) for j in drawn(jobs, given.rounds)]
            rates = [told([pair[i].per_second for pair in rounds], ",.0f") for i in range(2)]
            ratio = told([ours.per_second / theirs.per_second for ours, theirs in rounds], ".2f")
            spent = [statistics.median(values) for values in zip(*(ours[1:] for ours, _ in rounds), strict=True)]
            print(
                f"| {name} | {rates[0]} | {rates[1]} | {ratio} | {spent[0]:,.0f} and {spent[1]:,.0f} µs |", flush=True
            )


def arms(url: str, numbers: Iterator[int]) -> list[Arm]:
    """What is measured: its name, the service, the function, and what draws the completions of a round."""
    ten = serve_programs.ID
    return [
        ("sums, batches of 64", by_service(url, SUMS), by_call(SUMS), lambda: sums(numbers, 64, 64)),
        ("programs of ten tests, batches of 64", by_service(url, ten), by_call(ten), lambda: programs(numbers, 8, 64)),
        ("sums, one a request", one_by_one(url, SUMS), by_call(SUMS), lambda: sums(numbers, 8, 64)),
    ]


def drawn(jobs: Callable[[], Jobs], rounds: int) -> Iterator[Jobs]:
    return (jobs() for _ in range(rounds))


if __name__ == "__main__":
    main()
