"""The one player: gives completions on tasks to the verifier, within a budget of checks that cost too much.

The audit plays attacks with it before training (`rlenv.audit.judge`), a run and its reports play edits of what was paid
(`rlenv.evidence.asker`). Where the checker has run past its time limit `MOST_COSTS` times, the rest is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier

MOST_COSTS = 6
UNJUDGED = Verdict.of(("reward", 0.0), reason="not judged: the checker ran past its time limit too often before")

Text = TypeVar("Text")
Job: TypeAlias = "tuple[Task, Completion]"
OnVerdict: TypeAlias = "Callable[[int, Verdict], None]"
Judged: TypeAlias = "Callable[[Sequence[Job], OnVerdict], object]"
"""Tells the verdict of the verifier alone on each job, by its place, as soon as it is known (`Judge.verdicts`)."""


class Trouble(NamedTuple, Generic[Text]):
    """What was said where the checker failed or ran out of what it may spend."""

    said: Text
    reason: str

    @property
    def late(self) -> bool:
        """True where the time limit ended the check, not memory or stack."""
        return self.reason.endswith(" s")


class _Stopped(Exception):
    """The checker is too slow to go on."""


class Player(Generic[Text]):
    """Plays texts on tasks of one definition. `errors` and `costs` collect what went wrong on the way."""

    def __init__(self, definition: Definition, judged: Judged) -> None:
        self.definition = definition
        self.verifications = 0
        """How many verdicts the verifier gave so far."""
        self.penalises = False
        """Some completions earn less than nothing."""
        self._judged = judged
        self.begin()

    def begin(self) -> None:
        """Begin a new budget, with no trouble in it."""
        self.errors: list[Trouble[Text]] = []
        self.costs: list[Trouble[Text]] = []
        self.stopped = False
        """The checker was too slow to judge everything."""

    def play(self, said: Sequence[Text], jobs: Sequence[Job], judged: Judged | None = None) -> list[Verdict]:
        """One verdict for each text and the job that it comes to; UNJUDGED once the budget is spent."""
        verdicts: dict[int, Verdict] = {}

        def note(index: int, verdict: Verdict) -> None:
            verdicts[index] = verdict
            self.verifications += 1
            self._note(said[index], verdict)
            if self.stopped:
                raise _Stopped

        if jobs and not self.stopped:
            with suppress(_Stopped):
                (judged or self._judged)(jobs, note)
        return [verdicts.get(index, UNJUDGED) for index in range(len(jobs))]

    def cost(self, trouble: Trouble[Text]) -> None:
        """Take note of a check that cost too much. A batch verifier limits by itself, and is asked on."""
        self.costs.append(trouble)
        batch = isinstance(self.definition.verifier, BatchVerifier)
        self.stopped = not batch and sum(one.late for one in self.costs) >= MOST_COSTS

    def _note(self, said: Text, verdict: Verdict) -> None:
        self.penalises = self.penalises or (verdict.reward or 0.0) < 0
        if verdict.reward is None:
            self.errors.append(Trouble(said, verdict.reason))
        elif spent(verdict, self.definition.max_completion_chars):
            self.cost(Trouble(said, verdict.reason))


def spent(verdict: Verdict, most_chars: int) -> bool:
    """True where the checker ran to its limit; a text that is refused for its length alone costs nothing."""
    return any(flag.name == "over_limit" and flag.detail != f"{most_chars} characters" for flag in verdict.flags)
