"""The host's side of one cell: sends a job, waits for its report until a deadline, believes the nonce only."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from rlenv.sandbox import report
from rlenv.sandbox.bundle import packed
from rlenv.sandbox.errors import CellLost, SandboxUnavailable
from rlenv.sandbox.inside.wire import NONCE_BYTES, PREFIX, frame
from rlenv.sandbox.launcher import CellSettings, Launcher
from rlenv.sandbox.program import Limits, Program, Result, Status

Header: TypeAlias = "dict[str, object]"
BOOT_LIMIT_S = 30.0
MARGIN_S = 2.0
"""How much longer than the program's own limits the host waits before it gives the cell up."""
CLEAN_LIMIT_S = 5.0
MAX_HEADER = CHUNK = 1 << 16


class Cell:
    """One fork server and the stream to it. Used by one thread at a time.

    Raises SandboxUnavailable when the cell does not come up.
    """

    def __init__(self, launcher: Launcher, serial: int, settings: CellSettings) -> None:
        self.jobs = 0
        self.spent = False
        """The next program must have another cell."""
        self.lost = False
        """It ended, or did not answer in time."""
        self._clean = True
        self._channel = launcher.launch(serial)
        try:
            deadline = time.monotonic() + BOOT_LIMIT_S
            self._channel.write(packed(settings, self._channel.settings), deadline)
            self.hello, _ = self._receive(0, deadline)
            if "hello" not in self.hello:
                raise CellLost(str(self.hello.get("error", "it sent no greeting")))
        except CellLost as problem:
            words = self._channel.messages()[-1000:]
            self.close()
            raise SandboxUnavailable(
                f"a cell of the {launcher.name} sandbox does not start: {problem} {words}"
            ) from None
        self._oom_kills = cast("int", self.hello["oom_kills"])

    def ready(self) -> bool:
        """The last program has left nothing behind. False: take another cell."""
        if self._clean or self.spent:
            return not self.spent
        try:
            header, _ = self._receive(0, time.monotonic() + CLEAN_LIMIT_S)
        except CellLost:
            header = {}
        self._clean = header.get("clean") is True
        self.spent = not self._clean
        return self._clean

    def run(self, program: Program, limits: Limits, cores: Sequence[int] = ()) -> Result:
        """Raises CellLost when the cell ends or is late; the program may be tried on another."""
        deadline = self.start(program, limits, "calls" if program.calls else "program", cores)
        return self.finish(program, limits, deadline)

    def start(self, program: Program, limits: Limits, role: str, cores: Sequence[int]) -> float:
        """Send the job; the moment by which it must have ended."""
        self.jobs += 1
        self._clean = False
        self._nonce = os.urandom(NONCE_BYTES)
        seconds = limits.wall_s + (limits.compile_s if program.compile else 0.0)
        deadline = time.monotonic() + seconds + MARGIN_S
        self._send(_job(program, limits, role, cores) + self._nonce, deadline)
        return deadline

    def finish(self, program: Program, limits: Limits, deadline: float) -> Result:
        """Wait for the report."""
        return self.reported(program, *self.next_frame(limits, deadline))

    def reported(
        self, program: Program, header: Header, body: bytes, said: Sequence[bytes] = (b"",), judge: bool = False
    ) -> Result:
        """The result that a last frame stands for. Raises CellLost where it says that the machinery failed."""
        if not self.signed(header):
            return self._unsigned(program, header)
        if "error" in header:
            self.spent = self.lost = True
            raise CellLost(f"the supervisor failed: {header['error']}")
        self._oom_kills = cast("int", header["oom_kills"])
        return report.read_report(program, header, body, said, judge)

    def open_session(self, limits: Mapping[str, float], cores: Sequence[int], deadline: float) -> None:
        """Send the order to keep a session; its keeper answers. Raises CellLost."""
        self.jobs += 1
        self._clean = False
        self._nonce = os.urandom(NONCE_BYTES)
        order: Header = {"role": "session", "limits": dict(limits), "cores": list(cores)}
        self._send(frame(order) + self._nonce, deadline)

    def order(self, header: Header, body: bytes, deadline: float) -> None:
        """Ask the keeper of a session for something. Raises CellLost."""
        self._send(frame(header, body), deadline)

    def answer(self, most: int, deadline: float) -> tuple[Header, bytes]:
        """What the keeper of a session says, of at most so many bytes; it may be unsigned. Raises CellLost."""
        try:
            header, body = self._receive(most + CHUNK, deadline)
        except CellLost:
            self.spent = self.lost = True
            raise
        if not self.signed(header):
            self.spent = True
        elif "error" in header:
            self.spent = self.lost = True
            raise CellLost(f"the keeper failed: {header['error']}")
        return header, body

    def killed_for_memory(self, header: Header) -> bool:
        """The kernel killed while this frame of the server was due."""
        return cast("int", header.get("oom_kills", 0)) > self._oom_kills

    def next_frame(self, limits: Limits, deadline: float) -> tuple[Header, bytes]:
        """Raises CellLost."""
        try:
            return self._receive(2 * limits.output_bytes + limits.result_bytes + CHUNK, deadline)
        except CellLost:
            self.spent = self.lost = True
            raise

    def signed(self, header: Header) -> bool:
        """The supervisor of the present job wrote this frame."""
        return header.get("nonce") == self._nonce.hex()

    def tell(self, data: bytes, deadline: float) -> None:
        """Pass a line to the program of an interactive job. Raises CellLost."""
        self._send(frame({}, data), deadline)

    def hang_up(self, deadline: float) -> None:
        """Tell the program of an interactive job that nothing more will come; once for each. Raises CellLost."""
        self._send(frame({"close": True}), deadline)

    def give_up(self) -> None:
        """It is in the middle of something that nobody waits for any more."""
        self.spent = True

    def postmortem(self) -> str:
        """What the backend knows about its end."""
        return self._channel.postmortem()

    def close(self) -> None:
        """Kill it."""
        self.spent = True
        self._channel.close()

    def abandon(self) -> None:
        """In a forked child."""
        self.spent = True
        self._channel.abandon()

    def _unsigned(self, program: Program, header: Header) -> Result:
        self.spent = True
        if "supervisor_killed" in header:
            if self.killed_for_memory(header):
                return report.killed(program, Status.MEMORY_LIMIT, "the kernel killed the supervisor for memory")
            return report.killed(program, Status.TAMPERED, "the program killed its supervisor")
        return report.killed(program, Status.TAMPERED, "a frame that its supervisor did not write")

    def _send(self, data: bytes, deadline: float) -> None:
        try:
            self._channel.write(data, deadline)
        except CellLost:
            self.spent = self.lost = True
            raise

    def _receive(self, most: int, deadline: float) -> tuple[Header, bytes]:
        header_size, body_size = PREFIX.unpack(self._channel.read(PREFIX.size, deadline))
        if header_size > MAX_HEADER or body_size > most:
            raise CellLost("a frame of a size that no supervisor sends")
        data = self._channel.read(header_size + body_size, deadline)
        try:
            header = json.loads(data[:header_size])
        except ValueError:
            raise CellLost("a frame that is not one") from None
        if not isinstance(header, dict):
            raise CellLost("a frame that is not one")
        return header, data[header_size:]


def _job(program: Program, limits: Limits, role: str, cores: Sequence[int]) -> bytes:
    parts = [
        program.code.encode("utf-8", "surrogatepass"),
        program.stdin,
        b"\n".join(call.line for call in program.calls),
        *program.files.values(),
    ]
    header = {
        "role": role,
        "sizes": [len(part) for part in parts],
        "files": list(program.files),
        "argv": program.argv,
        "compile": program.compile,
        "stop_after_error": program.stop_after_error,
        "limits": {name: getattr(limits, name) for name in Limits.__slots__},
        "cores": list(cores),
    }
    return frame(header, b"".join(parts))
