"""The held shell of a box: one process to which commands are sent, and how the end of each is known.

A command is text on the shell's standard input; its output is the shell's stdout, with stderr in it. It reads nothing,
and neither of the two descriptors that tell its end is open in it: on 9 (the stderr of the engine's stream) the shell
says status and folder, on 8 it ends the output. Both carry a nonce of 128 bits, new for each command, which is sent
only when the shell has said that the command is over: what a command prints can neither end its output nor give it
another status. A command that takes over its own shell (as a debugger, say) is beyond this: what it misleads is the one
who sent it. Checks run in processes of their own, whose status the engine says.
"""

import secrets
import shlex
import time
from collections.abc import Callable

from rlenv.sandbox.containers.stream import STDERR, Ended, Kept, Process

START = ("sh", "-c", "command -v bash >/dev/null 2>&1 && exec bash --noprofile --norc; exec sh")
HELLO = 'exec 8>&1 9>&2 2>&1; cd -- {folder} 2>/dev/null; command printf "%s %s\\000" "$$" "$PWD" >&9\n'
COMMAND = "{before}eval {command} </dev/null 8>&- 9>&-; _rlenv=$?; command printf '?' >&9\n"
STATUS = "command printf '%s %s %s\\000' {nonce} \"$_rlenv\" \"$PWD\" >&9; command printf '\\000%s\\000' {nonce} >&8\n"
SAID_BYTES = 1 << 16
"""What the shell may say on 9 for one command: a folder's name and a few numbers."""

END_S = 10.0
"""How long after a command the shell has to say how it ended."""


class Broken(Exception):
    """The shell said what it is not asked for, or no end of an output came: it is no longer to be believed."""


class HeldShell:
    """One shell in a box. Its process may end at any command (`exit`): `Ended` says so."""

    def __init__(self, process: Process, folder: str, deadline: float, look: Callable[[], None]) -> None:
        self.process = process
        self.folder = folder or "."
        self._status = 0
        self._said = bytearray()
        self._left_over = b""
        self.process.send(HELLO.format(folder=shlex.quote(self.folder)).encode(), deadline)
        self._await(lambda: b"\0" in self._said, Kept(0), deadline, look)
        pid, _, place = self._said[: self._said.index(0)].decode("utf-8", "surrogateescape").partition(" ")
        self._said.clear()
        if not pid.isdigit():
            raise Broken(f"expected the shell's process id, got {pid!r}")
        self.pid, self.folder = int(pid), place

    def run(self, command: str, kept: Kept, deadline: float, look: Callable[[], None]) -> int:
        """Run one command, put its output into `kept`, and give its status. Raises `Late`, `Ended`, `Broken`."""
        if self._said:
            raise Broken("the shell said something unasked")
        kept.add(self._left_over)
        self._left_over = b""
        before = f"(exit {self._status}); " if self._status else ""  # so that `echo $?` says what it would
        line = COMMAND.format(before=before, command=shlex.quote(command))
        self.process.send(line.encode("utf-8", "surrogateescape"), deadline)
        self._await(lambda: bool(self._said), kept, deadline, look)
        self._expect(b"?")
        nonce = secrets.token_hex(16)
        end = time.monotonic() + END_S
        self.process.send(STATUS.format(nonce=nonce).encode(), end)
        self._finish(nonce.encode(), kept, end, look)
        return self._status

    def _finish(self, nonce: bytes, kept: Kept, deadline: float, look: Callable[[], None]) -> None:
        """Read up to the end of the output and the status, in whatever order the engine hands them on."""
        mark, pending, found = b"\0" + nonce + b"\0", bytearray(), False
        pieces = self.process.pieces(deadline, look)
        while not (found and b"\0" in self._said):
            stream, piece = next(pieces)
            if stream == STDERR:
                self._hear(piece)
                continue
            pending += piece
            if not found and (at := pending.find(mark)) >= 0:
                kept.add(bytes(pending[:at]))
                del pending[: at + len(mark)]
                found = True
            elif not found and len(pending) > len(mark):
                kept.add(bytes(pending[: -len(mark)]))
                del pending[: -len(mark)]
        self._left_over = bytes(pending)
        self._expect(nonce + b" ")
        said = bytes(self._said[: self._said.index(0)])
        del self._said[: len(said) + 1]
        status, _, folder = said.decode("utf-8", "surrogateescape").partition(" ")
        if not status.isdigit():
            raise Broken(f"expected a status, got {status[:40]!r}")
        self._status, self.folder = int(status), folder

    def _await(self, done: Callable[[], bool], kept: Kept, deadline: float, look: Callable[[], None]) -> None:
        for stream, piece in self.process.pieces(deadline, look):
            if stream == STDERR:
                self._hear(piece)
                if done():
                    return
            else:
                kept.add(piece)
        raise Ended

    def _hear(self, piece: bytes) -> None:
        self._said += piece
        if len(self._said) > SAID_BYTES:
            raise Broken("the shell said too much beside the output")

    def _expect(self, start: bytes) -> None:
        if not self._said.startswith(start):
            raise Broken(f"expected the shell to say {start!r}, got {bytes(self._said[:80])!r}")
        del self._said[: len(start)]
