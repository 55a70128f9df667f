"""One stretch of a completion of several turns: said by the policy, or by what answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from rlenv.core.jsontypes import Json
from rlenv.core.reading import ReadAs, Segment

Role: TypeAlias = Literal["assistant", "user", "tool", "system"]
"""Who speaks, in the words of chat APIs; `assistant` is the policy."""
POLICY: Role = "assistant"


class Turn(NamedTuple):
    """Characters `[start, end)` of the completion's text and tokens `[first_token, end_token)` of its `token_ids`."""

    role: Role
    start: int
    end: int
    first_token: int = 0
    end_token: int = 0
    finished: bool = True
    """False when the policy was cut in it."""
    read_as: ReadAs = "auto"
    segments: tuple[Segment, ...] = ()
    """What an endpoint told apart; offsets into the turn's own text."""

    @property
    def by_policy(self) -> bool:
        return self.role == POLICY

    def to_json(self) -> list[Json]:
        return [*self[:7], [list(segment) for segment in self.segments]]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Turn:
        role, start, end, first, last, finished, read_as, segments = data
        parts = tuple([Segment(*segment) for segment in segments])
        return cls(role, start, end, first, last, finished, read_as, parts)
