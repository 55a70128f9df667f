"""What a completion's steps are, and what is odd about them: the form in which readers hand it to the verifier."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from rlenv.core.verdict import Flag
from rlenv.envs.process.steps import Span


class StepReading(NamedTuple):
    """The steps of a completion. Where a guard tripped the aggregate is the lowest there is."""

    spans: tuple[Span, ...]
    flags: tuple[Flag, ...] = ()
    """What guards saw; those that trip, and those that say what they put right."""
    tripped: Span | None = None
    """The step that tripped a guard: steps from there on are not scored."""


NOT_CARRIED = "answer_not_carried"
"""A scorer's flag on the step that says the answer: it trips."""


class StepReader(Protocol):
    """Finds the steps of a completion, in time linear in its length, and looks at them with guards."""

    @property
    def version(self) -> str:
        """Changes when readings may change."""

    def read(self, text: str) -> StepReading: ...


def tripped(spans: tuple[Span, ...], trips: list[Flag], seen: tuple[Flag, ...] = ()) -> StepReading:
    """The reading whose penalty lies on the first of the flags that trip, if any."""
    trips.sort(key=lambda flag: flag.start)
    return StepReading(spans, (*trips, *seen), (trips[0].start, trips[0].end) if trips else None)
