"""VinePPO's values: from every few tokens of a completion the policy goes on again, and what that earns is the value.

Kazemnejad et al. 2024, arXiv 2410.01679. The verifier alone judges the continuations, for wrappers may count what they
see; they are not saved. Deviations: a step is so many tokens, where the paper cuts a solution at its lines, and from
the same beginning of the same task the policy goes on once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import torch

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.policies.transformers import TransformersPolicy
from rlenv.scorers.monte_carlo import continue_tokens
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.rollouts.collect import Collected, derived_seed
from rlenv.trainers.rollouts.journal import Journal
from rlenv.trainers.rollouts.shared_judging import judged_apart
from rlenv.trainers.settings.config import TrainConfig
from rlenv.workers.pool import Pool

CONTINUE = 4
"""What a derived seed is for; the uses before are those of rlenv.trainers.rollouts.collect and rationalise."""
DRAW = -2
"""The number of this draw in the journal, where draws of the environment count from 0."""

Start: TypeAlias = "tuple[str, tuple[int, ...]]"
"""A task's id and the tokens said so far."""


def continued(
    collected: Collected,
    definition: Definition,
    policy: TransformersPolicy,
    config: TrainConfig,
    step: int,
    journal: Journal | None = None,
    processes: Processes = ALONE,
    pool: Pool | None = None,
) -> Collected:
    """The rollout with the value of the state before each step, where the row learns from such values."""
    rule = config.row.advantage
    if rule.kind != "continued":
        return collected
    began = time.perf_counter()
    trained = collected.trained
    first = {start: episode for episode in reversed(trained) for start in starts(episode, rule.step_tokens)}
    sampling = config.sampling(derived_seed(config.seed, step, CONTINUE, processes.rank))
    own = processes.share(list(first))
    prompts, prefixes = [first[start].prompt_ids for start in own], [start[1] for start in own]
    said = continue_tokens(policy, prompts, prefixes, rule.continuations, sampling)
    size = rule.continuations
    groups = processes.gathered([said[i : i + size] for i in range(0, len(said), size)])
    ways = [episode.completion.read_as for episode in first.values()]
    whole = [replace(one, read_as=way) for group, way in zip(groups, ways, strict=True) for one in group]
    tasks = [episode.task for episode in first.values()]
    judged = judged_apart(definition, tasks, whole, (step, DRAW), journal, processes, pool)
    means = [mean_reward(judged[i : i + size]) for i in range(0, len(judged), size)]
    values = values_of(trained, dict(zip(first, means, strict=True)), rule.step_tokens, collected.rollout.mask)
    metrics = {
        **collected.metrics,
        "continued/drawn": float(len(judged)),
        "continued/errors": float(sum(not episode.verdict.graded for episode in judged)),
        "time/continue": time.perf_counter() - began,
    }
    return replace(collected, rollout=collected.rollout.with_(values=values), metrics=metrics)


def starts(episode: Episode, step_tokens: int) -> list[Start]:
    """Where the steps of a graded completion begin; none for what the checker failed on."""
    ids = episode.completion.token_ids
    places = range(0, len(ids), step_tokens) if episode.verdict.graded else range(0)
    return [(episode.task.id, tuple(ids[:place])) for place in places]


def mean_reward(episodes: Sequence[Episode]) -> float | None:
    """Of those on which there is a verdict, None without any."""
    rewards = [e.verdict.reward for e in episodes if e.verdict.reward is not None]
    return sum(rewards) / len(rewards) if rewards else None


def values_of(
    episodes: Sequence[Episode], means: dict[Start, float | None], step_tokens: int, mask: torch.Tensor
) -> torch.Tensor:
    """The value before the step that each token belongs to; where no verdict came, that of the step before. (B, T)

    Before the first step that is the mean of all values.
    """
    known = [mean for mean in means.values() if mean is not None]
    middle, found = sum(known) / max(1, len(known)), torch.zeros_like(mask)
    for row, episode in enumerate(episodes):
        value = middle
        for step, start in enumerate(starts(episode, step_tokens)):
            mean = means[start]
            value = value if mean is None else mean
            found[row, step * step_tokens : (step + 1) * step_tokens] = value
    return found * mask
