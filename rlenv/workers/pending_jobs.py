"""The jobs of one call to the worker pool: what waits, what is tried again, what has been answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.door.deadline import OVERDUE, until

Job: TypeAlias = "tuple[Task, Completion]"


@dataclass(eq=False)
class Round:
    """The jobs of one call, all for one verifier."""

    key: str
    blob: bytes
    jobs: Sequence[Job]
    time_limit_s: float
    waiting: deque[int] = field(init=False)
    again: deque[int] = field(default_factory=deque)
    """Jobs to be tried once more, on a worker that is new."""
    tried_again: set[int] = field(default_factory=set)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    given: list[int] = field(default_factory=list)
    """The indices of the verdicts, in the order in which they came."""
    one_by_one: bool = False
    """Something in the jobs cannot be pickled: sent alone, it spoils nobody's message."""
    error: VerifierContractError | None = None
    """Why no verdict can be given at all."""
    until: float = field(default_factory=until)
    """When those who asked stop waiting."""
    ended: bool = False
    """Nobody waits for its verdicts any more."""

    def __post_init__(self) -> None:
        self.waiting = deque(range(len(self.jobs)))

    @property
    def done(self) -> bool:
        return self.error is not None or len(self.verdicts) == len(self.jobs)

    def has(self, verdicts: int) -> bool:
        """True when there is no more to wait for, or this many verdicts are there."""
        return self.done or len(self.given) >= verdicts

    def give(self, index: int, verdict: Verdict) -> None:
        if index not in self.verdicts:
            self.verdicts[index] = verdict
            self.given.append(index)

    def give_up(self) -> None:
        """Nobody waits for what has no verdict yet."""
        self.waiting.clear()
        self.again.clear()
        for index in range(len(self.jobs)):
            self.give(index, Verdict.error(OVERDUE))

    def try_again(self, index: int) -> bool:
        """Queue the job once more, the first time that it fails."""
        if index in self.tried_again:
            return False
        self.tried_again.add(index)
        self.again.append(index)
        return True
