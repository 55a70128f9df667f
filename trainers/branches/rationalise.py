"""Prompts that are asked again within a rollout; the verifier alone judges, for wrappers may count what they see.

STaR's rationalisation: prompts that failed are asked again with the reference answer as a hint. What is right then is
learned as the answer to the prompt WITHOUT the hint, in the place of wrong answers of its group. Zelikman et al. 2022,
arXiv 2203.14465, section 3.2. Deviation: completions are sampled, not greedy, and so many a prompt as its group holds.
The hinted episodes are saved behind those of their rollout, in groups of their own, with the flag `hinted` and with the
prompt that was asked as `prompt_ids`; rewards and lengths in metrics are without them.

VinePPO's values: from every few tokens of a completion the policy goes on again, and what that earns is the value.
Kazemnejad et al. 2024, arXiv 2410.01679. Deviations: a step is so many tokens, where the paper cuts a solution at its
lines, and from the same beginning of the same task the policy goes on once. The continuations are not saved.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import torch

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.task import Prompt, Task
from rlenv.core.verdict import Flag
from rlenv.policies.transformers import TransformersPolicy
from rlenv.scorers.monte_carlo import continue_tokens
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.rollouts.collect import Collected, Journal, derived_seed, judged_apart, played, tensors
from rlenv.trainers.settings.config import TrainConfig
from rlenv.turns.play import reference_script
from rlenv.workers.pool import Pool

HINTED = "hinted"
"""The flag of an episode whose prompt held the answer."""
RATIONALISE = 3
"""What a derived seed is for; the first three uses are those of rlenv.trainers.rollouts.collect."""
HINTED_DRAW = -1
"""The number of this draw in the journal, where draws of the environment count from 0."""


def rationalised(
    collected: Collected,
    definition: Definition,
    policy: TransformersPolicy,
    config: TrainConfig,
    step: int,
    journal: Journal | None = None,
    processes: Processes = ALONE,
    pool: Pool | None = None,
) -> Collected:
    """The rollout with right answers to hinted prompts in the place of wrong ones, where a whole group was wrong.

    The verifier alone says what is right: wrappers, which may count what they see, do not see hinted episodes.
    """
    rule, size = config.row.selection, config.group_size
    if rule is None or not rule.rationalise:
        return collected
    started, threshold = time.perf_counter(), rule.thresholds[-1]
    by_reward = config.row.drawing.signal == "reward"
    trained = [replace(episode, unshaped=None) if by_reward else episode for episode in collected.trained]
    failed = failed_groups(trained, size, threshold)
    judged: list[Episode] = []
    if failed:
        tasks = [collected.trained[group * size].task for group in failed]
        hinted = [replace(task, prompt=with_hint(task, rule.hint, definition)) for task in tasks]
        seed = derived_seed(config.seed, step, RATIONALISE, processes.rank)
        said = [one for group in played(definition, policy, hinted, config, seed, processes) for one in group]
        verdicts = judged_apart(definition, tasks, said, (step, HINTED_DRAW), journal, processes, pool)
        encoded = [tuple(policy.encode(task.prompt, definition.tools)) for task in hinted]
        first = len(collected.episodes)
        judged = [
            replace(
                episode.judged(episode.verdict.with_flag(Flag(HINTED))),
                prompt_ids=encoded[episode.group],
                group=first // size + episode.group,
                index=first + episode.index,
                step=step,
                seed=seed,
            )
            for episode in verdicts
        ]
    places, episodes = replaced(collected, failed, judged, size, threshold), [*collected.episodes, *judged]
    metrics = {
        **collected.metrics,
        "rationalised/prompts": float(len(failed)),
        "rationalised/right": float(sum(place >= len(collected.episodes) for place in places)),
        "time/rationalise": time.perf_counter() - started,
    }
    rollout = tensors(policy, [replace(episodes[place], prompt_ids=()) for place in places], definition)
    return Collected(episodes, rollout, metrics, places)


def failed_groups(episodes: Sequence[Episode], group_size: int, threshold: float) -> list[int]:
    """Groups of which no member passes, though the checker answered for one at least."""
    groups = [episodes[i : i + group_size] for i in range(0, len(episodes), group_size)]
    return [
        number
        for number, members in enumerate(groups)
        if any(e.verdict.graded for e in members) and not any(passes(e, threshold) for e in members)
    ]


def replaced(
    collected: Collected, failed: Sequence[int], judged: Sequence[Episode], group_size: int, threshold: float
) -> list[int]:
    """Places of the rollout's rows among the episodes drawn and then those judged with a hint."""
    first = len(collected.episodes)
    places = list(range(first)) if collected.kept is None else list(collected.kept)
    for index, episode in enumerate(judged):
        if passes(episode, threshold):
            places[failed[index // group_size] * group_size + index % group_size] = first + index
    return places


def passes(episode: Episode, threshold: float) -> bool:
    """True where there is a signal and it reaches the threshold."""
    return episode.signal is not None and episode.signal >= threshold


def with_hint(task: Task, hint: str, definition: Definition) -> Prompt:
    """The prompt with the hint behind it: its reference where that is text or a number, else a whole solution."""
    reference = task.reference
    simple = isinstance(reference, str | int | float) and not isinstance(reference, bool)
    text = hint.replace("{reference}", str(reference) if simple else _solution(definition, task))
    if isinstance(task.prompt, str):
        return task.prompt + text
    *before, last = task.prompt
    return (*before, {**last, "content": last["content"] + text})


def _solution(definition: Definition, task: Task) -> str:
    """What the reference says, its turns on lines of their own."""
    script = reference_script(definition, task)
    return script if isinstance(script, str) else "\n".join(script)


CONTINUE = 4
"""What a derived seed is for; the uses before are those of rlenv.trainers.rollouts.collect and rationalise."""
CONTINUED_DRAW = -2
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
    judged = judged_apart(definition, tasks, whole, (step, CONTINUED_DRAW), journal, processes, pool)
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
