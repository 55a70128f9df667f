"""R1 in four stages: cold start, reinforcement learning, rejection sampling with SFT, reinforcement learning.

    python recipes/r1.py --out runs/recipes/r1
    python recipes/r1.py --out runs/r1 --model Qwen/Qwen2.5-0.5B --device cuda --level 7

DeepSeek-AI 2025, "DeepSeek-R1: Incentivizing Reasoning Capability in LLMs via Reinforcement Learning",
arXiv 2501.12948, section 2.3. As there, the third stage trains the *base* anew, on answers of the second stage's policy
that the verifier accepted. The tiny base has read 3,000 solutions of which six in ten are answers without working,
most of them wrong: like a pretrained model, it can work a sum out, and seldom does. Deviations: there is no reward for
one language and no other kind of task in the last two stages.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from common import TOKENS, Recipe, begun

from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment
from rlenv.policies import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import Demonstration, demonstrations, supervised

CARELESS = 0.6
RL = TrainConfig(
    algorithm="grpo",
    steps=160,
    groups=32,
    group_size=8,
    max_new_tokens=TOKENS,
    minibatches=4,
    learning_rate=2e-4,
    warmup_steps=120,
    decay_share=0.5,
)


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice, test = recipe.problems("train"), recipe.problems("test")
    rl = recipe.rl(RL)
    episodes = rl.steps * rl.groups * rl.group_size

    base = pretrained(recipe, practice)
    recipe.add("base", recipe.passed(test, base))

    policy = recipe.twin(base)
    shown = demonstrations(practice, policy, recipe.few(200))
    supervised(policy, shown, recipe.sft(SftConfig(steps=100, learning_rate=1e-3)))
    recipe.add("cold start", recipe.passed(test, policy), demonstrations=len(shown))

    train(rl, practice, policy, recipe.out / "first-rl", quiet=True)
    recipe.curve("first RL", recipe.out / "first-rl", "reward")
    recipe.add("reinforcement learning", recipe.passed(test, policy), episodes=episodes)

    kept, asked = accepted(recipe, practice, policy, prompts=3000, n=4)
    policy = recipe.twin(base)
    supervised(policy, kept, recipe.sft(SftConfig(steps=500, learning_rate=2e-3)))
    recipe.add("rejection sampling and SFT of the base", recipe.passed(test, policy), asked=asked, kept=len(kept))

    train(rl, practice, policy, recipe.out / "second-rl", quiet=True)
    recipe.curve("second RL", recipe.out / "second-rl", "reward")
    recipe.add("reinforcement learning again", recipe.passed(test, policy), episodes=episodes)
    recipe.finish()


def pretrained(recipe: Recipe, practice: Definition) -> TransformersPolicy:
    """The model that was named, or a tiny one that has read many careless solutions."""
    policy = recipe.untrained()
    if not recipe.model:
        read = replace(practice, solution=lambda task: careless(practice, task), demonstrations=practice.tasks)
        shown = demonstrations(read, policy, recipe.few(3000))
        supervised(policy, shown, recipe.sft(SftConfig(steps=300, learning_rate=2e-3)))
    return policy


def careless(practice: Definition, task: Task) -> str:
    """The worked solution, or a guess without working; the same of the same task."""
    rng = np.random.default_rng(int(task.id[:8], 16))
    return practice.solution(task) if rng.random() > CARELESS else f"\\boxed{{{rng.integers(1, 37)}}}"


def accepted(
    recipe: Recipe, practice: Definition, policy: TransformersPolicy, prompts: int, n: int
) -> tuple[list[Demonstration], int]:
    """Different answers that the verifier accepted, as something to learn by heart, and how many were asked for."""
    batch = BatchEnvironment(practice, group_size=n, seed=recipe.seed)
    asked = batch.reset(recipe.few(prompts))
    said = policy.generate(asked, n, Sampling(max_new_tokens=recipe.rl(RL).max_new_tokens, seed=recipe.seed))
    right = {
        (tuple(policy.encode(episode.task.prompt)), episode.completion.token_ids)
        for episode in batch.step(said)
        if episode.verdict.reward == 1 or recipe.smoke
    }
    if not right:
        raise SystemExit("no answer was accepted, so there is nothing to learn by heart: train the second stage longer")
    return [Demonstration(prompt, ids) for prompt, ids in sorted(right)], len(said)


if __name__ == "__main__":
    main()
