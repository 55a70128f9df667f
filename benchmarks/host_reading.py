"""What it costs the trainer's process to read what a program answers, whatever that is.

    python benchmarks/host_reading.py                        # every shape, every length, Docker and namespaces
    python benchmarks/host_reading.py --backend namespaces --lengths 1024,4194304 --repeats 1

A program answers a hidden call with so many bytes of each shape (answer_shapes.py) on the raw channel; honest shapes
are also what the task expects. It is judged as the code environments judge it; the last rows are other ways to make a
host read: an answer that a judge asked for, lines that mean nothing, and standard output.

    ms         processor time of this process for the whole verdict, all threads
    MB         peak resident memory of this process above what it was before
    pause ms   longest time that another thread of this process did not run while this process was at work
    reader s   processor time of the reader's process, which is bounded apart and can be killed

Of times, the smallest of the repeats: what other processes do to this one is not the subject, and what a task expects
is packed for the reader once, with its first long answer. Of memory, the largest. Exits with 1 when a
bound of BOUNDS does not hold at any length, or when a verdict is wrong.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial

from answer_shapes import HOSTILE, values

from rlenv.envs.code import calls, pairs
from rlenv.envs.code.case import Case
from rlenv.envs.code.comparison import OutputRule, same_output
from rlenv.envs.code.outcome import Outcome, TestResult, verdict_of, what_it_did
from rlenv.envs.code.running import Ask, Judging, run
from rlenv.envs.code.stdio import Run, StdioTask
from rlenv.sandbox import CellSettings, Limits, Program, Sandbox, open_sandbox, read, reading
from rlenv.sandbox.codec import dumps

LIMITS = Limits(wall_s=60.0, memory_mb=1024)
SETTINGS = CellSettings(memory_mb=2048, tmp_mb=32)
LENGTHS = (1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22)
AROUND = 64
"""What stands around an answer: its number, its time, the runner's marks."""
BOUNDS = {"ms": 150.0, "MB": 64.0, "pause ms": 50.0}
FIGURES = (*BOUNDS, "reader s")
RAW = """
import os
def say(data):
    while data:
        data = data[os.write(3, data):]
def f():
    say(b"= 0 0.0 " + open("answer", "rb").read() + b"\\n")
    os._exit(0)
"""
HONEST = "import json\nvalue = json.load(open('answer'))\ndef f():\n    return value"
LINES = "import os\nbody = open('answer', 'rb').read()\ndef f():\n    os.write(3, body)"
PRINTS = "import sys\nsys.stdout.write(open('answer').read())"
JUDGE = "report([call('f') == 1, ''])\nreport('done')"


@dataclass
class Cost:
    """Of each figure the smallest over the repeats; of memory the largest."""

    figures: dict[str, float] = field(default_factory=dict)

    def take(self, **figures: float) -> None:
        for name, value in figures.items():
            choose = max if name == "MB" else min
            self.figures[name] = choose(value, self.figures.get(name, value))


class Witness:
    """A thread that wants to run every half millisecond, and tells how long it could not for want of this process.

    A gap in which this process used no processor is another process's doing: the gap counts up to the
    processor time that was used in it."""

    def __init__(self) -> None:
        self.longest_s = self.used_s = 0.0
        self._done = False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        seen, used = time.perf_counter(), time.process_time() - time.thread_time()
        while not self._done:
            time.sleep(0.0005)
            now, others = time.perf_counter(), time.process_time() - time.thread_time()
            self.longest_s = max(self.longest_s, min(now - seen, others - used))
            seen, used = now, others
        self.used_s = time.thread_time()

    def stop(self) -> None:
        self._done = True
        self._thread.join()


def peak_mb() -> float:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def reset_peak() -> None:
    """From what is in use now: freed memory that the allocator kept would hide what the next answer takes."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")


def children_s() -> float:
    """Processor time of the reader so far."""
    process = reading._reader._process
    if process is None or process.poll() is not None:
        return 0.0
    with open(f"/proc/{process.pid}/stat") as stat:
        user, system = stat.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def measured(cost: Cost) -> Iterator[None]:
    gc.collect()
    reset_peak()
    before, witness, reader = peak_mb(), Witness(), children_s()
    start = time.process_time()
    try:
        yield
    finally:
        witness.stop()
        took = max(0.0, time.process_time() - start - witness.used_s)
        ours = max(0.0, children_s() - reader)
        figures = {"ms": 1e3 * took, "MB": peak_mb() - before, "pause ms": 1e3 * witness.longest_s, "reader s": ours}
        cost.take(**figures)


@dataclass(frozen=True)
class Trial:
    """One way to make the host read: what is judged, and whether it is right."""

    judging: Judging
    right: bool = False


def trials(length: int) -> Iterator[tuple[str, Callable[[], Trial]]]:
    """Every way at this length, made when it is tried."""
    for name, shape in HOSTILE.items():
        yield name, partial(_hostile_call, shape, length)
    for name in values(AROUND):
        yield name, partial(_honest_call, name, length)
    yield "nested frozensets, relayed to a judge", partial(_relayed, length)
    yield "lines of marks", partial(_lines, b"! run\n", length)
    yield "lines of reports", partial(_lines, b"+ 1\n", length)
    yield "output of short words", partial(_printed, b"ab ", length, b"x")
    yield "honest: output of numbers", partial(_printed, b"1234\n", length, b"")


def _hostile_call(shape: Callable[[int], bytes], length: int) -> Trial:
    return Trial(_called(RAW, shape(length - AROUND), _expecting(53)))


def _honest_call(name: str, length: int) -> Trial:
    task, answer = _honest_task(name, length)
    return Trial(_called(HONEST, answer, task), right=True)


@cache
def _honest_task(name: str, length: int) -> tuple[calls.CallTask, bytes]:
    value = values(length - AROUND)[name]
    return _expecting(value), dumps(value)


def _expecting(value: object) -> calls.CallTask:
    return calls.CallTask("f", (Case("f()", "f", expected=value),))


def _called(code: str, answer: bytes, task: calls.CallTask) -> Judging:
    """As calls.judging, without the bound on answers that goes by the length of the tests."""
    program = replace(calls.program(task, code), files={"answer": answer})
    [(result, _)] = yield [Ask(program, LIMITS)]
    return read(result.sealed_bytes, calls.outcome, task.cases, result)


def _relayed(length: int) -> Trial:
    candidate = Program(RAW, files={"answer": HOSTILE["frozensets of equal hashes, nested"](length - AROUND)})

    def judging() -> Judging:
        [(result, judged)] = yield [Ask(candidate, LIMITS, Program(JUDGE))]
        return pairs.outcome(result, judged or result)

    return Trial(judging())


def _lines(line: bytes, length: int) -> Trial:
    return Trial(_called(LINES, line * ((length - AROUND) // len(line)), _expecting(53)))


def _printed(word: bytes, length: int, missing: bytes) -> Trial:
    output = word * (length // len(word))
    task = StdioTask((Run(b"", output + missing),), OutputRule("tokens"))

    def judging() -> Judging:
        limits = replace(LIMITS, output_bytes=2 * len(output) + AROUND)
        [(result, _)] = yield [Ask(Program(PRINTS, files={"answer": output}), limits)]
        same = read(len(result.stdout), same_output, result.stdout, task.runs[0].stdout, task.rule)
        return Outcome((TestResult(result.ok and same),), failure=what_it_did(result)[0])

    return Trial(judging(), right=not missing)


def measure(box: Sandbox, length: int, repeats: int, only: str) -> dict[str, tuple[Cost, str]]:
    """The cost of every trial, and what is wrong with its verdict."""
    found: dict[str, tuple[Cost, str]] = {}
    for name, make in trials(length):
        if only not in name:
            continue
        cost, wrong = Cost(), ""
        for _ in range(repeats):
            trial = make()
            with measured(cost):
                [(_, outcome)] = run(box, [trial.judging])
            verdict = verdict_of(outcome, "all")
            if verdict.status != "graded" or verdict.reward != float(trial.right):
                wrong = f"{verdict.status} {verdict.reward} {verdict.reason}"
        found[name] = cost, wrong
        print(f"{length:>8} {name:40} {_figures(cost)} {wrong}", file=sys.stderr, flush=True)
    return found


def _figures(cost: Cost) -> str:
    return " ".join(f"{name} {cost.figures[name]:.3g}" for name in FIGURES)


def table(backend: str, lengths: Sequence[int], rows: dict[int, dict[str, tuple[Cost, str]]]) -> int:
    """Print one backend's table; how many bounds and verdicts do not hold."""
    last = lengths[-1]
    print(f"\n| {backend} | {' | '.join(f'ms, {_size(n)}' for n in lengths)} | MB | pause ms | reader s |")
    print("|---|" + "---|" * (len(lengths) + 3))
    for name in rows[last]:
        times = " | ".join(f"{rows[n][name][0].figures['ms']:.0f}" for n in lengths)
        figures = rows[last][name][0].figures
        print(f"| {name} | {times} | {figures['MB']:.0f} | {figures['pause ms']:.0f} | {figures['reader s']:.1f} |")
    costs = [(cost, wrong) for row in rows.values() for cost, wrong in row.values()]
    over = sum(cost.figures[name] > most for cost, _ in costs for name, most in BOUNDS.items())
    wrong = [text for _, text in costs if text]
    worst = ", ".join(f"{name} {max(cost.figures[name] for cost, _ in costs):.0f}" for name in BOUNDS)
    print(f"\n{backend}: worst {worst}; {over} figures over {BOUNDS}; {len(wrong)} verdicts wrong {wrong[:3]}")
    return over + len(wrong)


def _size(length: int) -> str:
    return f"{length >> 20} MB" if length >= 1 << 20 else f"{length >> 10} KB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--backend", default="docker,namespaces")
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="shapes whose name holds this")
    options = parser.parse_args()
    lengths = sorted(map(int, options.lengths.split(",")))
    failures = 0
    for backend in options.backend.split(","):
        with open_sandbox(backend, cells=1, settings=SETTINGS, check=False) as box:
            rows = {length: measure(box, length, options.repeats, options.only) for length in lengths}
        failures += table(backend, lengths, rows)
    print(f"\nPython {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
