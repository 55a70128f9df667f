"""Step scores without a trained scorer: finish a solution again from behind each step, and count the right ones.

    {"kind": "monte_carlo", "policy": "runs/first/train/model", "env": "math/arithmetic-v1", "samples": 8}

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, get_args, runtime_checkable

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, PolicyError, VerifierContractError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Prompt
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import Verifier
from rlenv.judge.judge import Judge
from rlenv.scorers.scorer import Job, Stepped, StepScorer, StepScores, fingerprint

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy

Estimate: TypeAlias = Literal["soft", "hard"]
Split: TypeAlias = "Callable[[str], tuple[tuple[int, int], ...]]"
"""The spans of a text's steps."""
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
        settings = (self.samples, self.estimate, self.max_continuations, self.threshold, *drawn)
        return fingerprint(self.policy.name, self.definition.id, self.definition.verifier.version, *settings)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        keys = [_key(job) for job in jobs]
        once = dict(zip(keys, jobs, strict=True))
        scores = dict(zip(once, self._once(list(once.values())), strict=True))
        return [scores[key] for key in keys]

    def _once(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        """The scores of completions that all differ: their own verdicts and all continuations' are made at once."""
        share = self.max_continuations // max(1, len(jobs))
        plans = [plan(len(job.spans), self.samples, share) for job in jobs]
        rows: list[list[Job]] = []
        for job, made in zip(jobs, plans, strict=True):
            whole = (job.completion, *self._drawn(job, made)) if job.spans else ()
            rows.append([(job.task, one) for one in whole])
        verdicts = iter(self._judge.verdicts([job for row in rows for job in row]))
        of_rows = [[next(verdicts) for _ in row] for row in rows]
        return [self._scores(*each) for each in zip(jobs, plans, of_rows, strict=True)]

    def _drawn(self, job: Stepped, made: Plan) -> list[Completion]:
        """Continuations by a seed that depends on nothing but what is continued."""
        ends = [job.spans[step][1] for step in made.steps]
        if not ends:
            return []
        text = job.completion.text.encode("utf-8", "replace").decode()
        content = canonical([self.sampling.seed, job.task.to_json(), text])
        seed = int.from_bytes(hashlib.blake2b(content.encode(), digest_size=6).digest(), "big")
        self.spent += len(ends) * made.samples
        sampling = replace(self.sampling, seed=seed)
        return continuations(self.policy, job.task.prompt, job.completion, ends, made.samples, sampling)

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.definition)

    def _scores(self, job: Stepped, made: Plan, verdicts: Sequence[Verdict]) -> StepScores:
        """Values and reasons from the verdicts of the completion itself and of its continuations."""
        if not job.spans:
            return StepScores(())
        tallies = {len(job.spans) - 1: self._tally(verdicts[:1])}
        for place, step in enumerate(made.steps):
            first = 1 + place * made.samples
            tallies[step] = self._tally(verdicts[first : first + made.samples])
        if not all(tally.judged for tally in tallies.values()):
            reason = next((verdict.reason for verdict in verdicts if not verdict.graded), "")
            return StepScores.failure(f"{self.name}: no verdict on what follows a step: {reason}")
        sources = [min(place for place in tallies if place >= step) for step in range(len(job.spans))]
        values = tuple(self._value(tallies[source]) for source in sources)
        return StepScores(values, tuple(_reason(step, source, tallies) for step, source in enumerate(sources)))

    def _tally(self, verdicts: Sequence[Verdict]) -> Tally:
        """How many are right, of those on which there is a verdict."""
        rewards = [verdict.reward for verdict in verdicts if verdict.reward is not None]
        return Tally(sum(reward >= self.threshold for reward in rewards), len(rewards))

    def _value(self, tally: Tally) -> float:
        return float(tally.right > 0) if self.estimate == "hard" else tally.right / tally.judged


def _key(job: Stepped) -> str:
    """Equal for completions that are the same in every way that their score depends on."""
    row = job.completion.to_json()
    return canonical([job.task.to_json(), row["text"], row["token_ids"], row["finished"], job.spans])


def _reason(step: int, source: int, tallies: Mapping[int, Tally]) -> str:
    """What the value of a step comes from."""
    if source != step:
        return f"beyond the budget: the value of step {source + 1}"
    what = "the outcome" if step == max(tallies) else "continuations"
    return f"{what}: {tallies[step].right} of {tallies[step].judged} right"


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

    definition = load(env, **dict(env_kwargs or {}))
    outcome: object = getattr(definition.verifier, "outcome", None)
    if isinstance(outcome, Verifier):
        definition = replace(definition, verifier=outcome)
    sampling = Sampling(max_new_tokens=max_new_tokens, temperature=temperature, seed=seed)
    return MonteCarloScorer(
        load_policy(policy, definition), definition, samples, estimate, max_continuations, threshold, sampling, name
    )


@runtime_checkable
class ContinuingPolicy(Policy, Protocol):
    """A policy that can be put words into the mouth of."""

    def continue_from(self, prompt: Prompt, prefixes: Sequence[str], n: int, sampling: Sampling) -> list[Completion]:
        """`n` completions that begin with each prefix, prefix by prefix, the prefix included."""


def continuations(
    policy: Policy, prompt: Prompt, completion: Completion, ends: Sequence[int], n: int, sampling: Sampling
) -> list[Completion]:
    """`n` whole completions that begin as this one does up to each of the characters `ends`, end by end.

    A transformers policy goes on from exactly the tokens that the completion consists of, where they are known and its
    own: text that is encoded again may be other tokens, and so another state. `sampling.max_new_tokens` is the length
    of a whole completion. Raises ConfigError for a policy that cannot continue.
    """
    if isinstance(policy, ContinuingPolicy):
        whole = policy.continue_from(prompt, [completion.text[:end] for end in ends], n, sampling)
        if len(whole) != len(ends) * n:
            raise PolicyError(f"expected {len(ends)} x {n} completions from {policy.name}, got {len(whole)}")
        return whole
    if not (hasattr(policy, "tokenizer") and hasattr(policy, "model")):
        raise ConfigError(
            f"{policy.name} cannot go on from the middle of a completion; "
            "give a transformers model, or a policy with a method continue_from"
        )
    model: TransformersPolicy = policy  # type: ignore[assignment]  # isinstance would import torch
    prefixes = _prefixes(model, completion, ends)
    return continue_tokens(model, [model.encode(prompt)] * len(prefixes), prefixes, n, sampling)


def _prefixes(policy: TransformersPolicy, completion: Completion, ends: Sequence[int]) -> list[list[int]]:
    """The tokens up to each end: with the one that an end falls into, where the completion's own are known."""
    ids = list(completion.token_ids)
    if ids and completion.text in (policy.text_of(ids, finished=finished) for finished in (True, False)):
        starts = [start for start, _ in policy.token_offsets(completion)]
        return [ids[: sum(start < end for start in starts)] for end in ends]
    return [policy.encode_completion(completion.text[:end])[:-1] for end in ends]


def continue_tokens(
    policy: TransformersPolicy,
    prompts: Sequence[Sequence[int]],
    prefixes: Sequence[Sequence[int]],
    n: int,
    sampling: Sampling,
) -> list[Completion]:
    """`n` whole completions of each prompt that begin with its prefix, prefix by prefix; both are token ids.

    Rows go in batches that fit; a row is read once for all of its samples.
    """
    import torch

    from rlenv.policies.generation import sample_tokens

    if not prefixes:
        return []
    room = [max(1, sampling.max_new_tokens - len(prefix)) for prefix in prefixes]
    rows = [[*prompt, *prefix] for prompt, prefix in zip(prompts, prefixes, strict=True)]
    generator = torch.Generator(policy.model.device).manual_seed(sampling.seed)
    limited = Sampling(max_new_tokens=max(room), temperature=sampling.temperature, top_p=sampling.top_p)
    size = max(1, policy.max_batch_tokens // ((max(map(len, rows)) + max(room)) * n))
    training = policy.model.training
    policy.model.eval()
    samples = []
    try:
        for start in range(0, len(rows), size):
            batch = rows[start : start + size]
            samples += sample_tokens(policy.model, batch, n, limited, policy.eos_ids, generator, 0)
    finally:
        policy.model.train(training)
    return [
        _whole(policy, prefixes[i // n], sample.token_ids[: room[i // n]], sample.finished)
        for i, sample in enumerate(samples)
    ]


def _whole(policy: TransformersPolicy, prefix: Sequence[int], new: Sequence[int], finished: bool) -> Completion:
    """Prefix and continuation as one completion; cut at the limit it is not finished."""
    finished = finished and bool(new) and new[-1] in policy.eos_ids
    ids = [*prefix, *new]
    return Completion(policy.text_of(ids, finished=finished), tuple(ids), finished=finished)


@dataclass
class LabelCounts:
    """What became of the episodes that were labelled."""

    rows: int = 0
    steps: int = 0
    right: int = 0
    without_steps: int = 0
    failed: int = 0
    """Completions that the scorer had no verdict on: they are left out."""

    def __str__(self) -> str:
        left_out = f"; left out: {self.without_steps} without steps, {self.failed} without a verdict"
        return f"{self.rows} completions, {self.right} of {self.steps} steps right{left_out}"


def labelled(
    episodes: Sequence[Episode], scorer: StepScorer, split: Split, above: float, counts: LabelCounts
) -> Iterator[dict[str, Json]]:
    """A row for training a step model of each completion that has steps, by what any step scorer says of them.

    {"prompt": "2+2+3=?", "completions": ["2+2=4", "4+3=8"], "labels": [true, false], "values": [0.75, 0.0]}

    A step is right where its value is above `above`.
    """
    jobs = []
    for episode in episodes:
        content = episode.completion.content  # steps are cut in what was said, and placed in the whole text
        spans = tuple(content.place(start, end) for start, end in split(content.text))
        jobs += [Stepped(episode.task, episode.completion, spans)] if spans else []
    counts.without_steps += len(episodes) - len(jobs)
    scores = scorer.score_steps(jobs)
    if len(scores) != len(jobs):
        raise VerifierContractError(f"expected {len(jobs)} answers of {scorer.name}, got {len(scores)}")
    for job, values in ((job, each.values) for job, each in zip(jobs, scores, strict=True)):
        if values is None:
            counts.failed += 1
            continue
        labels = [value > above for value in values]
        counts.rows, counts.steps, counts.right = (
            counts.rows + 1,
            counts.steps + len(labels),
            counts.right + sum(labels),
        )
        prompt = job.task.to_json()["prompt"]
        yield {"prompt": prompt, "completions": list(job.texts), "labels": labels, "values": list(values)}
