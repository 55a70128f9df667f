"""A pretrained model of 135 million parameters learns to work out sums, on a CPU in about half an hour.

    make demo-real
    python recipes/demo_real.py --out runs/recipes/demo_real

The method of DeepSeek-R1 2025, arXiv 2501.12948, at the smallest size at which a model was pretrained. Three stages:
the model as it comes (SmolLM2-135M-Instruct, which `make smollm2` builds), after a few steps on worked solutions, so
that it knows the form, and after GRPO on sums without solutions. The whole model is trained, in float32, on all cores.
The second command has a tiny policy in its place, to see that the code runs.
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

HELD_OUT, SAMPLES = 75, 4
"""Tasks, and answers to each: a pass over them takes a minute of the half hour."""
SHOWN = SftConfig(steps=32, batch_size=8, learning_rate=1e-4, warmup_steps=5)
RL = TrainConfig(
    algorithm="grpo",
    steps=40,
    groups=8,
    group_size=8,
    max_new_tokens=24,
    learning_rate=1e-5,
    warmup_steps=5,
    decay_share=0.5,
)


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice, test = recipe.problems("train"), recipe.problems("test")

    policy = recipe.untrained()
    recipe.add("as it comes", passed(recipe, test, policy))

    shown = demonstrations(practice, policy, recipe.few(200))
    supervised(policy, shown, replace(recipe.sft(SHOWN), learning_rate=SHOWN.learning_rate))
    recipe.add("has seen the form", passed(recipe, test, policy), demonstrations=len(shown))

    config = replace(recipe.rl(RL), learning_rate=RL.learning_rate)
    train(config, practice, policy, recipe.out / "rl", quiet=True)
    recipe.curve("reward", recipe.out / "rl", "reward")
    policy.save(recipe.out / "model")
    episodes = config.steps * config.groups * config.group_size
    recipe.add("reinforcement learning", passed(recipe, test, policy), episodes=episodes)
    recipe.finish()


def passed(recipe: Recipe, test: Definition, policy: TransformersPolicy) -> list[float]:
    """pass@1 of each held-out task."""
    tasks, n = (4, 2) if recipe.smoke else (HELD_OUT, SAMPLES)
    sampling = Sampling(max_new_tokens=RL.max_new_tokens)
    report = rlenv.evaluate(test, policy, n=n, k=1, limit=tasks, sampling=sampling, quiet=True)
    return [right / max(1, judged) for judged, right in report.counts().values()]


if __name__ == "__main__":
    main()
