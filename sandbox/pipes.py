"""The stream to a cell whose first process is a child of ours: its standard input and output."""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time
from contextlib import suppress
from typing import IO, Literal, cast

from rlenv.sandbox.enter import FOR_MEMORY
from rlenv.sandbox.errors import CellLate, CellLost
from rlenv.sandbox.launcher import ServerSettings

PIPE_BYTES = 1 << 20
END_LIMIT_S = 10.0
VERDICT_LIMIT_S = 2.0


class PipeChannel:
    """Pipes to the first process of a cell. When `control` closes, somebody outside the cell kills it; without
    one, the first process ends itself when its stream does."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        messages: IO[bytes],
        settings: ServerSettings,
        control: int | None = None,
    ) -> None:
        self.settings = settings
        self._process, self._control, self._messages = process, control, messages
        self._stdin, self._stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        self._in, self._out = self._stdout.fileno(), self._stdin.fileno()
        os.set_blocking(self._out, False)
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._in, select.POLLIN)
        self._writable.register(self._out, select.POLLOUT)
        self._closing = threading.Lock()
        self._closed = False

    def read(self, count: int, deadline: float) -> bytes:
        """Exactly `count` bytes."""
        chunks = []
        while count:
            self._wait(self._readable, deadline)
            try:
                chunk = os.read(self._in, min(count, PIPE_BYTES))
            except OSError as error:
                raise CellLost(f"the stream of the cell broke ({error})") from None
            if not chunk:
                raise CellLost("the cell ended")
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)

    def write(self, data: bytes, deadline: float) -> None:
        """All of `data`."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._out, view) :]
            except BlockingIOError:
                self._wait(self._writable, deadline)
            except OSError as error:
                raise CellLost(f"the stream of the cell broke ({error})") from None

    def _wait(self, poll: select.poll, deadline: float) -> None:
        if self._closed:
            raise CellLost("the cell was closed")
        left = max(0.0, deadline - time.monotonic())  # what is there already is in time, however late we come to it
        if not poll.poll(left * 1000 + 1):
            raise CellLate("the cell did not answer in time")

    def close(self) -> None:
        """Let the cell end, and wait until it has."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._let_go()
            try:
                self._process.wait(END_LIMIT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._release()

    def abandon(self) -> None:
        """In a forked child."""
        if not self._closed:
            self._closed = True
            self._let_go()
            self._process.returncode = 0  # not our child: nothing to wait for
            self._release()

    def _let_go(self) -> None:
        if self._control is not None:
            os.close(self._control)
        with suppress(OSError):
            self._stdin.close()

    def _release(self) -> None:
        self._stdout.close()
        self._messages.close()

    def postmortem(self) -> Literal["", "memory"]:
        """The guardian's exit code tells."""
        with suppress(subprocess.TimeoutExpired):
            return "memory" if self._process.wait(VERDICT_LIMIT_S) == FOR_MEMORY else ""
        return ""

    def messages(self) -> str:
        """What it wrote to stderr."""
        with suppress(ValueError, OSError):
            self._messages.seek(0)
            return self._messages.read(4096).decode("utf-8", "replace").strip()
        return ""
