r"""How well Monte-Carlo values find the first wrong step, by samples a step and by budget.

    python benchmarks/monte_carlo_steps.py [--seed 0] [--solutions 200]

A character model of 0.1 million parameters is warmed up on worked sums (process/arithmetic-v0). Held-out sums are
worked out by a program; in every other one the result of one equation, drawn by chance, is too large, and the rest goes
on from it. Against this known step stand the hard labels of `MonteCarloScorer`: a step is right where any continuation
by the model from behind it ends right. Figures are ProcessBench's, with intervals over problems.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from process_bench_rows import Figures, Row, first_below, measure

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.policy import Sampling
from rlenv.envs.process.steps import split
from rlenv.judge.judge import Judge
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.scorers import Stepped
from rlenv.scorers.monte_carlo import MonteCarloScorer
from rlenv.trainers import SftConfig
from rlenv.trainers.branches.sft import demonstrations, supervised

ENV, OUTCOME, LEVEL = "process/arithmetic-v0", "math/arithmetic-v0", 4
SAMPLES = (1, 2, 4, 8, 16)
SHARES = (1.0, 0.5, 0.25, 0.125)
"""Of the continuations that 8 samples behind every step would take."""
SAMPLING = Sampling(max_new_tokens=60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--solutions", type=int, default=200)
    parser.add_argument("--sft-steps", type=int, default=1200)
    options = parser.parse_args()
    torch.set_num_threads(1)
    policy = _warm(options.seed, options.sft_steps)
    rows = _rows(options.solutions, options.seed)
    jobs = _jobs(rows)
    full = MonteCarloScorer(policy, rlenv.load(OUTCOME, split="test", level=LEVEL), sampling=SAMPLING, estimate="hard")
    wanted = sum(8 * (len(job.spans) - 1) for job in jobs)
    accuracy = _accuracy(policy, jobs, seed=1)
    print(f"{len(rows)} solutions, every other one wrong; the policy is right {accuracy:.3f} of the time\n")
    print("| samples a step | budget | continuations | F1 | on wrong solutions | on right solutions |")
    print("|---|---|---|---|---|---|")
    for samples in SAMPLES:
        _print(replace(full, samples=samples, max_continuations=10**9), jobs, rows, "all")
    for share in SHARES[1:]:
        _print(replace(full, samples=8, max_continuations=int(share * wanted)), jobs, rows, f"{share:.1%}")
    _line("-", "-", 0, measure(rows, [-1] * len(rows)), "always right")


def _warm(seed: int, steps: int) -> TransformersPolicy:
    """A model that knows how solutions look, and is not always right."""
    practice, policy = rlenv.load(ENV, split="train", level=LEVEL), tiny_policy(seed)
    config = SftConfig(steps=steps, batch_size=64, learning_rate=2e-3, max_demonstrations=1000, seed=seed)
    supervised(policy, demonstrations(practice, policy, config.max_demonstrations), config)
    return policy


def _rows(count: int, seed: int) -> list[Row]:
    """Held-out sums worked out from left to right, every other one with a wrong result from which it goes on."""
    held_out, rng = rlenv.load(OUTCOME, split="test", level=LEVEL), np.random.default_rng(seed)
    rows = []
    for index in range(count):
        task = held_out.tasks[index]
        numbers = [int(number) for number in str(task.metadata["expression"]).split("+")]
        wrong = int(rng.integers(len(numbers) - 1)) if index % 2 else -1
        rows.append(Row(task.id, str(task.prompt), _worked_out(numbers, wrong, int(rng.integers(1, 10))), wrong))
    return rows


def _worked_out(numbers: Sequence[int], wrong: int, by: int) -> tuple[str, ...]:
    """The equations and the box; the result of equation `wrong` is too large by `by`."""
    total, steps = numbers[0], []
    for index, number in enumerate(numbers[1:]):
        result = total + number + (by if index == wrong else 0)
        steps.append(f"{total}+{number}={result}")
        total = result
    return (*steps, rf"\boxed{{{total}}}")


def _jobs(rows: Sequence[Row]) -> list[Stepped]:
    tasks = rlenv.load(OUTCOME, split="test", level=LEVEL).tasks
    completions = [Completion(";".join(row.steps)) for row in rows]
    return [
        Stepped(tasks[index], completion, split(completion.text, "separators"))
        for index, completion in enumerate(completions)
    ]


def _accuracy(policy: TransformersPolicy, jobs: Sequence[Stepped], seed: int) -> float:
    """How often the policy itself is right."""
    said = policy.generate([job.task.prompt for job in jobs], 1, replace(SAMPLING, seed=seed))
    pairs = zip(jobs, said, strict=True)
    verdicts = Judge(rlenv.load(OUTCOME, level=LEVEL)).verdicts([(job.task, one) for job, one in pairs])
    return sum(verdict.reward == 1.0 for verdict in verdicts) / len(verdicts)


def _print(scorer: MonteCarloScorer, jobs: Sequence[Stepped], rows: Sequence[Row], budget: str) -> None:
    scores = scorer.score_steps(jobs)
    said = [None if one.values is None else first_below(one.values, 0.5) for one in scores]
    _line(str(scorer.samples), budget, scorer.spent, measure(rows, said))


def _line(samples: str, budget: str, spent: int, figures: Figures, note: str = "") -> None:
    cells = [f"{s.value:.3f} [{s.low:.3f}, {s.high:.3f}]" for s in (figures.f1, figures.wrong, figures.right)]
    print(f"| {note or samples} | {budget} | {spent} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
