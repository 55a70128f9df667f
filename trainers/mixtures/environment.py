"""The environment as a run draws from it: groups of its size, its sampler, the algorithm's penalty on length."""

from __future__ import annotations

from dataclasses import replace

from rlenv.core.definition import Definition, check_trainable
from rlenv.core.errors import ConfigError
from rlenv.env.batch import BatchEnvironment, EnvLike, definition
from rlenv.env.sampler import sampler_named
from rlenv.trainers.config import TrainConfig
from rlenv.workers.pool import Pool
from rlenv.wrappers import OverlongPenalty


def training_environment(env: EnvLike, config: TrainConfig, pool: Pool | None) -> BatchEnvironment:
    """The batch form for this run. Raises ConfigError for what is for evaluation only."""
    given = with_overlong_penalty(definition(env), config)
    check_trainable(given)
    if config.row.advantage.kind == "continued" and given.interaction is not None:
        raise ConfigError(f"{config.row.name} goes on from the middle of one turn: use ppo or grpo with several turns")
    sampler = sampler_named(config.sampler, given.tasks, config.seed, by_reward=config.row.drawing.signal == "reward")
    return BatchEnvironment(given, group_size=config.group_size, seed=config.seed, sampler=sampler, pool=pool)


def most_said(given: Definition, config: TrainConfig) -> int:
    """How many tokens a policy can say in one episode."""
    if given.interaction is None:
        return config.max_new_tokens
    most = given.max_turns * config.max_new_tokens
    return most if config.max_episode_tokens is None else min(most, config.max_episode_tokens)


def with_overlong_penalty(given: Definition, config: TrainConfig) -> Definition:
    """The definition with a penalty on length, where the algorithm asks for one."""
    share = config.row.drawing.overlong_buffer
    if not share:
        return given
    limit = most_said(given, config)
    return replace(given, wrappers=(*given.wrappers, OverlongPenalty(limit, max(1, round(share * limit)))))
