"""The one training loop: rollout, score, advantage, update. Which algorithm it is, a row of data decides.

    from rlenv.policies.tiny import tiny_policy
    from rlenv.trainers import TrainConfig, train

    config = TrainConfig(algorithm="grpo", steps=100, max_new_tokens=24, learning_rate=4e-4, sft_steps=200)
    train(config, "math/arithmetic-v0", tiny_policy(), "runs/first")

The folder then holds config.json, episodes.jsonl.gz, tasks.jsonl.gz, metrics.jsonl, tensorboard/, checkpoint.pt and
model/. A run that was stopped anywhere continues with resume=True and ends, on the same hardware, with bitwise the same
weights: every random draw is addressed by (seed, step), and verdicts already given are replayed.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from rlenv.core.episode import Episode
from rlenv.core.errors import RunError
from rlenv.core.jsontypes import Json
from rlenv.door.reading import as_written
from rlenv.env.batch import BatchEnvironment, EnvLike
from rlenv.policies.transformers import TransformersPolicy
from rlenv.policies.unknown import unknown_to
from rlenv.store.files import told_when_full
from rlenv.store.folder_lock import FolderLock
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.trainers.algorithms.losses import explained_variance
from rlenv.trainers.branches.continued import continued
from rlenv.trainers.branches.given import check_given, demonstrated, fingerprint_of, paired
from rlenv.trainers.branches.rationalise import rationalised
from rlenv.trainers.branches.sft import SftConfig, refuse_answerless, supervised, warm_start
from rlenv.trainers.loop import checkpoint
from rlenv.trainers.loop.ahead import Ahead
from rlenv.trainers.loop.checkpoint import Position, forget
from rlenv.trainers.loop.watching import Watch
from rlenv.trainers.mixtures.context import check_context
from rlenv.trainers.mixtures.environments import Environments, most_said
from rlenv.trainers.mixtures.mixing import drawn
from rlenv.trainers.mixtures.mixture import Mixture
from rlenv.trainers.networks.engine import generator_of, prepare
from rlenv.trainers.networks.finite import SKIPPED
from rlenv.trainers.networks.memory import with_fitting_batches
from rlenv.trainers.networks.networks import SHARDS, Networks
from rlenv.trainers.networks.processes import Processes, this_process
from rlenv.trainers.networks.sharding import averaged, shard, whole
from rlenv.trainers.records import resuming
from rlenv.trainers.records.logs import Alarm, Display, MetricsLog
from rlenv.trainers.records.report import write_pages
from rlenv.trainers.records.risen import PAGE
from rlenv.trainers.records.runfolder import (
    cut_back,
    holds_run,
    open_folder,
    save_model,
    sizes,
    write_config,
    write_evidence,
)
from rlenv.trainers.rollouts.collect import SFT, Collected, Given, collect, derived_seed
from rlenv.trainers.rollouts.journal import Journal
from rlenv.trainers.rollouts.parts import GroupSize, Part
from rlenv.trainers.rollouts.rollout import Rollout, not_finite, what_was_not
from rlenv.trainers.settings.config import TrainConfig
from rlenv.trainers.updates.adaptive import Adaptive
from rlenv.trainers.updates.prepare import Judges, measured_kl, prepared
from rlenv.trainers.updates.steps import has_signal, rows_of, updated
from rlenv.trainers.updates.update import Step
from rlenv.workers.pool import Pool

if TYPE_CHECKING:
    from rlenv.policies.vllm import VllmPolicy
    from rlenv.trainers.branches.preference import Pair
    from rlenv.trainers.monitors.monitor import Monitor

BEST = "best"
"""The folder of the best policy so far: by the gold where a monitor measures one there, else by training rewards."""
GO_ON = "continue with --resume"
"""What a run that was stopped by the machine is to be told."""


def train(
    config: TrainConfig,
    env: EnvLike | Mixture,
    policy: TransformersPolicy,
    out: str | Path,
    *,
    sft: SftConfig | None = None,
    teacher: TransformersPolicy | None = None,
    pairs: Sequence[Pair] | None = None,
    monitors: Sequence[Monitor] = (),
    resume: bool = False,
    changed_verifier: bool = False,
    quiet: bool = False,
    report: bool | None = None,
) -> TransformersPolicy:
    """Train the policy in place and leave the run in the folder `out`; returns the policy.

    `teacher` is what distillation learns from, `pairs` what a preference row learns from in place of its own rollouts,
    `monitors` look at every finished rollout and may stop the run. `report` leaves report.md, its plots and report.html
    there too, by default unless the run is `quiet`. `changed_verifier` lets a run go on whose verifier
    or wrappers are no longer those that it was started with.

    Raises ConfigError for settings that cannot work, RunError for a folder that cannot be used, is in use or full and
    for steps that stay without a finite loss, and TooManyVerifierErrors when the checker fails too often.
    """
    with told_when_full(Path(out), GO_ON):
        trainer = Trainer(
            config,
            env,
            policy,
            Path(out),
            sft=sft,
            teacher=teacher,
            pairs=pairs,
            monitors=monitors,
            resume=resume,
            changed_verifier=changed_verifier,
            quiet=quiet,
        )
        try:
            trainer.run()
        finally:
            trainer.close()
        if (not quiet if report is None else report) and trainer.processes.is_main:
            write_pages(Path(out))
    return policy


class Trainer:
    """A run that can be stepped, saved and resumed."""

    def __init__(
        self,
        config: TrainConfig,
        env: EnvLike | Mixture,
        policy: TransformersPolicy,
        out: Path,
        *,
        sft: SftConfig | None = None,
        pool: Pool | None = None,
        teacher: TransformersPolicy | None = None,
        pairs: Sequence[Pair] | None = None,
        monitors: Sequence[Monitor] = (),
        resume: bool = False,
        changed_verifier: bool = False,
        quiet: bool = False,
        processes: Processes | None = None,
    ) -> None:
        offloads = config.engine.cpu_offload
        found = this_process(policy.model.device, offloads=offloads) if processes is None else processes
        self.processes = replace(found, sharded=config.engine.sharding == "full" and found.count > 1)
        config = with_fitting_batches(policy, config)
        self.config, self.policy, self.out = config, policy, out
        self.quiet = quiet or not self.processes.is_main
        self.row, self.teacher, self.pairs, self._pool = config.row, teacher, pairs, pool
        check_given(config, policy, teacher, pairs)
        self.envs = Environments(env, config, pool)
        self.sft = sft or warm_start(config)
        self.position = Position()
        self.adaptive = Adaptive.first(self.row)
        self.saved = SavedEpisodes(out)
        self.watch = Watch(out, monitors, self.processes)
        self._rollout: Rollout | None = None
        self._episodes: list[Episode] = []
        self._kept: list[int] | None = None
        self._parts: tuple[Part, ...] | None = None
        self._metrics: dict[str, Any] = {}
        self._skipped = 0
        """Optimiser steps that were not taken since the last one that was."""
        self._rewards: list[float] = []
        """Mean rewards of the rollouts since the last checkpoint."""
        self._initial = checkpoint.fingerprint(policy.model.state_dict())
        self.ahead: Ahead | None = None
        self.log: MetricsLog | None = None
        self.journal: Journal | None = None
        self.generator: VllmPolicy | None = None
        self._lock: FolderLock | None = None
        for definition in self.envs.definitions:
            check_context(definition, policy, config, pairs)
            if self.row.selection is not None and self.row.selection.kind == "demonstrations":
                refuse_answerless(definition)
        if self.processes.is_main and (holds_run(out) or not resume):
            self._lock = FolderLock(out)
        try:
            self._open(resume=resume, changed_verifier=changed_verifier)
        except BaseException:
            self.close()
            raise

    def _open(self, *, resume: bool, changed_verifier: bool) -> None:
        """Begin the run in its folder, or take up what the folder holds."""
        out, config, policy = self.out, self.config, self.policy
        others = self._others()
        main = self.processes.is_main
        changed = open_folder(out, config, others, resume=resume, changed_verifier=changed_verifier) if main else {}
        begun = (out / checkpoint.FILE).exists()
        self.processes.barrier()  # so that nobody takes the first checkpoint for one to go on from
        saved = checkpoint.load(out / checkpoint.FILE, policy.model.device) if begun else None
        prepare(policy, config.engine, config.seed)
        shard(policy.model, config.engine)
        if saved is None:
            self._warm_start(again=resume)
        self.networks = Networks(policy.model, config)
        if saved is not None:
            with as_written(out / checkpoint.FILE):
                self._restore(saved)
        with whole(policy) if config.engine.generator == "vllm" else nullcontext():
            self.generator = generator_of(policy, config.engine, out / f"generator-{self.processes.rank}")
        if config.staleness:
            self.ahead = Ahead(policy, self.envs, config, self.processes)
            if saved is not None:
                self.ahead.load(saved["ahead"])
        if main:
            resuming.write_down(out, self.position.step, self.position.optimiser_steps, changed)
            write_config(out, config, others)
            self.log = MetricsLog.of_run(out, config.trackers, self.position.step)
            self.journal = Journal(out / "verdicts.jsonl")
            if changed.keys() & set(resuming.VERIFIER):
                self.journal.clear()
        if saved is None:
            self.save()

    def _others(self) -> dict[str, Any]:
        """What decides the run beside its config."""
        return {
            "sft": asdict(self.sft),
            **self.envs.settings(),
            "teacher": None if self.teacher is None else checkpoint.fingerprint(self.teacher.model.state_dict()),
            "pairs": None if self.pairs is None else fingerprint_of(self.pairs),
            "cache_tokens": self.policy.max_batch_tokens,
            "chat_template_kwargs": dict(self.policy.renderer.template_kwargs),
        }

    def run(self) -> None:
        """Go on to the last step, or until a monitor says stop, and save the model."""
        position = self.position
        position.stopped = position.stopped and bool(self.watch.monitors)  # without monitors it goes on
        title = f"{self.row.name} on {self.envs.title}"
        with Display(title, self.config.steps, quiet=self.quiet, done=position.step) as display:
            while position.step < self.config.steps and not position.stopped:
                metrics = self.step()
                note = f"reward {metrics['reward']:.3f}" if "reward" in metrics else ""
                display.update(position.step, note, metrics)
                for alarm in self.watch.last:
                    display.warn(f"{alarm.name}: {alarm.message}")
                if position.quiet_steps and position.quiet_steps % self.config.stall_steps == 0:
                    display.warn(
                        f"the last {position.quiet_steps} rollouts had no two different rewards to compare: "
                        "there is nothing to learn from; choose easier or harder tasks, a larger group, "
                        f"or a finer reward (see {PAGE})"
                    )
            if position.stopped:
                display.warn(
                    f"stopped after {position.step} of {self.config.steps} rollouts by an alarm, see alarms.jsonl; to "
                    "go on all the same, resume without monitors"
                )
        self.save()
        with whole(self.policy):
            if self.processes.is_main:
                save_model(self.policy, self.out / "model")
        if self.processes.is_main:
            write_evidence(self.out, self.envs.evidence)
        self.processes.barrier()

    def step(self) -> dict[str, float]:
        """One whole rollout with its updates; returns its metrics."""
        config, position = self.config, self.position
        if self._rollout is None:
            self._collect()
        rollout = self._rollout
        if rollout is None:
            raise RunError("expected a rollout to train on; call step() again")
        started = time.perf_counter()
        while position.update < config.updates_a_rollout:
            metrics = self._update(rollout, position.update)
            position.update += 1
            position.optimiser_steps += 1
            for name, value in metrics.items():
                self._metrics.setdefault("updates", {}).setdefault(name, []).append(value)
            if position.optimiser_steps % config.save_every == 0 and position.update < config.updates_a_rollout:
                self.save()
        self._adapt(rollout)
        self._metrics["time/update"] = self._metrics.get("time/update", 0.0) + time.perf_counter() - started
        return self._finish_step(rollout)

    def save(self) -> None:
        """Write the checkpoint, if it is good; what was written before it is then never needed again.

        After a step that was skipped the checkpoint before stays, as the place to go back to, until one is taken.
        Raises RunError where weights are not finite; the checkpoint before then stays too.
        """
        if self._skipped:
            return
        bad = self.networks.not_finite(self.processes)
        if bad:
            raise RunError(
                f"{bad} is not finite after optimiser step {self.position.optimiser_steps}; {self._way_back()}"
            )
        self._keep_best()
        networks = self.networks.saved(self.out, self.position.optimiser_steps, self.processes)
        if self.processes.is_main:
            state: dict[str, Any] = {
                "position": asdict(self.position),
                "adaptive": self.adaptive.state_dict(),
                "initial": self._initial,
                "networks": networks,
                "ahead": None if self.ahead is None else self.ahead.state(),
                "env": json.dumps(self.envs.state_dict()),
                "monitors": json.dumps(self.watch.state_dict()),
                "rollout": None if self._rollout is None else self._rollout.state(),
                "kept": self._kept,
                "parts": None if self._parts is None else [list(part) for part in self._parts],
                "metrics": self._metrics,
                "files": sizes(self.out),
            }
            checkpoint.save(self.out / checkpoint.FILE, state)
            checkpoint.keep(self.out / checkpoint.FILE, self.position.optimiser_steps, self.config.keep_checkpoints)
            if SHARDS in networks:
                forget(self.out, networks[SHARDS])
        if self.journal is not None:
            self.journal.clear()
        self.processes.barrier()

    def _keep_best(self) -> None:
        """Keep the policy in best/ where the rollouts since the last checkpoint were paid more than any before."""
        rewards, self._rewards = self._rewards, []
        kept_by_gold = any(getattr(monitor, "best", None) == self.out / BEST for monitor in self.watch.monitors)
        if not (self.config.keep_best and rewards) or kept_by_gold:
            return
        value, position = float(np.mean(rewards)), self.position
        if position.best is not None and value <= position.best:
            return
        position.best = value
        with whole(self.policy):
            chosen: dict[str, Json] = {
                "by": f"mean reward of {len(rewards)} rollouts",
                "value": value,
                "rollout": position.step - 1,
            }
            if self.processes.is_main:
                save_model(self.policy, self.out / BEST, chosen)

    def close(self) -> None:
        """Close the files of the run and let go of its folder."""
        with ExitStack() as stack:  # each is closed, even where a full disk does not take what another still holds
            for part in (self._lock, self.journal, self.log, self.ahead, self.generator):
                if part is not None:
                    stack.callback(part.close)

    def _warm_start(self, *, again: bool) -> None:
        """The supervised steps; `again` where a run is resumed that was stopped in them, of which nothing is kept."""
        if self.sft.steps == 0:
            return
        data = self.envs.demonstrations(self.policy, self.sft.max_demonstrations)
        config = replace(self.sft, seed=derived_seed(self.sft.seed, 0, SFT))
        # every process takes every step
        with Display("warm start", config.steps, quiet=self.quiet) as display, averaged(self.policy.model):
            if again:
                display.warn(
                    f"{self.out} was stopped before the end of its warm start, of which nothing is saved: all "
                    f"{config.steps} supervised steps are taken again"
                )
            supervised(self.policy, data, config, lambda i, loss: display.update(i + 1, f"loss {loss:.3f}"))

    def _restore(self, saved: dict[str, Any]) -> None:
        if saved["initial"] != self._initial:
            raise RunError(
                f"{self.out} was started from another policy; give the one it was started with, or a new folder"
            )
        self.position = Position(**saved["position"])
        self.adaptive = Adaptive.from_state(saved["adaptive"])
        self.networks.load(saved["networks"], self.out, self.processes)
        self.envs.load_state_dict(json.loads(saved["env"]))
        self.watch.load_state_dict(json.loads(saved["monitors"]))
        self._rollout = None if saved["rollout"] is None else Rollout.from_state(saved["rollout"])
        self._kept = saved["kept"]
        self._parts = tuple(Part(*part) for part in saved.get("parts") or ()) or None
        self._metrics = saved["metrics"]
        if self.processes.is_main:
            cut_back(self.out, saved["files"])
        self.processes.barrier()
        if self._rollout is not None:
            self._episodes = list(self.saved.read(self.position.episodes_at))

    def _collect(self) -> None:
        """Make the rollout of this step, with everything that the updates need to know of it."""
        position, row, config = self.position, self.row, self.config
        if row.kl.reset_every and position.step and position.step % row.kl.reset_every == 0:
            self.networks.reset_reference()
        position.episodes_at = self.saved.size()
        with whole(self.policy):
            collected = self._drawn()
        if self.processes.is_main:
            self.saved.append(collected.episodes)
        self.envs.observe(position.step, collected.episodes, config.max_error_share)
        self._parts = collected.parts
        rollout, metrics = prepared(
            collected.rollout,
            self.adaptive.row(row),
            self._group_size,
            self._judges(),
            self.adaptive.baselines,
            self.config.updates_a_rollout,
        )
        if not not_finite(rollout):
            self.adaptive.observe_rewards(row, rollout, self._group_size)
        self._rollout, self._episodes, self._kept = rollout, collected.episodes, collected.kept
        position.tokens += int(rollout.attention_mask.sum())
        self._metrics = {**collected.metrics, **metrics}
        if row.critic is not None:
            variance = explained_variance(rollout.values, rollout.returns, rollout.mask)
            self._metrics["critic/explained_variance"] = variance

    def _drawn(self) -> Collected:
        """Tasks out, completions in, verdicts; or what needs none: the next pairs of a file, the next solutions."""
        policy, config, step = self.policy, self.config, self.position.step
        if self.pairs is not None:
            return paired(self.pairs, policy, config, step)
        if self.generator is not None:
            self.generator.send_weights()
        if self.ahead is not None:
            self.ahead.go_on(step)
        now = ((*own, None) for own in self.envs.drawing(step))
        drawing = now if self.ahead is None else self.ahead.drawing(step)
        mixed = self.envs.mixture is not None
        found = drawn(drawing, policy.eos_ids[0], config.metrics_by, self.journal, self._drawn_from, mixed=mixed)
        if self.generator is not None:
            self.generator.rest()
        return found

    def _drawn_from(self, env: BatchEnvironment, config: TrainConfig, given: Given | None) -> Collected:
        """What one environment gives to a rollout."""
        policy, step, rule, definition = self.policy, self.position.step, self.row.selection, env.definition
        if rule is not None and rule.kind == "demonstrations":
            return demonstrated(definition, policy, config, step)
        collected = collect(env, policy, config, step, self.journal, self.processes, self.generator, given)
        said = (definition, policy, config, step, self.journal, self.processes, self._pool)
        return continued(rationalised(collected, *said), *said)

    @property
    def env(self) -> BatchEnvironment:
        """The environment, or the first of a mixture."""
        return next(iter(self.envs.envs.values()))

    @property
    def _group_size(self) -> GroupSize:
        return self._parts or self.config.group_size

    def _judges(self) -> Judges:
        compared = self.row.selection is None or self.row.kl.beta > 0 or self.config.log_kl
        return Judges(
            policy=self.policy.model,
            temperature=self.config.temperature,
            micro_batch_tokens=self.config.micro_batch_tokens,
            reference=self.networks.reference if compared else None,
            teacher=None if self.teacher is None else self.teacher.model,
            critic=self.networks.critic,
            value_head=self.networks.value_head,
            processes=self.processes,
        )

    def _update(self, rollout: Rollout, update: int) -> dict[str, float]:
        config, position = self.config, self.position
        restarts = self.row.selection is not None and self.row.selection.from_initial
        if restarts and update == 0:
            self.networks.return_to_initial()
        waited = 0 if self.row.critic is None else self.row.critic.pretrain
        critic_only = position.step < waited  # the rise of the learning rate begins again with the policy's first step
        behind = 0 if critic_only else waited * config.updates_a_rollout
        share = config.learning_rate_share(position.step, position.optimiser_steps - behind)
        if restarts:  # each rollout is a training of its own, with the schedule of one
            share = replace(config, steps=config.updates_a_rollout).learning_rate_share(update, update)
        learning_rate = self.networks.set_learning_rate(share)
        step = Step(
            row=self.adaptive.row(self.row),
            temperature=config.temperature,
            micro_batch_tokens=config.micro_batch_tokens,
            max_grad_norm=config.max_grad_norm,
            max_new_tokens=max(most_said(definition, config) for definition in self.envs.definitions),
            group_size=self._group_size,
            on_policy=config.updates_a_rollout == 1 and self.row.correction.kind == "none" and not config.staleness,
            corrects=self.row.corrects_in_step(config.updates_a_rollout),
            shows_sampler=update == 0 and self.row.correction.kind == "none",
            measure_all=config.measure_all,
            entropy_coefficient=self.adaptive.entropy_at(self.row, position.step, config.steps),
            kl_coefficient=self.adaptive.kl_coefficient,
            critic_only=critic_only,
            teacher=None if self.teacher is None else self.teacher.model,
            processes=self.processes,
        )
        epoch, rows = update // config.minibatches, rows_of(rollout, config, position.step, update, self._group_size)
        metrics = updated(self.networks, rollout, rows, step, epoch, config.epochs)
        self._count_skipped(rollout, rows, metrics)
        return {**metrics, "learning_rate": learning_rate}

    def _count_skipped(self, rollout: Rollout, rows: torch.Tensor, metrics: Mapping[str, float]) -> None:
        self._skipped = self._skipped + 1 if SKIPPED in metrics else 0
        if self._skipped >= self.config.max_skipped_steps:
            raise RunError(
                f"{self._skipped} optimiser steps in a row were skipped, up to step {self.position.optimiser_steps}, "
                f"and changed nothing: {what_was_not(rollout, rows, metrics)} not finite; {self._way_back()}"
            )

    def _way_back(self) -> str:
        return (
            f"{self.out / checkpoint.FILE} is the last good checkpoint: look at the rewards of the episodes, then go "
            "on with --resume and a lower --learning-rate"
        )

    def _adapt(self, rollout: Rollout) -> None:
        """What is measured once the updates of a rollout are done."""
        if self.row.entropy.target is not None:
            self._metrics["entropy_coefficient"] = self.adaptive.entropy_coefficient
            self.adaptive.observe_entropy(self.row, _mean_of_finite(self._metrics["updates"].get("entropy", [])))
        if self.adaptive.beta is not None:
            self._metrics["kl_beta"] = self.adaptive.beta
            self.adaptive.observe_drift(self.row, rollout)
        if self.row.control.bound != "kl" or self.row.control.kl_target is None:
            return
        kl = measured_kl(self._judges(), rollout)
        if math.isfinite(kl):
            self.adaptive.observe_kl(self.row, kl)
        self._metrics["trust_region/kl"] = kl
        self._metrics["trust_region/coefficient"] = self.adaptive.kl_coefficient

    def _finish_step(self, rollout: Rollout) -> dict[str, float]:
        position = self.position
        updates: dict[str, list[float]] = self._metrics.pop("updates", {})
        skipped = sum(updates.pop(SKIPPED, []))
        metrics = {**self._metrics, **{name: _mean_of_finite(values) for name, values in updates.items()}}
        metrics[SKIPPED] = skipped
        metrics["num_tokens"] = float(position.tokens)
        metrics["step_time"] = sum(value for name, value in metrics.items() if name.startswith("time/"))
        trained = Collected(self._episodes, rollout, {}, self._kept).trained
        with whole(self.policy) if self.watch.monitors else nullcontext():
            position.stopped = self.watch.after_step(
                position.step, trained, rollout, metrics, self.policy, self._own_alarms()
            )
        if self.log is not None:
            self.log.write(position.step, metrics)
        if math.isfinite(metrics.get("reward", math.nan)):
            self._rewards.append(metrics["reward"])
        position.quiet_steps = 0 if has_signal(rollout, self.config, self._group_size) else position.quiet_steps + 1
        position.step, position.update = position.step + 1, 0
        self._rollout, self._metrics, self._episodes, self._kept, self._parts = None, {}, [], None, None
        if position.optimiser_steps % self.config.save_every < self.config.updates_a_rollout:
            self.save()
        return metrics

    def _own_alarms(self) -> list[Alarm]:
        """What the run says without a monitor: after its first rollout also what the tokenizer does not know."""
        alarms = self.envs.alarms(self.position.step)
        if self.position.step == 0:
            found = (unknown_to(self.policy, definition.tasks) for definition in self.envs.definitions)
            alarms += [Alarm("unknown_characters", 0, str(one), one.share, 0.0) for one in found if one is not None]
        return alarms


def _mean_of_finite(values: Sequence[float]) -> float:
    """The mean over the updates that have the value; NaN, which no log shows, where none has."""
    finite = [value for value in values if math.isfinite(value)]
    return float(np.mean(finite)) if finite else math.nan
