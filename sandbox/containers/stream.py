"""One process that the engine runs in a box, with its streams: what it says is read in pieces and held in bounds."""

import contextlib
import select
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rlenv.sandbox.engine import own_socket

if TYPE_CHECKING:
    import docker

STDOUT, STDERR = 1, 2
HEADER = struct.Struct(">BxxxL")
"""Before each piece of output: which stream it is of, and its length."""

PIECE_BYTES = 1 << 16
SHORTEST_WAIT_S = 0.001
FIRST_LOOK_S, LONGEST_LOOK_S = 0.25, 2.0
"""How long a silent process is waited for before the engine is asked whether it is alive: twice as long each time."""

REST_S, SILENCE_S = 2.0, 0.5
"""How long what is left of a process is read while children of it may go on writing, and how long a silence ends it."""

NOTE_ROOM = 128
"""Bounds below this have no room for the note on what was cut."""


class Ended(Exception):
    """The stream is at its end: the process is gone, or the box, or the engine."""


class Late(Exception):
    """The deadline has passed."""


class Kept:
    """The first and the last of an output, `limit` bytes together, however much comes."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._rest = limit - self._half
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes of the output."""
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > self._rest + PIECE_BYTES:  # not at every piece: each time moves all that is held
            self._trim()

    def _trim(self) -> None:
        over = max(0, len(self._tail) - self._rest)
        self._dropped += over
        del self._tail[:over]

    def text(self) -> tuple[str, bool]:
        """What is held, and whether anything was cut from its middle."""
        self._trim()
        if not self._dropped:
            return (self._head + self._tail).decode("utf-8", "replace"), False
        note = b""
        if self._half + self._rest >= NOTE_ROOM:
            note = b"\n[... %d bytes were cut here ...]\n" % self._dropped
        head = self._head[: len(self._head) - len(note)]
        return (head + note + self._tail).decode("utf-8", "replace"), True


class Process:
    """A process in a box. It must say nothing before it is sent something: the answer to the request that starts it
    is read through a buffer, and what stands in it is lost."""

    def __init__(
        self,
        client: "docker.DockerClient",
        container: str,
        command: Sequence[str],
        *,
        user: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._client = client
        made = client.api.exec_create(
            container, list(command), stdin=True, user=user or "", environment=dict(env) if env else None
        )
        self._id: str = made["Id"]
        self._socket, self._response = own_socket(client.api.exec_start(self._id, socket=True))
        self._socket.settimeout(SHORTEST_WAIT_S)
        self._stream = STDOUT
        self._left = 0
        self._header = b""
        self._ready: deque[tuple[int, bytes]] = deque()

    def send(self, data: bytes, deadline: float) -> None:
        """Write to its standard input, also while another thread reads. Raises `Late` or `Ended`."""
        room = select.poll()
        room.register(self._socket, select.POLLOUT)
        try:
            while data:
                if not room.poll(1000 * max(SHORTEST_WAIT_S, deadline - time.monotonic())):
                    raise Late
                data = data[self._socket.send(data) :]
        except TimeoutError as error:
            raise Late from error
        except OSError as error:
            raise Ended from error

    def pieces(self, deadline: float, look: Callable[[], None]) -> Iterator[tuple[int, bytes]]:
        """Its output as it comes: which stream, and bytes. Raises `Late` or `Ended`.

        `look` is called now and then while it goes on; what it raises ends the wait.
        """
        pause = FIRST_LOOK_S
        next_look = time.monotonic() + pause
        yield from self._taken()
        while True:
            now = time.monotonic()
            if now >= deadline:
                raise Late
            if now >= next_look:
                try:
                    look()
                except Ended:  # what it said before comes first
                    yield from self.rest()
                    raise
                pause = min(LONGEST_LOOK_S, 2 * pause)
                next_look = time.monotonic() + pause
            self._sort(self._receive(min(deadline, next_look) - time.monotonic()))
            yield from self._taken()

    def rest(self) -> Iterator[tuple[int, bytes]]:
        """What has come already and is not read, where the process is gone and its children hold the stream open."""
        deadline = time.monotonic() + REST_S
        with contextlib.suppress(Ended):
            while time.monotonic() < deadline and (data := self._receive(SILENCE_S)):
                self._sort(data)
                yield from self._taken()

    def take(self) -> None:
        """Take what has come already, without waiting. Raises `Ended` where the process is known to be gone."""
        self._socket.settimeout(0)
        try:
            data = self._socket.recv(PIECE_BYTES)
        except (BlockingIOError, TimeoutError):
            return
        except OSError as error:
            raise Ended from error
        if not data:
            raise Ended
        self._sort(data)

    def _receive(self, wait_s: float) -> bytes:
        """Bytes of the stream, or none where none came in time."""
        self._socket.settimeout(max(SHORTEST_WAIT_S, wait_s))
        try:
            data = self._socket.recv(PIECE_BYTES)
        except TimeoutError:
            return b""
        except OSError as error:
            raise Ended from error
        if not data:
            raise Ended
        return data

    def _taken(self) -> Iterator[tuple[int, bytes]]:
        while self._ready:  # whoever stops reading here leaves the rest to the next reader
            yield self._ready.popleft()

    def _sort(self, data: bytes) -> None:
        while data:
            if not self._left:
                wanted = HEADER.size - len(self._header)
                self._header, data = self._header + data[:wanted], data[wanted:]
                if len(self._header) < HEADER.size:
                    return
                self._stream, self._left = HEADER.unpack(self._header)
                self._header = b""
            piece, data = data[: self._left], data[self._left :]
            self._left -= len(piece)
            if piece:
                self._ready.append((self._stream, piece))

    def exit_code(self) -> int | None:
        """How it ended; None while it runs. Raises errors of the SDK."""
        state = self._client.api.exec_inspect(self._id)
        return None if state["Running"] else int(state["ExitCode"] or 0)

    def close(self) -> None:
        """Give up its streams, which does not end it."""
        with contextlib.suppress(OSError, ValueError):
            self._socket.close()
        if self._response is not None:
            self._response.close()
