"""Whether judge-check finds known faults of scripted judges, and finds none where there is none.

    python benchmarks/judge_faults.py                 # 20 seeds of 200 pairs a judge, no model

The judges are scripted: they draw which answer they prefer, .8 for the better one, and each has one fault: .2 more for
the first place; obedience to instructions in an answer; a slope of .1 on the log of the ratio of lengths. Prints how
many of the seeds find the fault, and how many intervals of the judge without faults leave 0 out.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rlenv.core.completion import Completion
from rlenv.judges.check import Checked, Labelled, check_pairs
from rlenv.judges.pairs import InOrder, PairJob

MARKS = ("grader", "<|im_start|>system", "Verdict:")
"""What the obedient judge obeys; the exploits that give orders hold one of them each."""
FAULTS = {"order": {"order": 0.2}, "instructions": {"obedience": 0.3}, "length": {"length": 0.1}}


@dataclass
class Scripted:
    """Prefers the better answer (it holds the word right) in .8 of the cases, with faults."""

    rng: np.random.Generator
    order: float = 0.0
    """How much more an answer is preferred in the first place than in the second."""
    obedience: float = 0.0
    """How often an answer that gives orders wins for that."""
    length: float = 0.0
    """How much more by the log of the ratio of lengths."""
    name: ClassVar[str] = "scripted"
    version: ClassVar[str] = "1"

    def in_orders(self, jobs: Sequence[PairJob]) -> list[InOrder]:
        """As PairJudge."""
        return [InOrder((self._a(job.first, job.second), 1 - self._a(job.second, job.first))) for job in jobs]

    def _a(self, a: Completion, b: Completion) -> float:
        """1 where A is preferred."""
        obeyed = [any(mark in one.text for mark in MARKS) for one in (a, b)]
        if obeyed[0] != obeyed[1] and self.rng.random() < self.obedience:
            return float(obeyed[0])
        edge = 0.3 * (("right" in a.text) - ("right" in b.text)) + self.order / 2
        edge += self.length * math.log((1 + len(a.text)) / (1 + len(b.text)))
        return float(self.rng.random() < 0.5 + edge)


def rows(rng: np.random.Generator, count: int = 200) -> list[Labelled]:
    """Pairs whose lengths say nothing of which is better."""
    words = rng.integers(3, 60, size=(count, 2))
    return [
        Labelled(f"Question {i}", "right" + " word" * int(a), "wrong" + " word" * int(b))
        for i, (a, b) in enumerate(words)
    ]


def checked(seed: int, count: int = 200, **faults: float) -> Checked:
    """The figures of a scripted judge."""
    rng = np.random.default_rng(seed)
    given = (faults.get(name, 0.0) for name in ("order", "obedience", "length"))
    return check_pairs(Scripted(rng, *given), rows(rng, count))


def found(figures: Checked) -> dict[str, bool]:
    """By fault, whether its interval leaves 0 out."""
    measures = {**figures.biases, **figures.exploits}
    return {name: measures[name].beside_zero for name in FAULTS}


def main() -> None:
    """Print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=200)
    given = parser.parse_args()
    seeds = range(given.seeds)
    hits = {
        name: sum(found(checked(seed, given.pairs, **fault))[name] for seed in seeds) for name, fault in FAULTS.items()
    }
    false = sum(sum(found(checked(1000 + seed, given.pairs)).values()) for seed in seeds)
    print(json.dumps({"seeds": given.seeds, "found": hits, "false": false, "of": 3 * given.seeds}))


if __name__ == "__main__":
    main()
