"""What benchmarks/choosing.py runs: three problems, five methods, and which of them with what seeds and settings.

Settings are those of benchmarks/algorithm_arms.py, found on `sums`; the other problems take them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import made_up_words

import rlenv
from rlenv import FunctionVerifier
from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.settings.changes import with_changes

USUAL_GROUP = 8
SEEDS, STABILITY_SEEDS, KNOB_SEEDS = range(3), range(8), range(3)
RATES, GROUPS = (0.25, 4.0), (2, 32)
"""Learning rates as multiples of the usual one, and group sizes at equal answers a rollout."""
RARE = "jqz"
TOUCHED = "rare"
"""The problem on which seeds and settings are varied."""
FULL = 4
"""How many times the compute `--full` takes."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A task with a policy that has learned to begin it."""

    name: str
    make: Callable[[str], Definition]
    """The definition of a split."""
    tokens: int
    """The most of an answer."""
    passes: int
    """Passes of the model over an answer that a run may take."""
    shown: int
    """Demonstrations that the policy has seen before."""
    shown_steps: int
    """Supervised steps on them."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """An algorithm with the settings that its runs share."""

    algorithm: str
    extra_passes: int = 0
    """Over an answer, beside the one that says it and the three that learn it."""
    networks: str
    """What lies in memory at once."""
    answers: int = 256
    """In a rollout."""
    settings: Mapping[str, int | float] = field(default_factory=dict)
    changes: Mapping[str, Json] = field(default_factory=dict)

    def passes(self, group: int) -> float:
        """Of a model over an answer, from its first token to the end of the step; a backward pass counts as two."""
        learned = kept(group) / group if self.algorithm == "raft" else 1.0
        return 1 + 3 * learned + self.extra_passes


@dataclass(frozen=True, kw_only=True)
class Run:
    """One training run, which its fields name."""

    problem: str
    algorithm: str
    seed: int
    rate: float = 1.0
    """Times the method's learning rate."""
    group: int = USUAL_GROUP

    @property
    def usual(self) -> bool:
        """Whether its settings are the method's own."""
        return self.rate == 1 and self.group == USUAL_GROUP


def kept(group: int) -> int:
    """How many answers of a group RAFT learns."""
    return max(1, group // 4)


def sums(split: str) -> Definition:
    """Sums of four digits, worked out step by step."""
    return rlenv.load("math/arithmetic-v0", level=4, split=split)


def rare(split: str) -> Definition:
    """Made-up words: right with a letter that the policy hardly ever writes."""
    return made_up_words.definition(FunctionVerifier(has_a_rare_letter, cheap=True), name="rare")


def has_a_rare_letter(completion: str) -> float:
    return float(any(letter in completion for letter in RARE))


def words(split: str) -> Definition:
    """The same words, paid by their points in Scrabble."""
    return made_up_words.definition(FunctionVerifier(made_up_words.points, cheap=True))


PROBLEMS = (
    Problem(
        name="rare",
        make=rare,
        tokens=made_up_words.MAX_NEW_TOKENS,
        passes=20_480,
        shown=made_up_words.DEMONSTRATIONS,
        shown_steps=200,
    ),
    Problem(
        name="words",
        make=words,
        tokens=made_up_words.MAX_NEW_TOKENS,
        passes=20_480,
        shown=made_up_words.DEMONSTRATIONS,
        shown_steps=200,
    ),
    Problem(name="sums", make=sums, tokens=16, passes=61_440, shown=200, shown_steps=400),
)
FOUR_STEPS: Mapping[str, int | float] = {"minibatches": 4, "learning_rate": 2e-4}
METHODS = (
    Method(algorithm="rloo", networks="policy", answers=128, settings={"learning_rate": 2e-4}),
    Method(algorithm="grpo", networks="policy", settings=FOUR_STEPS),
    Method(
        algorithm="ppo",
        extra_passes=4,
        networks="policy, critic",
        settings={**FOUR_STEPS, "critic_learning_rate": 1e-3},
    ),
    Method(
        algorithm="dpo",
        extra_passes=1,
        networks="policy, reference",
        settings={"learning_rate": 2e-4},
        changes={"preference.beta": 1.0},
    ),
    Method(algorithm="raft", networks="policy", settings={"learning_rate": 3e-4}),
)


def problem_named(name: str) -> Problem:
    return next(problem for problem in PROBLEMS if problem.name == name)


def method_named(name: str) -> Method:
    return next(method for method in METHODS if method.algorithm == name)


def plan(full: bool) -> list[Run]:
    """Every run: the comparison on all problems first, then more seeds, then other settings."""
    comparison = [
        Run(problem=problem.name, algorithm=method.algorithm, seed=seed)
        for problem in PROBLEMS
        for seed in (STABILITY_SEEDS if full else SEEDS)
        for method in METHODS
    ]
    stability = [
        Run(problem=TOUCHED, algorithm=method.algorithm, seed=seed) for seed in STABILITY_SEEDS for method in METHODS
    ]
    knobs = [
        replace(run, seed=seed)
        for seed in (STABILITY_SEEDS if full else KNOB_SEEDS)
        for method in METHODS
        for run in (
            *(Run(problem=TOUCHED, algorithm=method.algorithm, seed=0, rate=rate) for rate in RATES),
            *(Run(problem=TOUCHED, algorithm=method.algorithm, seed=0, group=group) for group in GROUPS),
        )
    ]
    return list(dict.fromkeys([*comparison, *stability, *knobs]))


def config_of(run: Run, passes: int) -> TrainConfig:
    """The settings of a run that takes so many passes; the learning rate rises over a fifth of its optimiser steps."""
    problem, method = problem_named(run.problem), method_named(run.algorithm)
    changes = {**method.changes, **({"selection.top_k": kept(run.group)} if run.algorithm == "raft" else {})}
    steps = max(1, round(passes / method.passes(run.group) / method.answers))
    settings = dict(method.settings)
    return TrainConfig(
        algorithm=with_changes(ALGORITHMS[run.algorithm], changes),
        steps=steps,
        groups=method.answers // run.group,
        group_size=run.group,
        max_new_tokens=problem.tokens,
        warmup_steps=round(steps * settings.get("minibatches", 1) / 5),
        decay_share=0.5,
        learning_rate=settings.pop("learning_rate") * run.rate,
        seed=run.seed,
        save_every=10_000,
        measure_all=False,
        trackers="none",
        **settings,  # type: ignore[arg-type]
    )
