"""The folder of a run: opened, locked, written to as the run goes, and what a stopped run goes on from.

config.json, episodes, metrics and trackers, checkpoint.pt, best/ and model/ (rlenv.trainers.records.runfolder).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rlenv.core.errors import LimitReached, RunError
from rlenv.core.jsontypes import Json
from rlenv.door.reading import as_written
from rlenv.policies.ledger import FILE as SPENT
from rlenv.policies.ledger import Ledger, counted
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.folder_lock import FolderLock
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.trainers.loop import checkpoint
from rlenv.trainers.loop.checkpoint import NUMBERS, Position, Stopped, Stopping
from rlenv.trainers.networks.models import SHARDS
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.networks.sharding import whole
from rlenv.trainers.records import runfolder as resuming
from rlenv.trainers.records.logs import MetricsLog
from rlenv.trainers.records.runfolder import (
    BEST,
    cut_back,
    holds_run,
    open_folder,
    save_model,
    sizes,
    write_config,
    write_evidence,
)
from rlenv.trainers.rollouts.collect import Collected, Journal
from rlenv.trainers.rollouts.rollout import Part, Rollout
from rlenv.trainers.settings.config import TrainConfig, saving


class RunStore:
    """Where the run stands, and its files. The main process writes; the others wait where they must."""

    def __init__(
        self,
        out: Path,
        config: TrainConfig,
        policy: TransformersPolicy,
        processes: Processes,
        ledger: Ledger,
        *,
        quiet: bool,
    ) -> None:
        self.out, self._config, self._policy, self._processes, self.ledger = out, config, policy, processes, ledger
        self.position = Position()
        self.under_way: Collected | None = None
        """The rollout whose updates are not all done."""
        self.journal: Journal | None = None
        self.resumed = False
        self._episodes = SavedEpisodes(out)
        self._log: MetricsLog | None = None
        self._lock: FolderLock | None = None
        self._changed: dict[str, list[Any]] = {}
        self._rewards: list[float] = []
        """Mean rewards of the rollouts since policies were last compared for best/."""
        self._initial = checkpoint.fingerprint(policy.model.state_dict())
        self.stopping = Stopping(quiet=quiet)
        """Entered, it notes the signals that end a run."""
        self._told = False
        """A signal had come to one of the processes when they last asked each other."""
        self._saved_at = time.monotonic()

    def open(self, others: Mapping[str, Any], *, resume: bool, changed_verifier: bool) -> dict[str, Any] | None:
        """Lock the folder and make it this run's; returns the checkpoint where there is one to go on from."""
        out, main = self.out, self._processes.is_main
        if main and (holds_run(out) or not resume):
            self._lock = FolderLock(out)
        if main:
            self._changed = open_folder(out, self._config, others, resume=resume, changed_verifier=changed_verifier)
            self.ledger.keep_in(out / SPENT)
        self.resumed = (out / checkpoint.FILE).exists()
        self._processes.barrier()  # so that nobody takes the first checkpoint for one to go on from
        if not self.resumed:
            return None
        saved = checkpoint.load(out / checkpoint.FILE, self._policy.model.device)
        with as_written(out / checkpoint.FILE):
            if saved["initial"] != self._initial:
                raise RunError(
                    f"{out} was started from another policy; give the one it was started with, or a new folder"
                )
        return saved

    def begin(self, saved: Mapping[str, Any] | None) -> None:
        """Go on from where `save` left, if anything: the files are cut back to what they were then."""
        if saved is None:
            return
        self.position = Position(**saved["position"])
        self._rewards = list(saved.get("rewards") or ())
        if self._processes.is_main:
            cut_back(self.out, saved["files"])
        self._processes.barrier()
        if saved["rollout"] is not None:
            metrics = dict(saved["metrics"])
            updates = metrics.pop("updates", {})
            self.under_way = Collected(
                list(self._episodes.read(self.position.episodes_at)),
                Rollout.from_state(saved["rollout"]),
                metrics,
                saved["kept"],
                tuple(Part(*part) for part in saved.get("parts") or ()) or None,
                updates,
            )

    def write_begun(self, others: Mapping[str, Any]) -> Journal | None:
        """Open the files that the run writes from here on; returns where the main process writes verdicts down."""
        if not self._processes.is_main:
            return None
        position = self.position
        resuming.write_down(self.out, position.step, position.optimiser_steps, self._changed)
        write_config(self.out, self._config, others)
        self._log = MetricsLog.of_run(self.out, self._config.trackers, position.step)
        self.journal = Journal(self.out / "verdicts.jsonl")
        if self._changed.keys() & set(resuming.VERIFIER):
            self.journal.clear()
        return self.journal

    def write(self, found: Collected) -> None:
        """The episodes of a rollout, before its updates."""
        self.position.episodes_at = self._episodes.size()
        if self._processes.is_main:
            self._episodes.append(found.episodes)
        if self._log is not None:
            self._log.show(self.position.step, found.episodes)

    def record(self, metrics: Mapping[str, float], *, signal: bool, stopped: bool) -> None:
        """A rollout whose updates are done: the next one's turn has come."""
        position = self.position
        position.stopped = stopped
        if self._log is not None:
            self._log.write(position.step, metrics)
        if math.isfinite(metrics.get("reward", math.nan)):
            self._rewards.append(metrics["reward"])
        position.quiet_steps = 0 if signal else position.quiet_steps + 1
        position.step, position.update = position.step + 1, 0
        self.under_way = None

    def spend(self, tokens: int, said: int) -> None:
        """Write down what a rollout of so many tokens took, of which the policy said `said`."""
        self.position.tokens += tokens
        if self._processes.is_main:
            counted(self._policy.name, prompt_tokens=max(0, tokens - said), said_tokens=said, cost=0.0)
        self.ledger.add_up(self._processes.sum_of)
        self.ledger.save()

    def end_where_spent(self, save: Callable[[], None]) -> None:
        """Save and raise LimitReached where the next rollout may not be drawn any more; in every process alike."""
        here = self._processes.is_main and bool(self.ledger.reached) and self.under_way is None
        if self._processes.sum_of({"reached": float(here)})["reached"]:
            save()
            self.ledger.check()
            raise LimitReached("the main process has reached a limit of the run")

    def due(self, within: int) -> tuple[bool, bool]:
        """Whether to save now, and whether the policy is then compared with the one in best/; alike in all processes.

        Steps ask for it (passed by less than `within` since the last time of asking), time, or a signal.
        """
        every, seconds = saving(self._config.save_every)
        by_steps = bool(every) and self.position.optimiser_steps % every < within
        late = self._processes.is_main and time.monotonic() - self._saved_at >= seconds
        asked = self._processes.sum_of({"late": float(late), "stop": float(self.stopping.number > 0)})
        self._told = asked["stop"] > 0
        return by_steps or asked["late"] > 0 or self._told, by_steps or not every

    def end_where_told(self) -> None:
        """Raise Stopped where a signal came before the last rollout was done."""
        position, steps = self.position, self._config.steps
        if self._told and position.step < steps and not position.stopped:
            told = f"stopped after rollout {position.step} of {steps}; {self.out} goes on with resume=True"
            raise Stopped(self.stopping.number or NUMBERS[-1], told)

    def save(self, parts: Mapping[str, Any]) -> None:
        """Write the checkpoint of the run; what was written before it is then never needed again."""
        if self._processes.is_main:
            found, steps = self.under_way, self.position.optimiser_steps
            state = {
                "position": asdict(self.position),
                "initial": self._initial,
                "rollout": None if found is None else found.rollout.state(),
                "kept": None if found is None else found.kept,
                "parts": None if found is None or found.parts is None else [list(part) for part in found.parts],
                "metrics": {} if found is None else {**found.metrics, "updates": found.updates},
                "rewards": self._rewards,
                "files": sizes(self.out),
                **parts,
            }
            checkpoint.save(self.out / checkpoint.FILE, state)
            checkpoint.keep(self.out / checkpoint.FILE, steps, self._config.keep_checkpoints)
            if SHARDS in parts["networks"]:
                checkpoint.forget(self.out, parts["networks"][SHARDS])
        if self.journal is not None:
            self.journal.clear()
        self._saved_at = time.monotonic()
        self._processes.barrier()

    def keep_best(self, *, otherwise: bool) -> None:
        """Keep the policy in best/ where the rollouts since the last checkpoint were paid more than any before.

        Not where it is chosen `otherwise`.
        """
        rewards, self._rewards = self._rewards, []
        if not (self._config.keep_best and rewards) or otherwise:
            return
        value, position = float(np.mean(rewards)), self.position
        if position.best is not None and value <= position.best:
            return
        position.best = value
        with whole(self._policy):
            chosen: dict[str, Json] = {
                "by": f"mean reward of {len(rewards)} rollouts",
                "value": value,
                "rollout": position.step - 1,
            }
            if self._processes.is_main:
                save_model(self._policy, self.out / BEST, chosen)

    def finish(self, evidence: list[str]) -> None:
        """Leave the finished model, and what detectors found."""
        with whole(self._policy):
            if self._processes.is_main:
                save_model(self._policy, self.out / "model")
        if self._processes.is_main:
            write_evidence(self.out, evidence)
        self._processes.barrier()

    def close(self) -> None:
        """Close the files and let go of the folder."""
        with ExitStack() as stack:  # each is closed, even where a full disk does not take what another still holds
            for part in (self._lock, self.journal, self._log, self.ledger):
                if part is not None:
                    stack.callback(part.close)
