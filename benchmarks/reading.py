"""How fast a completion is read: prose, thoughts before an answer, and a megabyte made to slow the reader.

    python benchmarks/reading.py

Processor time of one thread, the best of five; the worst texts are those of tests/rlenv/reader_hostile.jsonl.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from rlenv import Completion
from rlenv.core.reading import READ_AS, ReadAs

HOSTILE = Path(__file__).parents[1] / "tests" / "rlenv" / "reader_hostile.jsonl"
MEGABYTE = 1_000_000
PROSE = (
    "The train travels at 60 km per hour, so in [three] hours it has gone 180 km; we think that x < 3.\n"
    "Hence $\\frac{1}{2} + \\frac{1}{3} = \\frac{5}{6}$, and **the rest** follows from `f(x) = 2`.\n"
)


def main() -> None:
    prose = (PROSE * (MEGABYTE // len(PROSE) + 1))[:MEGABYTE]
    for name, text in (("prose", prose), ("a trace before the answer", f"<think>{prose}</think>42")):
        print(f"{name:28}{len(text) / MEGABYTE / seconds(text, 'auto'):8.0f} MB/s")
    short = "To find the total we add: 48 + 24 = 72. The answer is \\boxed{72}."
    print(f"{'an answer of one line':28}{1e6 * seconds(short, 'auto', 20_000):8.2f} us")
    worst: list[tuple[float, str]] = []
    for line in HOSTILE.read_text(encoding="ascii").splitlines():
        expression = str(json.loads(line)["expression"])
        text = eval(expression, {"n": MEGABYTE})
        worst.append((max(seconds(text, setting) for setting in READ_AS), expression))
    print(f"\nslowest of {len(worst)} texts of a megabyte, in the slowest of {len(READ_AS)} settings")
    for spent, expression in sorted(worst, reverse=True)[:5]:
        print(f"{1e3 * spent:8.1f} ms  {expression[:80]}")


def seconds(text: str, read_as: ReadAs, times: int = 1) -> float:
    """The processor time of one reading."""

    def reading() -> None:
        for _ in range(times):
            _ = Completion(text, read_as=read_as).content

    return min(timed(reading) for _ in range(5)) / times


def timed(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
