"""Rollouts drawn beside the updates: generators, processes of their own, draw the next ones while the trainer steps.

    train(TrainConfig(staleness=1, generators=2, algorithm=row), env, policy, "runs/beside")

Rollout t is drawn from the weights that stand after t - staleness rollouts (the first from the first weights), however
fast either side is: a run is the same every time, and goes on exactly where it was stopped. Its tasks are those that
the samplers chose at that moment. They are drawn in batches, which follow from `generation_batch_tokens` alone and are
dealt out in turn, so that any number of generators draws the same.

At most `staleness` rollouts wait; a checkpoint waits until what was asked for is drawn, and holds it. Verdicts,
wrappers and updates stay in the trainer's process.
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
from itertools import groupby
from typing import NamedTuple

import cloudpickle
import torch

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.loop.checkpoint import ignored
from rlenv.trainers.loop.environments import Environments, most_said
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.rollouts.collect import GENERATE, Given, derived_seed
from rlenv.trainers.settings.config import TrainConfig
from rlenv.turns.play import play


class Batch(NamedTuple):
    """Tasks of one environment that are drawn together, and what was said so far: nothing, or all of it."""

    name: str
    tasks: Sequence[Task]
    group_size: int
    said: Future[list[Completion]] | None = None


class AsyncRollouts:
    """The generators and the rollouts that they have been asked for."""

    def __init__(
        self, policy: TransformersPolicy, environments: Environments, config: TrainConfig, processes: Processes
    ) -> None:
        if processes.count > 1:
            raise ConfigError(f"expected staleness=0 with {processes.count} processes, got {config.staleness}")
        self._policy, self._environments, self._config = policy, environments, config
        self._waiting: dict[int, list[Batch]] = {}
        self._last = -1
        """The last rollout that was asked for."""
        spawn = multiprocessing.get_context("spawn")
        threads = (torch.get_num_threads(),)
        self._generators = [ProcessPoolExecutor(1, spawn, _begin, threads) for _ in range(config.generators)]
        packed = cloudpickle.dumps((policy, {name: env.definition for name, env in environments.envs.items()}))
        for generator in self._generators:
            # A job, not an argument of `_begin`: what a process that cannot start does not read blocks its parent.
            with ignored():  # a terminal sends Ctrl-C to every process; the trainer's end is the end of these
                generator.submit(_take, packed)

    def go_on(self, step: int) -> None:
        """Ask for what the weights that stand now draw, up to the rollout that comes `staleness` after this one."""
        first, new = not self._waiting, list[int]()
        for number in range(max(self._last + 1, step), step + self._config.staleness + 1):
            drawing = self._environments.drawing(number)
            self._waiting[number] = [batch for asked in drawing for batch in self._batches(number, *asked)]
            self._last = number
            new.append(number)
        if first:
            self._refuse_idle(step)
        weights = _packed(self._policy) if new else b""
        jobs = [(number, place) for number in new for place in range(len(self._waiting[number]))]
        with _alive():
            for at in sorted({sum(job) % len(self._generators) for job in jobs}):
                self._generators[at].submit(_load, weights)
            for number, place in jobs:
                self._waiting[number][place] = self._asked(number, place)

    def drawing(self, step: int) -> Iterator[tuple[str, BatchEnvironment, TrainConfig, Given]]:
        """The environments of this rollout with what was said in them; waits for it."""
        for name, group in groupby(self._waiting.pop(step), key=lambda batch: batch.name):
            batches = list(group)
            tasks = [task for batch in batches for task in batch.tasks]
            said = [completion for batch in batches for completion in _said(batch)]
            size = batches[0].group_size
            env, config = self._environments.drawn_with(name, len(tasks))
            yield name, env, config, Given(tasks, [said[i : i + size] for i in range(0, len(said), size)])

    def state(self) -> str:
        """The rollouts that wait, as JSON; waits until what was asked for is drawn."""
        return json.dumps(
            [
                [step, [(b.name, [t.to_json() for t in b.tasks], [c.to_json() for c in _said(b)]) for b in batches]]
                for step, batches in self._waiting.items()
            ]
        )

    def load(self, state: str) -> None:
        """Take up what `state` gave."""
        for step, batches in json.loads(state):
            self._waiting[step], self._last = [], step
            for name, tasks, said in batches:
                done = Future[list[Completion]]()
                done.set_result([Completion.from_json(one) for one in said])
                own = [Task.from_json(task) for task in tasks]
                self._waiting[step].append(Batch(name, own, len(said) // len(own), done))

    def close(self) -> None:
        """End the processes, once they have drawn what they are drawing."""
        for generator in self._generators:
            generator.shutdown(cancel_futures=True)

    def _batches(self, step: int, name: str, env: BatchEnvironment, config: TrainConfig) -> list[Batch]:
        """The tasks that the sampler chooses now, as many together as the cache of a generator takes."""
        env.reset(config.groups, step=step)
        longest = max(len(self._policy.encode(task.prompt, env.definition.tools)) for task in env.tasks)
        tokens = (longest + most_said(env.definition, config)) * config.group_size
        count = max(1, self._policy.max_batch_tokens // tokens)
        parts = [env.tasks[i : i + count] for i in range(0, len(env.tasks), count)]
        return [Batch(name, part, config.group_size) for part in parts]

    def _asked(self, number: int, place: int) -> Batch:
        """This batch of a rollout with what its generator is asked for."""
        batch = self._waiting[number][place]
        _, config = self._environments.drawn_with(batch.name, len(batch.tasks))  # with a seed of its own in a mixture
        seed = derived_seed(config.seed, number, GENERATE, *((place, 0) if place else ()))
        generator = self._generators[(number + place) % len(self._generators)]
        asked = (batch.name, batch.tasks, batch.group_size, config.sampling(seed))
        return batch._replace(said=generator.submit(_generate, *asked))

    def _refuse_idle(self, step: int) -> None:
        """Raise ConfigError where there are fewer batches than generators."""
        useful, asked = len(self._waiting[step]) * self._config.staleness, self._config.generators
        if useful < asked:
            raise ConfigError(
                f"expected at most {useful} generators, got {asked}: a rollout is drawn in batches of "
                f"generation_batch_tokens ({self._policy.max_batch_tokens}), of which there is work for {useful} at a "
                "time; make it smaller, or set fewer generators"
            )


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
            "a process that generates beside the updates has ended (out of memory, killed, or started by a script "
            "that trains without `if __name__ == '__main__':` before it); continue with --resume"
        ) from error


def _said(batch: Batch) -> list[Completion]:
    """What was said in a batch that was asked for; waits for it."""
    if batch.said is None:
        raise RunError("expected a batch that was asked for; call go_on() first")
    with _alive():
        return batch.said.result()


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


def _load(weights: bytes) -> None:
    policy, definitions = _here.pop(
        "policy"
    )  # weights that do not load leave nothing that would draw from the old ones
    policy.model.load_state_dict(torch.load(io.BytesIO(weights), weights_only=True))
    _here["policy"] = policy, definitions


def _generate(name: str, tasks: Sequence[Task], n: int, sampling: Sampling) -> list[Completion]:
    """In a generator's process: what its policy says to these tasks."""
    policy, definitions = _here["policy"]
    return play(definitions[name], policy, tasks, n, sampling)
