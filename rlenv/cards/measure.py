"""Measures what stands in the card of an environment: what it pays, its audit, what policies reach, its cost."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

from rlenv.cards.page import HASHED, PASS_RATES, Card, Cost, Example, PolicyFacts
from rlenv.core import VERSION
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.policy import DEFAULT_SAMPLING, Policy, Sampling
from rlenv.core.task import Task, TaskSet, prompt_text
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier
from rlenv.env.batch import BatchEnvironment, EnvLike
from rlenv.env.tasksets import ListTasks
from rlenv.evaluation.evaluation import definition_with, evaluate
from rlenv.evaluation.savedrun import SavedRun
from rlenv.evaluation.summary import Summary
from rlenv.turns.play import reference_completion

if TYPE_CHECKING:
    from rlenv.audit import Audit

TIMED, WARM = 100, 3
"""Verdicts whose time is taken, and those before them, in which workers start."""
RIGHT, OTHER, NOTHING = "a right completion", "another task's right completion", "an empty completion"
Job: TypeAlias = "tuple[Task, Completion]"


def card(
    env: EnvLike,
    *,
    policies: Sequence[Policy | str] = (),
    runs: Sequence[str | Path] = (),
    n: int = 8,
    limit: int = 100,
    sampling: Sampling = DEFAULT_SAMPLING,
    seed: int = 0,
    env_kwargs: Mapping[str, Json] | None = None,
    audit: Audit | None = None,
    device: str = "auto",
    quiet: bool = True,
) -> Card:
    """Measure an environment: what it pays, its audit, what `policies` and saved `runs` reach, the time of a verdict.

    Each policy gives `n` completions to up to `limit` tasks; `runs` are folders of evaluations in this environment.
    `audit` is one that was made already. Raises ConfigError for a run of another environment.
    """
    definition = definition_with(env, env_kwargs)
    measured = [_policy_facts(Path(run), definition) for run in runs]
    for policy in policies:
        with TemporaryDirectory(prefix="rlenv-card-") as place:
            out = Path(place) / "run"
            evaluate(
                definition, policy, n=n, limit=limit, sampling=sampling, seed=seed, out=out, device=device, quiet=quiet
            )
            measured.append(_policy_facts(out, definition))
    solved = _solved(definition, limit)
    seen, cost = _timed(definition, [*solved, *(job for _, jobs in measured for job in jobs)])
    graded = [verdict for verdict in seen if verdict.reward is not None]
    examples = _examples(definition)
    asked = [*(one.reward for one in examples), *(one.reward for one in graded)]
    rewards = [reward for reward in asked if reward is not None] or [0.0]
    return Card(
        env=definition.id,
        description=definition.description,
        rlenv_version=VERSION,
        verifier_version=definition.verifier.version,
        tasks=len(definition.tasks),
        tasks_sha256=_hash(definition.tasks),
        prompt=prompt_text(definition.tasks[0].prompt),
        examples=examples,
        rewards=(min(rewards), max(rewards)),
        parts=tuple(sorted({part.name for verdict in graded for part in verdict.parts})),
        where=_where(definition),
        turns=0 if definition.interaction is None else definition.max_turns,
        evaluation_only=definition.evaluation_only,
        cost=cost,
        reference=evaluate(definition, "reference", limit=limit, seed=seed, quiet=quiet).pass_at.get(1)
        if solved
        else None,
        audit=audit or (_audited(definition, seed, quiet) if solved else None),
        policies=tuple(facts for facts, _ in measured),
    )


def _audited(definition: Definition, seed: int, quiet: bool) -> Audit:
    from rlenv.audit import audit

    return audit(definition, seed=seed, quiet=quiet)


def _policy_facts(folder: Path, definition: Definition) -> tuple[PolicyFacts, list[Job]]:
    """What an evaluation found, and its first completions."""
    saved = SavedRun(folder)
    settings = saved.settings_or_rescored()
    if settings["env"] != definition.id:
        raise ConfigError(f"{folder} is a run in {settings['env']}, not in {definition.id}; give runs in that")
    summary = Summary.of(saved.episodes(), settings)
    problems = [problem for problem in summary.by_task().values() if problem.judged]
    if summary.mean_reward is None:
        raise ConfigError(f"{folder} has no judged completion; see its report.md for why the verifier failed")
    n = max(problem.judged for problem in problems)
    several = [problem.rewards for problem in problems if problem.judged > 1]
    bins = Counter(pass_rate_bin(problem.judged, problem.passed) for problem in problems)
    facts = PolicyFacts(
        name=str(settings["policy"]),
        n=n,
        pass_at={k: estimate for k in sorted({1, n}) if (estimate := summary.estimate(k))},
        mean_reward=summary.mean_reward,
        signal=sum(max(rewards) > min(rewards) for rewards in several) / len(several) if several else None,
        histogram=tuple(bins[place] for place in range(len(PASS_RATES))),
        verifier_version=str(settings["verifier_version"]),
        unfinished=summary.unfinished,
    )
    return facts, [(episode.task, episode.completion) for episode in islice(saved.episodes(), TIMED)]


def pass_rate_bin(judged: int, passed: int) -> int:
    """The place in PASS_RATES of `passed` out of `judged`.

    >>> [PASS_RATES[pass_rate_bin(8, passed)] for passed in (0, 1, 2, 3, 7, 8)]
    ['0', 'to 1/4', 'to 1/4', 'to 1/2', 'below 1', '1']
    """
    if passed in (0, judged):
        return len(PASS_RATES) - 1 if passed else 0
    return 1 + (4 * passed - 1) // judged


def _solved(definition: Definition, limit: int) -> list[Job]:
    """Tasks with their reference solutions; empty where the tasks bring none."""
    tasks = definition.tasks
    try:
        return [(t, reference_completion(definition, t)) for t in (tasks[i] for i in range(min(len(tasks), limit)))]
    except TaskError:
        return []


def _timed(definition: Definition, jobs: Sequence[Job]) -> tuple[list[Verdict], Cost]:
    """The verdicts on these, or on nothing where there are none, one at a time, and how long each took."""
    jobs = jobs or [(definition.tasks[i], Completion("")) for i in range(min(len(definition.tasks), TIMED))]
    chosen = [jobs[len(jobs) * i // TIMED] for i in range(TIMED)] if len(jobs) > TIMED else jobs
    batch = BatchEnvironment(definition)
    seen: list[Verdict] = []
    times: list[float] = []
    for task, completion in [*chosen[-WARM:], *chosen]:
        batch.reset(tasks=[task])
        start = time.perf_counter()
        seen.append(batch.step([completion])[0].verdict)
        times.append(1000 * (time.perf_counter() - start))
    times = sorted(times[-len(chosen) :])
    return seen, Cost(median(times), times[(9 * len(times) - 1) // 10], len(times), os.cpu_count())


def _examples(definition: Definition) -> tuple[Example, ...]:
    """What the sample task pays for its solution, for the next task's and for nothing."""
    task, following = definition.tasks[0], definition.tasks[1 % len(definition.tasks)]
    said = [
        (what, _solved(replace(definition, tasks=ListTasks([t])), 1)) for what, t in ((RIGHT, task), (OTHER, following))
    ]
    asked = [(what, solved[0][1]) for what, solved in said if solved] + [(NOTHING, Completion(""))]
    batch = BatchEnvironment(definition)
    batch.reset(tasks=[task] * len(asked))
    judged = batch.step([completion for _, completion in asked])
    return tuple(
        Example(what, completion.text, episode.verdict.reward)
        for (what, completion), episode in zip(asked, judged, strict=True)
    )


def _where(definition: Definition) -> str:
    if isinstance(definition.verifier, BatchVerifier):
        return "runs what the completion says in a sandbox"
    return "inline" if definition.inline else f"in a process of its own, {definition.time_limit_s:g} s at most"


def _hash(tasks: TaskSet) -> str:
    content = hashlib.sha256()
    for i in range(min(len(tasks), HASHED)):
        content.update(canonical(tasks[i].to_json()).encode() + b"\n")
    return content.hexdigest()
