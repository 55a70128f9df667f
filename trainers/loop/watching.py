"""The monitors of a run: shown every finished rollout, their alarms written down, their state saved with the run."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, line
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.files import append
from rlenv.trainers.monitors.monitor import Monitor
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.records.logs import ALARMS_FILE, Alarm
from rlenv.trainers.rollouts.rollout import Rollout


class Watch:
    """All monitors of one run. The main process asks them; the others hear whether to go on."""

    def __init__(self, out: Path, monitors: Sequence[Monitor], processes: Processes) -> None:
        names = [monitor.name for monitor in monitors]
        if len(set(names)) < len(names):
            raise ConfigError(f"expected monitors with different names, got {', '.join(names)}")
        self.monitors, self._path, self._processes = tuple(monitors), out / ALARMS_FILE, processes
        self.last: list[Alarm] = []
        """The alarms of the last rollout."""

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: Rollout,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
        alarms: Sequence[Alarm] = (),
    ) -> bool:
        """Ask every monitor and write the alarms down, those of the run itself too; returns whether it is to end."""
        self.last = list(alarms)
        if not self.monitors and not alarms:
            return False
        if self._processes.is_main:
            for monitor in self.monitors:
                self.last += monitor.after_step(step, episodes, rollout, metrics, policy)
        if self.last and self._processes.is_main:
            append(self._path, (line(alarm.to_json()) for alarm in self.last))
        stops = self._processes.sum_of({"stop": float(any(alarm.stop for alarm in self.last))})
        return stops["stop"] > 0

    def state_dict(self) -> dict[str, Json]:
        """The state of every monitor, by its name."""
        return {monitor.name: monitor.state_dict() for monitor in self.monitors}

    def load_state_dict(self, state: Mapping[str, Mapping[str, Json]]) -> None:
        for monitor in self.monitors:
            if monitor.name in state:
                monitor.load_state_dict(state[monitor.name])
