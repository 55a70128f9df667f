"""HTTP as uvicorn's httptools speaks it, with an end to the head of a request, which httptools reads without one."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 << 10
"""Of a request's line and headers, as h11 and nginx have it."""


class BoundedHead(HttpToolsProtocol):
    """Closes a connection whose request line and headers do not end within MAX_HEAD_BYTES."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head, self._head_bytes = True, 0

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
        super().on_headers_complete()
