"""What is wrong with a server, by name, and what it may do at most."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from rlenv.core.errors import ConfigError, MachineryError

FAILURES: Mapping[str, str] = {
    "not_started": "cannot be started",
    "unreachable": "cannot be reached",
    "hung": "did not answer in time",
    "too_large": "answered too much",
    "no_protocol": "does not speak the protocol",
    "died": "has ended",
    "refused": "refused",
    "malformed": "gave an answer of another form than the protocol's",
    "bad_schema": "describes tools that cannot be taken",
}
"""What a server can do wrong, by its name."""
OF_A_CALL = ("hung", "too_large")
"""What arguments of a policy can cause as well, so that it is told."""


@dataclass(frozen=True)
class ServerSpec:
    """A server and its limits."""

    server: str
    """A command line, or an address that begins with http:// or https://."""
    env: tuple[str, ...] = ()
    """The names of the environment variables that the command gets beside those of every command."""
    api_key_env: str = ""
    """The name of the environment variable whose value the address is sent as a bearer token."""
    start_s: float = 30.0
    """For the start, and again for the list of tools."""
    time_limit_s: float = 10.0
    """For a call."""
    answer_mb: float = 1.0
    """Of all that comes after one request."""

    def __post_init__(self) -> None:
        if not (self.start_s > 0 and self.time_limit_s > 0 and 0 < self.answer_mb <= 100):
            raise ConfigError(
                f"{self.name}: expected start_s and time_limit_s above 0 and answer_mb of 100 at most, "
                f"got {self.start_s}, {self.time_limit_s} and {self.answer_mb}"
            )
        if not self.remote and not self.command:
            raise ConfigError("expected the command of an MCP server or its address, got nothing: tools='mcp:COMMAND'")
        for name in (*self.env, *filter(None, [self.api_key_env])):
            if name not in os.environ:
                raise ConfigError(f"{self.name}: the environment variable {name} is not set; set it, or leave it out")

    @property
    def remote(self) -> bool:
        return self.server.startswith(("http://", "https://"))

    @property
    def command(self) -> list[str]:
        """The words of the command line. Raises ConfigError for one with an open quote."""
        try:
            return shlex.split(self.server)
        except ValueError as error:
            raise ConfigError(f"{self.name}: {error}; close the quote") from error

    @property
    def most_bytes(self) -> int:
        return int(self.answer_mb * 1_000_000)

    @property
    def name(self) -> str:
        return f"the MCP server {self.server[:100]!r}"


class ServerFailure(MachineryError):
    """A server failed; `what` is its name in FAILURES."""

    def __init__(self, spec: ServerSpec, what: str, detail: str) -> None:
        super().__init__(f"{spec.name} {FAILURES[what]}: {detail[:600]}")
        self.what = what
