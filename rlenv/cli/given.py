"""Settings that several commands take: an environment, a model, what they may cost; and those of `rlenv train`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rlenv.cli.environments import keywords
from rlenv.cli.settings import said_as
from rlenv.policies.ledger import Limits


@dataclass(frozen=True, kw_only=True)
class OnEnvironment:
    """An environment, and how it is made."""

    env: str = ""
    """The id of an environment (see `rlenv list`), or a file of settings."""
    kwargs: Mapping[str, object] = field(default_factory=dict)
    """Keywords of the environment."""
    of: Mapping[str, object] = field(default_factory=dict)
    """The same, by its id."""
    data: str = ""
    """A local data file, for environments that take data=FILE."""
    imports: tuple[str, ...] = said_as("--import", default=())
    """Import a module or FILE.py of yours first: it registers environments."""
    quiet: bool = said_as("--quiet", "-q", default=False)
    """No progress bar."""

    @property
    def keywords(self) -> dict[str, Any]:
        """All that the environment is made with."""
        return keywords(self.env, self.data, self.kwargs, self.of)


@dataclass(frozen=True, kw_only=True)
class OnModel:
    """Where a model runs, and what it and others may cost."""

    device: str = "auto"
    """Where a model runs: auto, cpu, cuda, cuda:1 ..."""
    chat_template: Mapping[str, object] = field(default_factory=dict)
    """More variables for the model's chat template: --set chat_template.enable_thinking=false."""
    verdicts: str = ""
    """Where verdicts are made: ray, ray://HOST:PORT (?cpus=N for N cores of each node), or the address of an `rlenv
    serve`; by default in worker processes here."""
    max_cost: float | None = None
    """Stop in order when policy, tools and judges have cost so many US dollars; to go on, the same command or --resume
    with more."""
    max_tokens: int | None = None
    """The same for tokens, read and said, those of the policy included."""
    prices: str = ""
    """A file of prices like litellm's, for servers that do not say what a request costs."""

    @property
    def limits(self) -> Limits:
        """Where the run stops asking."""
        return Limits.of(self.max_cost, self.max_tokens, self.prices)


@dataclass(frozen=True, kw_only=True)
class TrainSettings(OnEnvironment, OnModel):
    """Which policy learns where, and who looks on."""

    env: str = ""
    """The id of an environment (`rlenv list`), or a file of settings; with --resume, a folder."""
    envs: tuple[str, ...] = said_as("--env", default=())
    """One of several environments: ID[:WEIGHT[:GROUP_SIZE]]. WEIGHT may be `size`, for its number of tasks, and a
    sampler may stand fourth: ID:WEIGHT:GROUP_SIZE:SAMPLER."""
    policy: str = said_as("--policy", "-p", default="tiny")
    """tiny, smollm2-135m, a folder or a hub id."""
    dtype: str = "float32"
    """The type of the weights. Training in bfloat16 would round small steps away."""
    out: str = "runs/train"
    """The folder of the run."""
    resume: bool = said_as("--resume", default=False)
    """Continue a run, as it was started: rlenv train --resume DIR"""
    changed_verifier: bool = False
    """Resume even if the verifier or a wrapper has changed."""
    teacher: str | None = None
    """The model that distillation learns from."""
    pairs: str | None = None
    """Learn from the pairs of this file (JSONL with prompt, chosen, rejected)."""
    watch: str = ""
    """Detectors of reward hacking between commas, or all. They flag, unless they are given an action (observe,
    penalise, gate, veto): repeats,no_answer:penalise=0.3."""
    monitor: str = "default"
    """Rules of alarms between commas; 'default' is all, '' none."""
    gold: str | None = None
    """Measure the policy on this environment too. It is not trained on it."""
    gold_kwargs: Mapping[str, object] = field(default_factory=dict)
    """Keywords of that environment."""
    gold_every: int = 10
    """Rollouts between two measurements."""
    gold_tasks: int = 128
    """Tasks in each measurement."""
    stop_on_gold: bool = False
    """Stop the run when the reward on the gold environment falls."""
    mix_temperature: float = 1.0
    """Of several environments: shares are weight ** (1 / this), so above 1 they become more equal."""
    mix_curriculum: bool = False
    """Of several environments: give more groups to those whose groups show different rewards."""
    print_config: bool = said_as("--print-config", default=False)
    """Print all settings as a file, commented, and start nothing."""
    quiet: bool = said_as("--quiet", "-q", default=False)
    """No progress, no alarms (report.md has them)."""
