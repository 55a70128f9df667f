"""What the policy said: its text and, where known, its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from rlenv.errors import ConfigError
from rlenv.jsontypes import Json


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a policy. Wherever a Completion is taken, a plain string is taken too."""

    text: str
    token_ids: tuple[int, ...] = ()
    """Tokens after the first prompt, end-of-sequence token included. (T,)"""
    logprobs: tuple[float, ...] = ()
    """Log-probability of each token under the policy that sampled it, in nats. (T,)"""
    mask: tuple[int, ...] = ()
    """1 where the policy chose the token, 0 where the environment wrote it; empty means all 1. (T,)"""
    finished: bool = True
    """False when the policy was cut at its token limit."""

    def to_json(self) -> dict[str, Json]:
        return {
            "text": self.text,
            "token_ids": list(self.token_ids),
            "logprobs": list(self.logprobs),
            "mask": list(self.mask),
            "finished": self.finished,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Completion:
        return cls(
            text=str(data["text"]),
            token_ids=tuple(cast("list[int]", data.get("token_ids") or [])),
            logprobs=tuple(cast("list[float]", data.get("logprobs") or [])),
            mask=tuple(cast("list[int]", data.get("mask") or [])),
            finished=bool(data.get("finished", True)),
        )


def as_completion(completion: str | Completion) -> Completion:
    """The completion itself, or a finished one made of a plain string.

    Raises ConfigError for anything else.
    """
    if isinstance(completion, Completion):
        return completion
    if isinstance(completion, str):
        return Completion(completion)
    raise ConfigError(f"expected a completion to be a string or a Completion, got {type(completion).__name__}")
