"""What a server answered, read within bounds: a size, a time in all, no compression, values and depth of its JSON.

A server can send without end, a byte a second, what unpacks to a thousand times its length, or a million choices. All
of it is read here, whoever asks; the time in all holds for the head of the answer too (rlenv.door.network).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rlenv.core.errors import PolicyError
from rlenv.core.jsontypes import Json, read_json

if TYPE_CHECKING:
    import httpx2

MOST_VALUES = 1_000_000
"""In the JSON of an answer: an empty list takes 3 bytes of text and 80 of memory."""
EXCERPT_BYTES = 8_000


@dataclass(frozen=True)
class Answer:
    """One answer, whole."""

    status_code: int
    content: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)

    @property
    def excerpt(self) -> str:
        """How it begins, for those who tell of it."""
        return self.content[:EXCERPT_BYTES].decode("utf-8", "replace")

    def json(self) -> Json:
        """Raises ValueError for what is no JSON, or more of it than is read."""
        return read_json(self.content, MOST_VALUES)


def answer_to(client: httpx2.Client, request: httpx2.Request, most_mb: float) -> Answer:
    """The answer to a request. Raises PolicyError for one that goes beyond a bound, and what httpx2 raises."""
    most, content = int(most_mb * 1e6), bytearray()
    response = client.send(request, stream=True)
    try:
        packed = response.headers.get("Content-Encoding", "identity")
        if packed != "identity":
            raise PolicyError(f"{request.url}: the answer came packed ({packed:.20}), and was asked for as plain text")
        for part in response.iter_raw():
            content += part
            if len(content) > most:
                raise PolicyError(
                    f"{request.url}: the answer is longer than {most_mb:g} MB; ask for less at once, or allow more "
                    "(answer_mb)"
                )
    finally:
        response.close()
    return Answer(response.status_code, bytes(content), response.headers)
