"""What a judged rollout says in numbers, under TRL's names where TRL has one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch

from rlenv.core.episode import Episode
from rlenv.text.escaping import shown_line
from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.algorithms.choices import Signal


def signals_of(episodes: Sequence[Episode], signal: Signal) -> tuple[torch.Tensor, torch.Tensor]:
    """What filters compare, 0 where not graded, and who is graded. Both (B,)"""
    rewards, graded = rewards_of(episodes)
    return (torch.tensor([e.signal or 0.0 for e in episodes]) if signal == "verdict" else rewards), graded


def rewards_of(episodes: Sequence[Episode]) -> tuple[torch.Tensor, torch.Tensor]:
    """The rewards, 0 where not graded, and who is graded. Both (B,)"""
    rewards = [e.verdict.reward for e in episodes]
    return torch.tensor([r or 0.0 for r in rewards]), torch.tensor([r is not None for r in rewards])


MOST_VALUES = 50
"""Values of a metadata column that have a reward of their own, the most frequent first: a chart each."""


def measured(episodes: Sequence[Episode], group_size: int, by: str = "") -> dict[str, float]:
    """Rewards, lengths, parts of the rewards and flags of whole groups of episodes.

    `flags/NAME` and `verifier_errors` are numbers of episodes, `completions/clipped_ratio` and `frac_reward_zero_std`
    shares of 0 to 1. Lengths are of what the policy said; what answered it is counted apart. `by` is a metadata column
    whose values have their own mean rewards.
    """
    lengths = np.array([e.completion.said_tokens for e in episodes])
    finished = np.array([e.completion.finished for e in episodes])
    rewards = np.array([e.verdict.reward for e in episodes if e.verdict.reward is not None] or [np.nan])
    values, graded = rewards_of(episodes)
    metrics = {
        "reward": float(rewards.mean()),
        "reward_std": _group_std(values, graded, group_size),
        "completions/mean_length": float(lengths.mean()),
        "completions/min_length": float(lengths.min()),
        "completions/max_length": float(lengths.max()),
        "completions/clipped_ratio": float(1 - finished.mean()),
        "completions/mean_terminated_length": float(lengths[finished].mean()) if finished.any() else 0.0,
        "verifier_errors": float(len(episodes) - int(graded.sum())),
    }
    if group_size > 1:
        metrics["frac_reward_zero_std"] = float((~varied(values, graded, group_size)).float().mean())
    if any(e.completion.turns for e in episodes):
        metrics["turns/mean"] = float(np.mean([len(e.completion.said_turns) for e in episodes]))
        heard = [len(e.completion.token_ids) - e.completion.said_tokens for e in episodes]
        metrics["turns/environment_tokens"] = float(np.mean(heard))
    return metrics | _of_column(episodes, by) | _of_verdicts(episodes)


def _of_column(episodes: Sequence[Episode], by: str) -> dict[str, float]:
    """The mean reward of each value of a metadata column over the graded episodes: `reward/level=3`."""
    rewards: dict[str, list[float]] = {}
    for episode in episodes if by else ():
        value, reward = episode.task.metadata.get(by), episode.verdict.reward
        if isinstance(value, str | int | float) and reward is not None:
            rewards.setdefault(shown_line(str(value)), []).append(reward)
    most = sorted(rewards, key=lambda value: (-len(rewards[value]), value))[:MOST_VALUES]
    return {f"reward/{by}={value}": float(np.mean(rewards[value])) for value in most}


def _of_verdicts(episodes: Sequence[Episode]) -> dict[str, float]:
    """Means of parts of the reward and of raw scores over the graded episodes that have them; how many have a flag."""
    parts, scores = dict[str, list[float]](), dict[str, list[float]]()
    for verdict in (episode.verdict for episode in episodes):
        for part in verdict.parts:
            parts.setdefault(part.name, []).append(part.value)
        for name, score in verdict.scores.items() if verdict.graded else ():
            scores.setdefault(name, []).extend([score] if math.isfinite(score) else [])
    flags = Counter(name for e in episodes for name in {flag.name: flag for flag in e.verdict.flags})
    return {
        **{f"rewards/{name}/mean": float(np.mean(values)) for name, values in parts.items()},
        **{f"rewards/{name}/std": float(np.std(values)) for name, values in parts.items()},
        **{f"scores/{name}/mean": float(np.mean(values)) for name, values in scores.items() if values},
        **{f"flags/{name}": float(count) for name, count in flags.items()},
    }


def _group_std(rewards: torch.Tensor, graded: torch.Tensor, group_size: int) -> float:
    """Mean over groups of the population std of the graded rewards."""
    weights, rewards = graded.view(-1, group_size).float(), rewards.view(-1, group_size)
    count = weights.sum(1).clamp(min=1)
    mean = (rewards * weights).sum(1) / count
    variance = ((rewards - mean[:, None]) ** 2 * weights).sum(1) / count
    return float(torch.sqrt(variance).mean())
