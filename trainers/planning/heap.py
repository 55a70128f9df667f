"""The heap of glibc's allocator as far as tensors meet it: how far it reaches, not where things lie.

A block lies in the smallest hole that it fits, or at the end; holes beside each other are one. Tensors are aligned,
and until version 2.38 an aligned block is looked for with room to move it: where an equal one has been, it does not
fit.

>>> heap = Heap()
>>> first, _ = heap.take(4096), heap.take(4096)
>>> heap.free(first, 4096), heap.take(4096) == first, heap.end
(None, False, 12336)
"""

from __future__ import annotations

from bisect import bisect_left, insort

HEADER, ROOM = 16, 96
"""Bytes before each block, and those that an alignment of 64 bytes is looked for with (64 and the smallest chunk)."""


class Heap:
    """Blocks by their places. `end` is how far it has reached."""

    def __init__(self) -> None:
        self.end = 0
        self._holes: list[tuple[int, int]] = []
        """Sizes and places, sorted."""
        self._sizes: dict[int, int] = {}
        self._places: dict[int, int] = {}
        """Of holes, by where they end."""

    def take(self, size: int) -> int:
        """The place of a new block."""
        whole = size + HEADER
        found = bisect_left(self._holes, (whole + ROOM, -1))
        if found < len(self._holes):
            length, place = self._holes[found]
            self._close(place)
        else:
            place = self._places.get(self.end, self.end)
            length = self._close(place) if place < self.end else 0
            self.end = max(self.end, place + whole)
        if length > whole:
            self._open(place + whole, length - whole)
        return place

    def free(self, place: int, size: int) -> None:
        """The block there is no more."""
        end = place + size + HEADER
        if end in self._sizes:
            end += self._close(end)
        if place in self._places:
            place = self._places[place]
            self._close(place)
        self._open(place, end - place)

    def _open(self, place: int, size: int) -> None:
        insort(self._holes, (size, place))
        self._sizes[place], self._places[place + size] = size, place

    def _close(self, place: int) -> int:
        size = self._sizes.pop(place)
        del self._places[place + size]
        del self._holes[bisect_left(self._holes, (size, place))]
        return size
