"""What the rules read of a rollout: a handful of means, and the mean of several rollouts."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json

CORRECT = "correct"
"""The name under which verifiers pay, or score, for being right."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Means over the graded episodes of one rollout, or of several."""

    reward: float
    correct: float
    """Of the part `correct`; where no episode has one, of the score `correct`; else the reward."""
    length: float
    """Tokens a completion."""
    errors: float
    """Share of all episodes on which the verifier failed."""
    parts: Mapping[str, float]
    """What each part of the reward gives an episode."""
    flags: Mapping[str, float]
    """Share of episodes that carry each flag."""
    zero_variance: float | None = None
    """Share of groups whose rewards are all equal."""
    entropy: float | None = None
    """Nats a token."""
    kl: float | None = None
    """From the reference model, nats a token."""
    error: float | None = None
    """Standard error of the reward over the tasks; None where there are fewer than two."""
    chosen: float | None = None
    """Log-prob of the chosen completions, where pairs are learned from."""

    def to_json(self) -> dict[str, Json]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Reading:
        return cls(**cast("dict[str, Any]", data))


def reading_of(episodes: Sequence[Episode], metrics: Mapping[str, float]) -> Reading | None:
    """The reading of one rollout; None where the verifier graded nothing and no pairs of a file were learned from.

    Such pairs have no episodes: what is read of those is 0 throughout, at which no rule breaks.
    """
    graded = [e for e in episodes if e.verdict.reward is not None]
    chosen = metrics.get("logps/chosen")
    if not graded and (episodes or chosen is None):
        return None
    if not graded:
        return Reading(reward=0.0, correct=0.0, length=0.0, errors=0.0, parts={}, flags={}, chosen=chosen)
    count = len(graded)
    parts: dict[str, float] = {}
    for episode in graded:
        for part in episode.verdict.parts:
            parts[part.name] = parts.get(part.name, 0.0) + part.value / count
    flags = Counter(name for e in graded for name in {flag.name for flag in e.verdict.flags})
    reward = sum(e.verdict.reward or 0.0 for e in graded) / count
    return Reading(
        reward=reward,
        correct=_correct(graded, parts, reward),
        length=sum(e.completion.said_tokens or e.completion.said_chars for e in graded) / count,
        errors=1 - count / len(episodes),
        parts=parts,
        flags={name: times / count for name, times in sorted(flags.items())},
        zero_variance=metrics.get("frac_reward_zero_std"),
        entropy=metrics.get("entropy"),
        kl=metrics.get("kl"),
        error=_error(graded),
        chosen=chosen,
    )


def mean(readings: Sequence[Reading]) -> Reading:
    """The mean of several rollouts; a part or a flag that one of them lacks counts as 0 there."""

    def of(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None

    def each(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
        keys = dict.fromkeys(key for found in values for key in found)
        return {key: sum(found.get(key, 0.0) for found in values) / len(values) for key in keys}

    count, errors = len(readings), [r.error for r in readings]
    return Reading(
        reward=sum(r.reward for r in readings) / count,
        correct=sum(r.correct for r in readings) / count,
        length=sum(r.length for r in readings) / count,
        errors=sum(r.errors for r in readings) / count,
        parts=each([r.parts for r in readings]),
        flags=each([r.flags for r in readings]),
        zero_variance=of(r.zero_variance for r in readings),
        entropy=of(r.entropy for r in readings),
        kl=of(r.kl for r in readings),
        error=None if None in errors else math.hypot(*(error or 0.0 for error in errors)) / count,
        chosen=of(r.chosen for r in readings),
    )


def _error(graded: Sequence[Episode]) -> float | None:
    """Completions of one task hang together: what is independent are the tasks."""
    rewards: dict[str, list[float]] = {}
    for episode in graded:
        rewards.setdefault(episode.task.id, []).append(episode.verdict.reward or 0.0)
    means = [statistics.fmean(of_task) for of_task in rewards.values()]
    return statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else None


def _correct(graded: Sequence[Episode], parts: Mapping[str, float], reward: float) -> float:
    if CORRECT in parts:
        return parts[CORRECT]
    scored = [e.verdict.scores[CORRECT] for e in graded if CORRECT in e.verdict.scores]
    return sum(scored) / len(scored) if scored else reward
