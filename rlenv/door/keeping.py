"""What was made of strangers' texts, kept within so many bytes: a text has any length, and a count bounds nothing.

>>> length = kept_within(1_000, lambda text, found: 2 * len(text))(len)
>>> length("abc"), length("abc"), length("x" * 501), length.bytes
(3, 3, 501, 6)
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A function of one argument, what it returned with it; the oldest goes."""

    def __init__(self, function: Callable[[K], V], most: int, weigh: Callable[..., int]) -> None:
        functools.update_wrapper(self, function)
        self.function, self.most, self.weigh, self.bytes = function, most, weigh, 0
        self._found: dict[K, tuple[V, int]] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> str:
        return str(self.function.__qualname__)  # pickled by its name, as functions are

    def __call__(self, key: K) -> V:
        found = self._found.get(key)
        if found is not None:
            return found[0]
        value = self.function(key)
        weight = self.weigh(key, value)
        if weight <= self.most:
            with self._lock:
                if key not in self._found:
                    self._found[key] = (value, weight)
                    self.bytes += weight
                while self.bytes > self.most:
                    self.bytes -= self._found.pop(next(iter(self._found)))[1]
        return value


def kept_within(most: int, weigh: Callable[..., int]) -> Callable[[Callable[[K], V]], BoundedCache[K, V]]:
    """Keep what a function returned within `most` bytes, as `weigh` tells them of an argument and its result."""
    return lambda function: BoundedCache(function, most, weigh)
