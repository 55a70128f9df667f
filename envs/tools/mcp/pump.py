"""Stands between us and a server: bounds what the server says before anybody reads it, and ends it with its children.

    python -I pump.py '{"command": ["mcp-server-time"], "most_bytes": 1000000}'

Requests come on stdin and go on to the server; lines of the server that are messages go on to stdout. It ends when its
stdin closes, its parent dies or the server does what it may not, and says on stderr what that was, as JSON. On Linux it
adopts what the server's children leave behind; elsewhere it ends their process group. Standard library only.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LINUX = sys.platform == "linux"
AT_ONCE, TAIL_BYTES, GRACE_S, LOOK_MS = 1 << 16, 2_000, 0.5, 200
Problem = tuple[str, str]
told_to_end: "list[int]" = []


def main() -> None:
    """Run the server of the settings until it ends or is to end."""
    settings = json.loads(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda number, frame: told_to_end.append(number))  # it raises nothing: `_end` goes on
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    pipe = subprocess.PIPE
    try:
        server = subprocess.Popen(
            settings["command"], bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except OSError as error:
        problem: Problem | None = ("not_started", str(error))
    else:
        try:
            problem = Pump(server, settings["most_bytes"]).run()
        finally:
            _end(server)
    if problem:
        os.write(2, json.dumps(problem).encode())


class Pump:
    """Copies both ways, as far as the server answers at most so many bytes to one request."""

    def __init__(self, server: "subprocess.Popen[bytes]", most_bytes: int) -> None:
        pipes = [pipe.fileno() for pipe in (server.stdin, server.stdout, server.stderr) if pipe is not None]
        self.server, self.most = server, most_bytes
        self.input, self.output, self.errors = pipes
        self.asked, self.line, self.told = b"", b"", b""
        self.answered, self.tells = 0, True
        os.set_blocking(self.input, False)

    def run(self) -> Problem | None:
        """Copy until there is a problem; None where nobody asks any more."""
        while not told_to_end:
            ready = self._ready()
            if 0 in ready:
                data = os.read(0, AT_ONCE) if ready[0] & select.POLLIN else b""
                if not data:
                    return None
                self.asked, self.answered = self.asked + data, 0
            if self.errors in ready:
                data = os.read(self.errors, AT_ONCE)
                self.told, self.tells = (self.told + data)[-TAIL_BYTES:], bool(data)
            if self.input in ready:
                self._ask()
            if self.output in ready and (problem := self._answer()):
                return problem
            if not ready and self.server.poll() is not None:
                return self._died()
        return None

    def _ready(self) -> dict[int, int]:
        poll = select.poll()
        poll.register(0, select.POLLIN if len(self.asked) < self.most else 0)
        poll.register(self.output, select.POLLIN)
        if self.tells:
            poll.register(self.errors, select.POLLIN)
        if self.asked:
            poll.register(self.input, select.POLLOUT)
        return dict(poll.poll(LOOK_MS))

    def _ask(self) -> None:
        try:
            self.asked = self.asked[os.write(self.input, self.asked) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it reads no more; what it still says is heard
            self.asked = b""

    def _answer(self) -> Problem | None:
        data = os.read(self.output, AT_ONCE)
        if not data:
            return self._died()
        self.answered += len(data)
        if max(self.answered, len(self.line) + len(data)) > self.most:
            return "too_large", f"more than {self.most} bytes to one request"
        *lines, self.line = (self.line + data).split(b"\n")
        for line in filter(bytes.strip, lines):
            if not _is_message(line):
                return "no_protocol", f"it wrote to its stdout {line[:100].decode('utf-8', 'replace')!r}"
            rest = line + b"\n"
            while rest:
                rest = rest[os.write(1, rest) :]
        return None

    def _died(self) -> Problem:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.server.wait(GRACE_S)
        os.set_blocking(self.errors, False)
        with contextlib.suppress(BlockingIOError):
            self.told = (self.told + os.read(self.errors, AT_ONCE))[-TAIL_BYTES:]
        said = " ".join(self.told.decode("utf-8", "replace").split())
        status = "it closed its stdout" if self.server.returncode is None else f"exit status {self.server.returncode}"
        return "died", f"{status}; it said: {said[-500:]}" if said else status


def _is_message(line: bytes) -> bool:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("jsonrpc") == "2.0"


def _end(server: "subprocess.Popen[bytes]") -> None:
    """Let the server end by itself, as one does whose stdin closes; then kill what is left, until nothing is."""
    if server.stdin is not None:
        with contextlib.suppress(OSError):
            server.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(GRACE_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server.pid, signal.SIGKILL)
    until = time.monotonic() + 10 * GRACE_S  # one that runs as another user cannot be killed
    while LINUX and (left := _below(os.getpid())) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.001)


def _below(pid: int) -> list[int]:
    """Parents before their children, so that who forks on is killed first."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    return found + [grandchild for child in found for grandchild in _below(child)]


def _prctl(option: int, argument: int) -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


if __name__ == "__main__":
    main()
