"""What looks at a run: its monitors, shown every finished rollout, and the person before the terminal.

Alarms are written down and told; the state of the monitors is saved with the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, line
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.files import append
from rlenv.trainers.loop.checkpoint import Position
from rlenv.trainers.monitors.rules import Monitor
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.networks.sharding import whole
from rlenv.trainers.records.logs import ALARMS_FILE, PAGE, Alarm, Display
from rlenv.trainers.records.runfolder import BEST
from rlenv.trainers.rollouts.collect import Collected
from rlenv.trainers.settings.config import TrainConfig


class Watch:
    """All monitors of one run. The main process asks them; the others hear whether to go on."""

    def __init__(
        self,
        out: Path,
        monitors: Sequence[Monitor],
        config: TrainConfig,
        policy: TransformersPolicy,
        processes: Processes,
        *,
        quiet: bool,
    ) -> None:
        names = [monitor.name for monitor in monitors]
        if len(set(names)) < len(names):
            raise ConfigError(f"expected monitors with different names, got {', '.join(names)}")
        self.monitors, self._path = tuple(monitors), out / ALARMS_FILE
        self._config, self._policy, self._processes, self._quiet = config, policy, processes, quiet
        self.keeps_best = any(getattr(monitor, "best", None) == out / BEST for monitor in monitors)
        """Whether a monitor chooses the policy in best/."""
        self._display = Display("", 0, quiet=True)
        self._last: list[Alarm] = []
        """The alarms of the last rollout."""

    def look(
        self, step: int, found: Collected, metrics: MutableMapping[str, float], alarms: Sequence[Alarm] = ()
    ) -> bool:
        """Ask every monitor and write the alarms down, those of the run itself too; returns whether it is to end."""
        self._last = list(alarms)
        if not self.monitors and not alarms:
            return False
        with whole(self._policy) if self.monitors else nullcontext():
            if self._processes.is_main:
                for monitor in self.monitors:
                    self._last += monitor.after_step(step, found.trained, found.rollout, metrics, self._policy)
        if self._last and self._processes.is_main:
            append(self._path, (line(alarm.to_json()) for alarm in self._last))
        stops = self._processes.sum_of({"stop": float(any(alarm.stop for alarm in self._last))})
        return stops["stop"] > 0

    def shown(self, title: str, position: Position, *, resumed: bool) -> Display:
        """The display of a run in the environments of this title, to be entered; `tell` shows rollouts on it."""
        title = f"{self._config.row.name} on {title}"
        self._display = Display(title, self._config.steps, quiet=self._quiet, done=position.step)
        if resumed:
            self._display.say(f"continuing from rollout {position.step} of {self._config.steps}")
        return self._display

    def tell(self, position: Position, metrics: Mapping[str, float], spent: str = "") -> None:
        """Show a finished rollout, what was `spent`, its alarms, and that there is nothing to learn for too long."""
        note = f"reward {metrics['reward']:.3f}" if "reward" in metrics else ""
        self._display.update(position.step, ", ".join(filter(None, (note, spent))), metrics)
        for alarm in self._last:
            self._display.warn(f"{alarm.name}: {alarm.message}")
        if position.quiet_steps == self._config.stall_steps:
            self._display.warn(
                f"the last {position.quiet_steps} rollouts had no two different rewards to compare: "
                "there is nothing to learn from; choose easier or harder tasks, a larger group, "
                f"or a finer reward (see {PAGE})"
            )
        if position.stopped:
            self._display.warn(
                f"stopped after {position.step} of {self._config.steps} rollouts by an alarm, see alarms.jsonl; to "
                "go on all the same, resume without monitors"
            )

    def state(self) -> dict[str, str]:
        """The state of every monitor, by its name."""
        states: dict[str, dict[str, Json]] = {monitor.name: monitor.state_dict() for monitor in self.monitors}
        return {"monitors": json.dumps(states)}

    def begin(self, saved: Mapping[str, Any] | None) -> None:
        """Go on from what `state` gave, if anything."""
        states = {} if saved is None else json.loads(saved["monitors"])
        for monitor in self.monitors:
            if monitor.name in states:
                monitor.load_state_dict(states[monitor.name])
