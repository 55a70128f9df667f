"""A tool user: a policy that has seen a calculator used now and then learns when calling it pays.

    python recipes/tools.py --out runs/recipes/tools

Schick et al. 2023, "Toolformer: Language Models Can Teach Themselves to Use Tools", arXiv 2302.04761; by reinforcement
learning as in Feng et al. 2025, "ReTool: Reinforcement Learning for Strategic Tool Use in LLMs", arXiv 2504.11536. The
task is a sum of four digits; a call is answered in a turn of its own, whose tokens are not learned. The demonstrator
calls the calculator in a third of the tasks and else says the answer at once, in which the policy is wrong about every
other time. The facts of a stage are how many of its answers called the tool.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from common import Recipe, begun

import rlenv
from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment
from rlenv.evaluation.evaluation import choose_tasks
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.turns.play import play

CALLS, HELD_OUT, SAMPLES = 0.35, 200, 4
RL = TrainConfig(
    algorithm="grpo",
    steps=60,
    groups=12,
    group_size=8,
    max_new_tokens=90,
    learning_rate=5e-4,
    decay_share=0.5,
)


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice, test = sums("train"), sums("test")

    policy = recipe.untrained()
    if not recipe.model:
        policy = tiny_policy(recipe.seed, "0.1m", initializer_range=0.05, rope_theta=100.0)  # these copy what they read
        shown = demonstrations(practice, policy, recipe.few(1500))
        supervised(policy, shown, recipe.sft(SftConfig(steps=400, batch_size=32, learning_rate=6e-3)))
    add(recipe, "has seen calls", test, policy)

    train(recipe.rl(RL), practice, policy, recipe.out / "rl", quiet=True)
    recipe.curve("reward", recipe.out / "rl", "reward")
    add(recipe, "reinforcement learning", test, policy)
    without = replace(test, interaction=None, script=None)
    add(recipe, "without the calculator", without, policy)
    recipe.finish("reward")


def sums(split: str) -> Definition:
    """Sums of four digits with a calculator, and the demonstrator's way to answer."""
    made = rlenv.load("math/arithmetic-v0", level=4, split=split, tools="calculator", demonstration_percent=20)
    return replace(made, script=sometimes_calling, max_turns=2)


def sometimes_calling(task: Task) -> tuple[str, ...]:
    """The expression to the calculator and its answer into the box, or an answer at once; the same of the same task."""
    answer = f"\\boxed{{{task.reference}}}"
    if int(task.id[:8], 16) / 16**8 > CALLS:
        return (answer,)
    call = json.dumps({"name": "calculate", "arguments": {"expression": task.metadata["expression"]}})
    return f"<tool_call>{call}</tool_call>", answer


def add(recipe: Recipe, stage: str, test: Definition, policy: TransformersPolicy) -> None:
    """The mean reward on each held-out task."""
    tasks = choose_tasks(test.tasks, recipe.few(HELD_OUT), seed=0)
    batch = BatchEnvironment(test, group_size=SAMPLES)
    batch.reset(tasks=tasks)
    episodes = batch.step(play(test, policy, tasks, SAMPLES, Sampling(max_new_tokens=RL.max_new_tokens)))
    rewards = np.array([episode.verdict.reward or 0.0 for episode in episodes]).reshape(-1, SAMPLES).mean(1)
    called = float(np.mean(["<tool_call>" in episode.completion.text for episode in episodes]))
    recipe.add(stage, [float(reward) for reward in rewards], answers_with_a_call=called)


if __name__ == "__main__":
    main()
