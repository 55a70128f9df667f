"""A check that the policy is not trained on: every N rollouts, held-out tasks judged by another verifier.

    monitor = GoldMonitor("math/gsm8k-v0", every=20, best=Path("runs/first/best"), stop=True)
    train(config, env, policy, "runs/first", monitors=[monitor])

The tasks and the seed of the sampling are the same at every measurement, so that two of them differ by the policy
alone. A measurement costs `tasks` completions: beside rollouts of 256 completions, 128 tasks every 10 rollouts are a
twentieth of the generation. `gold/reward`, its standard error and `time/gold` join the metrics of the rollout.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.env.batch import BatchEnvironment, EnvLike, definition
from rlenv.evaluation.evaluation import choose_tasks
from rlenv.trainers.records.logs import Alarm
from rlenv.turns.play import play
from rlenv.workers.pool import Pool

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.rollouts.rollout import Rollout


GAP, FALL = "gold_gap", "gold_fall"


@dataclass(frozen=True, slots=True)
class Measurement:
    """The gold reward of each held-out task, and the mean training reward of the rollouts before it."""

    step: int
    proxy: float
    rewards: tuple[float | None, ...]
    """None where the gold verifier failed."""

    @property
    def gold(self) -> float:
        graded = [reward for reward in self.rewards if reward is not None]
        return sum(graded) / len(graded) if graded else math.nan

    def below(self, peak: Measurement) -> tuple[float, float]:
        """How far this one lies below another, and the standard error of that, over the tasks that both judged."""
        pairs = zip(peak.rewards, self.rewards, strict=True)
        falls = [then - now for then, now in pairs if then is not None and now is not None]
        if len(falls) < 2:
            return 0.0, math.inf
        return statistics.fmean(falls), statistics.stdev(falls) / math.sqrt(len(falls))


@dataclass(kw_only=True)
class GoldMonitor:
    """Alarm: the gold fell below its peak, by over `fall` of it and `deviations` standard errors.

    It is a `gold_gap` while the rollouts are paid at least what they were at the peak, and else a `gold_fall`.
    """

    env: EnvLike
    """Tasks that the policy does not train on, with the verifier that is believed."""
    every: int = 10
    """Rollouts between measurements; the first is after rollout 0."""
    tasks: int = 128
    max_new_tokens: int = 256
    """The same as in training: a gold that is cut elsewhere measures something else."""
    max_episode_tokens: int | None = None
    temperature: float = 1.0
    """0 is greedy, which can stay right while the samples, which are what is trained, go wrong."""
    seed: int = 0
    fall: float = 0.1
    deviations: float = 3.0
    """Many measurements are compared with the best of them: two standard errors would cry wolf."""
    stop: bool = False
    """The alarm ends the run."""
    best: Path | None = None
    """A folder for the policy with the highest gold so far."""
    pool: Pool | None = None
    name: str = "gold"
    _rewards: list[float] = field(default_factory=list, init=False)
    """Training rewards since the last measurement."""
    _peak: Measurement | None = field(default=None, init=False)
    _fallen: str = field(default="", init=False)
    """The alarm that holds."""

    def __post_init__(self) -> None:
        if self.every < 1 or self.tasks < 2:
            raise ConfigError(f"expected every >= 1 and tasks >= 2, got {self.every} and {self.tasks}")
        gold = definition(self.env)
        self._tasks = choose_tasks(gold.tasks, self.tasks, self.seed)
        self._batch = BatchEnvironment(gold, pool=self.pool)
        self._sampling = Sampling(
            max_new_tokens=self.max_new_tokens,
            max_episode_tokens=self.max_episode_tokens,
            temperature=self.temperature,
            seed=self.seed,
        )

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: Rollout,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
    ) -> list[Alarm]:
        self._rewards += [e.verdict.reward for e in episodes if e.verdict.reward is not None]
        if step % self.every:
            return []
        started = time.perf_counter()
        now = self._measured(step, policy)
        metrics["gold/reward"] = now.gold
        metrics["time/gold"] = time.perf_counter() - started
        return self._judged(now, policy)

    def state_dict(self) -> dict[str, Json]:
        peak = self._peak
        return {
            "rewards": list(self._rewards),
            "fallen": self._fallen,
            "peak": None if peak is None else [peak.step, peak.proxy, list(peak.rewards)],
        }

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        saved = cast("dict[str, Any]", state)
        self._rewards, self._fallen = list(saved["rewards"]), saved["fallen"]
        self._peak = None
        if saved["peak"] is not None:
            step, proxy, rewards = saved["peak"]
            self._peak = Measurement(step, proxy, tuple(rewards))

    def _measured(self, step: int, policy: TransformersPolicy) -> Measurement:
        said = play(self._batch.definition, policy, self._tasks, 1, self._sampling)
        self._batch.reset(tasks=self._tasks)
        judged = self._batch.step(said)
        proxy = statistics.fmean(self._rewards) if self._rewards else math.nan
        self._rewards = []
        return Measurement(step, proxy, tuple(e.verdict.reward for e in judged))

    def _judged(self, now: Measurement, policy: TransformersPolicy) -> list[Alarm]:
        if math.isnan(now.gold):
            return []
        peak = self._peak
        if peak is None or now.gold > peak.gold:
            self._peak, self._fallen = now, ""
            self._keep(now, policy)
            return []
        fall, error = now.below(peak)
        bound = max(self.fall * abs(peak.gold), self.deviations * error)
        before, self._fallen = self._fallen, ""
        if fall > bound:
            self._fallen = GAP if now.proxy >= peak.proxy else FALL
        return [self._alarm(peak, now, fall, bound)] if self._fallen not in ("", before) else []

    def _alarm(self, peak: Measurement, now: Measurement, fall: float, bound: float) -> Alarm:
        kept = f"; the policy of rollout {peak.step} is in {self.best}" if self.best else ""
        meaning = "what is paid is no longer the task" if self._fallen == GAP else "the policy is losing what it could"
        return Alarm(
            self._fallen,
            now.step,
            f"the reward went from {peak.proxy:.3g} to {now.proxy:.3g} since rollout {peak.step}, while the gold fell "
            f"from {peak.gold:.3g} to {now.gold:.3g}: {meaning}{kept}",
            fall,
            bound,
            self.stop,
        )

    def _keep(self, now: Measurement, policy: TransformersPolicy) -> None:
        if self.best is None:
            return
        from rlenv.trainers.records.runfolder import save_model

        save_model(policy, self.best, {"by": "gold/reward", "value": now.gold, "rollout": now.step})
