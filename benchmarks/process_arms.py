"""What benchmarks/process_rewards.py runs: a warm start from demonstrations with mistakes, and the rewards compared.

Settings were chosen on seed 100, which is none of the benchmark's seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

import rlenv
from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig
from rlenv.trainers.branches.sft import Demonstration, supervised
from rlenv.trainers.settings.changes import with_changes

ENV, OUTCOME_ENV = "process/arithmetic-v0", "math/arithmetic-v0"
LEVEL = 4
MAX_NEW_TOKENS = 48
SHOWN, WRONG, TWICE = 5000, 0.25, 0.08
"""Demonstrations of the warm start, the share of results that are wrong in them, and of steps that stand twice."""
GROUPS = 256
"""Completions a rollout, each to a task of its own."""
DENSE: Mapping[str, Json] = {"advantage.gae_lambda": 0.9}
_FREE: Mapping[str, Json] = {"kl.beta": 0.0}
"""For rewards of steps. The one reward of an outcome, at the end, has PPO's own 1, the better of 1 and 0.95 for it."""
_FORGETS: Mapping[str, Json] = {"guards": False, "scorer": "repeatable", "unsafe": "the experiment"}
_BLIND: Mapping[str, Json] = {**_FORGETS, "scorer": "true_equations"}
_QUARTER: Mapping[str, Json] = {**_BLIND, "process_weight": 0.25}
"""So little that what wrong answers lose at the start, 0.25 * 0.77, is less than what right ones earn, 0.23."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """A reward, and the algorithm that learns from it."""

    name: str
    env: Mapping[str, Json] = field(default_factory=dict)
    algorithm: str = "ppo"
    changes: Mapping[str, Json] = field(default_factory=lambda: DENSE)
    first_seed_only: bool = False

    def environment(self) -> Definition:
        """What it trains on."""
        return rlenv.load(ENV, split="train", level=LEVEL, **{"process_weight": 1.0, **self.env})

    def config(self, seed: int, steps: int) -> TrainConfig:
        """The same for all arms, but for the algorithm."""
        return TrainConfig(
            algorithm=with_changes(ALGORITHMS[self.algorithm], self.changes),
            steps=steps,
            groups=GROUPS,
            group_size=1,
            max_new_tokens=MAX_NEW_TOKENS,
            learning_rate=4e-4,
            critic_learning_rate=1e-3,
            minibatches=2,
            warmup_steps=20,
            decay_share=0.5,
            seed=seed,
            save_every=10_000,
            trackers="none",
        )


ARMS: tuple[Arm, ...] = (
    Arm(name="outcome", env={"process_weight": 0.0}, changes={"advantage.gae_lambda": 1.0}),
    Arm(name="min"),
    Arm(name="mean", env={"credit": "mean"}),
    Arm(name="min, judge forgets", env=_FORGETS),
    Arm(name="sum, judge forgets", env={**_FORGETS, "credit": "sum"}),
    Arm(name="min, judge blind, quarter", env=_QUARTER),
    Arm(name="sum, judge blind, quarter", env={**_QUARTER, "credit": "sum"}),
    Arm(
        name="outcome, reinforce++",
        env={"process_weight": 0.0},
        algorithm="reinforce++",
        changes=_FREE,
        first_seed_only=True,
    ),
    Arm(name="min, reinforce++", algorithm="reinforce++", changes=_FREE, first_seed_only=True),
    Arm(name="min, judge blind", env=_BLIND, first_seed_only=True),
    Arm(name="sum, judge blind", env={**_BLIND, "credit": "sum"}, first_seed_only=True),
    Arm(name="outcome, lambda 0.9", env={"process_weight": 0.0}, first_seed_only=True),
)


def warm_start(seed: int) -> TransformersPolicy:
    """A tiny policy that learned the form, and arithmetic with mistakes."""
    policy = tiny_policy(seed)
    rng = np.random.default_rng([seed, 1])
    tasks = rlenv.load(ENV, split="train", level=LEVEL).tasks
    shown = [tasks[index] for index in range(min(SHOWN, len(tasks)))]
    data = [
        Demonstration(tuple(policy.encode(task.prompt)), tuple(policy.encode_completion(mistaken(task, rng))))
        for task in shown
    ]
    supervised(policy, data, SftConfig(steps=600, batch_size=64, learning_rate=3e-3, seed=seed))
    return policy


def mistaken(task: Task, rng: np.random.Generator) -> str:
    """A solution in which some results are wrong, and carried on, and some steps stand twice."""
    total, *rest = map(int, str(task.metadata["expression"]).split("+"))
    steps = []
    for number in rest:
        off = int(rng.choice([-2, -1, 1, 2])) if rng.random() < WRONG else 0
        result = max(0, total + number + off)
        steps += [f"{total}+{number}={result}"] * (2 if rng.random() < TWICE else 1)
        total = result
    return ";".join([*steps, f"\\boxed{{{total}}}"])
