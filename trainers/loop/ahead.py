"""Rollouts drawn beside the updates: a process of its own generates the next ones while the trainer steps.

    train(TrainConfig(staleness=1, algorithm=row), env, policy, "runs/beside")

Rollout t is drawn from the weights that stand after t - staleness rollouts (the first from the first weights), however
fast either process is: a run is the same every time, and goes on exactly where it was stopped. Its tasks are those that
the samplers chose at that moment. At most `staleness` rollouts wait; a checkpoint waits until they are drawn and holds
them. Verdicts, wrappers and updates stay in the trainer's process.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import cloudpickle
import torch

from rlenv.batch import BatchEnvironment
from rlenv.completion import Completion
from rlenv.definition import Definition
from rlenv.errors import ConfigError, RunError
from rlenv.policies.policy import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.task import Task
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.loop.collect import GENERATE, Given, derived_seed
from rlenv.trainers.mixtures.environments import Environments
from rlenv.trainers.networks.processes import Processes
from rlenv.turns.play import play


class Asked(NamedTuple):
    """What the generator is asked of one environment."""

    name: str
    tasks: Sequence[Task]
    group_size: int
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class _Waiting:
    """One rollout that is being drawn, or is drawn."""

    asked: Sequence[Asked]
    said: Future[list[list[Completion]]]


class Ahead:
    """The generator's process and the rollouts that it has been asked for."""

    def __init__(
        self, policy: TransformersPolicy, environments: Environments, config: TrainConfig, processes: Processes
    ) -> None:
        if processes.count > 1:
            raise ConfigError(f"expected staleness=0 with {processes.count} processes, got {config.staleness}")
        self._policy, self._environments, self._staleness = policy, environments, config.staleness
        self._waiting: dict[int, _Waiting] = {}
        self._last = -1
        """The last rollout that was asked for."""
        definitions = {name: env.definition for name, env in environments.envs.items()}
        spawn = multiprocessing.get_context("spawn")
        self._generator = ProcessPoolExecutor(1, spawn, _begin, (torch.get_num_threads(),))
        # A job, not an argument of `_begin`: what a process that cannot start does not read blocks whoever starts it.
        self._generator.submit(_take, cloudpickle.dumps((policy, definitions)))

    def go_on(self, step: int) -> None:
        """Ask for the rollouts up to `staleness` behind this one, from the weights that stand now."""
        wanted = range(max(self._last + 1, step), step + self._staleness + 1)
        weights = _packed(self._policy) if wanted else b""
        for number in wanted:
            asked = [_asked(name, env, config, number) for name, env, config in self._environments.drawing(number)]
            with _alive():
                self._waiting[number] = _Waiting(asked, self._generator.submit(_generate, weights, asked))
            self._last = number

    def drawing(self, step: int) -> Iterator[tuple[str, BatchEnvironment, TrainConfig, Given]]:
        """The environments of this rollout with what was said in them; waits for it."""
        waiting = self._waiting.pop(step)
        for asked, said in zip(waiting.asked, _result(waiting.said), strict=True):
            env, config = self._environments.drawn_with(asked.name, len(asked.tasks))
            size = asked.group_size
            groups = [said[i : i + size] for i in range(0, len(said), size)]
            yield asked.name, env, config, Given(asked.tasks, groups)

    def state(self) -> str:
        """The rollouts that wait, as JSON; waits until they are drawn."""
        found = []
        for step, waiting in self._waiting.items():
            parts = zip(waiting.asked, _result(waiting.said), strict=True)
            saved = [(a.name, [t.to_json() for t in a.tasks], [c.to_json() for c in said]) for a, said in parts]
            found.append([step, saved])
        return json.dumps(found)

    def load(self, state: str) -> None:
        """Take up what `state` gave."""
        for step, parts in json.loads(state):
            asked, done = [], Future[list[list[Completion]]]()
            for name, tasks, _ in parts:
                env, config = self._environments.drawn_with(name, len(tasks))
                asked.append(_asked(name, env, config, step, [Task.from_json(task) for task in tasks]))
            done.set_result([[Completion.from_json(one) for one in said] for _, _, said in parts])
            self._waiting[step], self._last = _Waiting(asked, done), step

    def close(self) -> None:
        """End the process, once it has drawn what it is drawing."""
        self._generator.shutdown(cancel_futures=True)


def _asked(name: str, env: BatchEnvironment, config: TrainConfig, step: int, tasks: Sequence[Task] = ()) -> Asked:
    if not tasks:
        env.reset(config.groups, step=step)
        tasks = env.tasks
    return Asked(name, tasks, config.group_size, config.sampling(derived_seed(config.seed, step, GENERATE)))


def _packed(policy: TransformersPolicy) -> bytes:
    """The weights as they stand, which the next update changes in place."""
    file = io.BytesIO()
    torch.save(policy.model.state_dict(), file)
    return file.getvalue()


@contextmanager
def _alive() -> Iterator[None]:
    """Raise RunError, with what to do, where the generator's process is no more."""
    try:
        yield
    except BrokenProcessPool as error:
        raise RunError(
            "the process that generates beside the updates has ended (out of memory, killed, or started by a script "
            "that trains without `if __name__ == '__main__':` before it); continue with --resume"
        ) from error


def _result(said: Future[list[list[Completion]]]) -> list[list[Completion]]:
    with _alive():
        return said.result()


_here: dict[str, tuple[TransformersPolicy, dict[str, Definition]]] = {}
"""In the generator's process: its own policy, and the environments."""


def _begin(threads: int) -> None:
    threading.Thread(target=_end_with_the_trainer, daemon=True).start()
    torch.set_num_threads(threads)


def _take(packed: bytes) -> None:
    _here["policy"] = cloudpickle.loads(packed)


def _end_with_the_trainer() -> None:
    """A trainer that is killed cannot say so; nobody would end this process then."""
    trainer = multiprocessing.parent_process()
    if trainer is not None:
        trainer.join()
        os._exit(1)


def _generate(weights: bytes, asked: Sequence[Asked]) -> list[list[Completion]]:
    """In the generator's process: what the policy with these weights says, environment by environment."""
    policy, definitions = _here["policy"]
    policy.model.load_state_dict(torch.load(io.BytesIO(weights), weights_only=True))
    return [play(definitions[a.name], policy, a.tasks, a.group_size, a.sampling) for a in asked]
