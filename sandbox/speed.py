"""How many programs a second a sandbox runs, and how long one of them takes while all cells are busy."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from rlenv.sandbox.errors import SandboxError
from rlenv.sandbox.program import Call, Limits, Program, Result

LIMITS = Limits(wall_s=10.0, memory_mb=256)


def one_print(number: int) -> Program:
    """A program that prints one number."""
    return Program(f"print({number} * 2)")


def ten_calls(number: int) -> Program:
    """A function and ten hidden calls of it, as a program of HumanEval has them."""
    code = "def has_close(numbers, threshold):\n    numbers = sorted(numbers)\n"
    code += "    return any(b - a < threshold for a, b in zip(numbers, numbers[1:]))\n"
    return Program(code, calls=[Call("has_close", ([1.0, 2.5, number + 4.0], n / 2)) for n in range(10)])


def right(program: Program, result: Result, number: int) -> bool:
    """Whether this is the answer to one of the two programs above."""
    if not result.ok:
        return False
    if not program.calls:
        return result.stdout == b"%d\n" % (number * 2)
    return [call.value for call in result.calls] == [n / 2 > 1.5 for n in range(10)]


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured: `latencies_s` of each program, from the call to its result."""

    seconds: float
    latencies_s: tuple[float, ...]

    @property
    def per_second(self) -> float:
        """Programs a second, over all cells."""
        return len(self.latencies_s) / self.seconds

    def percentile_ms(self, share: float) -> float:
        """The latency that this share of the programs stays under, in milliseconds."""
        ordered = sorted(self.latencies_s)
        return 1e3 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    @property
    def median_ms(self) -> float:
        return 1e3 * statistics.median(self.latencies_s)


def measure(
    run: Callable[[Program, Limits], Result], make: Callable[[int], Program], *, seconds: float, at_once: int
) -> Speed:
    """Run programs for so long, as many at once as the sandbox has cells; every answer is checked.

    Raises SandboxError when one of them is wrong.
    """
    start = time.perf_counter()
    end = start + seconds

    def work(worker: int) -> list[float]:
        latencies: list[float] = []
        number = worker
        while (before := time.perf_counter()) < end:
            program = make(number)
            result = run(program, LIMITS)
            latencies.append(time.perf_counter() - before)
            if not right(program, result, number):
                raise SandboxError(f"a program of the benchmark was judged wrong: {result}")
            number += at_once
        return latencies

    with ThreadPoolExecutor(at_once) as threads:
        latencies = [one for part in threads.map(work, range(at_once)) for one in part]
    return Speed(time.perf_counter() - start, tuple(latencies))
