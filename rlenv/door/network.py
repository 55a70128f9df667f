"""Connections of httpx2 that end with the deadline of the thread that asks (rlenv.door.deadline).

Its own timeouts begin again with each byte, so that a server which sends one a second is never late.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore2
import httpx2

from rlenv.door.deadline import until

WRITTEN_AT_ONCE = 1 << 16


def end_with_deadline(client: httpx2.Client) -> None:
    """Let what this client asks end with the deadline of the thread that asks."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):  # a mount of None goes to no proxy
            pool = transport._pool
            pool._network_backend = _Network(pool._network_backend)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), WRITTEN_AT_ONCE):
            part = buffer[start : start + WRITTEN_AT_ONCE]
            self._stream.write(part, _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Network(httpcore2.NetworkBackend):
    def __init__(self, network: httpcore2.NetworkBackend) -> None:
        self._network = network

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._network.connect_tcp(host, port, left, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._network.sleep(seconds)


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    """Seconds that one step may take."""
    left = until() - time.monotonic()
    if left <= 0:
        raise late("timed out")
    return left if timeout is None else min(timeout, left)
