"""Answers kept for a while, so that a request which is sent again is not judged again.

A client that lost the answer (a broken connection, its own timeout) sends the same request with the same id. While the
first is under way, the second waits for it; afterwards it gets the same bytes. So wrappers learn from it once.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field

from rlenv.core.errors import ConfigError

MOST_BYTES = 64 << 20
MOST = 10_000


@dataclass
class Remembered:
    """The answers of the last requests, as many as fit."""

    most_bytes: int = MOST_BYTES
    most: int = MOST
    _kept: OrderedDict[str, tuple[bytes, asyncio.Task[bytes]]] = field(default_factory=OrderedDict)
    _bytes: int = 0

    async def once(
        self, id: str, body: bytes, answer: Callable[[], Coroutine[None, None, bytes]]
    ) -> tuple[bytes, bool]:
        """The answer to the request of this id, and whether it was there; an empty id is not remembered.

        What `answer` raises is raised and not kept. Raises ConfigError for an id that stands for another request.
        """
        if not id:
            return await answer(), False
        digest = hashlib.blake2b(body, digest_size=16).digest()
        known = self._kept.get(id)
        if known is not None:
            if known[0] != digest:
                raise ConfigError("this request_id was used for another request; give each request its own")
            return await asyncio.shield(known[1]), True
        # a task of its own: it goes on where the client hangs up, and the client that asks again finds it
        task = asyncio.create_task(answer())
        self._kept[id] = digest, task
        task.add_done_callback(lambda done: self._done(id, done))
        return await asyncio.shield(task), False

    def _done(self, id: str, task: asyncio.Task[bytes]) -> None:
        if task.cancelled() or task.exception() is not None:
            self._kept.pop(id, None)
            return
        self._bytes += len(task.result())
        for old in list(self._kept):
            if self._bytes <= self.most_bytes and len(self._kept) <= self.most:
                break
            _, done = self._kept[old]
            if done.done():
                del self._kept[old]
                self._bytes -= len(done.result())
