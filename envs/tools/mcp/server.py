"""One running server, or one session of a server elsewhere: its tools, and calls of them, each within its limits.

    with closing(Server(ServerSpec("mcp-server-time"))) as server:
        server.tools()
        server.call("get_current_time", {"timezone": "UTC"})

The `mcp` package speaks the protocol, in a thread of its own. What it reads comes through the pump or the bounded
client, so that neither a line nor an answer is read that is longer than it may be.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio.from_thread import start_blocking_portal
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from rlenv.core.jsontypes import Json
from rlenv.envs.tools.mcp.failure import ServerFailure, ServerSpec
from rlenv.envs.tools.mcp.http import bounded_client

T = TypeVar("T")
PUMP = Path(__file__).with_name("pump.py")
MAX_TOOLS, MAX_PAGES = 128, 20
GRACE_S = 5.0
"""How much longer than a limit the thread of the protocol may take to say that it has passed."""
OF_THE_ADDRESS = {types.PARSE_ERROR: "no_protocol", types.INVALID_REQUEST: "refused"}
"""Errors that the package itself makes of what an address answers."""


class Server:
    """Serves one thread at a time. Raises ServerFailure wherever the server fails; after that it can only be closed."""

    def __init__(self, spec: ServerSpec) -> None:
        self.spec = spec
        self._problem: tuple[str, str] | None = None
        self._scope: anyio.CancelScope | None = None
        self._ends = ExitStack()
        try:
            self._report = self._ends.enter_context(tempfile.TemporaryFile("w+"))  # noqa: SIM115
            self._portal = self._ends.enter_context(start_blocking_portal())
            connected = self._portal.wrap_async_context_manager(self._connected())
            self._session = self._ends.enter_context(connected)
            self._ask(self._session.initialize, spec.start_s, "at its start")
        except BaseException:
            self.close()
            raise

    def tools(self) -> list[types.Tool]:
        """What it says that it has, unchecked."""
        found: list[types.Tool] = []
        cursor, until = None, time.monotonic() + self.spec.start_s
        for _ in range(MAX_PAGES):
            request = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
            asked = partial(self._session.send_request, request, types.ListToolsResult)
            page = self._ask(asked, max(0.0, until - time.monotonic()), "at the list of its tools")
            found += page.tools
            cursor = page.next_cursor
            if len(found) > MAX_TOOLS:
                break
            if cursor is None:
                return found
        raise ServerFailure(self.spec, "bad_schema", f"more than {MAX_TOOLS} tools or {MAX_PAGES} pages of them")

    def call(self, name: str, arguments: Mapping[str, Json]) -> str:
        """What a call came to, as text; an error of the tool is one of the things that it can come to."""
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=dict(arguments)))
        asked = partial(self._session.send_request, request, types.CallToolResult)
        try:
            result = self._ask(asked, self.spec.time_limit_s, f"at a call of {name}")
        except MCPError as error:
            return f"error: {error.message}"
        return told(result)

    def close(self) -> None:
        """End it, with all that it has started."""
        with suppress(Exception):  # what a broken connection raises when it is taken down is nobody's concern
            self._ends.close()

    def _ask(self, request: Callable[[], Awaitable[T]], limit_s: float, during: str) -> T:
        """Raises MCPError for what the server refuses by the protocol, at a call; ServerFailure for the rest."""

        async def limited() -> list[T]:
            with anyio.move_on_after(limit_s) as self._scope:
                return [await request()]
            return []

        try:
            answers = self._portal.start_task_soon(limited).result(limit_s + GRACE_S)
            if answers:
                return answers[0]
            what, detail = self._problem or ("hung", f"no answer within {limit_s:g} s")
        except TimeoutError:
            what, detail = "hung", f"no answer within {limit_s:g} s"
        except MCPError as error:
            noted, broken = self._problem or self._reported(), self._broken(error.code)
            if not noted and not broken and during.startswith("at a call"):
                raise
            what, detail = noted or (broken or "refused", error.message)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            what, detail = self._reported() or ("died", "the connection is closed")
        except ValidationError as error:
            wrong = error.errors(include_url=False, include_input=False)[0]
            what, detail = "malformed", f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"
        except RuntimeError as error:  # a version that is none of the protocol
            what, detail = "malformed", str(error)
        raise ServerFailure(self.spec, what, f"{during}: {detail}")

    def _broken(self, code: int) -> str:
        """The failure that an error of the protocol stands for; empty where the server lives and refuses a request."""
        if code != types.CONNECTION_CLOSED:
            return OF_THE_ADDRESS.get(code, "") if self.spec.remote else ""

        async def pinged() -> str:
            with anyio.move_on_after(GRACE_S):
                await self._session.send_ping()
                return ""
            return "died"

        try:
            return self._portal.start_task_soon(pinged).result(2 * GRACE_S)
        except (MCPError, ValidationError, TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            return "died"

    def _note(self, what: str, detail: str) -> None:
        self._problem = self._problem or (what, detail)
        if self._scope is not None:
            self._scope.cancel()

    async def _heard(self, message: object) -> None:
        if isinstance(message, Exception):
            self._note("no_protocol", " ".join(str(message).split()))

    def _reported(self) -> tuple[str, str] | None:
        """What the pump has said before it ended."""
        said = os.pread(self._report.fileno(), 10_000, 0)
        if not said:
            return None
        try:
            what, detail = json.loads(said)
        except ValueError:  # the interpreter of the pump itself has failed
            return "not_started", said.decode("utf-8", "replace")[-500:]
        return what, detail

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[ClientSession]:
        spec = self.spec
        async with AsyncExitStack() as stack:
            transport: Any
            if spec.remote:
                client = await stack.enter_async_context(bounded_client(spec, self._note))
                transport = streamable_http_client(spec.server, http_client=client)
            else:
                settings = json.dumps({"command": spec.command, "most_bytes": spec.most_bytes})
                given = {name: os.environ[name] for name in spec.env}
                arguments = ["-I", str(PUMP), settings]
                parameters = StdioServerParameters(command=sys.executable, args=arguments, env=given)
                transport = stdio_client(parameters, errlog=self._report)
            read, write = await stack.enter_async_context(transport)
            yield await stack.enter_async_context(ClientSession(read, write, message_handler=self._heard))


def told(result: types.CallToolResult) -> str:
    """The text of a result; of pictures and sound only that they were left out."""
    parts = []
    for block in result.content:
        if isinstance(block, types.TextContent):
            parts.append(block.text)
        elif isinstance(block, types.EmbeddedResource) and isinstance(block.resource, types.TextResourceContents):
            parts.append(block.resource.text)
        else:
            parts.append(f"[{block.type} left out]")
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    text = "\n".join(parts) or "(no output)"
    return f"error: {text}" if result.is_error else text
