"""The settings of one training run."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field

from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.env.sampler import SAMPLERS
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.algorithms.table import algorithm_named
from rlenv.trainers.settings.engine import EngineConfig, OptimiserConfig

SCHEDULES = ("constant", "linear", "cosine")
"""How the learning rate goes on after its rise: as it is, or in a straight line or half a cosine down to a tenth."""
LAST = 0.1
"""What is left of the learning rate at the end; a linear one waits there, so that every step still counts."""
TRACKERS = ("tensorboard", "wandb", "trackio")
FINITE = sys.float_info.max
_AT_LEAST_ONE = (
    "groups",
    "group_size",
    "max_new_tokens",
    "epochs",
    "minibatches",
    "save_every",
    "keep_checkpoints",
    "max_skipped_steps",
    "stall_steps",
    "generators",
)


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything that decides a run, with the policy and the environment: the same config, the same weights."""

    algorithm: str | Algorithm = "grpo"
    """A name that `rlenv algorithms` prints; in Python also an Algorithm."""
    steps: int = 100
    """How many rollouts. Each has `groups` prompts with `group_size` completions."""
    groups: int = 32
    """Prompts in a rollout."""
    group_size: int = 8
    """Completions of each prompt."""
    max_new_tokens: int = 256
    """The most tokens of a completion, or of each turn where there are several."""
    max_episode_tokens: int | None = None
    """The most tokens after the prompt in an episode of several turns, those of the environment included."""
    temperature: float = 1.0
    """The sampling temperature. Log-probs are computed at this temperature too."""
    learning_rate: float = 1e-6
    """AdamW's learning rate: about 1e-6 for pretrained models, 1e-4 to 1e-3 below a million parameters."""
    critic_learning_rate: float | None = None
    """The critic's learning rate; without it, the policy's."""
    warmup_steps: int = 10
    """Optimiser steps over which the learning rate rises from 0 to its full value."""
    schedule: str = "constant"
    """The learning rate after the warm-up: constant, or falling to a tenth by linear or cosine."""
    decay_share: float = 0.0
    """The last share of the run in which the learning rate falls; 0 with linear or cosine: the whole run."""
    max_grad_norm: float = 1.0
    """Gradients with a larger norm are scaled down to this norm."""
    epochs: int = 1
    """How often each rollout is trained on."""
    minibatches: int = 1
    """Optimiser steps in each pass over a rollout. A group is never split."""
    micro_batch_tokens: int = 32_768
    """The most tokens in one forward and backward pass, padding included. Lower it to save memory; results stay."""
    generation_batch_tokens: int | None = None
    """The most tokens in the cache while sampling; without it 32,768 on a CPU, 524,288 on a GPU, or what fits."""
    sft_steps: int = 0
    """Supervised steps on the environment's demonstrations before the first rollout."""
    staleness: int = 0
    """Rollouts that a generator of its own may be behind; above 0 it draws the next ones while the policy updates."""
    generators: int = 1
    """Processes that draw beside the updates; each draws whole batches of `generation_batch_tokens`."""
    partial_tokens: int | None = None
    """Tokens of a completion from one version of the weights; it then goes on from the next. With `staleness`."""
    sft_learning_rate: float | None = None
    """The learning rate of these steps; without it 2e-5, and 3e-3 for models below ten million weights."""
    sampler: str = "uniform"
    """How tasks are chosen: uniform, or pass-rate, which prefers levels (or tasks) that are sometimes solved."""
    seed: int = 0
    """The random seed of tasks, sampling and order."""
    save_every: int = 50
    """Optimiser steps between checkpoints. Resuming repeats what came after the last one."""
    keep_checkpoints: int = 1
    """How many checkpoints are kept. Older ones than checkpoint.pt are named checkpoint-STEPS.pt."""
    keep_best: bool = False
    """Keep in best/ the policy with the highest mean training reward; with --gold, the highest gold."""
    max_skipped_steps: int = 10
    """End the run after this many optimiser steps in a row with values that are not finite."""
    stall_steps: int = 10
    """Warn after this many rollouts in a row in which all completions of each group have equal rewards."""
    max_error_share: float = 0.2
    """Stop the run when a larger share of a rollout has verifier errors."""
    measure_all: bool = True
    """Measure entropy, clip ratios and KL on all tokens, at the cost of a forward pass for groups of equal rewards."""
    log_kl: bool = False
    """Log the KL to the first policy. Costs a copy of the model and one forward pass in each rollout."""
    metrics_by: str = "level"
    """Log the reward by the values of this metadata column, as `reward/level=3`; empty for none."""
    trackers: str = "tensorboard"
    """Where metrics go beside metrics.jsonl: tensorboard, wandb, trackio, several with commas, or none."""
    engine: EngineConfig = field(default_factory=EngineConfig)
    """How the run computes: precision, memory, adapters, packing (rlenv.trainers.settings.engine)."""
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    """Betas, weight decay, 8-bit state (rlenv.trainers.settings.engine)."""

    row: Algorithm = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "row", algorithm_named(self.algorithm))
        if self.sampler not in SAMPLERS:
            raise ConfigError(f"expected a sampler out of {', '.join(SAMPLERS)}, got {self.sampler!r}")
        if self.schedule not in SCHEDULES:
            raise ConfigError(f"expected a schedule out of {', '.join(SCHEDULES)}, got {self.schedule!r}")
        for name in _AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ConfigError(f"expected {name} of at least 1, got {getattr(self, name)}")
        for name in ("steps", "warmup_steps", "sft_steps", "seed", "staleness"):
            if getattr(self, name) < 0:
                raise ConfigError(f"expected {name} of 0 or more, got {getattr(self, name)}")
        for name, most in (("learning_rate", FINITE), ("temperature", FINITE), ("max_grad_norm", math.inf)):
            if not 0 < getattr(self, name) <= most:
                raise ConfigError(f"expected {name} above 0 and finite, got {getattr(self, name)}")
        if self.sft_learning_rate is not None and not 0 < self.sft_learning_rate <= FINITE:
            raise ConfigError(f"expected sft_learning_rate above 0 and finite, got {self.sft_learning_rate}")
        for name in ("max_episode_tokens", "generation_batch_tokens", "partial_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"expected {name} of at least 1, or none, got {value}")
        if self.minibatches > self.groups:
            raise ConfigError(f"expected at most {self.groups} minibatches (one a group), got {self.minibatches}")
        for name in ("max_error_share", "decay_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"expected {name} in [0, 1], got {getattr(self, name)}")
        tracker_names(self.trackers)
        self._check_row()

    def _check_row(self) -> None:
        """What an algorithm asks of the run around it."""
        row = self.row
        if row.needs_group and self.group_size < 2:
            raise ConfigError(
                f"{row.name} compares the members of a group: expected a group_size of at least 2, got 1; raise it, "
                "use reinforce++ or ppo, or set advantage.allow_singletons=True: the raw reward is then the advantage"
            )
        shown = row.selection is not None and row.selection.kind == "demonstrations"
        if self.log_kl and (row.preference is not None or shown):
            raise ConfigError(f"{row.name} may learn what the policy did not say, where no KL shows: leave log_kl out")
        weighs = row.preference is None and row.selection is None
        if self.engine.generator == "vllm" and weighs and row.correction.kind == "none":
            raise ConfigError(
                "vLLM samples with slightly other probabilities than the trainer computes, and a gradient that takes "
                "them for the same is biased: set correction.kind='truncate' (or 'mask'), or engine.generator="
                "'transformers'"
            )
        if row.control.bound == "natural" and self.engine.sharding == "full":
            raise ConfigError(
                f"{row.name} differentiates twice and holds vectors of the whole model, and weights that are shared "
                "out have no second derivative: set engine.sharding='none', or take ppo"
            )
        if row.control.bound == "natural" and self.updates_a_rollout > 1:
            raise ConfigError(
                f"{row.name} bounds one step from the policy that sampled: expected epochs=1 and minibatches=1, got "
                f"{self.epochs} and {self.minibatches}"
            )
        if self.staleness:
            self._check_stale(weighs=weighs)
        elif self.generators > 1 or self.partial_tokens is not None:
            raise ConfigError(
                "generators and partial_tokens are of what is drawn beside the updates: set staleness=1 (or more), or "
                "leave them out"
            )

    def _check_stale(self, *, weighs: bool) -> None:
        """What cannot learn from rollouts of an older policy."""
        row = self.row
        if row.drawing.refill or self.engine.generator == "vllm":
            what = "engine.generator='vllm'" if self.engine.generator == "vllm" else f"the refills of {row.name}"
            raise ConfigError(f"what is drawn beside the updates is drawn in one go: set staleness=0 for {what}")
        if row.control.bound == "natural":
            raise ConfigError(f"{row.name} bounds one step from the policy that sampled: set staleness=0")
        if weighs and row.control.ratio == "none" and row.correction.kind == "none":
            raise ConfigError(
                f"{row.name} takes rollouts for those of the present policy, and with staleness={self.staleness} they "
                "are not: set correction.kind='truncate' (or 'mask'), or staleness=0"
            )

    def sampling(self, seed: int) -> Sampling:
        """How the completions of a rollout are drawn."""
        return Sampling(
            max_new_tokens=self.max_new_tokens,
            max_episode_tokens=self.max_episode_tokens,
            temperature=self.temperature,
            seed=seed,
        )

    @property
    def updates_a_rollout(self) -> int:
        """Optimiser steps on each rollout."""
        return self.epochs * self.minibatches

    @property
    def falls(self) -> str:
        """The way in which the learning rate falls towards the end; empty where it does not."""
        if self.schedule == "constant":
            return "linear" if self.decay_share else ""
        return self.schedule

    def learning_rate_share(self, step: int, optimiser_step: int) -> float:
        """What the learning rate is multiplied by: the rise at the start times the fall at the end."""
        left = (self.steps - step) / (self.steps * (self.decay_share or 1.0)) if self.steps else 1.0
        return rise(optimiser_step, self.warmup_steps) * fall(self.falls or "constant", left)


def rise(step: int, warmup_steps: int) -> float:
    """The share of the learning rate at this optimiser step, counted from 0, while it rises."""
    return min(1.0, (step + 1) / max(1, warmup_steps))


def fall(schedule: str, left: float) -> float:
    """The share of the learning rate where `left` of the falling stretch is still to come; above 1 before it.

    >>> [round(fall("cosine", left), 3) for left in (1.0, 0.5, 0.0)]
    [1.0, 0.55, 0.1]
    """
    left = min(1.0, max(0.0, left))
    if schedule == "cosine":
        return LAST + (1 - LAST) * (1 - math.cos(math.pi * left)) / 2
    return max(LAST, left) if schedule == "linear" else 1.0


def tracker_names(text: str) -> list[str]:
    """The names between commas; none for an empty text or `none`. Raises ConfigError that lists the legal ones."""
    names = [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]
    for name in names:
        if name not in TRACKERS:
            raise ConfigError(f"expected trackers out of {', '.join(TRACKERS)} or none, got {name!r}")
    return list(dict.fromkeys(names))
