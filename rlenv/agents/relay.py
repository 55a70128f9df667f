"""The one address that a box reaches: a port of its own loopback, carried over the streams of a process in the box.

The box has no network. `rlenv.agents.in_box` runs in it and hands on what its clients say; here each of its connections
becomes one to the policy's server, and to nothing else.

Covered: a client that floods, hangs up, or says no HTTP (the server's affair), and a box that ends or falls silent. Not
covered: a program in the box that ends the relay; it has no model then, and its episode ends by that.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from rlenv.agents.in_box import FRAME, PIECE_BYTES
from rlenv.core.errors import MachineryError
from rlenv.core.workplace import STDOUT, Pipe

COMMAND = ("python3", "-c", Path(__file__).with_name("in_box.py").read_text())
START_S, SEND_S, END_S = 30.0, 30.0, 5.0
MOST_CONNECTIONS = 64
"""Of one box at once."""


class _Over(Exception):
    """Nobody needs the relay any more."""


class Relay:
    """Carries until it is left. `port` is the box's."""

    def __init__(self, pipe: Pipe, server: tuple[str, int], until: float) -> None:
        """`until` as `time.monotonic` counts. Raises MachineryError where the box cannot run its end."""
        self._pipe, self._server = pipe, server
        self._sending, self._over, self._errors = threading.Lock(), False, b""
        self._connections: dict[int, socket.socket] = {}
        try:
            pipe.send(b"\n", time.monotonic() + START_S)
            frames = self._frames(until + END_S)
            self.port = int(next(frames)[1])
        except Exception as error:
            pipe.close()
            said = self._errors.decode("utf-8", "replace").strip()
            raise MachineryError(
                f"a harness needs python3 in its box, which did not start: {said or error!r}"
            ) from error
        self._thread = threading.Thread(target=self._run, args=(frames,), name="rlenv-relay", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._send(0, b"")
        self._thread.join(END_S)
        for connection in list(self._connections.values()):
            _hang_up(connection)
        self._pipe.close()

    def _look(self) -> None:
        if self._over:
            raise _Over

    def _frames(self, deadline: float) -> Iterator[tuple[int, bytes]]:
        """What the box's end says: connection and bytes."""
        held = bytearray()
        for stream, piece in self._pipe.pieces(deadline, self._look):
            if stream != STDOUT:
                self._errors = (self._errors + piece)[-PIECE_BYTES:]
                continue
            held += piece
            while len(held) >= FRAME.size:
                number, length = FRAME.unpack_from(held)
                if length > PIECE_BYTES:
                    return  # it is not our end that speaks
                if len(held) < FRAME.size + length:
                    break
                yield number, bytes(held[FRAME.size : FRAME.size + length])
                del held[: FRAME.size + length]

    def _run(self, frames: Iterator[tuple[int, bytes]]) -> None:
        try:
            for number, data in frames:
                self._hear(number, data)
        except Exception:  # the box, the engine or the time has ended: so do its connections
            pass
        for connection in list(self._connections.values()):
            _hang_up(connection)

    def _hear(self, number: int, data: bytes) -> None:
        connection = self._connections.get(number)
        if connection is None and data:
            if len(self._connections) >= MOST_CONNECTIONS:
                self._send(number, b"")
                return
            connection = self._connections[number] = socket.create_connection(self._server)
            threading.Thread(target=self._answer, args=(number, connection), daemon=True).start()
        if connection is None:
            return
        with suppress(OSError):  # the server has hung up, and `_answer` tells
            if data:
                connection.sendall(data)
            else:
                connection.shutdown(socket.SHUT_WR)

    def _answer(self, number: int, connection: socket.socket) -> None:
        """Carry back what the server says, to its end."""
        data = b"?"
        while data:
            try:
                data = connection.recv(PIECE_BYTES)
            except OSError:
                data = b""
            self._send(number, data)
        self._connections.pop(number, None)
        connection.close()

    def _send(self, number: int, data: bytes) -> None:
        with self._sending:
            try:
                self._pipe.send(FRAME.pack(number, len(data)) + data, time.monotonic() + SEND_S)
            except Exception:  # the box has ended, or reads nothing any more: nobody waits for this answer
                self._over = True


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # it has ended by itself
        connection.shutdown(socket.SHUT_RDWR)
