"""JSON sent to a server, and sent again while the server is busy or out of reach: what every endpoint needs.

Busy servers (429, 5xx, timeouts, broken connections) are asked again after a pause that doubles each time; a server's
own Retry-After comes first, as far as one request may take. That is logged as a warning, which Python prints to
standard error unless told otherwise. The key, where one is needed, is read from the environment.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rlenv.core.errors import ConfigError, MissingExtra, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.door.answer import Answer, answer_to
from rlenv.door.deadline import deadline
from rlenv.text.escaping import shown_line

if TYPE_CHECKING:
    import ssl

    import httpx2

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Status codes after which the same request may succeed."""
REDIRECTS = (301, 302, 303, 307, 308)
MAX_PAUSE_S = 60.0
WARN_EVERY_S = 60.0
"""A log says at most this often that an address is asked again, however many requests wait for it."""
_warned: dict[str, float] = {}
"""When that was last said of an address."""
_warning = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How many requests are under way at once, how long one may take, and how often it is made, and what is read.

    Raises ConfigError for impossible settings.
    """

    concurrency: int = 8
    timeout_s: float = 300.0
    """In all, to the last byte of the answer."""
    retries: int = 5
    backoff_s: float = 1.0
    """The pause before the first retry; a server's own Retry-After comes first, up to `timeout_s`."""
    answer_mb: float = 16.0
    """A longer answer is not read."""

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.retries < 0 or not min(self.timeout_s, self.answer_mb) > 0:
            raise ConfigError(
                "expected concurrency of at least 1, retries of at least 0, a timeout above 0 s and answer_mb above 0"
            )


@dataclass
class Poster:
    """One client with its patience; setting `stopped` ends the pauses and the retries.

    As many requests in a row without an answer as `outages` says stop all others, so that a server which is down
    costs its retries once and not for every request.
    """

    client: httpx2.Client
    patience: Patience
    outages: int | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    _lost: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def post(self, url: str, body: Json | bytes, retries: int | None = None) -> Answer:
        """The first answer of the server that does not say that it is busy; bytes are JSON that is written already.

        `retries` stands in for those of its patience. Raises PolicyError when there is none after the last retry, and
        for one that goes beyond a bound.
        """
        import httpx2

        problem = "not asked: other requests stayed without an answer"
        retries = self.patience.retries if retries is None else retries
        for attempt in range(retries + 1):
            if self.stopped.is_set():
                break
            asked_to_wait = 0.0
            try:
                answer = self._once(url, body)
            except httpx2.TransportError as error:  # timeouts, refused and broken connections
                late = f" in {self.patience.timeout_s:g} s" if isinstance(error, httpx2.TimeoutException) else ""
                problem = f"{type(error).__name__} {error}{late}".strip()
            except httpx2.InvalidURL as error:
                raise PolicyError(f"{url}: not an address ({error}); give http://HOST:PORT/v1#MODEL") from error
            else:
                if answer.status_code not in BUSY:
                    self._count(lost=False)
                    return answer
                problem = _words(answer)
                asked_to_wait = min(self.patience.timeout_s, _retry_after(answer))
            if attempt < retries:
                _warn(url, f"no answer ({problem}); asking again, up to {retries + 1} times")
                self.stopped.wait(max(asked_to_wait, min(MAX_PAUSE_S, self.patience.backoff_s * 2**attempt)))
        self._count(lost=True)
        raise PolicyError(
            f"{url}: no answer after {retries + 1} tries ({problem}); check that the server is up and the address right"
        )

    def _once(self, url: str, body: Json | bytes) -> Answer:
        if isinstance(body, bytes):
            headers = {"Content-Type": "application/json"}
            return ask(self.client, self.patience, "POST", url, content=body, headers=headers)
        return ask(self.client, self.patience, "POST", url, json=body)

    def _count(self, *, lost: bool) -> None:
        """Requests in a row without an answer."""
        with self._lock:
            self._lost = self._lost + 1 if lost else 0
            if self.outages is not None and self._lost >= self.outages:
                self.stopped.set()


def _warn(url: str, what: str) -> None:
    """Log it, unless something was logged of this address a moment ago."""
    with _warning:
        now = time.monotonic()
        if now < _warned.get(url, -WARN_EVERY_S) + WARN_EVERY_S:
            return
        _warned[url] = now
    logging.getLogger(__name__).warning("%s", shown_line(f"{url}: {what}"))


def ask(client: httpx2.Client, patience: Patience, method: str, url: str, **request: Any) -> Answer:
    """The answer to one request, whole and within the bounds of this patience.

    Raises PolicyError for one beyond them, and httpx2's TransportError or InvalidURL where there is none.
    """
    with deadline(patience.timeout_s):
        return answer_to(client, client.build_request(method, url, **request), patience.answer_mb)


def client(patience: Patience, api_key_env: str, verify: ssl.SSLContext | None = None) -> httpx2.Client:
    """A client that sends the key in this environment variable, where it is set. It follows no redirection.

    Raises MissingExtra without httpx2.
    """
    verify = verify or tls()
    import httpx2

    from rlenv.door.network import end_with_deadline

    key = os.environ.get(api_key_env)
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
    limits = httpx2.Limits(max_connections=patience.concurrency)
    made = httpx2.Client(headers=headers, timeout=patience.timeout_s, limits=limits, verify=verify)
    end_with_deadline(made)
    return made


def tls() -> ssl.SSLContext:
    """What clients check certificates by; to read them takes 0.1 s, so many clients share one."""
    try:
        import httpx2
    except ImportError as error:
        raise MissingExtra("httpx2", "openai") from error
    return httpx2.create_ssl_context()


def address(url: str) -> str:
    """The address without a slash at its end. Raises ConfigError where it is none."""
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"expected an endpoint that starts with http:// or https://, got {url!r}")
    return url.rstrip("/")


def refusal(url: str, answer: Answer, api_key_env: str, hints: Mapping[int, str] | None = None) -> str:
    """What a server said that will not answer this request, and what to do about it."""
    key = f"set a valid key in the environment variable {api_key_env}"
    known = {401: key, 403: key, **dict.fromkeys(REDIRECTS, "give the address that it points to"), **(hints or {})}
    hint = known.get(answer.status_code, "fix what the server names")
    return f"{url}: the server refused: {_words(answer)}; {hint}"


def sendable(text: str) -> str:
    """The text without lone surrogates, which no request can carry."""
    return text.encode("utf-8", "replace").decode()


def _words(answer: Answer) -> str:
    """The status and the beginning of the text, on one line."""
    return f"{answer.status_code} {' '.join(answer.excerpt.split())[:200]}".strip()


def _retry_after(answer: Answer) -> float:
    """Seconds the server asks to wait; dates, which few send, count as none."""
    try:
        return min(MAX_PAUSE_S, max(0.0, float(answer.headers.get("retry-after", "0"))))
    except ValueError:
        return 0.0
