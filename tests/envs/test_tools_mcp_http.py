"""MCP servers at an address: an honest one, and what others come to."""

from __future__ import annotations

import gzip
import json
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from json_server import up
from tables import tables

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.envs.tools.mcp.failure import ServerFailure, ServerSpec
from rlenv.envs.tools.mcp.server import Server
from rlenv.envs.tools.mcp.tool import mcp
from rlenv.turns.tool_prompt import call_text
from rlenv.turns.tools import ToolInteraction

CASES = tables(__file__)

ECHO = {"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}


class Service(ThreadingHTTPServer):
    """Answers in the manner of its name."""

    daemon_threads = True

    def __init__(self, manner: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.manner, self.keys = manner, set[str | None]()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/mcp"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.keys.add(self.headers["authorization"])
        manner = self.server.manner if request["method"] == "tools/call" else "honest"
        if "id" not in request:
            self.reply(202, b"", "text/plain")
        elif manner in ("honest", "events"):
            body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": self.result(request)}).encode()
            events = manner == "events"
            kind = "text/event-stream" if events else "application/json"
            self.reply(200, b"event: message\ndata: " + body + b"\n\n" if events else body, kind)
        else:
            getattr(self, manner)()

    def result(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["method"] == "initialize":
            version = request["params"]["protocolVersion"]
            info = {"name": "tiny", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        if request["method"] == "tools/list":
            return {"tools": [ECHO]}
        return {"content": [{"type": "text", "text": request["params"]["arguments"]["text"]}]}

    def reply(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def flood(self, part: bytes = b"x" * 65_536, pause_s: float = 0.0) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        try:
            while True:
                self.wfile.write(part)
                time.sleep(pause_s)
        except OSError:
            self.close_connection = True

    def drip(self) -> None:
        self.flood(part=b" ", pause_s=0.05)

    def bomb(self) -> None:
        self.reply(200, gzip.compress(b" " * 100_000_000), "application/json", **{"content-encoding": "gzip"})

    def hang(self) -> None:
        time.sleep(1)

    def busy(self) -> None:
        self.reply(503, b"busy", "text/plain")

    def rubbish(self) -> None:
        self.reply(200, b"hello", "application/json")

    def elsewhere(self) -> None:
        self.reply(307, b"", "text/plain", location="http://127.0.0.1:1/mcp")

    def log_message(self, *args: object) -> None:
        pass


@pytest.mark.parametrize("manner", ["honest", "events"])
def test_an_address_is_called_and_gets_the_key_that_is_given(manner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_KEY", "abc")
    with up(Service(manner)) as service:
        tools = ToolInteraction(mcp(service.url, api_key_env="TINY_KEY"))
        reply = tools.respond(tools.start(Task("?")), Completion(call_text("echo", text="hello")))
        tools.close(reply.state)
    assert reply.observation == ({"role": "tool", "content": "hello"},)
    assert service.keys == {"Bearer abc"}


@pytest.mark.parametrize(("manner", "what"), CASES["fails"])
def test_an_address_that_fails_is_named_for_it(manner: str, what: str) -> None:
    limit_s = 0.4 if what == "hung" else 60.0
    with (
        up(Service(manner)) as service,
        closing(Server(ServerSpec(service.url, time_limit_s=limit_s))) as server,
        pytest.raises(ServerFailure) as failure,
    ):
        server.call("echo", {"text": "hello"})
    assert (failure.value.what, service.url in str(failure.value)) == (what, True)


def test_an_address_where_nobody_is_cannot_be_reached() -> None:
    with pytest.raises(ServerFailure) as failure:
        mcp("http://127.0.0.1:1/mcp")
    assert failure.value.what == "unreachable"
