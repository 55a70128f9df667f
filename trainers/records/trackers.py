"""Where metrics are shown beside metrics.jsonl: TensorBoard, Weights & Biases, trackio.

TensorBoard writes into the run's folder. The others are reached through accelerate's trackers, as one run each of the
project `rlenv`, named for the folder; a resumed run goes on there under the same id.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.store.files import own_folder, replace_text

PROJECT = "rlenv"
ID_FILE = "tracker_id"


class Tracker(Protocol):
    """Shows one rollout's metrics after the other."""

    def log(self, values: Mapping[str, float], step: int) -> None: ...

    def close(self) -> None: ...


def open_trackers(names: Sequence[str], out: Path, first_step: int, config: Mapping[str, Json]) -> list[Tracker]:
    """The trackers of these names, for the run in this folder. Raises ConfigError for one that is not installed."""
    found: list[Tracker] = []
    for name in names:
        if name == "tensorboard":
            found += _tensorboard(out, first_step)
        else:
            found.append(_Remote(name, out, config))
    return found


class _TensorBoard:
    def __init__(self, out: Path, first_step: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(own_folder(out / "tensorboard")), purge_step=first_step or None)

    def log(self, values: Mapping[str, float], step: int) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class _Remote:
    def __init__(self, name: str, out: Path, config: Mapping[str, Json]) -> None:
        from accelerate import PartialState  # type: ignore[import-untyped]
        from accelerate.tracking import LOGGER_TYPE_TO_CLASS  # type: ignore[import-untyped]

        PartialState()  # the trackers' own logger asks for it
        own = {"wandb": {"id": _id(out), "dir": str(out)}, "trackio": {}}[name]
        self._tracker: Any = LOGGER_TYPE_TO_CLASS[name](PROJECT, name=out.name, resume="allow", **own)
        try:
            self._tracker.start()
        except ModuleNotFoundError as error:
            raise ConfigError(f"the tracker {name} is not installed; do: pip install {name}") from error
        self._tracker.store_init_configuration(dict(config))

    def log(self, values: Mapping[str, float], step: int) -> None:
        self._tracker.log(dict(values), step=step)

    def close(self) -> None:
        self._tracker.finish()


def _tensorboard(out: Path, first_step: int) -> list[Tracker]:
    """Nothing where the package is missing: it is the default, and metrics.jsonl has all that it would show."""
    try:
        return [_TensorBoard(out, first_step)]
    except ImportError:
        return []


def _id(out: Path) -> str:
    """An id of the run, made once and kept in its folder."""
    file = out / ID_FILE
    if not file.exists():
        replace_text(file, uuid.uuid4().hex[:12] + "\n")
    return file.read_text().strip()
