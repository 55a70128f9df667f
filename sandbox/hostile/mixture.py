"""Honest programs with some hostile ones between them, as a policy under training writes them."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from rlenv.sandbox.hostile.case import Case
from rlenv.sandbox.hostile.honest import HONEST_LIMITS, Honest, honest_programs
from rlenv.sandbox.hostile.judging import passed
from rlenv.sandbox.hostile.runner import Box, attack
from rlenv.sandbox.hostile.secret import Secret, planted
from rlenv.sandbox.hostile.suite import CASES


def mixture(count: int, hostile_share: float, seed: int) -> list[Honest | Case]:
    """So many programs in random order; hostile ones are taken in turn from the whole suite, in random order."""
    rng = random.Random(seed)
    hostile = round(count * hostile_share)
    cases = list(CASES)
    rng.shuffle(cases)
    chosen = [cases[n % len(cases)] for n in range(hostile)]
    mixed: list[Honest | Case] = [*honest_programs(count - hostile, seed), *chosen]
    rng.shuffle(mixed)
    return mixed


def run_mixture(
    box: Box,
    count: int,
    *,
    hostile_share: float = 0.02,
    seed: int = 0,
    at_once: int = 1,
) -> list[str]:
    """Run a mixture, so many at once; everything that was judged wrong, in words. Each program has one verdict."""
    programs = mixture(count, hostile_share, seed)
    with planted() as secret, ThreadPoolExecutor(at_once) as threads:

        def run(number: int) -> list[str]:
            return [f"program {number}: {line}" for line in _wrong(box, programs[number], secret)]

        return [line for lines in threads.map(run, range(count)) for line in lines]


def _wrong(box: Box, one: Honest | Case, secret: Secret) -> list[str]:
    if isinstance(one, Honest):
        result = box.run(one.program, HONEST_LIMITS)
        return [] if passed(result, one.answer) else [f"honest, and judged {result.status} {result.detail}"]
    return [f"{one.family}/{one.name}: {line}" for line in attack(box, one, secret)[2]]
