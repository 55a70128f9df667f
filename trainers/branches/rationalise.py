"""STaR's rationalisation: prompts that failed are asked again with the reference answer as a hint.

What is right then is learned as the answer to the prompt WITHOUT the hint, in the place of wrong answers of its group.
Zelikman et al. 2022, arXiv 2203.14465, section 3.2. Deviation: completions are sampled, not greedy, and so many a
prompt as its group holds.

The hinted episodes are saved behind those of their rollout, in groups of their own, with the flag
`hinted` and with the prompt that was asked as `prompt_ids`; rewards and lengths in metrics are without them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.task import Prompt, Task
from rlenv.core.verdict import Flag
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.rollouts.collect import Collected, derived_seed, played, tensors
from rlenv.trainers.rollouts.journal import Journal
from rlenv.trainers.rollouts.shared_judging import judged_apart
from rlenv.trainers.settings.config import TrainConfig
from rlenv.turns.play import reference_script
from rlenv.workers.pool import Pool

HINTED = "hinted"
"""The flag of an episode whose prompt held the answer."""
RATIONALISE = 3
"""What a derived seed is for; the first three uses are those of rlenv.trainers.rollouts.collect."""
DRAW = -1
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
    trained = collected.trained
    if config.row.drawing.signal == "reward":
        trained = [replace(episode, unshaped=None) for episode in trained]
    failed = failed_groups(trained, size, threshold)
    judged: list[Episode] = []
    if failed:
        tasks = [collected.trained[group * size].task for group in failed]
        hinted = [replace(task, prompt=with_hint(task, rule.hint, definition)) for task in tasks]
        seed = derived_seed(config.seed, step, RATIONALISE, processes.rank)
        groups = played(definition, policy, hinted, config, seed, processes)
        said = [completion for group in groups for completion in group]
        verdicts = judged_apart(definition, tasks, said, (step, DRAW), journal, processes, pool)
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
    places = replaced(collected, failed, judged, size, threshold)
    episodes = [*collected.episodes, *judged]
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
