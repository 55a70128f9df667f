"""The tools of a server that speaks the Model Context Protocol: a command that is run here, or an address.

    rlenv.make("math/gsm8k-v0", tools="mcp:uvx mcp-server-calculator")
    rlenv.make("math/gsm8k-v0", tools={"mcp": {"server": "https://tools.example/mcp", "api_key_env": "TOOLS_KEY"}})

Each episode that makes a call has a server of its own, from its first call to its end, so that no episode finds what
another one left. A state that is gone on with elsewhere (a fork, a replay) makes its calls again on a new server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.core.jsontypes import Json
from rlenv.envs.tools.mcp.failure import OF_A_CALL, ServerFailure, ServerSpec
from rlenv.envs.tools.mcp.schemas import described
from rlenv.envs.tools.sessions import Sessions, begun
from rlenv.turns.schema import Schema
from rlenv.turns.tools import Tool

if TYPE_CHECKING:
    from rlenv.envs.tools.mcp.server import Server

LOST = "it was ended, and what earlier calls did in it is gone; the next call starts a new one"


def mcp(
    server: str,
    env: Sequence[str] = (),
    api_key_env: str = "",
    start_s: float = 30.0,
    time_limit_s: float = 10.0,
    answer_mb: float = 1.0,
    servers: int = 16,
) -> list[Tool]:
    """The tools of a server (see ServerSpec). At most `servers` of it run at once; the others are started again.

    Raises ConfigError for settings out of range, MissingExtra without the package mcp, and ServerFailure where the
    server cannot be started or what it says of its tools cannot be taken.
    """
    if servers < 1:
        raise ConfigError(f"expected servers of at least 1, got {servers}")
    if isinstance(env, str):
        raise ConfigError(f"expected env to be a list of names of environment variables, got {env!r}")
    spec = ServerSpec(server, tuple(env), api_key_env, start_s, time_limit_s, answer_mb)
    return [
        Tool(
            partial(_call, spec, servers, str(cast("Mapping[str, Json]", schema["function"])["name"])),
            cheap=True,  # its process is one of its own, and its answers are bounded
            initial=begun,
            close=partial(_close, spec, servers),
            stated=schema,
            group=spec.name,
        )
        for schema in _listed(spec)
    ]


@dataclass(frozen=True)
class Called:
    """What a call came to; `alive` is False where the server had to be ended."""

    text: str
    alive: bool = True


class Connection:
    """A server as Sessions keep it: a cell is a call."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def run(self, code: str, /) -> Called:
        """Make the call. Raises ServerFailure for what no arguments of a policy can cause."""
        name, arguments = json.loads(code)
        try:
            return Called(self._server.call(name, arguments))
        except ServerFailure as failure:
            if failure.what not in OF_A_CALL:
                raise
            return Called(f"error: {failure}; {LOST}", alive=False)

    def close(self) -> None:
        """End the server."""
        self._server.close()


def _call(spec: ServerSpec, servers: int, name: str, arguments: Mapping[str, Json], state: dict[str, Json]) -> str:
    code = json.dumps([name, arguments], ensure_ascii=False)
    try:
        code.encode()
    except UnicodeEncodeError:
        return "error: the arguments hold half of a surrogate pair, which no message of the protocol can"
    return _sessions(spec, servers).run(state, code)[0].text


def _close(spec: ServerSpec, servers: int, state: Json) -> None:
    _sessions(spec, servers).drop(state)


@lru_cache(maxsize=8)
def _sessions(spec: ServerSpec, most: int) -> Sessions[Called]:
    return Sessions(lambda: Connection(_started(spec)), most)


@lru_cache(maxsize=8)
def _listed(spec: ServerSpec) -> tuple[Schema, ...]:
    """The schemas of its tools, asked for once a process."""
    server = _started(spec)
    try:
        found = server.tools()
    finally:
        server.close()
    try:
        schemas = tuple([described(tool.name, tool.description or "", tool.input_schema) for tool in found])
    except ValueError as error:
        raise ServerFailure(spec, "bad_schema", str(error)) from error
    names = [tool.name for tool in found]
    if len(set(names)) < len(names) or not names:
        raise ServerFailure(spec, "bad_schema", f"expected tools of different names, got {names}")
    return schemas


def _started(spec: ServerSpec) -> Server:
    try:
        from rlenv.envs.tools.mcp.server import Server
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "mcp") from error
    return Server(spec)
