"""An agent in containers: a policy learns small file and repository tasks, each judged in a box that it was never in.

    python recipes/containers.py --out runs/recipes/containers

As in Pan et al. 2024, "Training Software Engineering Agents and Verifiers with SWE-Gym", arXiv 2412.21139: supervised
on solutions that are known, then by reinforcement learning from the tests' verdict. A family of tasks is written as
folders in Harbor's format. The policy says one command, whose end is the end of the episode. It needs a container
engine, and the image that `make agents-base` makes. The fact of a stage is the share of its episodes whose verdict was
an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from common import Recipe, begun

import rlenv
from rlenv.core.definition import Definition
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import Demonstration, supervised

BASE = {"python:3.12-slim": "rlenv/agents-base:latest"}
PRACTICE, TEST, SAMPLES = range(13, 100, 24), range(12, 100, 24), 4
"""Numbers of the tasks that are practised and tested in boxes; the solutions with all others are shown."""
RL = TrainConfig(algorithm="grpo", steps=6, groups=4, group_size=4, max_new_tokens=120, learning_rate=1e-3)
SETTINGS = """schema_version = "1.4"
[environment]
network_mode = "no-network"
[agent]
timeout_sec = 60
[verifier]
timeout_sec = 60
"""
IMAGE = """FROM python:3.12-slim
WORKDIR /app
RUN git init -q && git config user.name a && git config user.email a@b.c
RUN echo RATE=0 > rate.py && git add . && git commit -qm 0
"""
CHECK = """cd /app
{check} && paid=1 || paid=0
echo $paid > /logs/verifier/reward.txt
"""
FAMILIES = {
    "write": ("Write {n} into total.txt.", "echo {n} > total.txt", 'test "$(cat total.txt)" = {n}'),
    "commit": (
        "Set RATE in rate.py to {n} and commit.",
        "echo RATE={n} > rate.py && git commit -qam {n}",
        'test "$(git show HEAD:rate.py)" = RATE={n}',
    ),
}
"""Instruction, solution and test of a file task and of a repository task."""


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice, test = (
        rlenv.load("container/tasks-v0", tasks=written(recipe.out / name, some), base=BASE, max_turns=1)
        for name, some in (("practice", PRACTICE), ("test", TEST[:1] if recipe.smoke else TEST))
    )
    policy = recipe.untrained()
    if not recipe.model:
        policy = tiny_policy(recipe.seed, "0.1m", initializer_range=0.05, rope_theta=100.0)  # these copy what they read
        add(recipe, "untrained", test, policy)
        supervised(
            policy, shown(practice, policy), recipe.sft(SftConfig(steps=280, batch_size=32, learning_rate=4.5e-3))
        )
    add(recipe, "supervised", test, policy)
    train(recipe.rl(RL), practice, policy, recipe.out / "rl", quiet=True)
    recipe.curve("reward", recipe.out / "rl", "reward")
    add(recipe, "reinforcement learning", test, policy)
    recipe.finish("reward")


def shown(practice: Definition, policy: TransformersPolicy) -> list[Demonstration]:
    """The solutions with all numbers that are not tested, as the policy would say them; no box is needed for that."""
    found = []
    for n in sorted({*range(10, 100)} - {*TEST}):
        for instruction, solution, _ in FAMILIES.values():
            call = json.dumps({"name": "bash", "arguments": {"command": solution.format(n=n)}})
            said = policy.encode_completion(f"<tool_call>{call}</tool_call>")
            found.append(Demonstration(tuple(policy.encode(instruction.format(n=n), practice.tools)), tuple(said)))
    return found


def written(folder: Path, numbers: Iterable[int]) -> Path:
    """A folder of task folders, one of each family for each number."""
    for n in numbers:
        for family, (instruction, solution, check) in FAMILIES.items():
            own = folder / f"{family}-{n}"
            files = {
                "task.toml": SETTINGS,
                "instruction.md": instruction.format(n=n),
                "environment/Dockerfile": IMAGE,
                "solution/solve.sh": solution.format(n=n),
                "tests/test.sh": CHECK.format(check=check.format(n=n)),
            }
            for name, content in files.items():
                (own / name).parent.mkdir(parents=True, exist_ok=True)
                (own / name).write_text(content)
    return folder


def add(recipe: Recipe, stage: str, test: Definition, policy: TransformersPolicy) -> None:
    """The mean reward on each held-out task."""
    sampling = Sampling(max_new_tokens=RL.max_new_tokens)
    report = rlenv.evaluate(test, policy, n=SAMPLES, k=1, sampling=sampling, quiet=True)
    counts = report.counts().values()
    judged = sum(n for n, _ in counts)
    failed = 1 - judged / (SAMPLES * len(counts))
    recipe.add(stage, [float(np.divide(right, max(1, n))) for n, right in counts], errors=failed)


if __name__ == "__main__":
    main()
