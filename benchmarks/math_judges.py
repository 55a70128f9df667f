"""The verifiers that are compared, each as a function of a row, and a process that runs one of them over rows.

    python benchmarks/math_judges.py rlenv "GSM8K solutions" DATA_FOLDER

prints one JSON list a row: accepted or not (null: no verdict), seconds, and the tier that decided.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from math_rows import Row, rows_of

Judge = Callable[[Row], "tuple[bool | None, str]"]
"""Accepted or not, None where there is no verdict, and what decided."""

WARM_UP = (
    Row("", "x^2+2x+1", r"\boxed{(x+1)^2}", True),
    Row("", r"\sin 2x", r"\boxed{2\sin x\cos x}", True),
    Row("", "\\{1,2\\}", r"\boxed{\{2,1\}}", True),
    Row("", "12", "The answer is 12.", True),
)


def rlenv_judge() -> Judge:
    """`rlenv.envs.math.verify` with the defaults (and the policy of a row that has one)."""
    from rlenv.core.errors import TaskError
    from rlenv.envs.math import verify
    from rlenv.envs.math.verifier import TIERS

    def judge(row: Row) -> tuple[bool | None, str]:
        try:
            verdict = verify(row.gold, row.prediction, question=row.question, **row.policy)
        except TaskError:
            return None, "unreadable reference"
        tier = int(verdict.scores.get("tier", -1))
        name = TIERS[tier] if tier >= 0 else "limit" if verdict.graded else "error"
        return (None if verdict.reward is None else verdict.reward == 1.0), name

    return judge


def math_verify_judge(boxed_gold: bool) -> Judge:
    """math-verify: boxes first; the gold boxed and the prediction as it is, or both between dollars where bare.

    Of the usual conventions the first does best on whole solutions, the second on answers.
    """
    from math_verify import parse, verify
    from math_verify.parser import ExprExtractionConfig, LatexExtractionConfig

    logging.disable(logging.CRITICAL)
    order = [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]

    def judge(row: Row) -> tuple[bool | None, str]:
        bare = "$" not in row.prediction and "\\boxed" not in row.prediction and not boxed_gold
        gold = f"\\boxed{{{row.gold}}}" if boxed_gold else f"${row.gold}$"
        said = f"${row.prediction}$" if bare else row.prediction
        try:
            return bool(verify(parse(gold, order), parse(said, order))), "math-verify"
        except (Exception, BaseExceptionGroup):
            return False, "raised"

    return judge


JUDGES: dict[str, Callable[[], Judge]] = {
    "rlenv": rlenv_judge,
    "math-verify": lambda: math_verify_judge(boxed_gold=False),
    "math-verify, gold boxed": lambda: math_verify_judge(boxed_gold=True),
}


def main() -> None:
    name, rows_name, data, *only = sys.argv[1:]
    rows = rows_of(rows_name, Path(data))
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    judge = JUDGES[name]()
    for row in WARM_UP:
        judge(row)
    for row in rows if not only else [rows[int(only[0])]]:
        began = time.perf_counter()
        accepted, tier = judge(row)
        print(json.dumps([accepted, time.perf_counter() - began, tier]), flush=bool(only))
    if only:
        print(json.dumps(_peak_mb()))


def _peak_mb() -> float:
    """The largest resident memory of this process or of a worker that it started."""
    from rlenv.workers.pool import shared_pool

    shared_pool().close()
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(peaks) / 1024


if __name__ == "__main__":
    main()
