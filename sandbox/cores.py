"""Which cores the cells of this machine use, so that those of several processes spread over all of them.

A cell that is pinned to a core of its own does almost twice the work of one that is not (kernels pack small
tasks on few cores). A core has a second place only where every core has its first one taken, and so on; who shares
a core moves once a better place is free. A place is claimed by binding an abstract socket named after it: the claim
ends with the process, however that ends.
"""

from __future__ import annotations

import os
import random
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

DEEPEST = 64
"""Places on a core that can be claimed."""
LOOK_EVERY_S = 1.0
"""How often one who shares a core looks for a better place."""


class Claim(NamedTuple):
    """A place on a core that is taken."""

    core: int
    depth: int
    """Places on this core that come before it."""
    held: socket.socket


class Place:
    """Where one cell works. Serves any number of threads."""

    def __init__(self, cores: list[int], claim: Claim | None = None) -> None:
        """On one of these cores: the one that is claimed, or any."""
        self._all, self._claim = cores, claim
        self._drawn = [random.SystemRandom().choice(cores)] if cores else []
        self._looked_at = time.monotonic()
        self._lock = threading.Lock()

    def cores(self) -> list[int]:
        """The core that the next program runs on; none leaves it to the kernel."""
        with self._lock:
            claim = self._claim
            if claim is None:
                return self._drawn
            if claim.depth and time.monotonic() - self._looked_at > LOOK_EVERY_S:
                self._looked_at = time.monotonic()
                better = next(_free(self._all, claim.depth), None)
                if better is not None:
                    claim.held.close()
                    self._claim = claim = better
            return [claim.core]

    def close(self) -> None:
        """Give it up; takes no lock, which another thread may have held when this process was forked."""
        claim, self._claim = self._claim, None
        if claim is not None:
            claim.held.close()


def take_places(count: int, cores: Iterable[int] | None = None) -> list[Place]:
    """A place for each of `count` cells, on cores that nobody else has a place on while there are some."""
    numbers = sorted(cores if cores is not None else _own_cores()) if sys.platform == "linux" else []
    free = _free(numbers, DEEPEST)
    return [Place(numbers, next(free, None)) for _ in range(count)]


def core_count() -> int:
    """How many cores this process may use."""
    return len(_own_cores()) if sys.platform == "linux" else os.cpu_count() or 1


def _free(cores: list[int], depth: int) -> Iterator[Claim]:
    """Claim the places up to this depth that are free, the best first, one when it is asked for."""
    for level in range(depth):
        for core in cores:
            held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                held.bind(f"\0rlenv-sandbox-core-{core}-{level}")
            except OSError:  # somebody else's, or nothing can be claimed here
                held.close()
            else:
                yield Claim(core, level, held)


def _own_cores() -> set[int]:
    return os.sched_getaffinity(0)
