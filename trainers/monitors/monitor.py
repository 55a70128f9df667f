"""What a monitor is: it looks at every finished rollout of a run, and says when something is wrong.

A trainer calls `after_step` once a rollout, after its updates and before its metrics are written. What the monitor
adds to the metrics is logged with them; the alarms go to alarms.jsonl, to the terminal and to the report.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.door.reading import as_written, json_objects

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.loop.rollout import Rollout

FILE = "alarms.jsonl"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A stated rule was broken at a rollout: what was measured, and the threshold that it crossed."""

    name: str
    """The rule."""
    step: int
    """The rollout after whose updates it was seen, counted from 0 as in metrics.jsonl."""
    message: str
    """What was seen and what to look at, in one sentence."""
    value: float
    threshold: float
    stop: bool = False
    """The run is to end here."""

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


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


def read_alarms(folder: Path) -> list[Alarm]:
    """The alarms of the run in this folder, in order; none where there is no file."""
    path = folder / FILE
    if not path.exists():
        return []
    with as_written(path):
        return [Alarm(**cast("dict[str, Any]", told)) for told in json_objects(path)]
