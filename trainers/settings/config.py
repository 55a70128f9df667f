"""The settings of one training run: what it computes (TrainConfig), and how (EngineConfig, OptimiserConfig)."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.env.batch import EnvLike, definition
from rlenv.env.sampler import SAMPLERS
from rlenv.policies.vllm_settings import VllmSettings
from rlenv.store.trackers import tracker_names
from rlenv.trainers.algorithms.choices import FINITE, check_fields, number
from rlenv.trainers.algorithms.row import Algorithm, algorithm_named

BELOW_ONE = 1 - sys.float_info.epsilon


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """None of this changes what a run computes, but for its rounding, what an engine draws, and what is adapted."""

    precision: Literal["float32", "bf16"] = "float32"
    """`bf16` computes the passes in bfloat16; weights, head, log-probs and the optimiser stay as they are (float32)."""
    gradient_checkpointing: bool = False
    """Compute each layer again in the backward pass: less memory, about a third more time, no shared prompts."""
    lora_rank: int = number(0)
    """Above 0, train a low-rank adapter of this rank (peft) in place of the weights; what is saved is merged."""
    lora_alpha: int = number(32, 1)
    """The adapter counts lora_alpha / lora_rank times."""
    lora_targets: tuple[str, ...] = ()
    """Names of the layers that get an adapter; empty means every linear layer but the head."""
    packing: Literal["prefix", "packed", "none"] = "prefix"
    """How scoring avoids needless tokens (rlenv.trainers.networks.packing)."""
    generator: Literal["transformers", "vllm"] = "transformers"
    """Who draws the tokens of a rollout; `vllm` gets the weights before each and asks for an importance correction."""
    vllm: VllmSettings = field(default_factory=VllmSettings)
    """Memory, devices, length, sleep, or the server that generates (rlenv.policies.vllm)."""
    fast_products: bool = True
    """Let oneDNN multiply float32 matrices on processors where it is the faster library (rlenv.policies.linear)."""

    sharding: Literal["none", "full"] = "none"
    """Of several processes: each holds every weight, or (`full`, FSDP2) a part of weights, gradients and optimiser."""
    cpu_offload: bool = False
    """Keep the parts in the processor's memory but for the block at work, and step there: less GPU memory, slower."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.cpu_offload and self.sharding == "none":
            raise ConfigError("cpu_offload is for sharded weights: set engine.sharding='full' and several processes")
        if self.vllm.adapter == "lora" and not self.lora_rank:
            raise ConfigError("vllm.adapter 'lora' sends an adapter alone: set lora_rank, or vllm.adapter='merged'")


@dataclass(frozen=True, kw_only=True)
class OptimiserConfig:
    """Of AdamW on policy and critic."""

    kind: Literal["adamw", "adamw-8bit"] = "adamw"
    """`adamw-8bit` holds its state in a quarter of the memory (bitsandbytes: on CPU and CUDA, without a compiler)."""
    beta1: float = number(0.9, 0, BELOW_ONE)
    beta2: float = number(0.99, 0, BELOW_ONE)
    epsilon: float = number(1e-8, 0, BELOW_ONE, above=True)
    weight_decay: float = number(0.0, 0, FINITE)
    """A step, times the learning rate; of matrices alone: norms and biases do not decay."""

    def __post_init__(self) -> None:
        check_fields(self, "optimiser.")


LAST = 0.1
"""What is left of the learning rate at the end; a linear one waits there, so that every step still counts."""
SECONDS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything that decides a run, with the policy and the environment: the same config, the same weights."""

    algorithm: str | Algorithm = "grpo"
    """A name that `rlenv algorithms` prints; in Python also an Algorithm."""
    steps: int = number(100)
    """How many rollouts. Each has `groups` prompts with `group_size` completions."""
    groups: int = number(32, 1)
    """Prompts in a rollout."""
    group_size: int = number(8, 1)
    """Completions of each prompt."""
    max_new_tokens: int = number(256, 1)
    """The most tokens of a completion. Of each turn, where there are several."""
    max_episode_tokens: int | None = number(None, 1)
    """The most tokens after the prompt in an episode of several turns, those of the environment included."""
    temperature: float = number(1.0, 0, FINITE, above=True)
    """The sampling temperature. Log-probs are computed at this temperature too."""
    learning_rate: float = number(1e-6, 0, FINITE, above=True)
    """AdamW's learning rate. About 1e-6 for pretrained models, 1e-4 to 1e-3 below a million parameters."""
    critic_learning_rate: float | None = number(None, 0, FINITE, above=True)
    """The critic's learning rate; without it, the policy's."""
    warmup_steps: int = number(10)
    """Optimiser steps over which the learning rate rises from 0 to its full value."""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """The learning rate after the warm-up: constant, or falling to a tenth by linear or cosine."""
    decay_share: float = number(0.0, 0, 1)
    """The last share of the run in which the learning rate falls; 0 with linear or cosine: the whole run."""
    max_grad_norm: float = number(1.0, above=True)
    """Gradients with a larger norm are scaled down to this norm."""
    epochs: int = number(1, 1)
    """How often each rollout is trained on."""
    minibatches: int = number(1, 1)
    """Optimiser steps in each pass over a rollout. A group is never split."""
    micro_batch_tokens: int = 32_768
    """The most tokens in one forward and backward pass, padding included. Lower it to save memory; results stay."""
    generation_batch_tokens: int | None = number(None, 1)
    """The most tokens in the cache while sampling; without it 32,768 on a CPU, 524,288 on a GPU, or what fits."""
    sft_steps: int = number(0)
    """Supervised steps on the environment's demonstrations before the first rollout."""
    staleness: int = number(0)
    """Rollouts that a generator of its own may be behind; above 0 it draws the next ones while the policy updates."""
    generators: int = number(1, 1)
    """Processes that draw beside the updates; each draws whole batches of `generation_batch_tokens`."""
    sft_learning_rate: float | None = number(None, 0, FINITE, above=True)
    """The learning rate of these steps; without it 2e-5, and 3e-3 for models below ten million weights."""
    sampler: str = "uniform"
    """How tasks are chosen: uniform, or pass-rate, which prefers levels (or tasks) that are sometimes solved."""
    seed: int = number(0)
    """The random seed of tasks, sampling and order."""
    save_every: int | str = "50,5m"
    """Optimiser steps between checkpoints (50), time (30s, 5m, 1h), or both: what comes first. Ctrl-C saves one too."""
    keep_checkpoints: int = number(1, 1)
    """How many checkpoints are kept. Older ones than checkpoint.pt are named checkpoint-STEPS.pt."""
    keep_best: bool = False
    """Keep in best/ the policy with the highest mean training reward; with a gold, the highest gold."""
    max_skipped_steps: int = number(10, 1)
    """End the run after this many optimiser steps in a row with values that are not finite."""
    stall_steps: int = number(10, 1)
    """Warn after this many rollouts in a row in which all completions of each group have equal rewards."""
    max_error_share: float = number(0.2, 0, 1)
    """Stop the run when a larger share of a rollout has verifier errors."""
    measure_all: bool = True
    """Measure entropy, clip ratios and KL on all tokens, at the cost of a forward pass for groups of equal rewards."""
    log_kl: bool = False
    """Log the KL to the first policy. Costs a copy of the model and one forward pass in each rollout."""
    metrics_by: str = "level"
    """Log the reward by the values of this metadata column, as `reward/level=3`; empty for none."""
    trackers: str = "tensorboard"
    """Where metrics go beside metrics.jsonl: tensorboard, wandb, trackio, mlflow, comet_ml, clearml, dvclive, swanlab,
    aim, several with commas, or none."""
    engine: EngineConfig = field(default_factory=EngineConfig)
    """How the run computes: precision, memory, adapters, packing (rlenv.trainers.settings.config)."""
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    """Betas, weight decay, 8-bit state (rlenv.trainers.settings.config)."""

    row: Algorithm = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "row", algorithm_named(self.algorithm))
        if self.sampler not in SAMPLERS:
            raise ConfigError(f"expected a sampler out of {', '.join(SAMPLERS)}, got {self.sampler!r}")
        check_fields(self)
        if self.minibatches > self.groups:
            raise ConfigError(f"expected at most {self.groups} minibatches (one a group), got {self.minibatches}")
        tracker_names(self.trackers)
        saving(self.save_every)
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
        elif self.generators > 1:
            raise ConfigError("generators draw beside the updates: set staleness=1 (or more), or generators=1")

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


def saving(every: int | str) -> tuple[int, float]:
    """Optimiser steps and seconds between checkpoints, of what `save_every` says; 0 steps and inf seconds for never.

    >>> saving(50), saving("5m"), saving("50,1h")
    ((50, inf), (0, 300.0), (50, 3600.0))
    """
    steps, seconds = 0, math.inf
    for part in str(every).split(","):
        number, unit = part.strip()[:-1], part.strip()[-1:]
        amount = number if unit in SECONDS else number + unit
        if not amount.isdecimal() or int(amount) < 1:
            raise ConfigError(f"expected save_every of 1 step or more, or a time (30s, 5m, 1h), or both, got {every!r}")
        steps, seconds = (steps, float(int(amount) * SECONDS[unit])) if unit in SECONDS else (int(amount), seconds)
    return steps, seconds


@dataclass(frozen=True, kw_only=True)
class Member:
    """One environment of a mixture."""

    env: EnvLike
    weight: float = 1.0
    """Its share of the groups of a rollout, relative to the others."""
    group_size: int | None = None
    """Completions a prompt; the run's when not given."""
    sampler: str | None = None
    """Which of its tasks come; the run's when not given."""


@dataclass(frozen=True)
class Mixture:
    """The environments of a run."""

    members: Sequence[Member]
    temperature: float = 1.0
    """Shares go as weight ** (1 / temperature): above 1 they are evened out, below 1 sharpened."""
    curriculum: bool = False
    """Shares follow also how many groups of each environment show a difference, as measured on the way."""

    def __post_init__(self) -> None:
        if len(self.members) < 2:
            raise ConfigError(f"expected at least two environments in a mixture, got {len(self.members)}")
        names = [definition(member.env).id for member in self.members]
        if len(set(names)) < len(names) or "" in names:
            raise ConfigError(f"expected different environments, each with an id, in a mixture, got {names}")
        for member, name in zip(self.members, names, strict=True):
            if not 0 < member.weight < math.inf:
                raise ConfigError(f"{name}: expected a weight above 0 and finite, got {member.weight}")
        if not 0 < self.temperature < math.inf:
            raise ConfigError(f"expected a temperature of the mixture above 0 and finite, got {self.temperature}")
