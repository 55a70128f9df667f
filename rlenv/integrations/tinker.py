"""An environment for Tinker's cookbook (0.6.1): its data set, its groups and its environments.

    dataset_builder = RlenvDatasetBuilder(env="math/arithmetic-v1", model_name="Qwen/Qwen3-8B", size=2000,
                                          batch_size=64, group_size=8)

A group is judged whole, with the environment's wrappers. A completion whose checker failed gets the mean of its group,
so that its advantage, which the cookbook centres, is exactly 0; a group in which all failed is skipped.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import chz
import tinker
from tinker_cookbook.exceptions import AllTrajectoriesFailedError
from tinker_cookbook.rl.types import (
    ActionExtra,
    Env,
    EnvGroupBuilder,
    InitialObservationOverflow,
    Metrics,
    RLDataset,
    RLDatasetBuilder,
    StepResult,
    Trajectory,
)
from tinker_cookbook.tokenizer_utils import get_tokenizer

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.env.rows import read_row
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import Payer, export, graded_reward, logs_of
from rlenv.integrations.token_episode import TokenEpisode


class RlenvEnv(Env):  # type: ignore[misc]  # the cookbook's types are not ours to check
    """One episode. `alone` pays at its last step; otherwise its group builder pays."""

    def __init__(self, row: str, episode: TokenEpisode, *, alone: bool = True) -> None:
        self.row, self.episode, self.alone = row, episode, alone
        self._stop = sorted(episode.decoder.end_ids)

    @classmethod
    def of(cls, row: str, model_name: str, *, max_tokens: int = 2048, alone: bool = True) -> RlenvEnv:
        """The environment of a row (docs/rows.md); `max_tokens` bounds the whole episode.

        Raises ConfigError for a row that cannot be read, and what loading its environment raises.
        """
        tokenizer = get_tokenizer(model_name)
        if tokenizer.eos_token_id is None:
            raise ConfigError(f"expected a tokenizer with an end-of-sequence token, got {model_name}: set eos_token")
        sampling = Sampling(max_new_tokens=max_tokens, max_episode_tokens=max_tokens)
        ends = [int(tokenizer.eos_token_id)]
        return cls(row, TokenEpisode.of_row(row, tokenizer, ends, sampling, name=model_name), alone=alone)

    async def initial_observation(self) -> tuple[tinker.ModelInput, list[int]] | InitialObservationOverflow:
        """The prompt's ids, and the tokens that end a turn."""
        ids = await asyncio.to_thread(self.episode.ids)
        if ids is None:
            return InitialObservationOverflow(reward=0.0, metrics={"stop/max_tokens": 1.0})
        return tinker.ModelInput.from_ints(ids), self._stop

    async def step(self, action: list[int], *, extra: ActionExtra | None = None) -> StepResult:
        """Take what was sampled. Raises MachineryError where it stands alone and the checker failed."""
        reason = (extra or {}).get("stop_reason")
        await asyncio.to_thread(self.episode.say, action, cut=None if reason is None else reason == "length")
        ids = await asyncio.to_thread(self.episode.ids)
        if ids is not None:
            return StepResult(0.0, False, tinker.ModelInput.from_ints(ids), self._stop)
        if not self.alone:
            return StepResult(0.0, True, tinker.ModelInput.empty(), self._stop)
        [(judged, _)] = await asyncio.to_thread(paid_group, [self])
        reward, logs = graded_reward(judged.verdict), {"reason": judged.verdict.reason}
        return StepResult(reward, True, tinker.ModelInput.empty(), self._stop, _metrics(judged), logs)


@dataclass(frozen=True)
class RlenvGroupBuilder(EnvGroupBuilder):  # type: ignore[misc]
    """The group of one task. It can be pickled: the tokenizer is loaded where the environments are made."""

    row: str
    model_name: str
    group_size: int
    max_tokens: int = 2048

    async def make_envs(self) -> Sequence[RlenvEnv]:
        """The environments of the group."""
        one = (self.row, self.model_name)
        return [RlenvEnv.of(*one, max_tokens=self.max_tokens, alone=False) for _ in range(self.group_size)]

    async def compute_group_rewards(
        self, trajectory_group: list[Trajectory], env_group: Sequence[Env]
    ) -> list[tuple[float, Metrics]]:
        """The rewards of the group. Raises AllTrajectoriesFailedError, which skips it, where nothing was graded."""
        paid = await asyncio.to_thread(paid_group, list(env_group))
        if not any(episode.verdict.graded for episode, _ in paid):
            raise AllTrajectoriesFailedError(f"the checker failed on a whole group: {paid[0][0].verdict.reason}")
        return [(reward, _metrics(episode)) for episode, reward in paid]

    def logging_tags(self) -> list[str]:
        """The family and the id of the environment, under which metrics are averaged."""
        env = read_row(self.row).env
        return [env.partition("/")[0], env]


class RlenvDataset(RLDataset):  # type: ignore[misc]
    """Rows in batches; what is left over at the end makes a smaller last batch."""

    def __init__(self, builders: Sequence[RlenvGroupBuilder], batch_size: int) -> None:
        self.builders, self.batch_size = builders, batch_size

    def get_batch(self, index: int) -> Sequence[RlenvGroupBuilder]:
        return self.builders[index * self.batch_size : (index + 1) * self.batch_size]

    def __len__(self) -> int:
        return math.ceil(len(self.builders) / self.batch_size)


@chz.chz
class RlenvDatasetBuilder(RLDatasetBuilder):  # type: ignore[misc]
    """What `tinker_cookbook.rl.train.Config` takes as `dataset_builder`."""

    env: str
    model_name: str
    batch_size: int
    group_size: int
    size: int | None = None
    """How many tasks are drawn; None takes every task of a set of up to 20,000."""
    seed: int = 0
    max_tokens: int = 2048
    """Of a whole episode, what answers included."""
    kwargs: dict[str, Any] = chz.field(default_factory=dict)
    """The keywords of the environment."""

    async def __call__(self) -> tuple[RlenvDataset, None]:
        """The training set. Raises ConfigError for an environment that is for evaluation only."""
        check_version("tinker-cookbook", "0.6.1", "0.7")
        rows = export(self.env, dict(self.kwargs), self.size, self.seed).rows
        groups = [RlenvGroupBuilder(row, self.model_name, self.group_size, self.max_tokens) for row in rows]
        return RlenvDataset(groups, self.batch_size), None


def paid_group(envs: Sequence[RlenvEnv]) -> list[tuple[Episode, float]]:
    """The episodes of one group, judged together, each with a reward or the mean of the group."""
    return _payer().pay([env.row for env in envs], [env.episode.completion() for env in envs])


@cache
def _payer() -> Payer:
    return Payer(training=False)


def _metrics(episode: Episode) -> Metrics:
    return {**logs_of(episode), **{f"part/{part.name}": float(part.value) for part in episode.verdict.parts}}
