"""What stands before every call: who asks, and how much, all decided before the body is read.

It reads headers alone. What is refused is answered at once and the connection is closed, so that a body of any size
costs nothing.
"""

from __future__ import annotations

import hmac
import ipaddress
from typing import TYPE_CHECKING, NamedTuple

from rlenv.core.errors import Saturated
from rlenv.core.jsontypes import line
from rlenv.serving.settings import ServeSettings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from rlenv.serving.metrics import Metrics

OPEN = ("/health",)
"""What is told without a key: that the server is up."""
WRITTEN_AT_ONCE = 64 << 10
"""Bytes of an answer that may wait in the connection; with more, a request keeps its share until they are taken."""
VALUE_BYTES = 80
"""Memory of a value of JSON, an empty list for example."""


class Refusal(NamedTuple):
    """Why a request is not taken."""

    status: int
    problem: str


class Gate:
    """The application behind its checks."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics, paths: frozenset[str]) -> None:
        self.app, self.settings, self.metrics, self.paths = app, settings, metrics, paths
        self._key = settings.key
        self._unread = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI calls it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in self.paths else "other"

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.metrics.requests.labels(path, str(message["status"])).inc()
            if len(message.get("body", b"")) > WRITTEN_AT_ONCE and not message.get("more_body"):
                await send({**message, "more_body": True})
                message = {"type": "http.response.body"}  # sent once the client has taken the answer
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(counted, refusal)
            return
        share = 0

        async def bounded() -> Message:
            nonlocal share
            message = await receive()
            size = _memory(message.get("body", b""))
            if self._unread > share and self._unread + size > self.settings.max_unread_bytes:
                raise Saturated("requests under way take all the memory there is for them", 1)
            self._unread, share = self._unread + size, share + size
            return message

        try:
            await self.app(scope, bounded, counted)
        finally:
            self._unread -= share

    def _refusal(self, scope: Scope) -> Refusal | None:
        """Why the body is not read; None where it is."""
        headers = {name.lower(): value for name, value in scope["headers"]}
        if scope["path"] not in OPEN and (refusal := self._stranger(headers)):
            return refusal
        return self._size(scope["method"], headers)

    def _stranger(self, headers: dict[bytes, bytes]) -> Refusal | None:
        """Why this caller is not let in; None where it is."""
        if self._key:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._key):
                return None
            return Refusal(401, "expected the header Authorization: Bearer KEY with the key of this server")
        if _names_this_machine(headers.get(b"host", b"")):
            return None
        # a page in a browser of this machine that has its own name resolve to 127.0.0.1
        return Refusal(421, "without a key this server answers only to localhost and 127.0.0.1")

    def _size(self, method: str, headers: dict[bytes, bytes]) -> Refusal | None:
        if method in ("GET", "HEAD"):
            return None
        length = headers.get(b"content-length", b"")
        if not length.isdigit():
            return Refusal(411, "expected a Content-Length: how much comes must be known before it is read")
        size, most = int(length), self.settings.max_body_bytes
        if size > most:
            return Refusal(413, f"a body of {size} bytes, and this server takes {most}; send smaller batches")
        if not headers.get(b"content-type", b"").lower().startswith(b"application/json"):
            # what a page of anybody may post without asking is text/plain or a form
            return Refusal(415, "expected Content-Type: application/json")
        return None


def _memory(part: bytes) -> int:
    """What a part of a body may take: itself, and the values that may be in it."""
    return len(part) + VALUE_BYTES * (sum(map(part.count, (b",", b"[", b"{"))) + part.count(b'"') // 2)


def _names_this_machine(host: bytes) -> bool:
    """Whether a Host header, such as `127.0.0.1:8411` or `[::1]`, names this machine."""
    name = host.decode("latin-1").strip()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name.lower() == "localhost"


async def _answer(send: Send, refusal: Refusal) -> None:
    body = line({"error": refusal.problem}).encode("ascii")
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
