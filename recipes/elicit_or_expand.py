"""Elicit or expand: does reinforcement learning solve what the policy before it never solves in 1,024 tries?

    python recipes/elicit_or_expand.py --out runs/recipes/elicit_or_expand
    python recipes/elicit_or_expand.py --out runs/recipes/elicit_or_expand --parts sums-0,brackets-0     # these alone

Yue et al. 2025, "Does Reinforcement Learning Really Incentivize Reasoning Capacity in LLMs Beyond the Base Model?",
arXiv 2504.13837, find that the base model's pass@k crosses that of the trained one as k grows; Liu et al. 2025 (ProRL),
arXiv 2505.24864, that long runs expand what can be solved. Two tasks, three seeds, a short and a long run of GRPO from
one warm start each: pass@k for k to 1,024 on held-out tasks, and how many tasks went from none of 1,024 to some, and
back. A part (a task and a seed) is kept in the folder, so that parts can be run apart and put together.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import numpy as np
from common import TOKENS, Recipe, begun

import rlenv
from rlenv.evaluation.passk import pass_at_k
from rlenv.policies import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import TrainConfig, train

LEVELS = {"sums": (4, TOKENS), "brackets": (6, 28)}
"""Of math/arithmetic-v0: its level, and the tokens of an answer."""
SEEDS = (0, 1, 2)
KS = tuple(4**i for i in range(6))
MOST, PROBLEMS = 1024, 32
RL = TrainConfig(
    algorithm="grpo",
    steps=50,
    groups=32,
    group_size=8,
    minibatches=4,
    learning_rate=2e-4,
    warmup_steps=60,
    measure_all=False,
)
LONG = 150
"""Rollouts of the long run; its learning rate falls to a tenth, as the short one's does."""


def main() -> None:
    recipe = begun(__file__, __doc__, keep=True, choices=[f"{task}-{seed}" for task in LEVELS for seed in SEEDS])
    for part in recipe.parts:
        found = recipe.out / f"{part}.json"
        if not found.exists():
            task, _, seed = part.rpartition("-")
            began, wall = time.process_time(), time.perf_counter()
            counts = measured(replace(recipe, seed=int(seed), level=LEVELS[task][0]), task)
            took = {"processor_s": time.process_time() - began, "wall_s": time.perf_counter() - wall}
            found.write_text(json.dumps({"counts": counts, **took}))
        print(f"{part} is in {found}", flush=True)
    together(recipe, {path.stem: json.loads(path.read_text()) for path in sorted(recipe.out.glob("*-?.json"))})


def measured(recipe: Recipe, task: str) -> dict[str, Any]:
    """How many of 1,024 answers to each held-out task are right: before, after the short run, after the long one."""
    practice, test = recipe.problems("train"), recipe.problems("test")
    start = recipe.warm()
    counts = {"before": right(recipe, test, start, task)}
    for name, steps in (("short", RL.steps), ("long", LONG)):
        policy = recipe.twin(start)
        config = replace(RL, steps=steps, max_new_tokens=recipe.tokens(LEVELS[task][1]), decay_share=0.5)
        train(recipe.rl(config), practice, policy, recipe.out / f"{task}-{recipe.seed}-{name}", quiet=True)
        counts[name] = right(recipe, test, policy, task)
    return counts


def right(recipe: Recipe, test: rlenv.Definition, policy: TransformersPolicy, task: str) -> list[int]:
    """Right answers of each held-out task, of MOST."""
    sampling = Sampling(max_new_tokens=recipe.tokens(LEVELS[task][1]))
    n, limit = (8, 6) if recipe.smoke else (MOST, PROBLEMS)
    report = rlenv.evaluate(test, policy, n=n, k=1, limit=limit, sampling=sampling, chunk_tasks=1, quiet=True)
    return [passed for _, passed in report.counts().values()]


def together(recipe: Recipe, parts: dict[str, dict[str, Any]]) -> None:
    """One stage for each task and moment, over its held-out tasks and those of its seeds that are there."""
    n = 8 if recipe.smoke else MOST
    for task in LEVELS:
        found = [part for name, part in parts.items() if name.startswith(f"{task}-")]
        if not found:
            continue
        processor, wall = (sum(part[key] for part in found) for key in ("processor_s", "wall_s"))
        recipe.lap = (
            time.process_time() - processor,
            time.perf_counter() - wall,
        )  # all of it stands at the first stage
        before = np.array([part["counts"]["before"] for part in found])
        for moment in ("before", "short", "long"):
            counts = np.array([part["counts"][moment] for part in found])  # (seeds, tasks)
            rates = {k: float(np.mean([pass_at_k(n, int(c), k) for c in counts.flat])) for k in KS if k <= n}
            recipe.curves[f"{task}, {moment}"] = [[k, rate] for k, rate in rates.items()]
            new, lost = int(((before == 0) & (counts > 0)).sum()), int(((before > 0) & (counts == 0)).sum())
            since = "" if moment == "before" else f"{task}, before"
            solved = (counts > 0).astype(float).tolist()
            recipe.add(f"{task}, {moment}", solved, since, pass_at_1=rates[1], never_solved_before=new, lost=lost)
    recipe.finish(f"pass@{n}", x="k")


if __name__ == "__main__":
    main()
