"""One rollout: tasks out, completions in, verdicts; with dynamic sampling, until enough groups show a difference.

Each process plays and judges its share; wrappers then see every group everywhere. Verdicts of the rollout under way are
on disk as they are given (Journal): a killed run does not ask for them again.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import TooManyVerifierErrors
from rlenv.core.jsontypes import line
from rlenv.core.policy import Policy, SharedPolicy
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.door.files import opened
from rlenv.env.batch import BatchEnvironment, VerdictJournal
from rlenv.judge.wrapping import at_fault
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.rollouts.measured import measured, signals_of
from rlenv.trainers.rollouts.rollout import Part, Rollout, needs_offsets, rollout_of
from rlenv.trainers.settings.config import TrainConfig
from rlenv.turns.play import play
from rlenv.workers.pool import Pool


class Journal:
    """One JSON line a verdict: step, draw within the step, place, fingerprint of the completion, verdict.

    Sampling is deterministic, so a resumed run makes the same completions; the fingerprint makes sure.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.step = 0
        self.draw = 0
        self.env = ""
        """Which environment of a mixture is asked; two of them may hear the same completion."""
        self._file = opened(path, "a+")
        self._known = self._read()

    def known(self, completions: Sequence[Completion]) -> Mapping[int, Verdict]:
        """Verdicts given to these very completions at this step before."""
        found: dict[int, Verdict] = {}
        for index, completion in enumerate(completions if self._known else ()):
            verdict = self._known.get((self.step, self.draw, index, _fingerprint(completion, self.env)))
            if verdict is not None:
                found[index] = verdict
        return found

    def record(self, index: int, completion: Completion, verdict: Verdict) -> None:
        """Write one verdict; it survives the process from here on."""
        self._file.write(line([self.step, self.draw, index, _fingerprint(completion, self.env), verdict.to_json()]))
        self._file.flush()

    def clear(self) -> None:
        """Forget everything: a checkpoint now stands behind these verdicts."""
        self._file.truncate(0)
        self._known.clear()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self) -> dict[tuple[int, int, int, str], Verdict]:
        """The verdicts on disk; what a kill or a full disk left behind the last newline is cut off."""
        self._file.seek(0)
        whole, newline, _ = self._file.read().rpartition("\n")
        self._file.truncate(len(whole) + len(newline))  # all of it is ASCII
        entries = [json.loads(text) for text in whole.splitlines()]
        return {(step, draw, index, mark): Verdict.from_json(said) for step, draw, index, mark, said in entries}


def _fingerprint(completion: Completion, env: str) -> str:
    stated: list[object] = [completion.text, completion.token_ids, completion.finished]
    if completion.turns:
        stated.append([turn.to_json() for turn in completion.turns])
    if env:
        stated.append(env)
    content = json.dumps(stated)
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


class _Given:
    """Verdicts that are known already; the environment asks for no other."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        self.verdicts = dict(enumerate(verdicts))

    def known(self, completions: Sequence[Completion]) -> Mapping[int, Verdict]:
        return self.verdicts

    def record(self, index: int, completion: Completion, verdict: Verdict) -> None:
        pass


def judged_together(
    env: BatchEnvironment, completions: Sequence[Completion], journal: VerdictJournal | None, processes: Processes
) -> list[Episode]:
    """As `env.step`, with the verifier's work divided. Sampler and wrappers learn the same in every process."""
    if processes.count == 1:
        return env.step(completions, journal)
    known = journal.known(completions) if journal is not None else {}
    own = processes.share(range(len(completions)))
    asked = [i for i in own if i not in known]
    verdicts = _judged(env, [(i, completions[i]) for i in asked], journal)
    given = processes.gathered([known[i] if i in known else verdicts[i] for i in own])
    if journal is not None:
        for i in sorted(set(range(len(completions))) - set(known) - set(asked)):
            journal.record(i, completions[i], given[i])
    return env.step(completions, _Given(given))


def judged_apart(
    definition: Definition,
    tasks: Sequence[Task],
    completions: Sequence[Completion],
    place: tuple[int, int],
    journal: Journal | None,
    processes: Processes,
    pool: Pool | None,
) -> list[Episode]:
    """Groups of completions beside the rollout, judged by the verifier alone: wrappers may count what they see.

    `place` is the step and the draw under which the journal keeps the verdicts.
    """
    if journal is not None:
        journal.step, journal.draw = place
    judge = BatchEnvironment(
        replace(definition, wrappers=()), group_size=len(completions) // max(len(tasks), 1), pool=pool
    )
    judge.reset(tasks=tasks)
    return judged_together(judge, completions, journal, processes)


def _judged(
    env: BatchEnvironment, jobs: Sequence[tuple[int, Completion]], journal: VerdictJournal | None
) -> dict[int, Verdict]:
    """Verdicts of these places of the batch, written down as they come."""

    def keep(position: int, verdict: Verdict) -> None:
        if journal is not None:
            journal.record(*jobs[position], verdict)

    tasks = [(env.tasks[i // env.group_size], completion) for i, completion in jobs]
    found = env.judge.verdicts(tasks, keep) if tasks else []
    return {i: verdict for (i, _), verdict in zip(jobs, found, strict=True)}


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
    updates: dict[str, list[float]] = field(default_factory=dict)
    """Metrics of each optimiser step on it so far, by name."""

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
    seconds: dict[str, float] = field(default_factory=lambda: {"time/generate": 0.0, "time/score": 0.0})
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
    drawn.seconds["time/generate"] += generated - started
    drawn.seconds["time/score"] += time.perf_counter() - generated
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
