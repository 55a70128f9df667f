"""The one training loop: rollout, score, advantage, update. Which algorithm it is, a row of data decides.

A run that was stopped anywhere continues with resume=True and ends, on the same hardware, with bitwise the same
weights: every random draw is addressed by (seed, step), and verdicts already given are replayed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from rlenv.core.jsontypes import Json
from rlenv.door.reading import as_written
from rlenv.env.batch import EnvLike
from rlenv.policies.ledger import Ledger
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.branches.sft import SftConfig, check_given, warm_start
from rlenv.trainers.loop.checkpoint import FILE, Position
from rlenv.trainers.loop.learner import Learner
from rlenv.trainers.loop.source import Source
from rlenv.trainers.loop.store import RunStore
from rlenv.trainers.loop.watching import Watch
from rlenv.trainers.monitors.rules import Monitor
from rlenv.trainers.networks.memory import with_fitting_batches
from rlenv.trainers.networks.processes import Processes, this_process
from rlenv.trainers.records.runfolder import COMMAND
from rlenv.trainers.rollouts.collect import Collected
from rlenv.trainers.settings.config import Mixture, TrainConfig
from rlenv.workers.pool import Pool


class Trainer:
    """A run that can be stepped, saved and resumed; its arguments are those of `train`."""

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
        command: Mapping[str, Json] | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.processes = one = processes or this_process(policy.model.device, config.engine)
        self.policy, self.config = policy, (config := with_fitting_batches(policy, config))
        check_given(config, policy, teacher, pairs)
        quiet = quiet or not one.is_main
        self.source = Source(env, config, policy, one, sft=sft or warm_start(config), pool=pool, pairs=pairs)
        self.store = RunStore(out, config, policy, one, ledger or Ledger(), quiet=quiet)
        self.watch = Watch(out, monitors, config, policy, one, quiet=quiet)
        self.learner = Learner(config, policy, out, one, teacher=teacher, longest=self.source.longest)
        decides = {**self.source.settings(), **self.learner.settings(), COMMAND: dict(command or {})}
        try:
            saved = self.store.open(decides, resume=resume, changed_verifier=changed_verifier)
            self.learner.shape_policy()
            if saved is None:
                self.source.warm_start(out, again=resume, quiet=quiet)
            with as_written(out / FILE) if saved else nullcontext():
                for part in (self.learner, self.source, self.watch, self.store):
                    part.begin(saved)
            self.source.open(out, saved)
            self.source.journal = self.store.write_begun(decides)
            if saved is None:
                self.save()
        except BaseException:
            self.close()
            raise

    def run(self) -> None:
        """Go on to the last step, or until a monitor says stop, and save the model."""
        position, store = self.position, self.store
        position.stopped = position.stopped and bool(self.watch.monitors)  # without monitors it goes on
        with self.watch.shown(self.source.envs.title, position, resumed=store.resumed), store.stopping:
            while position.step < self.config.steps and not position.stopped:
                store.end_where_spent(self.save)
                self.watch.tell(position, self.step(), store.ledger.note())
                store.end_where_told()
        self.save()
        store.finish(self.source.envs.evidence)

    def step(self) -> dict[str, float]:
        """One whole rollout with its updates; returns its metrics."""
        source, learner, store, watch = self.source, self.learner, self.store, self.watch
        position, updates = self.position, self.config.updates_a_rollout
        rollout = store.under_way or self.collect()  # prompts, completions, verdicts; old log-probs, advantages
        while position.update < updates:
            learner.update(rollout, position)  # log-probs, loss, optimiser
            if position.update < updates:
                self._save_where_due(1)
                store.end_where_told()
        metrics = learner.finished(rollout, position.tokens) | store.ledger.metrics()
        stopped = watch.look(position.step, rollout, metrics, source.alarms(position.step))
        store.record(metrics, signal=learner.has_signal(rollout), stopped=stopped)
        self._save_where_due(updates)
        return metrics

    def collect(self) -> Collected:
        """Draw and judge the rollout of this step, and prepare it for its updates."""
        step, store = self.position.step, self.store
        self.learner.before(step)
        drawn = self.source.rollout(step)
        store.write(drawn)
        self.source.observe(step, drawn)
        store.under_way = rollout = self.learner.prepared(drawn)
        said = sum(episode.completion.said_tokens for episode in drawn.trained)
        store.spend(int((drawn.rollout.attention_mask > 0).sum()), said)
        return rollout

    def save(self, *, compares: bool = True) -> None:
        """Write the checkpoint, if it is good; where it `compares`, the policy may come to stand in best/.

        After a step that was skipped the checkpoint before stays, as the place to go back to, until one is taken.
        Raises RunError where weights are not finite; the checkpoint before then stays too.
        """
        if self.learner.skipped:
            return
        steps = self.position.optimiser_steps
        self.learner.refuse_not_finite(steps)
        if compares:
            self.store.keep_best(otherwise=self.watch.keeps_best)
        self.store.save({**self.source.state(), **self.learner.state(steps), **self.watch.state()})

    def _save_where_due(self, within: int) -> None:
        saves, compares = self.store.due(within)
        if saves:
            self.save(compares=compares)

    def close(self) -> None:
        """Close the files of the run, let go of its folder, end what draws for it."""
        try:
            self.source.close()
        finally:
            self.store.close()

    @property
    def position(self) -> Position:
        """Where the run stands."""
        return self.store.position
