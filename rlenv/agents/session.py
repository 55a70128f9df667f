"""One episode at the server: its key, what it may still ask, and every call that it made.

A limit that is reached has a name (`Refusal.name`) and ends the episode's calls, nobody else's.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

REQUEST_BYTES = 8 << 20
"""Of one request; a context of 100,000 tokens has less than one million."""


@dataclass(frozen=True, kw_only=True)
class AgentLimits:
    """What the calls of one episode may take together."""

    calls: int = 64
    """Calls of the model."""
    tokens: int = 32_768
    """Tokens that are sampled; a call gets at most what is left."""
    seconds: float = 1800.0
    """From the opening of the episode; what is under way then is answered with a refusal."""
    bytes: int = 64 << 20
    """Of all requests; one request may have 8 MiB."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) <= 0:
                raise ConfigError(f"expected {each.name} above 0, got {getattr(self, each.name)!r}")


class Refusal(Exception):
    """A request that is not answered, with an HTTP status and a name that says why.

    Limits answer 403, which clients do not try again.
    """

    def __init__(self, status: int, name: str, why: str) -> None:
        super().__init__(why)
        self.status, self.name = status, name


@dataclass(frozen=True)
class Call:
    """One call of the model: what it read and what it said."""

    prompt_ids: tuple[int, ...]
    """All that the model read, as it read it. (P,)"""
    said: Completion
    """What it sampled, with token ids and log-probs where the policy has them."""
    version: int
    """Of the weights."""
    messages: Sequence[Mapping[str, Json]] = ()
    """The request's messages."""
    answer: Mapping[str, Json] = field(default_factory=dict)
    """The message that was answered."""
    tools: Sequence[Mapping[str, Json]] = ()


class Session:
    """One episode: whoever has its key asks the policy in its name."""

    def __init__(self, limits: AgentLimits, key: str = "") -> None:
        self.key = key or f"rlenv-{secrets.token_hex(16)}"
        self.limits = limits
        self.calls: list[Call] = []
        """Those that were answered, in the order of their answers."""
        self.refused: Counter[str] = Counter()
        """How often each limit refused a request."""
        self._until = time.monotonic() + limits.seconds
        self._asked = self._bytes = self._reserved = 0

    @property
    def seconds_left(self) -> float:
        """Until its time is over; below 0 afterwards."""
        return self._until - time.monotonic()

    @property
    def tokens_left(self) -> int:
        """How many tokens may still be sampled, those of calls under way taken as sampled."""
        return self.limits.tokens - self._reserved - sum(len(call.said.token_ids) for call in self.calls)

    def admit(self) -> None:
        """Count one more call. Raises Refusal where there is none left."""
        self._asked += 1
        if self.seconds_left <= 0:
            raise self.refusal("seconds", f"the episode's {self.limits.seconds:g} s are over")
        if self._asked > self.limits.calls:
            raise self.refusal("calls", f"the episode's {self.limits.calls} calls are made")
        if self.tokens_left < 1:
            raise self.refusal("tokens", f"the episode's {self.limits.tokens} tokens are sampled")

    def take(self, size: int) -> None:
        """Count bytes of a request. Raises Refusal beyond the bound."""
        self._bytes += size
        if self._bytes > self.limits.bytes:
            raise self.refusal("bytes", f"the episode's {self.limits.bytes} bytes of requests are sent")

    def reserve(self, tokens: int) -> int:
        """At most so many tokens for a call that begins, which `record` or `release` gives back."""
        granted = max(0, min(tokens, self.tokens_left))
        self._reserved += granted
        return granted

    def release(self, tokens: int) -> None:
        """Give back what was reserved."""
        self._reserved -= tokens

    def refusal(self, name: str, why: str, status: int = 403) -> Refusal:
        """A refusal, counted under its name."""
        self.refused[name] += 1
        return Refusal(status, name, why)
