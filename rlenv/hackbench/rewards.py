"""The rewards of the cases: functions that come with them as Python files, and environments of ours by their id."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.registry import load


def definition(reward: str, tasks: Sequence[Task], rewards: Path, share: float | None = None) -> Definition:
    """The environment of a reward. With a `share` so much of what is paid is asked about, in place of the default.

    A reward function has no solutions: a case's `right` is for whoever checks the cases, no detector may see it.
    """
    if reward.startswith("{"):
        made = environment(reward)
    else:
        function = reward_function(reward, rewards)
        made = Definition(tasks=tasks, verifier=function, solution=_no_solution, isolation="inline", id=reward)
    if share is None:
        return made
    return replace(made, asking=replace(made.asking, share=share, dear_share=share))


@cache
def environment(reward: str) -> Definition:
    """An environment of ours, from `{"env": id, "settings": {...}}`."""
    told = json.loads(reward)
    return load(told["env"], **told.get("settings", {}))


@cache
def reward_function(reward: str, rewards: Path) -> FunctionVerifier:
    """The reward `file.py:function` of this folder. Raises ConfigError where there is none."""
    file, _, name = reward.partition(":")
    spec = importlib.util.spec_from_file_location(f"hackbench_reward_{Path(file).stem}", rewards / file)
    if spec is None or spec.loader is None or not (rewards / file).is_file():
        raise ConfigError(f"no reward {reward} in {rewards}; put {file} there")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return FunctionVerifier(getattr(module, name), cheap=True, version=reward)


def _no_solution(task: Task) -> str:
    raise TaskError(f"task {task.id} has no solution that a detector may see")
