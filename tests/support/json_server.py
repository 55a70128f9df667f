"""A real HTTP server on this machine that answers JSON as a function says, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

S = TypeVar("S", bound=ThreadingHTTPServer)
Body = dict[str, Any]
Answer = Callable[[int, Body], "tuple[int, object] | tuple[int, object, Mapping[str, str]]"]
"""Status, JSON (or text as it is) and headers for the request of this number; status 0 hangs up."""


class Server(ThreadingHTTPServer):
    """Remembers its requests."""

    daemon_threads = True
    request_queue_size = 128  # of the 5 that is the default, the others would wait a second to be let in

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.lock = answer, threading.Lock()
        self.bodies: list[Body] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the server's answer."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            number = len(self.server.bodies)
            self.server.bodies.append(body)
            self.server.paths.append(self.path)
            self.server.headers.append({key.lower(): value for key, value in self.headers.items()})
        status, answer, *more = self.server.answer(number, body)
        if status == 0:
            return
        self.say(status, answer, *more)

    def say(self, status: int, answer: object, *more: Mapping[str, str]) -> None:
        """Send the answer."""
        content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        for headers in more:
            for name, value in headers.items():
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def up(server: S) -> Iterator[S]:
    """The server, up until the end of the block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    """A server with these answers."""
    with up(Server(answer)) as server:
        yield server
