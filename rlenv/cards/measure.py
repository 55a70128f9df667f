"""Measures what stands in the card of an environment."""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias, cast

from rlenv.comparison.sides import read_run
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.policy import DEFAULT_SAMPLING, Policy, Sampling
from rlenv.core.task import Task, TaskSet, prompt_text
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier
from rlenv.env.batch import BatchEnvironment, EnvLike
from rlenv.env.batch import definition as definition_of
from rlenv.env.registry import load
from rlenv.env.tasksets import ListTasks
from rlenv.evaluation.evaluation import evaluate
from rlenv.evaluation.passk import Estimate, estimate
from rlenv.evaluation.savedrun import SavedRun
from rlenv.turns.play import reference_completion

if TYPE_CHECKING:
    from rlenv.audit import Audit

HASHED = 1_000
"""Tasks whose content goes into the hash of the task set, from the first on."""
TIMED, WARM = 100, 3
"""Verdicts whose time is taken, and those before them, in which workers start."""
PASS_RATES = ("0", "to 1/4", "to 1/2", "to 3/4", "below 1", "1")
"""Bins of the histogram: each goes on from the one before it."""
RIGHT, OTHER, NOTHING = "a right completion", "another task's right completion", "an empty completion"
Job: TypeAlias = "tuple[Task, Completion]"


@dataclass(frozen=True, slots=True)
class Example:
    """One completion of the sample task and what it earns."""

    what: str
    text: str
    reward: float | None
    """None where the checker failed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a verdict takes, one at a time, in milliseconds of the clock."""

    median_ms: float
    most_ms: float
    """Nine of ten take at most this."""
    verdicts: int
    cores: int | None


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """How a policy fares in the environment."""

    name: str
    n: int
    pass_at: Mapping[int, Estimate]
    """pass@1 and pass@n."""
    mean_reward: float
    signal: float | None
    """The share of groups (the completions of one task) whose rewards are not all equal; None where n is 1."""
    histogram: tuple[int, ...]
    """How many tasks have a pass rate in each bin of PASS_RATES."""
    verifier_version: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """The measured facts; `markdown()` writes the page."""

    env: str
    description: str
    rlenv_version: str
    verifier_version: str
    tasks: int
    tasks_sha256: str
    """Of the first tasks, `HASHED` at most, as JSON."""
    prompt: str
    """Of the sample task."""
    examples: tuple[Example, ...]
    rewards: tuple[float, float]
    """The lowest and the highest reward that was seen."""
    parts: tuple[str, ...]
    """The names of the parts that were seen."""
    where: str
    """Where the verifier runs."""
    turns: int
    """How often a policy speaks at most; 0 where an episode is one turn."""
    evaluation_only: str
    cost: Cost
    reference: Estimate | None
    """pass@1 of the reference solutions; None where tasks bring none."""
    audit: Audit | None
    """None where tasks bring no solution: there is nothing to compare a reward with."""
    policies: tuple[PolicyFacts, ...]

    def markdown(self, *, license: str = "", command: str = "", date: str = "") -> str:
        """The page for a hub; `license` is one of the hub's words for it."""
        from rlenv.cards.page import markdown

        return markdown(self, license=license, command=command, date=date)

    def to_json(self) -> dict[str, Json]:
        plain = {name: value for name, value in vars(self).items() if name not in ("audit", "reference", "policies")}
        plain |= {"examples": [asdict(one) for one in self.examples], "cost": asdict(self.cost)}
        policies = [
            {**asdict(one), "pass_at": {str(k): e.to_json() for k, e in one.pass_at.items()}} for one in self.policies
        ]
        reference = None if self.reference is None else self.reference.to_json()
        return {
            **plain,
            "reference": reference,
            "policies": policies,
            "audit": None if self.audit is None else self.audit.to_json(),
        }


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
    import rlenv

    definition = load(env, **env_kwargs) if isinstance(env, str) and env_kwargs else definition_of(env)
    found = [_ran(Path(run), definition) for run in runs]
    for policy in policies:
        with TemporaryDirectory(prefix="rlenv-card-") as place:
            out = Path(place) / "run"
            evaluate(
                definition, policy, n=n, limit=limit, sampling=sampling, seed=seed, out=out, device=device, quiet=quiet
            )
            found.append(_ran(out, definition))
    solved = _solved(definition, limit)
    seen, cost = _timed(definition, [*solved, *(job for _, jobs in found for job in jobs)])
    graded = [verdict for verdict in seen if verdict.reward is not None]
    examples = _examples(definition)
    asked = [*(one.reward for one in examples), *(one.reward for one in graded)]
    rewards = [reward for reward in asked if reward is not None] or [0.0]
    return Card(
        env=definition.id,
        description=definition.description,
        rlenv_version=rlenv.__version__,
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
        policies=tuple(facts for facts, _ in found),
    )


def _audited(definition: Definition, seed: int, quiet: bool) -> Audit:
    from rlenv.audit import audit

    return audit(definition, seed=seed, quiet=quiet)


def _ran(folder: Path, definition: Definition) -> tuple[PolicyFacts, list[Job]]:
    """What an evaluation found, and its first completions."""
    run = read_run(folder)
    if run.settings["env"] != definition.id:
        raise ConfigError(f"{folder} is a run in {run.settings['env']}, not in {definition.id}; give runs in that")
    threshold = cast("float", run.settings["threshold"])
    groups = [rewards for rewards in run.rewards.values() if rewards]
    if not groups:
        raise ConfigError(f"{folder} has no judged completion; see its report.md for why the verifier failed")
    counts = [(len(rewards), sum(reward >= threshold for reward in rewards)) for rewards in groups]
    n = max(judged for judged, _ in counts)
    several = [rewards for rewards in groups if len(rewards) > 1]
    bins = [0] * len(PASS_RATES)
    for judged, passed in counts:
        bins[pass_rate_bin(judged, passed)] += 1
    facts = PolicyFacts(
        str(run.settings["policy"]),
        n,
        {k: estimate(counts, k) for k in sorted({1, n})},
        math.fsum(reward for rewards in groups for reward in rewards) / sum(map(len, groups)),
        sum(max(rewards) > min(rewards) for rewards in several) / len(several) if several else None,
        tuple(bins),
        str(run.settings["verifier_version"]),
    )
    return facts, [(episode.task, episode.completion) for episode in islice(SavedRun(folder).episodes(), TIMED)]


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
