"""The jobs of one call to a cluster: which go into the next message, which are asked again, what each came to.

>>> call = Call(["a", "b", "c"], lambda why: why)
>>> call.draw(nodes=1)
[0, 1]
>>> call.lost([0, 1], "n1 was lost"), call.draw(nodes=1), call.draw(nodes=1)
(None, [0, 1], [2])
>>> call.heard([2], ["C"], 0.1), call.lost([0], "n2 was lost"), call.heard([0, 1], ["A", "B"], 0.1)
(None, None, None)
>>> call.answers, call.done
({2: 'C', 0: 'n2 was lost', 1: 'B'}, True)

A message holds as many jobs as a node does in half a second, by what was measured so far, so that a node is never far
ahead and what a lost one takes with it is little. Jobs of a lost message are asked again once, before all others.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

MESSAGE_S, MESSAGE_JOBS, FIRST_JOBS = 0.5, 4096, 8
"""What a message holds at most: seconds of a node's work, jobs, and jobs while it is not known how long they take."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Call(Generic[Item, Answer]):
    """One answer a job, each given once."""

    def __init__(
        self, items: Sequence[Item], problem: Callable[[str], Answer], homes: Sequence[int] = (), pace: float = 0.0
    ) -> None:
        """`problem(why)` is the answer to a job that was lost twice; jobs of one home (modulo the nodes) go together.

        `pace` is how many seconds of a node a job takes; 0 where it is not known.
        """
        self.items, self.problem, self.homes, self.pace = items, problem, homes, pace
        self.answers: dict[int, Answer] = {}
        """In the order in which they came."""
        self._waiting = deque(range(len(items)))
        self._asked_again: set[int] = set()

    @property
    def done(self) -> bool:
        return len(self.answers) == len(self.items)

    @property
    def waiting(self) -> bool:
        """Whether there is a job to send."""
        return bool(self._waiting)

    def draw(self, nodes: int, place: int = 0) -> list[int]:
        """The jobs of the next message to the node at this place of so many."""
        if self.homes:
            mine = [index for index in self._waiting if self.homes[index] % nodes == place]
            self._waiting = deque(index for index in self._waiting if self.homes[index] % nodes != place)
            return mine
        most = MESSAGE_S / self.pace if self.pace else FIRST_JOBS
        count = max(1, min(int(most), MESSAGE_JOBS, math.ceil(len(self._waiting) / (2 * nodes))))
        return [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]

    def heard(self, indices: Sequence[int], answers: Sequence[Answer], seconds: float) -> None:
        """A message is answered, so long after it was sent or after the one before it was answered."""
        for index, answer in zip(indices, answers, strict=True):
            self.answers.setdefault(index, answer)
        pace = seconds / len(indices)
        self.pace = (self.pace + pace) / 2 if self.pace else pace

    def lost(self, indices: Sequence[int], why: str) -> None:
        """No answer comes to a message: ask again, the first time."""
        once = [index for index in indices if index not in self._asked_again]
        for index in indices:
            if index in self._asked_again:
                self.answers.setdefault(index, self.problem(why))
        self._asked_again.update(once)
        self._waiting.extendleft(reversed(once))

    def give_up(self, why: str) -> None:
        """Nobody is left who could answer what waits."""
        while self._waiting:
            self.answers.setdefault(self._waiting.popleft(), self.problem(why))
