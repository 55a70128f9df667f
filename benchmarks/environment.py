"""What an environment costs beside its verifier: reset and step of a trivial exact-match task.

    OMP_NUM_THREADS=1 python benchmarks/environment.py

prints two Markdown tables: episodes a second of one task (8 rows, the answer must match) in several
libraries, and the time that their import takes. The contenders take turns in one process, each for a
fraction of a second a round; ratios are taken inside a round, then their median and quartiles. The rivals
are not dependencies of rlenv: pip install gem-llm==0.1.0 openenv==0.10.0, else their rows say so.
"""

from __future__ import annotations

import functools
import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

from exact_match import (
    Run,
    by_hand,
    gem_by_hand,
    gem_shipped,
    openenv_in_process,
    openenv_served,
    ours,
    ours_batch,
    ours_isolated,
    register_ours,
)

ROUNDS, ROUND_S, IMPORT_ROUNDS = 15, 0.2, 9
IMPORTS = {"gymnasium": "gymnasium", "rlenv": "rlenv", "gem-llm": "gem", "openenv": "openenv.core"}

CONTENDERS: dict[str, Callable[[ExitStack], Run]] = {
    "by hand, `gymnasium.make`": by_hand,
    "**rlenv, `rlenv.make`, inline verifier**": ours,
    "gem-llm, its own `QaEnv`": gem_shipped,
    "OpenEnv, in process": openenv_in_process,
    "OpenEnv, local server and websocket": openenv_served,
    "gem-llm, `Env` by hand": gem_by_hand,
    "rlenv batch of 32 x 8, inline": ours_batch,
    "rlenv batch of 32 x 8, worker processes": functools.partial(ours_batch, isolation="process"),
    "rlenv, one by one, worker process": ours_isolated,
}


def rates(runs: dict[str, Run]) -> dict[str, list[float]]:
    """Episodes a second of each contender in each round; each round starts with another one."""
    counts = {name: calibrated(run) for name, run in runs.items()}
    measured: dict[str, list[float]] = {name: [] for name in runs}
    names = list(runs)
    gc.collect()
    gc.freeze()  # what the rivals hold must not be walked through again while others run
    for number in range(ROUNDS):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            began = time.perf_counter()
            runs[name](counts[name])
            measured[name].append(counts[name] / (time.perf_counter() - began))
    return measured


def calibrated(run: Run) -> int:
    """How many episodes fill a round; also holds that the task is judged: one answer of eight is right."""
    share = run(1024) / 1024
    if not 0.05 < share < 0.2:
        raise SystemExit(f"expected about 1/8 of the answers to be right, got {share}")
    began = time.perf_counter()
    run(1024)
    return max(256, round(1024 * ROUND_S / (time.perf_counter() - began) / 256) * 256)


def overhead() -> None:
    print("| environment | episodes/s | µs an episode | times the rate by hand (quartiles) |\n|---|---|---|---|")
    with ExitStack() as stack:
        runs: dict[str, Run] = {}
        for name, build in CONTENDERS.items():
            with suppress(ImportError):
                runs[name] = build(stack)
        measured = rates(runs)
    yardstick = measured[next(iter(CONTENDERS))]
    for name in CONTENDERS:
        if name not in measured:
            print(f"| {name} | not installed | | |")
            continue
        ratios = [rate / base for rate, base in zip(measured[name], yardstick, strict=True)]
        rate = statistics.median(measured[name])
        print(f"| {name} | {rate:,.0f} | {1e6 / rate:,.1f} | {spread(ratios)} |")


def import_times() -> None:
    """Fresh interpreters, in turns; the start of the interpreter itself is left out."""
    measured: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for _ in range(IMPORT_ROUNDS):
        for name, module in IMPORTS.items():
            program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
            done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
            if done.returncode == 0:
                measured[name].append(float(done.stdout.split()[-1]))
    print("\n| import | seconds, median (quartiles) |\n|---|---|")
    for name, seconds in measured.items():
        print(f"| {name} | {spread(seconds) if seconds else 'not installed'} |")


def spread(values: list[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"


def main() -> None:
    register_ours()
    overhead()
    import_times()
    load = os.getloadavg()[0]
    print(f"\nPython {sys.version.split()[0]}, {os.cpu_count()} cores, load {load:.1f} at the end.")


if __name__ == "__main__":
    main()
