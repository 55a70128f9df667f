"""A policy as an OpenAI-compatible server on the loopback, with one key for each episode.

    with PolicyServer(policy) as server:
        session = server.open()
        run_my_agent(base_url=server.url, api_key=session.key)
        completion = server.end(session)          # rows with token ids, log-probs and masks

POST /v1/chat/completions   as OpenAI's; with `prompt_token_ids`, `token_ids`, log-probs and `weights_version`; also
                            /v1/messages and /v1/responses (`rlenv.policies.served_dialects`)
GET  /v1/models             the policy's name
POST /episodes              with the admin key: opens an episode and gives its key
DELETE /episodes/KEY        with the admin key: ends it and gives its completion

Covered: a key that is none, limits of calls, tokens, time and bytes, a body that is too large or never ends. Each is a
named failure of the episode that does it. Not covered: who listens to the loopback of this machine.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
import threading
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rlenv.agents import chat
from rlenv.agents.engine import Engine
from rlenv.agents.rows import completion_of
from rlenv.agents.session import REQUEST_BYTES, AgentLimits, Refusal, Session
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, MissingExtra, RlenvError
from rlenv.core.jsontypes import Json, line, read_json
from rlenv.core.policy import Policy, Sampling
from rlenv.policies.served_dialects import SERVED, Dialect
from rlenv.text.escaping import shown_line

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

KEEP_ALIVE_S = 30.0
SHOWN = 2_000  # characters of an error that are told
EPISODES = "/episodes"
DIALECTS = {"/v1/chat/completions": Dialect(lambda body: body, lambda body: body, chat.streamed), **SERVED}


class PolicyServer:
    """Serves a policy to harnesses, and records what it says to each episode."""

    def __init__(
        self,
        policy: Policy,
        *,
        sampling: Sampling | None = None,
        limits: AgentLimits | None = None,
        port: int = 0,
        admin_key: str = "",
        seed: int = 0,
    ) -> None:
        """With `sampling` every call is drawn so, whatever it asks for, within its own limit of tokens: so it must be
        where the calls are learned from. Without, a call's temperature, top_p and stop count.

        Raises ConfigError where the port cannot be had, MissingExtra without the extra `serve`.
        """
        self.limits, self._pinned = limits or AgentLimits(), sampling is not None
        self._sampling = sampling or Sampling(max_new_tokens=4096)
        self._admin = admin_key
        self._sessions: dict[str, Session] = {}
        self._numbers = count()
        try:
            self._socket = socket.create_server(("127.0.0.1", port), backlog=256)
        except OSError as error:
            raise ConfigError(f"cannot listen on port {port}: {error.strerror}; give another, or 0 for any") from error
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        """What clients take as their base URL."""
        self.address: tuple[str, int] = self._socket.getsockname()
        self._server, self._thread = _uvicorn(self, self._socket, self.limits.seconds)
        self.engine = Engine(policy, seed)

    @property
    def version(self) -> int:
        """The version of the weights, which each answer tells; a trainer sets it after its updates."""
        return self.engine.version

    @version.setter
    def version(self, version: int) -> None:
        self.engine.version = version

    def open(self, limits: AgentLimits | None = None) -> Session:
        """A new episode; its `key` is what the harness asks with."""
        session = Session(limits or self.limits)
        self._sessions[session.key] = session
        return session

    def end(self, session: Session) -> Completion:
        """End an episode, whose key is worth nothing from now on, and give what was said in it."""
        self._sessions.pop(session.key, None)
        text_of = None if self.engine.renderer is None else self.engine.renderer.text
        return completion_of(session.calls, text_of, cut=bool(session.refused))

    def close(self) -> None:
        """End the server and its threads."""
        self._server.should_exit = True
        self._thread.join()
        self.engine.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI calls it."""
        try:
            body, events = await self._answer(scope, receive)
            await _send(send, 200, body, events)
        except Refusal as refusal:
            await _send(send, refusal.status, _error(refusal.name, refusal))
        except RlenvError as error:  # of a template or a policy
            await _send(send, 400, _error("policy", error))

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[Mapping[str, Json], Iterable[str] | None]:
        """The body that answers a request, and its events where a stream was asked for. Raises Refusal."""
        path, method = str(scope["path"]).rstrip("/"), str(scope["method"])
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        key = _key(headers)
        if path.startswith(EPISODES):
            return self._administered(path, method, key), None
        session = self._sessions.get(key)
        if session is None:
            raise Refusal(401, "key", "expected the key of an episode that goes on")
        if path == "/v1/models" and method == "GET":
            return {"object": "list", "data": [{"id": self.engine.policy.name, "object": "model"}]}, None
        dialect = DIALECTS.get(path)
        if dialect is None or method != "POST":
            raise Refusal(404, "path", f"expected POST {' or '.join(DIALECTS)}, got {method} {path!r:.100}")
        session.admit()
        try:
            async with asyncio.timeout(session.seconds_left):
                raw = await _body(headers, receive, session)
                wanted = await asyncio.to_thread(_parsed, raw, dialect)
                asked = chat.read_request(wanted, self._sampling, pinned=self._pinned)
                call = await asyncio.wrap_future(self.engine.submit(session, asked))
        except TimeoutError:
            raise session.refusal("seconds", f"the episode's {session.limits.seconds:g} s are over") from None
        said = chat.response(call, asked.model or self.engine.policy.name, next(self._numbers))
        body = dialect.answer(said)
        return body, dialect.streamed(body) if asked.stream else None

    def _administered(self, path: str, method: str, key: str) -> Mapping[str, Json]:
        """What whoever has the admin key asks."""
        if not self._admin or not hmac.compare_digest(key.encode(), self._admin.encode()):
            raise Refusal(401, "key", "expected the admin key")
        if path == EPISODES and method == "POST":
            return {"key": self.open().key, "url": self.url}
        session = self._sessions.get(path.removeprefix(f"{EPISODES}/"))
        if method != "DELETE" or session is None:
            raise Refusal(404, "path", "expected POST /episodes, or DELETE /episodes/KEY of one that goes on")
        return {"completion": self.end(session).to_json(), "refused": dict(session.refused)}


def _key(headers: Mapping[str, str]) -> str:
    """The key of a request, where clients of OpenAI and of Anthropic put it."""
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if kind.lower() == "bearer" else headers.get("x-api-key", "")


async def _body(headers: Mapping[str, str], receive: Receive, session: Session) -> bytes:
    """The bytes of a request. Raises Refusal for too many, before they are read where the headers say so."""
    said = headers.get("content-length", "")
    body = bytearray()
    while True:
        if len(body) > REQUEST_BYTES or (said.isdigit() and int(said) > REQUEST_BYTES):
            raise session.refusal("bytes", f"expected a request of at most {REQUEST_BYTES} bytes", 413)
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "request", "the client hung up before its body had come")
        session.take(len(message.get("body", b"")))
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


def _parsed(body: bytes, dialect: Dialect) -> Mapping[str, object]:
    """A request as one of chat."""
    try:
        read = read_json(body)
        if not isinstance(read, Mapping):
            raise ValueError("expected a JSON object")
        return dialect.asked(read)
    except ValueError as error:
        raise Refusal(400, "request", f"the body is no request: {error}") from error


def _error(name: str, error: Exception) -> Mapping[str, Json]:
    return {"error": {"type": name, "message": shown_line(str(error), SHOWN)}}


async def _send(send: Send, status: int, body: Mapping[str, Json], events: Iterable[str] | None = None) -> None:
    data = (line(body) if events is None else "".join(events)).encode()
    kind = b"application/json" if events is None else b"text/event-stream"
    headers: Sequence[tuple[bytes, bytes]] = [(b"content-type", kind), (b"content-length", str(len(data)).encode())]
    if status in (400, 413):
        headers = [*headers, (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data})


def _uvicorn(app: Any, listener: socket.socket, seconds: float) -> tuple[Any, threading.Thread]:
    """The HTTP server in a thread of its own, once it listens."""
    try:
        import uvicorn

        from rlenv.serving.protocol import bounded
    except ImportError as error:
        raise MissingExtra("uvicorn", "serve") from error
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="off",
        http=bounded(seconds + KEEP_ALIVE_S, KEEP_ALIVE_S),
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="rlenv-agents", daemon=True)
    thread.start()
    return server, thread
