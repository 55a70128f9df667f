"""The runs in tests/data/older_runs: made by 4a06c01, to see that they open and are judged again.

    cd CHECKOUT && PYTHONPATH=$PWD python HERE/tests/support/older_runs.py HERE/tests/data/older_runs

with a checkout of 4a06c01. The policy has 2,000 weights, so that a checkpoint takes little room.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from problem_rows import ROWS as PROBLEMS
from safetensors.torch import load_file, save_file

import rlenv
from rlenv import Definition, FunctionVerifier, ListTasks
from rlenv.core.jsontypes import line
from rlenv.policies import tiny
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import TrainConfig, train
from rlenv.wrappers import Clip

ROWS = [{"prompt": f"{n}+1=?", "answer": str(n + 1)} for n in range(8)]
WEIGHTS = "started_from.safetensors"
PROBLEM_ROWS = "problems.jsonl"
"""Beside the runs, and named from there: the data of the evaluation `problems`."""


def ends_alike(completion: str, answer: str) -> float:
    """A user's own function."""
    return float(completion[-1:] == answer) + 0.125 * (len(completion) % 5)


def own() -> Definition:
    """An environment of a user's."""
    tasks = ListTasks.from_rows(ROWS)
    return Definition(
        tasks=tasks, verifier=FunctionVerifier(ends_alike, cheap=True), wrappers=(Clip(0, 2),), id="me/own-v0"
    )


def small_policy(runs: Path) -> TransformersPolicy:
    """The policy that the runs were started from."""
    tiny.SIZES["0.1m"], kept = (8, 1), tiny.SIZES["0.1m"]
    policy = tiny.tiny_policy()
    tiny.SIZES["0.1m"] = kept
    if (runs / WEIGHTS).exists():
        policy.model.load_state_dict(load_file(runs / WEIGHTS), strict=False)  # tied weights stand there once
    return policy


def config(**changes: Any) -> TrainConfig:
    values: dict[str, Any] = {"steps": 2, "groups": 2, "group_size": 2, "max_new_tokens": 4, "save_every": 1}
    return TrainConfig(**{**values, "trackers": "none", "keep_best": False, **changes})


def make(runs: Path) -> None:
    (runs / PROBLEM_ROWS).write_text("".join(line(row) for row in PROBLEMS["math500"]))
    policy = small_policy(runs)
    save_file(dict(policy.model.named_parameters()), runs / WEIGHTS)
    envs: dict[str, str | Definition] = {"arithmetic": "math/arithmetic-v0", "own": own()}
    for name, env in envs.items():
        train(config(), env, small_policy(runs), runs / f"trained_{name}", quiet=True)
        shutil.rmtree(runs / f"trained_{name}" / "model")
        rlenv.evaluate(env, "reference", n=1, limit=4, out=runs / f"evaluated_{name}", quiet=True)
    os.chdir(runs)
    kwargs = {"data": PROBLEM_ROWS}
    rlenv.evaluate("math/math500-v0", "reference", out="evaluated_problems", env_kwargs=kwargs, quiet=True)


if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True)
    make(folder)
