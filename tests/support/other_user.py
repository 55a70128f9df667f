"""A sandbox that is opened by another user of this machine, for tests that run as root.

The other process (ordinary_user.py) answers pickled calls on its standard streams.
"""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from rlenv.sandbox import CellSettings, Limits, Program, Result
from rlenv.sandbox.pool import Counts

UID = 54_321
_SERVE = """
import pickle, struct, sys
from rlenv.sandbox import open_sandbox
def read():
    data = sys.stdin.buffer.read(4)
    if not data:
        sys.exit(0)
    return pickle.loads(sys.stdin.buffer.read(struct.unpack(">I", data)[0]))
def answer(value):
    data = pickle.dumps(value)
    sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)
    sys.stdout.buffer.flush()
try:
    box = open_sandbox("namespaces", **read())
    answer((True, box.cells))
except Exception as error:
    answer((False, error))
    sys.exit(1)
while True:
    name, arguments = read()
    try:
        found = getattr(box, name)
        answer((True, found(*arguments) if callable(found) else found))
    except Exception as error:
        answer((False, error))
"""


class OtherUsersSandbox:
    """As `Sandbox`, but in a process of another user."""

    def __init__(self, cells: int | None = None, settings: CellSettings | None = None) -> None:
        self.backend = "namespaces"
        command = [sys.executable, str(Path(__file__).with_name("ordinary_user.py")), str(UID), "-c", _SERVE]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send({"cells": cells, "settings": settings})
        self.cells = cast("int", self._receive())

    def run(self, program: Program, limits: Limits | None = None) -> Result:
        return cast("Result", self._ask("run", program, limits))

    def map(self, programs: Sequence[Program], limits: Limits | None = None) -> list[Result]:
        return cast("list[Result]", self._ask("map", list(programs), limits))

    def run_pair(self, judge: Program, candidate: Program, limits: Limits | None = None) -> tuple[Result, Result]:
        return cast("tuple[Result, Result]", self._ask("run_pair", judge, candidate, limits))

    @property
    def counts(self) -> Counts:
        return cast("Counts", self._ask("counts"))

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait(30)

    def _ask(self, name: str, *arguments: object) -> object:
        self._send((name, arguments))
        return self._receive()

    def _send(self, message: object) -> None:
        data = pickle.dumps(message)
        stream = self._process.stdin
        if stream is not None:
            stream.write(struct.pack(">I", len(data)) + data)
            stream.flush()

    def _receive(self) -> object:
        stream = self._process.stdout
        size = stream.read(4) if stream is not None else b""
        if stream is None or not size:
            raise RuntimeError("the process of the other user ended")
        fine, value = pickle.loads(stream.read(struct.unpack(">I", size)[0]))
        if not fine:
            raise value
        return value
