"""A monitor made of rules, each a stated condition on what the last rollouts were and what earlier ones had been.

The rules themselves remember nothing: this monitor keeps the readings of the last rollouts and the mean of every
earlier window of the run, and says each broken rule once, not at every rollout until it is fixed.

>>> from rlenv.trainers.monitors.levels import VerifierFailures
>>> rules = Rules((VerifierFailures(share=0.1),), window=1)
>>> bad = Reading(reward=0.5, correct=0.5, length=9.0, errors=0.2, parts={}, flags={})
>>> [len(rules.read(step, bad)) for step in range(3)]
[1, 0, 0]
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.trainers.monitors.reading import Reading, mean, reading_of
from rlenv.trainers.records.logs import Alarm

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.rollouts.rollout import Rollout


@dataclass(frozen=True, slots=True)
class History:
    """What a rule may look at."""

    now: Reading
    """The mean of the last window."""
    recent: Sequence[Reading]
    """Its rollouts, oldest first."""
    earlier: Sequence[Reading]
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
        self._recent: list[Reading] = []
        self._earlier: list[Reading] = []
        self._last_window: Reading | None = None
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
        if reading is None:
            return []
        return self.read(step, reading)

    def read(self, step: int, reading: Reading) -> list[Alarm]:
        """The alarms after one more reading."""
        self._recent = [*self._recent, reading][-self.window :]
        self._seen += 1
        if len(self._recent) < self.window:
            return []
        history = History(mean(self._recent), self._recent, self._earlier)
        self._close_window(history.now)
        return [alarm for rule in self.rules for alarm in self._ask(rule, step, history)]

    def state_dict(self) -> dict[str, Json]:
        return {
            "recent": [r.to_json() for r in self._recent],
            "earlier": [r.to_json() for r in self._earlier],
            "last_window": None if self._last_window is None else self._last_window.to_json(),
            "seen": self._seen,
            "quiet": dict(self._quiet),
        }

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        saved = cast("dict[str, Any]", state)
        self._recent = [Reading.from_json(r) for r in saved["recent"]]
        self._earlier = [Reading.from_json(r) for r in saved["earlier"]]
        self._last_window = None if saved["last_window"] is None else Reading.from_json(saved["last_window"])
        self._seen = saved["seen"]
        self._quiet = dict(saved["quiet"])

    def _close_window(self, now: Reading) -> None:
        """At the end of a whole window, the one before it becomes an earlier one."""
        if self._seen % self.window == 0:
            if self._last_window is not None:
                self._earlier.append(self._last_window)
            self._last_window = now

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
