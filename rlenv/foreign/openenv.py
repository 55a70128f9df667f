"""An OpenEnv server as an environment of ours (openenv 0.10).

    from rlenv.foreign.openenv import from_openenv

    env = rlenv.make(from_openenv("http://localhost:8000"))

An episode is one session of the server. The policy's words go into one field of its action, and one field of its
observation comes back. The server must draw only from the seed that `reset` gives it: an episode is judged by playing
it again, and one that comes out otherwise is a `verifier_error`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, MachineryError
from rlenv.core.jsontypes import Json, canonical
from rlenv.foreign.sessions import SessionLost, Step, foreign_definition, register_foreign
from rlenv.foreign.versions import check_version

ANSWER_MB = 16.0
"""A longer message of the server is not read; its session is lost."""


def from_openenv(url: str, *, id: str = "", **settings: Any) -> str:
    """Register the server as an environment; its id, `openenv/HOST-PORT-v0` unless one is given.

    The settings are those of `openenv_environment`, and may be changed in `rlenv.make`.
    """
    name = urlsplit(url).netloc + urlsplit(url).path
    return register_foreign("openenv", name, id, f"{__name__}:openenv_environment", {"url": url, **settings})


def openenv_environment(
    url: str,
    action_field: str = "text",
    observation_field: str = "text",
    seed: int = 0,
    size: int = 1000,
    max_turns: int = 32,
    answer_limit_s: float = 60.0,
    reset: dict[str, Json] | None = None,
) -> Definition:
    """The definition behind `from_openenv`: `size` tasks from `seed`, each answer within `answer_limit_s` seconds.

    `action_field` is the field of the server's action that takes text; `observation_field` that of its observation
    which is shown, "" all of it as JSON. The server's page `/schema` names both. `reset` goes with each reset, beside
    the seed.

    Raises ConfigError for a URL that is none, and where openenv is missing or of an unknown version.
    """
    check_version("openenv", known="0.10.0", below="0.11")
    if not re.match(r"(http|ws)s?://[^/]", url):  # "http://localhost:8000"
        raise ConfigError(f"expected a URL like http://localhost:8000, got {url!r}")
    server = _Server(url, action_field, observation_field, answer_limit_s, canonical(reset or {}))
    return foreign_definition(server, name=url, version="openenv", seed=seed, size=size, max_turns=max_turns)


@dataclass(frozen=True)
class _Server:
    """Opens sessions; can travel to other processes."""

    url: str
    action_field: str
    observation_field: str
    answer_limit_s: float
    reset: str
    """As JSON, so that a server can be a key."""

    def __call__(self) -> _OpenEnvSession:
        return _OpenEnvSession(self)


@dataclass
class _OpenEnvSession:
    """One connection, opened by `reset`."""

    server: _Server
    _client: Any = field(default=None, repr=False)

    def reset(self, seed: int) -> str:
        from openenv.core.generic_client import GenericEnvClient

        limit = self.server.answer_limit_s
        self._client = GenericEnvClient(
            base_url=self.server.url,
            connect_timeout_s=min(10.0, limit),
            message_timeout_s=limit,
            max_message_size_mb=ANSWER_MB,
        ).sync()
        try:
            self._client.connect()
        except Exception as error:  # what it raises is the affair of its websocket library
            raise MachineryError(f"no OpenEnv server answers at {self.server.url}: {_line(error)}") from error
        return self._asked(lambda: self._client.reset(**{**json.loads(self.server.reset), "seed": seed})).observation

    def step(self, text: str) -> Step:
        return self._asked(lambda: self._client.step({self.server.action_field: text}))

    def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            try:
                client.close()
            except Exception:  # it may be gone already, and nobody asks it anything more
                return

    def _asked(self, ask: Callable[[], Any]) -> Step:
        try:
            answer = ask()
        except RuntimeError as error:  # "Server error: ... (code: EXECUTION_ERROR)"
            raise MachineryError(f"{self.server.url}: {_line(error)}") from error
        except TimeoutError as error:
            raise MachineryError(f"{self.server.url} gave no answer in {self.server.answer_limit_s:g} s") from error
        except Exception as error:  # a closed connection, under the names that several libraries give it
            raise SessionLost(f"{self.server.url} is gone: {_line(error)}") from error
        reward = None if answer.reward is None else float(answer.reward)
        return Step(self._shown(answer.observation, bool(answer.done)), reward, bool(answer.done))

    def _shown(self, observation: dict[str, Any], ended: bool) -> str:
        name = self.server.observation_field
        if not name:
            return canonical(observation)
        text = observation.get(name)
        if ended and text is None:  # there is nothing more to ask
            return ""
        if not isinstance(text, str):
            raise MachineryError(
                f"expected an observation with text in its field {name!r}, got the fields {sorted(observation)}; "
                "say observation_field=..., or '' for all of it as JSON"
            )
        return text


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]
