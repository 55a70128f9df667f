"""The batch form of an environment: groups of episodes that share a task by construction.

    batch = rlenv.make_batch("math/arithmetic-v1", group_size=8)
    prompts = batch.reset(groups=16)                       # 16 prompts
    completions = policy.generate(prompts, n=8)            # 128 completions, group by group
    episodes = batch.step(completions)                     # 128 episodes, each with its verdict

Cheap verifiers run inline, the others in worker processes that are killed past their limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeAlias, cast

import gymnasium

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Prompt, Task
from rlenv.core.verdict import Verdict
from rlenv.core.wrapper import Wrapper
from rlenv.env.environment import definition_of
from rlenv.env.registry import load
from rlenv.env.sampler import Sampler, UniformSampler
from rlenv.evidence.exploits.finding import Finding
from rlenv.evidence.findings import found, told
from rlenv.judge.judge import Judge
from rlenv.workers.pool import Pool

EnvLike: TypeAlias = "str | Definition | gymnasium.Env[Any, Any]"
"""An id, a definition, or an environment made by rlenv.make, wrapped or not."""


class VerdictJournal(Protocol):
    """Remembers verdicts across a kill, so that none that was given is asked for again."""

    def known(self, completions: Sequence[Completion]) -> Mapping[int, Verdict]:
        """Verdicts already given, by place in the batch."""

    def record(self, index: int, completion: Completion, verdict: Verdict) -> None:
        """Keep a verdict as soon as it is given."""


class BatchEnvironment:
    """Groups of one-turn episodes. `seed` and the batch's number alone decide which tasks come."""

    def __init__(
        self,
        env: EnvLike,
        *,
        group_size: int = 1,
        seed: int = 0,
        sampler: Sampler | None = None,
        pool: Pool | None = None,
    ) -> None:
        if group_size < 1:
            raise ConfigError(f"expected a group size of at least 1, got {group_size}")
        self.definition = definition(env)
        self.group_size = group_size
        self.sampler: Sampler = sampler or UniformSampler(len(self.definition.tasks), seed)
        self.tasks: list[Task] = []
        """The task of each group of the batch under way."""
        self.judge = Judge(self.definition, pool)
        self._next = 0

    def reset(self, groups: int | None = None, *, step: int | None = None, tasks: Sequence[Task] = ()) -> list[Prompt]:
        """Start a batch of `groups` drawn tasks (number `step`, default: the next), or of the tasks given.

        Returns one prompt a group.
        """
        if bool(tasks) == bool(groups):
            raise ConfigError("expected either a number of groups above 0 or a list of tasks")
        number = self._next if step is None else step
        self._next = number + 1
        self.tasks = list(tasks) or [self.definition.tasks[i] for i in self.sampler.draw(number, groups or 0)]
        return [task.prompt for task in self.tasks]

    def step(self, completions: Sequence[str | Completion], journal: VerdictJournal | None = None) -> list[Episode]:
        """Judge `groups * group_size` completions, group by group, and end the batch."""
        expected = len(self.tasks) * self.group_size
        if len(completions) != expected or not expected:
            raise ConfigError(
                f"expected {expected} completions ({len(self.tasks)} groups of {self.group_size}), "
                f"got {len(completions)}; call reset() first and give {self.group_size} a prompt, group by group"
            )
        said = [as_completion(completion, self.definition.read_as) for completion in completions]
        groups = [i // self.group_size for i in range(expected)]
        tasks = [self.tasks[group] for group in groups]
        if journal is None:
            episodes = self.judge.judge(tasks, said, groups)
        else:
            record = partial(_record, journal, said)
            episodes = self.judge.judge(tasks, said, groups, known=journal.known(said), on_verdict=record)
        self.sampler.observe(episodes)
        self.tasks = []
        return episodes

    @property
    def evidence(self) -> list[str]:
        """What detectors found of the reward so far, and what they asked, a line each; empty where none asks."""
        return told(self.judge.states, self.definition.id)

    @property
    def found(self) -> list[Finding]:
        """The holes of the reward that the detectors have found so far, one for each exploit."""
        return found(self.judge.states, self.definition.id)

    def state_dict(self) -> dict[str, Json]:
        """What wrappers and sampler have learned, as JSON."""
        return {"wrappers": self.judge.state_dict(), "sampler": self.sampler.state_dict(), "next": self._next}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        self.judge.load_state_dict(cast("dict[str, Json]", state["wrappers"]))
        self.sampler.load_state_dict(cast("dict[str, Json]", state["sampler"]))
        self._next = cast("int", state["next"])


def _record(journal: VerdictJournal, said: Sequence[Completion], index: int, verdict: Verdict) -> None:
    journal.record(index, said[index], verdict)


def make_batch(
    id: str,
    *,
    group_size: int = 1,
    seed: int = 0,
    sampler: Sampler | None = None,
    wrappers: Sequence[Wrapper] = (),
    pool: Pool | None = None,
    **kwargs: Any,
) -> BatchEnvironment:
    """The batch form of a registered environment."""
    loaded = load(id, **kwargs)
    loaded = replace(loaded, wrappers=(*loaded.wrappers, *wrappers))
    return BatchEnvironment(loaded, group_size=group_size, seed=seed, sampler=sampler, pool=pool)


def definition(env: EnvLike) -> Definition:
    """The definition that an id, an environment or a definition stands for."""
    if isinstance(env, Definition):
        return env
    if isinstance(env, str):
        return load(env)
    return definition_of(env)
