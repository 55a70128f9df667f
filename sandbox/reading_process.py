"""The process that reads long answers: calls one function after another, within limits, until its input ends."""

from __future__ import annotations

import math
import os
import pickle
import resource
import signal
import struct
import time
from collections.abc import Callable
from typing import NoReturn

from rlenv.sandbox.inside.wire import StreamEnd, read_exactly, write_all

PREFIX = struct.Struct(">Q")
READY = b"ready"
CPU_S = 10
"""Of one call, where its reader says nothing else. The slowest honest answers of 4 MB take a fifth of it
(benchmarks/host_reading.py)."""
MEMORY_MB = 1024
"""Beyond what the interpreter has when the first function is imported."""


def serve(cpu_s: int, memory_mb: int) -> NoReturn:
    """Answer calls on standard input and output; whatever is printed goes to standard error."""
    out = os.dup(1)
    os.dup2(2, 1)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    _limit(resource.RLIMIT_CORE, 0)
    write_all(out, READY)
    mapped = 0
    while True:
        try:
            (size,) = PREFIX.unpack(read_exactly(0, PREFIX.size))
            function, arguments = pickle.loads(read_exactly(0, size))
        except StreamEnd:
            os._exit(0)
        mapped = mapped or _mapped()
        _limit(resource.RLIMIT_AS, mapped + (memory_mb << 20))
        _limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + cpu_s))
        kind, value = _called(function, arguments)
        reply = pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL)
        write_all(out, PREFIX.pack(len(reply)) + reply)
        if kind == "memory":
            os._exit(0)
        del function, arguments, value, reply


def _called(function: Callable[..., object], arguments: tuple[object, ...]) -> tuple[str, object]:
    try:
        return "value", function(*arguments)
    except MemoryError:
        return "memory", None
    except Exception as error:
        return "raised", f"{type(error).__name__}: {error}"


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    try:
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
    except (ValueError, OSError):  # not every system keeps every limit
        return


def _mapped() -> int:
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux
        return 1 << 33
