"""How a service listens and what it takes at most."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass

from rlenv.core.errors import ConfigError
from rlenv.workers.pool import DEFAULT_MEMORY_MB

SHORTEST_KEY = 16
"""Characters. A key that can be guessed is none."""
KEY_ENV = "RLENV_SERVE_KEY"


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """Where the service listens, who may ask, and how much."""

    host: str = "127.0.0.1"
    """The address to listen on; any other than this machine's own needs a key."""
    port: int = 8411
    """0 takes a free one."""
    key_env: str = KEY_ENV
    """The environment variable that holds the key; where it is set, every call but /health must bring it."""
    max_body_mb: float = 16.0
    """Megabytes that one request may hold; more is refused before it is read."""
    max_unread_mb: float = 256.0
    """Megabytes of memory that requests may take together, by their length and the values in them."""
    max_batch: int = 1024
    """Completions that one request may hold."""
    queue: int = 8192
    """Completions that may wait or be judged; beyond it the answer is 503 with Retry-After."""
    threads: int = 8
    """Requests that are judged side by side."""
    request_s: float = 120.0
    """Seconds in which a request is judged; what has no verdict by then is a failure of the checker."""
    workers: int | None = None
    """Processes for verifiers that may cost; default: one a core."""
    worker_mb: int = DEFAULT_MEMORY_MB
    """Megabytes that one of them may take for a completion."""
    eos: str = ""
    """The text that ends a finished completion in queries of OpenRLHF; without it none counts as cut."""
    evaluation: bool = False
    """Serve environments that are for evaluation only, too."""

    def __post_init__(self) -> None:
        for name in ("max_body_mb", "max_unread_mb", "max_batch", "queue", "threads", "request_s", "worker_mb"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"expected {name} above 0, got {getattr(self, name)!r}")
        if not 0 <= self.port < 1 << 16:
            raise ConfigError(f"expected a port of 0 to 65535, got {self.port}")
        if self.max_batch > self.queue:
            raise ConfigError(f"expected max_batch of at most the queue, got {self.max_batch} and {self.queue}")
        if not self.is_local and not self.key:
            raise ConfigError(
                f"will not listen on {self.host} without a key: whoever reaches it could use it; set one of at least "
                f"{SHORTEST_KEY} characters in {self.key_env}, or listen on 127.0.0.1"
            )

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def key(self) -> bytes:
        """Read from the environment, so that it stands in no list of processes; empty where none is set.

        Raises ConfigError for one that is too short.
        """
        key = os.environ.get(self.key_env, "").strip()
        if key and len(key) < SHORTEST_KEY:
            raise ConfigError(
                f"expected a key of at least {SHORTEST_KEY} characters in {self.key_env}, got {len(key)}; "
                'make one with python -c "import secrets; print(secrets.token_urlsafe())"'
            )
        return key.encode()

    @property
    def max_body_bytes(self) -> int:
        return int(self.max_body_mb * 1e6)

    @property
    def max_unread_bytes(self) -> int:
        return int(max(self.max_unread_mb, self.max_body_mb) * 1e6)
