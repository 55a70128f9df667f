"""A curriculum: tasks drawn by how often they are solved, against tasks drawn evenly, at equal episodes.

    python recipes/curriculum.py --out runs/recipes/curriculum

The weight p(1 - p) of a level with pass rate p: Foster et al. 2025, "Learning to Reason at the Frontier of
Learnability", arXiv 2502.12272; rising difficulty as such: Bengio et al. 2009, "Curriculum Learning", ICML. One policy
has seen 2,000 worked solutions of four levels, from sums of two digits to three digits with brackets. Both arms go on
from it with GRPO on all levels; one draws them evenly, the other by the pass rates that it measures itself. Held-out
tasks are of all levels alike; the facts of a stage are its pass@1 on the lower and the upper ones.
"""

from __future__ import annotations

from dataclasses import replace

from common import Recipe, begun

import rlenv
from rlenv.core.definition import Definition
from rlenv.policies import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import demonstrations, supervised

LEVELS, LOWER, TOKENS = "1,2,4,6", (1, 2), 20
RL = TrainConfig(
    algorithm="grpo",
    steps=200,
    groups=28,
    group_size=8,
    max_new_tokens=TOKENS,
    minibatches=4,
    learning_rate=2e-4,
    warmup_steps=120,
    decay_share=0.5,
)


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice = rlenv.load("math/arithmetic-v0", level=LEVELS, split="train")
    test = rlenv.load("math/arithmetic-v0", level=LEVELS, split="test", size=350)

    start = recipe.untrained()
    if not recipe.model:
        shown = demonstrations(practice, start, 2000)
        supervised(start, shown, recipe.sft(SftConfig(steps=800, learning_rate=2e-3)))
    add(recipe, "start", test, start)
    for name, sampler in (("even", "uniform"), ("by pass rates", "pass-rate")):
        policy = recipe.twin(start)
        train(recipe.rl(replace(RL, sampler=sampler)), practice, policy, recipe.out / name, quiet=True)
        recipe.curve(name, recipe.out / name, "frac_reward_zero_std")
        add(recipe, name, test, policy)
    recipe.finish()


def add(recipe: Recipe, stage: str, test: Definition, policy: TransformersPolicy) -> None:
    """pass@1 of each held-out task, and of the lower and the upper levels."""
    n, limit = (2, 21) if recipe.smoke else (8, 350)
    sampling = Sampling(max_new_tokens=recipe.rl(RL).max_new_tokens)
    report = rlenv.evaluate(test, policy, n=n, k=1, limit=limit, sampling=sampling, chunk_tasks=32, quiet=True)
    counts = report.counts()
    level = {task.id: task.metadata["level"] for task in (test.tasks[i] for i in range(len(test.tasks)))}
    rates = {id: right / max(1, judged) for id, (judged, right) in counts.items()}
    facts = {}
    for name, inside in (("lower_levels", True), ("upper_levels", False)):
        found = [rate for id, rate in rates.items() if (level[id] in LOWER) == inside]
        facts[name] = sum(found) / max(1, len(found))
    recipe.add(stage, list(rates.values()), "start" if recipe.stages else None, **facts)


if __name__ == "__main__":
    main()
