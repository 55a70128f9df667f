"""Steps in a row of tokens: where each step's score is read, and reading all of them in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch

from rlenv.core.errors import ScorerError
from rlenv.scorers.model_files import LoadedModel
from rlenv.scorers.readable import readable
from rlenv.scorers.scorer import Stepped, StepScores


class StepRow(NamedTuple):
    """The ids of prompt and steps, and the place of each step's score among them."""

    ids: list[int]
    places: list[int]


def step_scores(
    loaded: LoadedModel,
    jobs: Sequence[Stepped],
    read: Callable[[Stepped], StepRow],
    probabilities: Callable[[torch.Tensor], torch.Tensor],
) -> list[StepScores]:
    """The scores of every job; `probabilities` are those of right (N,) from hidden states (N, H) in float32."""
    rows = readable(jobs, lambda job: read(job) if job.spans else StepRow([0], []))
    states = loaded.states([row.ids for row in rows.found], [row.places for row in rows.found])
    with torch.no_grad():
        values = [tuple(probabilities(state).tolist()) if len(state) else () for state in states]
    return rows.with_failures([StepScores(value) for value in values], StepScores.failure)


def places_of(token: int, ids: Sequence[int], steps: int) -> list[int]:
    """Where the mark of each step stands. Raises ScorerError unless there are exactly as many as steps."""
    places = [place for place, found in enumerate(ids) if found == token]
    if len(places) != steps:
        raise ScorerError(f"expected one mark a step, {steps} of them, got {len(places)}")
    return places
