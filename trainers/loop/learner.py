"""What learns from a rollout: log-probabilities, advantages, the loss, the optimiser's steps.

It holds the networks of the run (rlenv.trainers.networks.models) and the few numbers that an algorithm learns beside
the weights (Adaptive).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rlenv.core.errors import RunError
from rlenv.policies.model_state import PROMPTS
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.algorithms.advantages import moved_baseline, varied
from rlenv.trainers.algorithms.losses import adapted_coefficient, explained_variance, proportional_coefficient
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.loop.checkpoint import FILE, Position, fingerprint
from rlenv.trainers.networks.models import SKIPPED, Networks, prepare
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.networks.sharding import shard
from rlenv.trainers.rollouts.collect import SHUFFLE, Collected, derived_seed
from rlenv.trainers.rollouts.rollout import (
    GroupSize,
    Rollout,
    in_groups,
    not_finite,
    part_by_part,
    stretches,
    what_was_not,
)
from rlenv.trainers.settings.config import TrainConfig
from rlenv.trainers.updates.branch_steps import distillation_step, preference_step
from rlenv.trainers.updates.natural import natural_step
from rlenv.trainers.updates.prepare import FrozenModels, measured_kl, prepared, with_selection
from rlenv.trainers.updates.update import Step, critic_step, policy_step


class Learner:
    """The policy's weights and everything that moves them. `begin` makes the networks beside the policy."""

    networks: Networks

    def __init__(
        self,
        config: TrainConfig,
        policy: TransformersPolicy,
        out: Path,
        processes: Processes,
        *,
        teacher: TransformersPolicy | None = None,
        longest: int,
    ) -> None:
        self._config, self._row, self._policy = config, config.row, policy
        self._out, self._processes, self._teacher = out, processes, teacher
        self._longest = longest
        """The most tokens that the policy says in an episode."""
        self.adaptive = Adaptive.first(self._row)
        self.skipped = 0
        """Optimiser steps that were not taken since the last one that was."""

    def settings(self) -> dict[str, str | None]:
        """What decides the run of whom it learns from."""
        teacher = self._teacher
        return {"teacher": None if teacher is None else fingerprint(teacher.model.state_dict())}

    def shape_policy(self) -> None:
        """Give the policy its adapter, its precision and its share of the weights, before anything learns."""
        prepare(self._policy, self._config.engine, self._config.seed)
        shard(self._policy.model, self._config.engine)

    def begin(self, saved: Mapping[str, Any] | None) -> None:
        """Make reference, critic and optimisers of the policy as it stands; go on from `saved` where there is one."""
        self.networks = Networks(self._policy.model, self._config)
        if saved is not None:
            self.adaptive = Adaptive.from_state(saved["adaptive"])
            self.networks.load(saved["networks"], self._out, self._processes)

    def refuse_not_finite(self, optimiser_steps: int) -> None:
        """Raise RunError where weights, or what an optimiser holds, are not finite."""
        bad = self.networks.not_finite(self._processes)
        if bad:
            raise RunError(f"{bad} is not finite after optimiser step {optimiser_steps}; {self._way_back()}")

    def state(self, optimiser_steps: int) -> dict[str, Any]:
        """What goes on after a stop."""
        networks = self.networks.saved(self._out, optimiser_steps, self._processes)
        return {"adaptive": self.adaptive.state_dict(), "networks": networks}

    def before(self, step: int) -> None:
        """What happens between two rollouts: the reference may become the present policy."""
        self._policy.keeps_graph = self._shares_prompts
        every = self._row.kl.reset_every
        if every and step and step % every == 0:
            self.networks.reset_reference()

    def prepared(self, found: Collected) -> Collected:
        """The rollout with everything that its updates need to know: what the networks say of it, and advantages."""
        self._policy.keeps_graph = False
        size = self._size(found)
        row, updates = self.adaptive.row(self._row), self._config.updates_a_rollout
        rollout, metrics = prepared(found.rollout, row, size, self._frozen_models(), self.adaptive.baselines, updates)
        if not not_finite(rollout):
            self.adaptive.observe_rewards(self._row, rollout, size)
        metrics = {**found.metrics, **metrics}
        if self._row.critic is not None:
            variance = explained_variance(rollout.values, rollout.returns, rollout.mask)
            metrics["critic/explained_variance"] = variance
        return replace(found, rollout=rollout, metrics=metrics)

    def update(self, found: Collected, position: Position) -> dict[str, float]:
        """One optimiser step on the episodes whose turn it is; its metrics, which are added to the rollout's too."""
        started = time.perf_counter()
        metrics = self._updated(found.rollout, position, self._size(found))
        vars(self._policy.model).pop(PROMPTS, None)  # a step without a signal has not used it
        position.update += 1
        position.optimiser_steps += 1
        for name, value in metrics.items():
            found.updates.setdefault(name, []).append(value)
        found.metrics["time/update"] = found.metrics.get("time/update", 0.0) + time.perf_counter() - started
        return metrics

    def finished(self, found: Collected, tokens: int) -> dict[str, float]:
        """The metrics of a rollout whose updates are done, and what the algorithm learns from them."""
        started = time.perf_counter()
        self._adapt(found)
        found.metrics["time/update"] += time.perf_counter() - started
        skipped = sum(found.updates.get(SKIPPED, []))
        metrics = {**found.metrics, **{name: _mean_of_finite(values) for name, values in found.updates.items()}}
        metrics[SKIPPED] = skipped
        metrics["num_tokens"] = float(tokens)
        metrics["step_time"] = sum(value for name, value in metrics.items() if name.startswith("time/"))
        return metrics

    def has_signal(self, found: Collected) -> bool:
        """Whether there was something to learn in the rollout."""
        return has_signal(found.rollout, self._config, self._size(found))

    @property
    def _shares_prompts(self) -> bool:
        """Whether the one step on a rollout takes over the pass over the prompts that sampling makes."""
        row, config = self._row, self._config
        one_step = config.updates_a_rollout == 1 and row.preference is None and row.divergence is None
        here = self._processes.count == 1 and not config.staleness and config.engine.packing == "prefix"
        return one_step and here and row.control.bound != "natural"

    def _size(self, found: Collected) -> GroupSize:
        return found.parts or self._config.group_size

    def _frozen_models(self) -> FrozenModels:
        row, config = self._row, self._config
        compared = row.selection is None or row.kl.beta > 0 or config.log_kl
        return FrozenModels(
            policy=self._policy.model,
            temperature=config.temperature,
            micro_batch_tokens=config.micro_batch_tokens,
            reference=self.networks.reference if compared else None,
            teacher=None if self._teacher is None else self._teacher.model,
            critic=self.networks.critic,
            value_head=self.networks.value_head,
            processes=self._processes,
        )

    def _updated(self, rollout: Rollout, position: Position, size: GroupSize) -> dict[str, float]:
        config, row, update = self._config, self._row, position.update
        restarts = row.selection is not None and row.selection.from_initial
        if restarts and update == 0:
            self.networks.return_to_initial()
        waited = 0 if row.critic is None else row.critic.pretrain
        critic_only = position.step < waited  # the rise of the learning rate begins again with the policy's first step
        behind = 0 if critic_only else waited * config.updates_a_rollout
        share = config.learning_rate_share(position.step, position.optimiser_steps - behind)
        if restarts:  # each rollout is a training of its own, with the schedule of one
            share = replace(config, steps=config.updates_a_rollout).learning_rate_share(update, update)
        learning_rate = self.networks.set_learning_rate(share)
        step = self._step(position, size, critic_only=critic_only)
        rows = rows_of(rollout, config, position.step, update, size)
        metrics = updated(self.networks, rollout, rows, step, update // config.minibatches, config.epochs)
        self._count_skipped(rollout, rows, metrics, position.optimiser_steps)
        return {**metrics, "learning_rate": learning_rate}

    def _step(self, position: Position, size: GroupSize, *, critic_only: bool) -> Step:
        config, row = self._config, self._row
        return Step(
            row=self.adaptive.row(row),
            temperature=config.temperature,
            micro_batch_tokens=config.micro_batch_tokens,
            max_grad_norm=config.max_grad_norm,
            max_new_tokens=self._longest,
            group_size=size,
            on_policy=config.updates_a_rollout == 1 and row.correction.kind == "none" and not config.staleness,
            corrects=row.corrects_in_step(config.updates_a_rollout),
            shows_sampler=position.update == 0 and row.correction.kind == "none",
            measure_all=config.measure_all,
            entropy_coefficient=self.adaptive.entropy_at(row, position.step, config.steps),
            kl_coefficient=self.adaptive.kl_coefficient,
            critic_only=critic_only,
            teacher=None if self._teacher is None else self._teacher.model,
            processes=self._processes,
        )

    def _count_skipped(
        self, rollout: Rollout, rows: torch.Tensor, metrics: Mapping[str, float], optimiser_steps: int
    ) -> None:
        self.skipped = self.skipped + 1 if SKIPPED in metrics else 0
        if self.skipped >= self._config.max_skipped_steps:
            raise RunError(
                f"{self.skipped} optimiser steps in a row were skipped, up to step {optimiser_steps}, "
                f"and changed nothing: {what_was_not(rollout, rows, metrics)} not finite; {self._way_back()}"
            )

    def _way_back(self) -> str:
        return (
            f"{self._out / FILE} is the last good checkpoint: look at the rewards of the episodes, then go "
            "on with --resume and a lower --learning-rate"
        )

    def _adapt(self, found: Collected) -> None:
        """What is measured once the updates of a rollout are done."""
        row, metrics = self._row, found.metrics
        if row.entropy.target is not None:
            metrics["entropy_coefficient"] = self.adaptive.entropy_coefficient
            self.adaptive.observe_entropy(row, _mean_of_finite(found.updates.get("entropy", [])))
        if self.adaptive.beta is not None:
            metrics["kl_beta"] = self.adaptive.beta
            self.adaptive.observe_drift(row, found.rollout)
        if row.control.bound != "kl" or row.control.kl_target is None:
            return
        kl = measured_kl(self._frozen_models(), found.rollout)
        if math.isfinite(kl):
            now = self.adaptive.kl_coefficient
            self.adaptive.kl_coefficient = adapted_coefficient(now, kl, row.control.kl_target)
        metrics["trust_region/kl"] = kl
        metrics["trust_region/coefficient"] = self.adaptive.kl_coefficient


def _mean_of_finite(values: Sequence[float]) -> float:
    """The mean over the updates that have the value; NaN, which no log shows, where none has."""
    finite = [value for value in values if math.isfinite(value)]
    return float(np.mean(finite)) if finite else math.nan


@dataclass(slots=True)
class Adaptive:
    """What stands after the rollouts so far."""

    baselines: dict[str, float] = field(default_factory=dict)
    """Moving mean of the rewards of each part of a rollout, by its name; none before its first episodes."""
    kl_coefficient: float = 1.0
    """Of the trust-region penalty."""
    beta: float | None = None
    """Of the KL to the reference, where it follows a target."""
    entropy_coefficient: float = 0.0
    """Of the entropy bonus, where it follows a target."""
    entropy: float | None = None
    """Nats a token in the last rollout's updates, where the bonus follows them."""

    @classmethod
    def first(cls, row: Algorithm) -> Adaptive:
        """Where a run begins."""
        beta = None if row.kl.target is None else row.kl.beta
        return cls({}, row.control.kl_coefficient, beta, row.entropy.coefficient)

    @classmethod
    def from_state(cls, saved: Mapping[str, Any]) -> Adaptive:
        """What `state_dict` gave; a run begun before environments were mixed had one baseline."""
        state = dict(saved)
        older = state.pop("baseline", None)
        return cls(**{"baselines": {} if older is None else {"": older}, **state})

    def row(self, row: Algorithm) -> Algorithm:
        """The row with the beta that stands now."""
        return row if self.beta is None else replace(row, kl=replace(row.kl, beta=self.beta))

    def entropy_at(self, row: Algorithm, step: int, steps: int) -> float:
        """The coefficient of the entropy bonus at this rollout; one that follows a target acts at or below it only."""
        if row.entropy.target is None:
            return row.entropy.at(step, steps)
        low = self.entropy is not None and self.entropy <= row.entropy.target
        return self.entropy_coefficient if low else 0.0

    def observe_entropy(self, row: Algorithm, entropy: float) -> None:
        """Move the coefficient by how sure the policy was in a rollout's updates; at most to 1, as in TRL."""
        if row.entropy.target is not None and math.isfinite(entropy):
            change = row.entropy.change if entropy <= row.entropy.target else -row.entropy.change
            self.entropy_coefficient = min(max(self.entropy_coefficient + change, 0.0), 1.0)
            self.entropy = entropy

    def observe_drift(self, row: Algorithm, rollout: Rollout) -> None:
        """Move beta by how far the policy that sampled stood from the reference: log(pi/ref), a completion."""
        spoken = rollout.mask.any(1)
        if self.beta is None or row.kl.target is None or not bool(spoken.any()):
            return
        drift = ((rollout.old_logprobs - rollout.ref_logprobs) * rollout.mask).sum(1)[spoken].double().mean()
        if bool(drift.isfinite()):
            self.beta = proportional_coefficient(self.beta, float(drift), row.kl.target)

    def observe_rewards(self, row: Algorithm, rollout: Rollout, group_size: GroupSize) -> None:
        """Move the baselines, once the rollout has been judged against the old ones."""
        if (decay := row.advantage.moving_baseline) is None:
            return
        for part, own in stretches(rollout, group_size):
            moved = moved_baseline(self.baselines.get(part.name), own.rewards, own.graded, decay)
            if moved is not None:
                self.baselines[part.name] = moved

    def state_dict(self) -> dict[str, Any]:
        return asdict(self)


def updated(
    networks: Networks, rollout: Rollout, rows: torch.Tensor, step: Step, epoch: int, epochs: int
) -> dict[str, float]:
    """Update the policy, and the critic beside it, on the episodes at `rows`; returns metrics.

    Episodes that hold a number which is not finite are not asked for a gradient at all.
    """
    if not_finite(rollout, rows):
        return {SKIPPED: 1.0}
    waiting = {"loss": 0.0, "grad_norm": 0.0}
    metrics = waiting if step.critic_only else _policy(networks, rollout, rows, step, epoch, epochs)
    if networks.critic is not None and networks.critic_optimizer is not None:
        of_critic = critic_step(networks.critic, networks.critic_optimizer, rollout, rows, step)
        metrics = {**of_critic, **metrics}
    return metrics


def _policy(
    networks: Networks, rollout: Rollout, rows: torch.Tensor, step: Step, epoch: int, epochs: int
) -> dict[str, float]:
    model, optimizer, row = networks.model, networks.optimizer, step.row
    if row.preference is not None:
        return preference_step(model, optimizer, rollout, rows, step, networks.reference)
    if row.divergence is not None:
        return distillation_step(model, optimizer, rollout, rows, step)
    if row.selection is not None:
        rule = row.selection
        rollout = part_by_part(
            rollout, step.group_size, lambda own, size, _: with_selection(own, rule, size, epoch, epochs)
        )
    if row.control.bound == "natural":
        return natural_step(model, rollout, rows, step)
    return policy_step(model, optimizer, rollout, rows, step, networks.value_head)


def rows_of(rollout: Rollout, config: TrainConfig, step: int, update: int, group_size: GroupSize) -> torch.Tensor:
    """The episodes of one optimiser step: whole groups, dealt out again in every epoch."""
    epoch, part = divmod(update, config.minibatches)
    groups = in_groups(torch.arange(len(rollout), device=rollout.ids.device), group_size)
    order = np.random.default_rng([derived_seed(config.seed, step, SHUFFLE), epoch]).permutation(len(groups))
    chosen = np.array_split(order, config.minibatches)[part] if config.minibatches > 1 else np.sort(order)
    return torch.cat([groups[group] for group in chosen.tolist()])


def has_signal(rollout: Rollout, config: TrainConfig, group_size: GroupSize) -> bool:
    """Whether two signals differ where the algorithm filters by them, else two rewards where it compares them.

    Self-training compares nothing: it has a signal where it keeps an episode. A teacher always has one.
    """
    row = config.row
    if (rule := row.selection) is not None:
        kept = part_by_part(rollout, group_size, lambda own, size, _: with_selection(own, rule, size))
        return bool(kept.advantages.any())
    if row.advantage.kind == "teacher":
        return row.divergence is not None or bool(rollout.advantages.any())
    for part, own in stretches(rollout, group_size):
        size = part.group_size if row.needs_group else part.episodes
        compared = own.signals if row.drawing.drop_constant_groups else own.rewards
        if bool(varied(compared, own.graded, size).any()):
            return True
    return False
