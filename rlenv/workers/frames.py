"""Messages on a socket: eight bytes of length, then the bytes. Several may arrive in one read."""

from __future__ import annotations

import socket

_HEAD = 8
_READ = 1 << 16


class Frames:
    """Sends and receives whole messages on one end of a stream socket; takes none above `longest` bytes."""

    def __init__(self, end: socket.socket, longest: int | None = None) -> None:
        self._socket = end
        self._longest = longest
        self.too_long = False
        """The other end has announced a message that is longer than is taken: nothing after it can be read."""
        self._buffer = bytearray()

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: bytes) -> None:
        """Blocks until the other end has room. Raises OSError when it is closed."""
        self._socket.sendall(len(message).to_bytes(_HEAD) + message)

    def receive(self) -> list[bytes] | None:
        """Reads once, blocking if nothing is there: the messages that are whole by now, None at the end."""
        try:
            data = self._socket.recv(_READ)
        except ConnectionResetError:  # the other end was closed before it had read everything
            return None
        if not data:
            return None
        self._buffer += data
        messages, start = [], 0
        while (whole := self._end(start)) is not None:
            messages.append(bytes(self._buffer[start + _HEAD : whole]))
            start = whole
        del self._buffer[:start]
        return messages

    def close(self) -> None:
        self._socket.close()

    def _end(self, start: int) -> int | None:
        """Where the message that begins at `start` ends; None while a part of it is missing."""
        if len(self._buffer) < start + _HEAD:
            return None
        length = int.from_bytes(self._buffer[start : start + _HEAD])
        if self._longest is not None and length > self._longest:
            self.too_long = True
            return None
        end = start + _HEAD + length
        return end if len(self._buffer) >= end else None
