"""What a monitor is: it looks at every finished rollout of a run, and says when something is wrong.

A trainer calls `after_step` once a rollout, after its updates and before its metrics are written. What the monitor
adds to the metrics is logged with them; the alarms go to alarms.jsonl, to the terminal and to the report.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rlenv.core.episode import Episode
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
