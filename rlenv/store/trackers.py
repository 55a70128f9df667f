"""Where metrics are shown beside metrics.jsonl: TensorBoard, and every other tracker that accelerate knows.

TensorBoard writes into the run's folder. The others are reached through accelerate's trackers, as one run each of the
project `rlenv`, named for the folder. A resumed run goes on as the same run in wandb, trackio, mlflow and dvclive; in
the others it may begin another. Completions are shown as a table by wandb, trackio, mlflow and clearml, and as text by
TensorBoard.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_text
from rlenv.store.files import own_folder, replace_text
from rlenv.text.escaping import shown_cell

TRACKERS = ("tensorboard", "wandb", "trackio", "mlflow", "comet_ml", "clearml", "dvclive", "swanlab", "aim")
"""All that accelerate knows, by its names."""
PROJECT = "rlenv"
TABLE, MOST_ROWS, MOST_CHARS = "completions", 32, 2_000
"""The name of the table, how many completions it shows, and how much of each text."""
COLUMNS = ("task", "prompt", "completion", "answer", "reward", "reason")
ID_FILE = "tracker_id"
"""Holds the id under which wandb knows the run; mlflow's, which mlflow draws, has a file of its own."""
MLFLOW_FILE = "mlflow_id"
INSTALL = {"comet_ml": "comet-ml"}
"""The packages that are not called as their trackers."""
_NO_MLFLOW_NAME = re.compile(r"[^\w\-. :/]")


Row: TypeAlias = "list[str | float | None]"


def tracker_names(text: str) -> list[str]:
    """The names between commas; none for an empty text or `none`. Raises ConfigError that lists the legal ones."""
    names = [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]
    for name in names:
        if name not in TRACKERS:
            raise ConfigError(f"expected trackers out of {', '.join(TRACKERS)} or none, got {name!r}")
    return list(dict.fromkeys(names))


def completion_rows(episodes: Iterable[Episode]) -> list[Row]:
    """The first MOST_ROWS episodes by COLUMNS; a reward is None where the checker failed."""
    return [
        [
            episode.task.id,
            *(_start(text) for text in (prompt_text(episode.task.prompt), episode.completion.text)),
            _start(episode.answer_text),
            episode.verdict.reward,
            _start(episode.verdict.reason),
        ]
        for episode in islice(episodes, MOST_ROWS)
    ]


def _start(text: str) -> str:
    """The beginning of a text, without lone surrogates."""
    return text[:MOST_CHARS].encode("utf-8", "replace").decode()


class Tracker(Protocol):
    """Shows one rollout's metrics after the other."""

    def log(self, values: Mapping[str, float], step: int) -> None: ...

    def table(self, rows: Sequence[Row], step: int) -> None:
        """Show completions (`completion_rows`), where it has tables."""

    def close(self) -> None: ...


def open_trackers(names: Sequence[str], out: Path, first_step: int, config: Mapping[str, Json]) -> list[Tracker]:
    """The trackers of these names, for the run in this folder. Raises ConfigError for one that is not installed."""
    found: list[Tracker] = []
    for name in names:
        if name == "tensorboard":
            found += _tensorboard(out, first_step)
        else:
            found.append(_Remote(name, out, first_step, config))
    return found


class _TensorBoard:
    def __init__(self, out: Path, first_step: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(own_folder(out / "tensorboard")), purge_step=first_step or None)

    def log(self, values: Mapping[str, float], step: int) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def table(self, rows: Sequence[Row], step: int) -> None:
        lines = [COLUMNS, ["---"] * len(COLUMNS), *([shown_cell(str(cell)) for cell in row] for row in rows)]
        self._writer.add_text(TABLE, "\n".join(f"| {' | '.join(cells)} |" for cells in lines), step)

    def close(self) -> None:
        self._writer.close()


class _Remote:
    def __init__(self, name: str, out: Path, first_step: int, config: Mapping[str, Json]) -> None:
        from accelerate import PartialState  # type: ignore[import-untyped]
        from accelerate.tracking import LOGGER_TYPE_TO_CLASS  # type: ignore[import-untyped]

        PartialState()  # the trackers' own logger asks for it
        self._name = name
        try:
            self._tracker: Any = LOGGER_TYPE_TO_CLASS[name](**_settings(name, out, first_step))
            self._tracker.start()
        except ModuleNotFoundError as error:
            package = INSTALL.get(name, name)
            raise ConfigError(f"the tracker {name} is not installed; do: pip install {package}") from error
        if name == "mlflow":
            if (out / MLFLOW_FILE).exists():
                return  # its parameters cannot be changed, and `steps` may have been
            replace_text(out / MLFLOW_FILE, f"{self._tracker.active_run.info.run_id}\n")
        self._tracker.store_init_configuration(_flat(config) if name == "mlflow" else dict(config))

    def log(self, values: Mapping[str, float], step: int) -> None:
        if self._name == "mlflow":
            values = {_NO_MLFLOW_NAME.sub("_", name): value for name, value in values.items()}
        self._tracker.log(dict(values), step=step)

    def table(self, rows: Sequence[Row], step: int) -> None:
        match self._name:
            case "wandb" | "clearml":
                self._tracker.log_table(TABLE, columns=list(COLUMNS), data=list(rows), step=step)
            case "trackio":
                import trackio

                shown = trackio.Table(columns=list(COLUMNS), data=list(rows))
                self._tracker.log({TABLE: shown}, step=step)
            case "mlflow":
                import mlflow

                run = self._tracker.active_run.info.run_id
                split = {"columns": list(COLUMNS), "data": list(rows)}  # as mlflow's own log_table writes it
                mlflow.MlflowClient().log_dict(run, split, f"{TABLE}_{step:06d}.json")

    def close(self) -> None:
        self._tracker.finish()


def _settings(name: str, out: Path, first_step: int) -> dict[str, Any]:
    """What accelerate's tracker of this name is made with: the project, the run's name, and what makes it go on."""
    match name:
        case "wandb":
            return {"run_name": PROJECT, "name": out.name, "resume": "allow", "id": _id(out), "dir": str(out)}
        case "trackio":
            return {"run_name": PROJECT, "name": out.name, "resume": "allow"}
        case "mlflow":
            saved = out / MLFLOW_FILE
            run = saved.read_text().strip() if saved.exists() else None
            return {"experiment_name": PROJECT, "run_name": out.name, "run_id": run}
        case "dvclive":
            return {"dir": str(own_folder(out / "dvclive")), "resume": first_step > 0, "save_dvc_exp": False}
        case "swanlab":
            return {"run_name": PROJECT, "experiment_name": out.name}
        case "clearml":
            return {"run_name": PROJECT, "task_name": out.name}
        case "aim":
            return {"run_name": out.name, "logging_dir": str(out), "experiment": PROJECT}
        case _:
            return {"run_name": PROJECT}


def _flat(config: Mapping[str, Json], above: str = "") -> dict[str, Json]:
    """The settings by dotted names: mlflow keeps a value of 6000 characters at most, and shows each in a column."""
    found: dict[str, Json] = {}
    for name, value in config.items():
        key = _NO_MLFLOW_NAME.sub("_", above + name)
        found |= _flat(value, f"{key}.") if isinstance(value, dict) else {key: value}
    return found


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
