"""Episodes as rows of labelled steps, for training a step model on what another step scorer says.

{"prompt": "2+2+3=?", "completions": ["2+2=4", "4+3=8"], "labels": [true, false], "values": [0.75, 0.0]}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.scorers.scorer import Stepped, StepScorer, StepScores

Split = Callable[[str], tuple[tuple[int, int], ...]]
"""The spans of a text's steps."""


@dataclass
class LabelCounts:
    """What became of the episodes."""

    rows: int = 0
    steps: int = 0
    right: int = 0
    without_steps: int = 0
    failed: int = 0
    """Completions that the scorer had no verdict on: they are left out."""

    def __str__(self) -> str:
        left_out = f"; left out: {self.without_steps} without steps, {self.failed} without a verdict"
        return f"{self.rows} completions, {self.right} of {self.steps} steps right{left_out}"


def labelled(
    episodes: Sequence[Episode], scorer: StepScorer, split: Split, above: float, counts: LabelCounts
) -> Iterator[dict[str, Json]]:
    """A row of each completion that has steps; a step is right where its value is above `above`."""
    jobs = [Stepped(episode.task, episode.completion, _steps(episode.completion, split)) for episode in episodes]
    stepped = [job for job in jobs if job.spans]
    counts.without_steps += len(jobs) - len(stepped)
    found = scorer.score_steps(stepped)
    if len(found) != len(stepped):
        raise VerifierContractError(f"expected {len(stepped)} answers of {scorer.name}, got {len(found)}")
    for job, scores in zip(stepped, found, strict=True):
        if scores.values is None:
            counts.failed += 1
            continue
        yield _row(job, scores, above, counts)


def _steps(completion: Completion, split: Split) -> tuple[tuple[int, int], ...]:
    """The steps of what was said, where they stand in the whole text."""
    content = completion.content
    return tuple(content.place(start, end) for start, end in split(content.text))


def _row(job: Stepped, scores: StepScores, above: float, counts: LabelCounts) -> dict[str, Json]:
    values = scores.values or ()
    labels = [value > above for value in values]
    counts.rows += 1
    counts.steps += len(labels)
    counts.right += sum(labels)
    prompt = job.task.to_json()["prompt"]
    return {"prompt": prompt, "completions": list(job.texts), "labels": labels, "values": list(values)}
