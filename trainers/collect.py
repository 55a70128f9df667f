"""One rollout: tasks out, completions in, verdicts, and what they say in metrics."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from rlenv.batch import BatchEnvironment
from rlenv.episode import Episode
from rlenv.errors import TooManyVerifierErrors
from rlenv.policies.policy import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.advantages import varied
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.journal import Journal
from rlenv.trainers.rollout import Rollout, rollout_of

GENERATE, SHUFFLE, SFT = 0, 1, 2
"""What a derived seed is for."""


def derived_seed(seed: int, step: int, purpose: int) -> int:
    """An independent 63-bit seed for one use at one step: nothing random needs to be saved."""
    return int(np.random.SeedSequence([seed, step, purpose]).generate_state(1, np.uint64)[0] >> 1)


@dataclass(frozen=True, slots=True)
class Collected:
    """A judged rollout."""

    episodes: list[Episode]
    rollout: Rollout
    metrics: dict[str, float]


def collect(
    env: BatchEnvironment, policy: TransformersPolicy, config: TrainConfig, step: int, journal: Journal | None
) -> Collected:
    """Generate and judge the rollout of this step."""
    prompts = env.reset(config.groups, step=step)
    seed = derived_seed(config.seed, step, GENERATE)
    sampling = Sampling(max_new_tokens=config.max_new_tokens, temperature=config.temperature, seed=seed)
    started = time.perf_counter()
    completions = policy.generate(prompts, config.group_size, sampling)
    generated = time.perf_counter()
    if journal is not None:
        journal.step = step
    judged = env.step(completions, journal)
    scored = time.perf_counter()
    episodes = with_prompt_ids(policy, [replace(e, step=step, seed=seed) for e in judged])
    rollout = tensors(policy, episodes)
    metrics = {
        **measured(episodes, rollout, config.group_size),
        "time/generate": generated - started,
        "time/score": scored - generated,
    }
    return Collected(episodes, rollout, metrics)


def with_prompt_ids(policy: TransformersPolicy, episodes: Sequence[Episode]) -> list[Episode]:
    """The episodes with their prompts as the policy's tokens."""
    encoded: dict[int, tuple[int, ...]] = {}
    for episode in episodes:
        if episode.group not in encoded:
            encoded[episode.group] = tuple(policy.encode(episode.task.prompt))
    return [replace(e, prompt_ids=encoded[e.group]) for e in episodes]


def tensors(policy: TransformersPolicy, episodes: Sequence[Episode]) -> Rollout:
    """The episodes of one batch as padded tensors on the policy's device."""
    if not all(e.prompt_ids for e in episodes):
        episodes = with_prompt_ids(policy, episodes)
    offsets = [policy.token_offsets(e.completion) if e.verdict.step_rewards else [] for e in episodes]
    return rollout_of(episodes, policy.eos_ids[0], offsets).to(policy.model.device)


def measured(episodes: Sequence[Episode], rollout: Rollout, group_size: int) -> dict[str, float]:
    """What a rollout says, under TRL's names where TRL has one."""
    lengths = np.array([len(e.completion.token_ids) for e in episodes])
    finished = np.array([e.completion.finished for e in episodes])
    rewards = np.array([e.verdict.reward for e in episodes if e.verdict.reward is not None] or [np.nan])
    metrics = {
        "reward": float(rewards.mean()),
        "reward_std": _group_std(rollout, group_size),
        "completions/mean_length": float(lengths.mean()),
        "completions/min_length": float(lengths.min()),
        "completions/max_length": float(lengths.max()),
        "completions/clipped_ratio": float(1 - finished.mean()),
        "completions/mean_terminated_length": float(lengths[finished].mean()) if finished.any() else 0.0,
        "verifier_errors": float(len(episodes) - int(rollout.graded.sum())),
    }
    if group_size > 1:
        signal = varied(rollout.rewards, rollout.graded, group_size)
        metrics["frac_reward_zero_std"] = float((~signal).float().mean())
    parts: dict[str, list[float]] = {}
    for episode in episodes:
        for part in episode.verdict.parts:
            parts.setdefault(part.name, []).append(part.value)
    for name, values in parts.items():
        metrics[f"rewards/{name}/mean"] = float(np.mean(values))
        metrics[f"rewards/{name}/std"] = float(np.std(values))
    flags = Counter(flag.name for e in episodes for flag in {f.name: f for f in e.verdict.flags}.values())
    return metrics | {f"flags/{name}": float(count) for name, count in flags.items()}


def _group_std(rollout: Rollout, group_size: int) -> float:
    """Mean over groups of the population std of the graded rewards."""
    weights = rollout.graded.view(-1, group_size).float()
    rewards = rollout.rewards.view(-1, group_size)
    count = weights.sum(1).clamp(min=1)
    mean = (rewards * weights).sum(1) / count
    variance = ((rewards - mean[:, None]) ** 2 * weights).sum(1) / count
    return float(torch.sqrt(variance).mean())


def refuse_failing_checker(episodes: Sequence[Episode], max_share: float) -> None:
    """Raise TooManyVerifierErrors when the verifier failed on more than this share of the episodes."""
    failed = [e for e in episodes if not e.verdict.graded]
    if len(failed) > max_share * len(episodes):
        raise TooManyVerifierErrors(
            f"the verifier failed on {len(failed)} of {len(episodes)} episodes, more than the allowed share "
            f"{max_share:g}; the first said: {failed[0].verdict.reason}"
        )
