"""What is shown of a run: its settings, its metrics and alarms where it has some, and its episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlenv.core.episode import Episode
from rlenv.core.errors import RunError
from rlenv.core.jsontypes import Json
from rlenv.door.reading import json_object
from rlenv.evaluation.savedrun import SavedRun

CONFIG = "config.json"
RESCORED = "rescored"
"""Where `rlenv rescore` leaves the episodes of a run, in the run's own folder."""


@dataclass(frozen=True, kw_only=True)
class ViewedRun:
    """One run, as `write_page` takes it."""

    name: str
    episodes: Iterable[Episode]
    """In the order in which they were written; read once."""
    config: Mapping[str, Json]
    threshold: float = 1.0
    """A completion passes at this reward or more."""
    metrics: Sequence[Mapping[str, float]] = ()
    """One object a rollout of a training, with its `step`."""
    alarms: Sequence[Mapping[str, Json]] = ()
    """What the monitors of a training said, as JSON."""
    tokenizer: Path | None = None
    """The tokenizer.json of the policy, which tells where its tokens stand in a text."""


def saved_run(
    folder: Path, *, metrics: Sequence[Mapping[str, float]] = (), alarms: Sequence[Mapping[str, Json]] = ()
) -> ViewedRun:
    """The run in a folder, as a training, an evaluation, `rlenv import` or `rlenv rescore` left it.

    Raises RunError where the folder holds no run.
    """
    judged_again = folder.name == RESCORED and not (folder / CONFIG).exists()
    config = read_config(folder.parent if judged_again else folder)
    threshold = config.get("threshold", 1.0)
    tokenizers = [folder / model / "tokenizer.json" for model in ("model", "best")]
    return ViewedRun(
        name=f"{folder.resolve().parent.name} {RESCORED}" if judged_again else folder.resolve().name,
        episodes=SavedRun(folder).episodes(),
        config=config,
        threshold=float(threshold) if isinstance(threshold, (int, float)) else 1.0,
        metrics=metrics,
        alarms=alarms,
        tokenizer=next((path for path in tokenizers if path.is_file()), None),
    )


def read_config(folder: Path) -> dict[str, Json]:
    """What config.json of a run folder says. Raises RunError where there is none."""
    try:
        return json_object(folder / CONFIG)
    except FileNotFoundError:
        raise RunError(
            f"{folder} holds no {CONFIG}; give the folder of a training, an evaluation or `rlenv import`"
        ) from None
