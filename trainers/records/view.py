"""A training run as `rlenv view` shows it."""

from __future__ import annotations

from pathlib import Path

from rlenv.trainers.monitors.monitor import read_alarms
from rlenv.trainers.records.logs import read_metrics
from rlenv.view import ViewedRun, saved_run


def viewed(folder: Path) -> ViewedRun:
    """The run of a training in this folder, as far as it has come."""
    metrics = folder / "metrics.jsonl"
    return saved_run(
        folder,
        metrics=read_metrics(metrics) if metrics.exists() else (),
        alarms=[alarm.to_json() for alarm in read_alarms(folder)],
    )
