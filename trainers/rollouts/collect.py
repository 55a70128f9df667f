"""One rollout: tasks out, completions in, verdicts; with dynamic sampling, until enough groups show a difference."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import TooManyVerifierErrors
from rlenv.core.policy import Policy, SharedPolicy
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment
from rlenv.judge.wrapping import at_fault
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.rollouts.journal import Journal
from rlenv.trainers.rollouts.measured import measured, signals_of
from rlenv.trainers.rollouts.parts import Part
from rlenv.trainers.rollouts.rollout import Rollout, needs_offsets, rollout_of
from rlenv.trainers.rollouts.shared_judging import judged_together
from rlenv.trainers.settings.config import TrainConfig
from rlenv.turns.play import play

GENERATE, SHUFFLE, SFT = 0, 1, 2
"""What a derived seed is for."""
LEAST_VARIED = 0.25
"""A refill expects at least this share of its groups to show a difference, so that it stays of the rollout's size."""


def derived_seed(seed: int, step: int, purpose: int, *more: int) -> int:
    """An independent 63-bit seed for one use at one step: nothing random needs to be saved."""
    return int(np.random.SeedSequence([seed, step, purpose, *more]).generate_state(1, np.uint64)[0] >> 1)


@dataclass(frozen=True, slots=True)
class Collected:
    """A judged rollout."""

    episodes: list[Episode]
    """Everything that was drawn and judged."""
    rollout: Rollout
    metrics: dict[str, float]
    kept: list[int] | None = None
    """Places of the episodes that make the rollout, row by row; None for all of them."""
    parts: tuple[Part, ...] | None = None
    """Of the rollout, where environments are mixed."""

    @property
    def trained(self) -> list[Episode]:
        """The episodes of the rollout, row by row."""
        return self.episodes if self.kept is None else [self.episodes[i] for i in self.kept]


@dataclass(frozen=True, slots=True)
class Given:
    """What was drawn ahead of a rollout: its tasks and a group of completions of each."""

    tasks: Sequence[Task]
    said: list[list[Completion]]


@dataclass(slots=True)
class _Drawn:
    """The groups drawn so far at one step."""

    episodes: list[Episode] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    draws: int = 0


def collect(
    env: BatchEnvironment,
    policy: TransformersPolicy,
    config: TrainConfig,
    step: int,
    journal: Journal | None = None,
    processes: Processes = ALONE,
    generator: Policy | None = None,
    given: Given | None = None,
) -> Collected:
    """Generate and judge the rollout of this step; `generator` draws the tokens, by default the policy itself.

    Where completions are `given`, they are only judged.
    """
    drawn, size, rule = _Drawn(), config.group_size, config.row.drawing
    signal = _draw(env, policy, config, step, config.groups, drawn, journal, processes, generator, given)
    while rule.refill and sum(signal) < config.groups and drawn.draws <= rule.max_refills:
        if error_share(drawn.episodes) > config.max_error_share:
            break  # the run ends here: more of the same would only take time
        share = max(LEAST_VARIED, sum(signal) / len(signal))
        wanted = min(config.groups, math.ceil((config.groups - sum(signal)) / share))
        signal += _draw(env, policy, config, step, wanted, drawn, journal, processes, generator)
    metrics = {**measured(drawn.episodes, size, config.metrics_by), **drawn.seconds}
    if not rule.refill:
        return Collected(drawn.episodes, tensors(policy, drawn.episodes), metrics)
    kept = kept_groups(signal, config.groups)
    metrics["dynamic_sampling/draws"] = float(drawn.draws)
    metrics["dynamic_sampling/groups_drawn"] = float(len(signal))
    metrics["dynamic_sampling/groups_with_signal"] = float(sum(signal[group] for group in kept))
    places = [group * size + i for group in kept for i in range(size)]
    return Collected(drawn.episodes, tensors(policy, [drawn.episodes[i] for i in places]), metrics, places)


def kept_groups(signal: Sequence[bool], groups: int) -> list[int]:
    """The first `groups` groups with a signal, filled up with the first others, in the order they were drawn.

    >>> kept_groups([False, True, False, True], 3)
    [0, 1, 3]
    """
    with_signal = [i for i, is_varied in enumerate(signal) if is_varied]
    without = [i for i, is_varied in enumerate(signal) if not is_varied]
    return sorted([*with_signal, *without][:groups] if len(with_signal) < groups else with_signal[:groups])


def _draw(
    env: BatchEnvironment,
    policy: TransformersPolicy,
    config: TrainConfig,
    step: int,
    groups: int,
    drawn: _Drawn,
    journal: Journal | None,
    processes: Processes,
    generator: Policy | None,
    given: Given | None = None,
) -> list[bool]:
    """Draw, judge and add so many groups; returns which of them hold two different signals."""
    if given is None:
        env.reset(groups, step=step + (drawn.draws << 32))
    else:
        env.reset(tasks=given.tasks)
    more = (drawn.draws, processes.rank) if drawn.draws or processes.rank else ()
    seed = derived_seed(config.seed, step, GENERATE, *more)
    started, size = time.perf_counter(), config.group_size
    speaker = generator or policy
    by_prompt = given.said if given else played(env.definition, speaker, env.tasks, config, seed, processes)
    generated = time.perf_counter()
    if journal is not None:
        journal.step, journal.draw = step, drawn.draws
    judged = judged_together(env, [completion for group in by_prompt for completion in group], journal, processes)
    first = len(drawn.episodes) // size
    drawn.episodes += with_prompt_ids(
        policy,
        env.definition,
        [replace(e, step=step, seed=seed, group=first + e.group, index=first * size + e.index) for e in judged],
    )
    _add_time(drawn, generated - started, time.perf_counter() - generated)
    drawn.draws += 1
    return [bool(signal) for signal in varied(*signals_of(judged, config.row.drawing.signal), size)]


def played(
    definition: Definition,
    policy: Policy,
    tasks: Sequence[Task],
    config: TrainConfig,
    seed: int,
    processes: Processes,
) -> list[list[Completion]]:
    """A group of completions of each task, of as many turns as it takes; each process plays its share."""
    size = config.group_size
    own = play(definition, policy, processes.share(tasks), size, config.sampling(seed))
    if isinstance(policy, SharedPolicy):
        policy.draw_along()
    return processes.gathered([own[i : i + size] for i in range(0, len(own), size)])


def _add_time(drawn: _Drawn, generate: float, score: float) -> None:
    for name, seconds in (("time/generate", generate), ("time/score", score)):
        drawn.seconds[name] = drawn.seconds.get(name, 0.0) + seconds


def with_prompt_ids(
    policy: TransformersPolicy, definition: Definition | None, episodes: Sequence[Episode]
) -> list[Episode]:
    """The episodes with their prompts, and the tools of their environment, as the policy's tokens."""
    tools = () if definition is None else definition.tools
    encoded: dict[int, tuple[int, ...]] = {}
    for episode in episodes:
        if episode.group not in encoded:
            encoded[episode.group] = tuple(policy.encode(episode.task.prompt, tools))
    return [replace(e, prompt_ids=encoded[e.group]) for e in episodes]


def tensors(policy: TransformersPolicy, episodes: Sequence[Episode], definition: Definition | None = None) -> Rollout:
    """The episodes of one batch as padded tensors on the policy's device.

    `definition` is needed where episodes have no prompt ids yet and there are tools.
    """
    if not all(e.prompt_ids for e in episodes):
        episodes = with_prompt_ids(policy, definition, episodes)
    offsets = [policy.token_offsets(e.completion) if needs_offsets(e) else [] for e in episodes]
    return rollout_of(episodes, policy.eos_ids[0], offsets).to(policy.model.device)


def error_share(episodes: Sequence[Episode]) -> float:
    """The share of episodes that the verifier failed on."""
    return sum(not e.verdict.graded for e in episodes) / max(1, len(episodes))


def refuse_failing_checker(episodes: Sequence[Episode], max_share: float) -> None:
    """Raise TooManyVerifierErrors when the verifier failed on more than this share of the episodes."""
    failed = [e for e in episodes if not e.verdict.graded]
    if error_share(episodes) > max_share:
        who = at_fault(e.verdict.reason for e in failed)
        raise TooManyVerifierErrors(
            f"the {who} failed on {len(failed)} of {len(episodes)} episodes, more than the allowed share "
            f"{max_share:g}; the first said: {failed[0].verdict.reason}; fix the {who}"
        )
