"""A client of httpx2 that reads no more of a server than it may: neither bytes nor seconds, and nothing packed."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import AsyncIterator, Callable
from functools import lru_cache

import httpx2

from rlenv.envs.tools.mcp.failure import ServerSpec

Note = Callable[[str, str], None]


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Tells `note` what is wrong, by its name, and raises."""

    def __init__(self, spec: ServerSpec, note: Note) -> None:
        self._inner = httpx2.AsyncHTTPTransport(verify=_tls())
        self._spec, self._note, self._read = spec, note, 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":  # what a server would say unasked is not heard; the protocol lets us go without
            return httpx2.Response(405, request=request)
        self._read = 0
        until = time.monotonic() + max(self._spec.start_s, self._spec.time_limit_s)
        try:
            response = await self._inner.handle_async_request(request)
        except httpx2.TransportError as error:
            raise self._failed("unreachable", f"{type(error).__name__}: {error}") from error
        if response.headers.get("content-encoding", "identity") != "identity":
            raise self._failed("no_protocol", "it sends packed answers that were not asked for")
        if response.status_code >= 400 and request.method == "POST":
            self._check(response)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Stream(response.stream, lambda size: self._count(size, until))
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _check(self, response: httpx2.Response) -> None:
        """An error that is no answer of the protocol."""
        if not response.headers.get("content-type", "").startswith("application/json"):
            self._note("refused", f"status {response.status_code}")

    def _count(self, size: int, until: float) -> None:
        self._read += size
        if self._read > self._spec.most_bytes:
            raise self._failed("too_large", f"more than {self._spec.most_bytes} bytes to one request")
        if time.monotonic() > until:
            raise self._failed("hung", "its answer does not end")

    def _failed(self, what: str, detail: str) -> httpx2.TransportError:
        self._note(what, detail)
        return httpx2.ReadError(detail)


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, count: Callable[[int], None]) -> None:
        self._inner, self._count = inner, count

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            self._count(len(part))
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """To read what certificates are checked by takes 0.1 s."""
    return httpx2.create_ssl_context()


def bounded_client(spec: ServerSpec, note: Note) -> httpx2.AsyncClient:
    """A client for this server; it takes no proxy and no netrc of the machine."""
    headers = {"Accept-Encoding": "identity"}
    if spec.api_key_env:
        headers["Authorization"] = f"Bearer {os.environ[spec.api_key_env]}"
    timeout = max(spec.start_s, spec.time_limit_s)
    return httpx2.AsyncClient(transport=BoundedTransport(spec, note), headers=headers, timeout=timeout, trust_env=False)
