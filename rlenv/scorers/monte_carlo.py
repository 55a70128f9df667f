"""Step scores without a trained scorer: finish a solution again from behind each step, and count the right ones.

    {"kind": "monte_carlo", "policy": "runs/first/train/model", "env": "math/arithmetic-v0", "samples": 8}

The value of a step is the share of right answers among the policy's own continuations from behind it (the soft label
of Math-Shepherd, arXiv 2312.08935; the state value of VinePPO, arXiv 2410.01679), or with `estimate="hard"` 1 where
any of them is right. Behind the last step the outcome itself is the value. An error shows as a fall from one step to
the next; a right step of a policy that cannot go on from it has a low value too.

A prefix is read once for all of its samples, and completions that are the same are estimated once. The budget
`max_continuations` holds for one call and is shared evenly by its different completions. One that asks for more gets
fewer samples a step, down to LEAST; below that only some of its steps are estimated, evenly spread, and the others take
the value of the next one that is. What was done stands in the reasons of each step, and `spent` counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import Verifier
from rlenv.judge.judge import Judge
from rlenv.scorers.continuing import continuations
from rlenv.scorers.scorer import Job, Stepped, StepScores
from rlenv.scorers.settings import fingerprint

Estimate: TypeAlias = Literal["soft", "hard"]
LEAST = 4
"""Samples a step below which fewer steps are estimated instead, unless fewer were asked for."""


class Plan(NamedTuple):
    """Where a completion is continued from: behind which of its steps, how often each."""

    steps: tuple[int, ...]
    samples: int


class Tally(NamedTuple):
    """Of the continuations on which there is a verdict, how many are right."""

    right: int
    judged: int


@dataclass(eq=False)
class MonteCarloScorer:
    """Values of steps under a policy, by an environment's own verifier.

    Equal calls give equal values; another completion in the same call changes nothing but the share of the budget.
    Where the policy is one in training, the values are those of the policy as it is.
    """

    policy: Policy
    definition: Definition
    """Whose verifier says what is right."""
    samples: int = 8
    estimate: Estimate = "soft"
    max_continuations: int = 1024
    threshold: float = 1.0
    """The reward from which on a completion is right."""
    sampling: Sampling = field(default_factory=Sampling)
    """`max_new_tokens` is the length of a whole completion."""
    name: str = "monte_carlo"
    spent: int = field(default=0, init=False)
    """Continuations drawn so far."""

    def __post_init__(self) -> None:
        if self.samples < 1 or self.max_continuations < 1:
            raise ConfigError("expected samples and max_continuations of at least 1")
        if self.estimate not in get_args(Estimate):
            raise ConfigError(f"expected an estimate of {', '.join(get_args(Estimate))}, got {self.estimate!r}")
        if self.sampling.temperature == 0 and self.samples > 1:
            raise ConfigError("expected a temperature above 0: greedy continuations are all the same; or samples=1")

    @property
    def version(self) -> str:
        how = self.sampling
        drawn: tuple[Json, ...] = (how.max_new_tokens, how.temperature, how.top_p, how.seed)
        told = (self.samples, self.estimate, self.max_continuations, self.threshold, *drawn)
        return fingerprint(self.policy.name, self.definition.id, self.definition.verifier.version, *told)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        keys = [_key(job) for job in jobs]
        once = dict(zip(keys, jobs, strict=True))
        scores = dict(zip(once, self._once(list(once.values())), strict=True))
        return [scores[key] for key in keys]

    def _once(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        """The scores of completions that all differ."""
        share = self.max_continuations // max(1, len(jobs))
        plans = [plan(len(job.spans), self.samples, share) for job in jobs]
        pairs = list(zip(jobs, plans, strict=True))
        rows: list[list[Job]] = []
        for job, made in pairs:
            ends = [job.spans[step][1] for step in made.steps]
            drawn = self._drawn(job.task, job.completion, ends, made.samples)
            rows.append([(job.task, one) for one in (job.completion, *drawn)] if job.spans else [])
        verdicts = self._judged(rows)
        return [self._scores(job, made, row) for (job, made), row in zip(pairs, verdicts, strict=True)]

    def _drawn(self, task: Task, completion: Completion, ends: Sequence[int], samples: int) -> list[Completion]:
        """Continuations by a seed that depends on nothing but what is continued."""
        if not ends:
            return []
        said = canonical([self.sampling.seed, task.to_json(), completion.text.encode("utf-8", "replace").decode()])
        seed = int.from_bytes(hashlib.blake2b(said.encode(), digest_size=6).digest(), "big")
        self.spent += len(ends) * samples
        sampling = replace(self.sampling, seed=seed)
        return continuations(self.policy, task.prompt, completion, ends, samples, sampling)

    def _judged(self, rows: Sequence[Sequence[Job]]) -> list[list[Verdict]]:
        """The verdicts of all rows, judged at once."""
        verdicts = iter(self._grader.verdicts([job for row in rows for job in row]))
        return [[next(verdicts) for _ in row] for row in rows]

    @cached_property
    def _grader(self) -> Judge:
        return Judge(self.definition)

    def _scores(self, job: Stepped, made: Plan, verdicts: Sequence[Verdict]) -> StepScores:
        """Values and reasons from the verdicts of the completion itself and of its continuations."""
        if not job.spans:
            return StepScores(())
        known = {len(job.spans) - 1: self._tally(verdicts[:1])}
        for place, step in enumerate(made.steps):
            first = 1 + place * made.samples
            known[step] = self._tally(verdicts[first : first + made.samples])
        if not all(tally.judged for tally in known.values()):
            reason = next((verdict.reason for verdict in verdicts if not verdict.graded), "")
            return StepScores.failure(f"{self.name}: no verdict on what follows a step: {reason}")
        sources = [min(place for place in known if place >= step) for step in range(len(job.spans))]
        values = tuple(self._value(known[source]) for source in sources)
        return StepScores(values, tuple(_reason(step, source, known) for step, source in enumerate(sources)))

    def _tally(self, verdicts: Sequence[Verdict]) -> Tally:
        """How many are right, of those on which there is a verdict."""
        rewards = [verdict.reward for verdict in verdicts if verdict.reward is not None]
        return Tally(sum(reward >= self.threshold for reward in rewards), len(rewards))

    def _value(self, tally: Tally) -> float:
        return float(tally.right > 0) if self.estimate == "hard" else tally.right / tally.judged


def _key(job: Stepped) -> str:
    """Equal for completions that are the same in every way that their score depends on."""
    said = job.completion.to_json()
    return canonical([job.task.to_json(), said["text"], said["token_ids"], said["finished"], job.spans])


def _reason(step: int, source: int, known: Mapping[int, Tally]) -> str:
    """What the value of a step comes from."""
    if source != step:
        return f"beyond the budget: the value of step {source + 1}"
    what = "the outcome" if step == max(known) else "continuations"
    return f"{what}: {known[step].right} of {known[step].judged} right"


def plan(steps: int, samples: int, share: int) -> Plan:
    """What `share` continuations allow for a completion of so many steps; behind the last the outcome is known.

    >>> plan(5, samples=8, share=100), plan(5, samples=8, share=20)
    (Plan(steps=(0, 1, 2, 3), samples=8), Plan(steps=(0, 1, 2, 3), samples=5))
    >>> plan(5, samples=8, share=9)
    Plan(steps=(1, 3), samples=4)
    """
    inner, least = max(0, steps - 1), min(LEAST, samples)
    each = min(samples, share // inner) if inner else 0
    if each >= least:
        return Plan(tuple(range(inner)), each)
    count = share // least if inner else 0
    return Plan(tuple((place + 1) * inner // count - 1 for place in range(count)), least)


def monte_carlo_scorer(
    policy: str,
    env: str,
    env_kwargs: Mapping[str, Json] | None = None,
    samples: int = 8,
    estimate: Estimate = "soft",
    max_continuations: int = 1024,
    threshold: float = 1.0,
    max_new_tokens: int = 256,
    temperature: float = 1.0,
    seed: int = 0,
    name: str = "monte_carlo",
) -> MonteCarloScorer:
    """The scorer with a policy and an environment by name, as a specification that JSON can hold.

    Of an environment that rewards steps only the outcome counts: steps are what is estimated.
    """
    from rlenv.env.registry import load
    from rlenv.policies.load import load_policy

    definition = _by_outcome(load(env, **dict(env_kwargs or {})))
    sampling = Sampling(max_new_tokens=max_new_tokens, temperature=temperature, seed=seed)
    return MonteCarloScorer(
        load_policy(policy, definition), definition, samples, estimate, max_continuations, threshold, sampling, name
    )


def _by_outcome(definition: Definition) -> Definition:
    outcome: object = getattr(definition.verifier, "outcome", None)
    return replace(definition, verifier=outcome) if isinstance(outcome, Verifier) else definition
