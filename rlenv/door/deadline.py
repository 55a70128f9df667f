"""Until when somebody waits for what this thread does: whatever takes time on their behalf looks here.

>>> with deadline(0.5):
...     until() <= time.monotonic() + 0.5
True
>>> overdue()
False
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OVERDUE = "no verdict within the time of its request; ask for fewer at once, or give requests more time (--request-s)"
_until: ContextVar[float] = ContextVar("until", default=math.inf)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """What the block does has so many seconds, or fewer where a block around it says so."""
    token = _until.set(min(_until.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(token)


def until() -> float:
    """The end, as time.monotonic() has it; infinity where nobody said one."""
    return _until.get()


def overdue() -> bool:
    """Whether nobody waits any more."""
    return time.monotonic() >= _until.get()
