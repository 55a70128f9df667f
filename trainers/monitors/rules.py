"""What a monitor is, and the one made of rules: conditions on what the last rollouts were and earlier ones had been.

A trainer calls `after_step` once a rollout, after its updates and before its metrics are written. What the monitor
adds to the metrics is logged with them; the alarms go to alarms.jsonl, to the terminal and to the report.

The rules themselves remember nothing: `Rules` keeps the readings of the last rollouts and the mean of every earlier
window of the run, and says each broken rule once, not at every rollout until it is fixed.

>>> from rlenv.trainers.monitors.kinds import VerifierFailures
>>> rules = Rules((VerifierFailures(share=0.1),), window=1)
>>> bad = RolloutMetrics(reward=0.5, correct=0.5, length=9.0, errors=0.2, parts={}, flags={})
>>> [len(rules.read(step, bad)) for step in range(3)]
[1, 0, 0]
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.trainers.records.logs import Alarm

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.rollouts.rollout import Rollout


@runtime_checkable
class Monitor(Protocol):
    """Same run, same alarms: it draws nothing at random but by (seed, step), and its state is saved with the run."""

    @property
    def name(self) -> str:
        """Under which its state is saved; unique among the monitors of a run."""

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: Rollout,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
    ) -> list[Alarm]:
        """The alarms that this rollout raises. `metrics` are those of the rollout; it may add some of its own.

        `policy` is the one that comes out of the updates; the monitor may ask it, never change it.
        """

    def state_dict(self) -> dict[str, Json]:
        """Everything that it has learned, as JSON."""

    def load_state_dict(self, state: Mapping[str, Json]) -> None: ...


CORRECT = "correct"
"""The name under which verifiers pay, or score, for being right."""


@dataclass(frozen=True, slots=True)
class RolloutMetrics:
    """Means over the graded episodes of one rollout, or of several."""

    reward: float
    correct: float
    """Of the part `correct`; where no episode has one, of the score `correct`; else the reward."""
    length: float
    """Tokens a completion."""
    errors: float
    """Share of all episodes on which the verifier failed."""
    parts: Mapping[str, float]
    """What each part of the reward gives an episode."""
    flags: Mapping[str, float]
    """Share of episodes that carry each flag."""
    zero_variance: float | None = None
    """Share of groups whose rewards are all equal."""
    entropy: float | None = None
    """Nats a token."""
    kl: float | None = None
    """From the reference model, nats a token."""
    error: float | None = None
    """Standard error of the reward over the tasks; None where there are fewer than two."""
    chosen: float | None = None
    """Log-prob of the chosen completions, where pairs are learned from."""
    episodes: int = 0
    """How many were drawn, those on which the verifier failed included; 0 where that was not written down."""


def reading_of(episodes: Sequence[Episode], metrics: Mapping[str, float]) -> RolloutMetrics | None:
    """The reading of one rollout; None where the verifier graded nothing and no pairs of a file were learned from.

    Such pairs have no episodes: what is read of those is 0 throughout, at which no rule breaks.
    """
    graded = [e for e in episodes if e.verdict.reward is not None]
    chosen = metrics.get("logps/chosen")
    if not graded and (episodes or chosen is None):
        return None
    if not graded:
        return RolloutMetrics(reward=0.0, correct=0.0, length=0.0, errors=0.0, parts={}, flags={}, chosen=chosen)
    count = len(graded)
    parts: dict[str, float] = {}
    for episode in graded:
        for part in episode.verdict.parts:
            parts[part.name] = parts.get(part.name, 0.0) + part.value / count
    flags = Counter(name for e in graded for name in {flag.name for flag in e.verdict.flags})
    reward = sum(e.verdict.reward or 0.0 for e in graded) / count
    scored = [e.verdict.scores[CORRECT] for e in graded if CORRECT in e.verdict.scores]
    return RolloutMetrics(
        reward=reward,
        correct=parts.get(CORRECT, sum(scored) / len(scored) if scored else reward),
        length=sum(e.completion.said_tokens or e.completion.said_chars for e in graded) / count,
        errors=1 - count / len(episodes),
        parts=parts,
        flags={name: times / count for name, times in sorted(flags.items())},
        zero_variance=metrics.get("frac_reward_zero_std"),
        entropy=metrics.get("entropy"),
        kl=metrics.get("kl"),
        error=_error(graded),
        chosen=chosen,
        episodes=len(episodes),
    )


def mean(readings: Sequence[RolloutMetrics]) -> RolloutMetrics:
    """The mean of several rollouts; a part or a flag that one of them lacks counts as 0 there."""
    found: dict[str, Any] = {}
    for name in (field.name for field in fields(RolloutMetrics)):
        values = [getattr(reading, name) for reading in readings]
        known = [value for value in values if value is not None]
        if name in ("parts", "flags"):
            keys = dict.fromkeys(key for value in values for key in value)
            found[name] = {key: sum(value.get(key, 0.0) for value in values) / len(values) for key in keys}
        elif name == "episodes":
            found[name] = sum(values)
        elif name == "error":
            found[name] = None if None in values else math.hypot(*values) / len(values)
        else:
            found[name] = sum(known) / len(known) if known else None
    return RolloutMetrics(**found)


def _error(graded: Sequence[Episode]) -> float | None:
    """Completions of one task hang together: what is independent are the tasks."""
    rewards: dict[str, list[float]] = {}
    for episode in graded:
        rewards.setdefault(episode.task.id, []).append(episode.verdict.reward or 0.0)
    means = [statistics.fmean(of_task) for of_task in rewards.values()]
    return statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else None


@dataclass(frozen=True, slots=True)
class History:
    """What a rule may look at."""

    now: RolloutMetrics
    """The mean of the last window."""
    recent: Sequence[RolloutMetrics]
    """Its rollouts, oldest first."""
    earlier: Sequence[RolloutMetrics]
    """The mean of each earlier window of the run that does not reach into the last one."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a rule does not hold."""

    message: str
    value: float
    threshold: float


class Rule(Protocol):
    """A frozen class that holds its thresholds."""

    @property
    def name(self) -> str:
        """Names the rule in alarms and on the command line."""

    def broken(self, history: History) -> Broken | None:
        """What is wrong, if anything is. Pure."""


class Rules:
    """Asks every rule after every rollout; the first answers come when a whole window has been seen."""

    name = "rules"

    def __init__(self, rules: Sequence[Rule], *, window: int = 5, stop_on: Sequence[str] = ()) -> None:
        names = [rule.name for rule in rules]
        if window < 1:
            raise ConfigError(f"expected a window of at least 1 rollout, got {window}")
        if len(set(names)) < len(names) or not set(stop_on) <= set(names):
            raise ConfigError(f"expected rules of different names and stop_on out of them, got {names}, {stop_on}")
        self.rules, self.window, self.stop_on = tuple(rules), window, frozenset(stop_on)
        self._recent: list[RolloutMetrics] = []
        self._earlier: list[RolloutMetrics] = []
        self._last_window: RolloutMetrics | None = None
        self._seen = 0
        self._quiet: dict[str, int] = {}
        """For each rule that was broken: for how many rollouts it has held again."""

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: Rollout,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
    ) -> list[Alarm]:
        reading = reading_of(episodes, metrics)
        return [] if reading is None else self.read(step, reading)

    def read(self, step: int, reading: RolloutMetrics) -> list[Alarm]:
        """The alarms after one more reading."""
        self._recent = [*self._recent, reading][-self.window :]
        self._seen += 1
        if len(self._recent) < self.window:
            return []
        history = History(mean(self._recent), self._recent, self._earlier)
        if self._seen % self.window == 0:  # at the end of a whole window, the one before it becomes an earlier one
            self._earlier += [] if self._last_window is None else [self._last_window]
            self._last_window = history.now
        return [alarm for rule in self.rules for alarm in self._ask(rule, step, history)]

    def state_dict(self) -> dict[str, Json]:
        return {
            "recent": [asdict(r) for r in self._recent],
            "earlier": [asdict(r) for r in self._earlier],
            "last_window": None if self._last_window is None else asdict(self._last_window),
            "seen": self._seen,
            "quiet": dict(self._quiet),
        }

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        saved = cast("dict[str, Any]", state)
        self._recent = [RolloutMetrics(**r) for r in saved["recent"]]
        self._earlier = [RolloutMetrics(**r) for r in saved["earlier"]]
        self._last_window = None if saved["last_window"] is None else RolloutMetrics(**saved["last_window"])
        self._seen = saved["seen"]
        self._quiet = dict(saved["quiet"])

    def _ask(self, rule: Rule, step: int, history: History) -> list[Alarm]:
        """An alarm when a rule breaks; it is said again only after it has held for a whole window."""
        broken, quiet = rule.broken(history), self._quiet.get(rule.name)
        if broken is None:
            if quiet is not None:
                self._quiet[rule.name] = quiet + 1
            return []
        self._quiet[rule.name] = 0
        if quiet is not None and quiet < self.window:
            return []
        stop = rule.name in self.stop_on
        return [Alarm(rule.name, step, broken.message, broken.value, broken.threshold, stop)]
