"""HTTP as uvicorn's httptools speaks it, with bounds that it lacks.

The head of a request has a size and a time, and so has the rest up to the end of the answer: a client that drips its
head, or takes no answer, would keep its connection for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 << 10
"""Of a request's line and headers, as h11 and nginx have it."""
HEAD_S = 20.0
"""From the connection, or what is kept open of it, to the end of the headers."""


def bounded(answer_s: float, keep_alive_s: float) -> type[BoundedHttp]:
    """The protocol that ends a connection so long after the head of a request, unless it was answered."""

    class Bounded(BoundedHttp):
        _answer_s, _next_s = answer_s, keep_alive_s + HEAD_S

    return Bounded


class BoundedHttp(HttpToolsProtocol):
    """Closes a connection whose request does not come, or is not answered and taken, within bounds."""

    _answer_s = _next_s = HEAD_S
    _end: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head, self._head_bytes = True, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client comes."""
        super().connection_made(transport)
        self._ends_in(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """It goes."""
        self._ends_in(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes of the client."""
        super().data_received(data)
        self._head_bytes = self._head_bytes + len(data) if self._in_head else 0
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response(f"The headers are larger than {MAX_HEAD_BYTES} bytes.")

    def on_message_begin(self) -> None:
        """A request begins."""
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its head is whole."""
        self._in_head = False
        self._ends_in(self._answer_s)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """It is answered."""
        super().on_response_complete()
        self._ends_in(self._answer_s if not self.cycle.response_complete else self._next_s)

    def _ends_in(self, seconds: float | None) -> None:
        """From now, unless something comes between."""
        if self._end is not None:
            self._end.cancel()
        self._end = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)
