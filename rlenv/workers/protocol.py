"""What goes between the pool and a worker: orders, which are pickled, and answers, which are not.

Nothing that a worker sends is unpickled: verifiers run on what a policy wrote, and an answer must not be able to do
more than to be wrong. It is plain JSON behind the ticket of the order and the place of the job in it. A ticket is drawn
at random for each order, so that an answer nobody asked for, one for an earlier order and bytes of any other kind are
told apart from the answer that is due.

>>> verdict_in(written(7, 0, Verdict(1.0).to_json()), 7, 0).reward
1.0
"""

from __future__ import annotations

import json
import operator
import socket
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, SupportsFloat, TypeAlias, cast

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import FAIL, PASS, Verdict
from rlenv.core.verifier import over_limit

Job: TypeAlias = "tuple[Task, Completion]"

MAX_ANSWER_BYTES, MAX_BRACKETS = 2 << 20, 20_000
"""The longest answer, and how many opening brackets it may have, those in texts included: reading the worst JSON within
them takes at most about 0.2 s and 40 MB. A verdict that quotes a completion of a million letters fits."""
SHORT_BYTES = 512
HEAD = struct.Struct(">QI")
_LENGTH = 8
_READ = 1 << 16


class Load(NamedTuple):
    """Unpickle a verifier and keep it under its key; answered with None or with what went wrong."""

    ticket: int
    key: str
    blob: bytes
    path: Sequence[str]
    """Where the pool's process looks for modules by now: it may have grown since the worker was started."""


class JudgeJob(NamedTuple):
    """Judge completions one after another; each is answered with a Verdict as soon as it is judged."""

    ticket: int
    key: str
    jobs: Sequence[Job]
    time_limit_s: float


class NotAnAnswer(Exception):
    """A worker sent what is not the answer that is due."""


class Frames:
    """Whole messages on one end of a stream socket, eight bytes of length before each; none above `longest` bytes."""

    def __init__(self, end: socket.socket, longest: int | None = None) -> None:
        self._socket = end
        self._longest = longest
        self.too_long = False
        """The other end has announced a message that is longer than is taken: nothing after it can be read."""
        self._buffer = bytearray()

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: bytes) -> None:
        """Blocks until the other end has room. Raises OSError when it is closed."""
        self._socket.sendall(len(message).to_bytes(_LENGTH) + message)

    def receive(self) -> list[bytes] | None:
        """Reads once, blocking if nothing is there: the messages that are whole by now, None at the end."""
        try:
            data = self._socket.recv(_READ)
        except ConnectionResetError:  # the other end was closed before it had read everything
            return None
        if not data:
            return None
        self._buffer += data
        messages, start = [], 0
        while (whole := self._end(start)) is not None:
            messages.append(bytes(self._buffer[start + _LENGTH : whole]))
            start = whole
        del self._buffer[:start]
        return messages

    def close(self) -> None:
        self._socket.close()

    def _end(self, start: int) -> int | None:
        """Where the message that begins at `start` ends; None while a part of it is missing."""
        if len(self._buffer) < start + _LENGTH:
            return None
        length = int.from_bytes(self._buffer[start : start + _LENGTH])
        if self._longest is not None and length > self._longest:
            self.too_long = True
            return None
        end = start + _LENGTH + length
        return end if len(self._buffer) >= end else None


def written(ticket: int, place: int, content: Json) -> bytes:
    """Raises TypeError for what JSON cannot hold."""
    return HEAD.pack(ticket, place) + _body(content)


def written_verdict(ticket: int, place: int, verdict: Verdict) -> bytes:
    """The verdict; one that is longer than an answer may be is the completion's doing, graded 0."""
    body = _USUAL.get(id(verdict))
    if body is None:
        try:
            body = _body(verdict.to_json())
        except (TypeError, ValueError, RecursionError) as error:
            body = _body(Verdict.error(f"the verdict is not plain data: {error}").to_json())
    if _too_much(body):
        body = _body(over_limit(f"{MAX_ANSWER_BYTES} bytes and {MAX_BRACKETS} brackets of verdict").to_json())
    return HEAD.pack(ticket, place) + body


def content_in(message: bytes, ticket: int, place: int) -> Json:
    """Raises NotAnAnswer for anything but JSON with this ticket and place."""
    return _content(_due(message, ticket, place))


def verdict_in(message: bytes, ticket: int, place: int) -> Verdict:
    """Raises NotAnAnswer for anything but a verdict with this ticket and place."""
    body = _due(message, ticket, place)
    return _short_verdict(body) if len(body) < SHORT_BYTES else _verdict(body)


def _due(message: bytes, ticket: int, place: int) -> bytes:
    if message[: HEAD.size] != HEAD.pack(ticket, place):
        raise NotAnAnswer(f"expected the answer to job {place}")
    return message[HEAD.size :]


def _content(body: bytes) -> Json:
    if _too_much(body):
        raise NotAnAnswer(f"expected at most {MAX_ANSWER_BYTES} bytes and {MAX_BRACKETS} brackets")
    try:
        text = body.decode("utf-8", "surrogatepass")
        content, end = _decode(text)
    except (ValueError, RecursionError) as error:
        raise NotAnAnswer(f"expected JSON: {error}") from error
    if end != len(text):
        raise NotAnAnswer("expected JSON and nothing after it")
    return cast("Json", content)


def _too_much(body: bytes) -> bool:
    return len(body) > MAX_ANSWER_BYTES or body.count(b"[") + body.count(b"{") > MAX_BRACKETS


def _verdict(body: bytes) -> Verdict:
    content = _content(body)
    try:
        verdict = Verdict.from_json(cast("dict[str, object]", content))
        readable = isinstance(verdict.reason, str)
        for name, _ in verdict.parts:
            readable = readable and isinstance(name, str)
        for flag in verdict.flags:
            readable = readable and isinstance(flag.name, str) and isinstance(flag.detail, str)
            readable = readable and isinstance(flag.start, int) and isinstance(flag.end, int)
        for place in verdict.answer or ():
            readable = readable and isinstance(place, int)
    except Exception as error:  # JSON of any shape: each wrong one fails in a way of its own
        raise NotAnAnswer(f"expected a verdict: {type(error).__name__}: {error}") from error
    if not readable:
        raise NotAnAnswer("expected the names, details and reason of a verdict to be text, and spans to be places")
    return verdict


_short_verdict = lru_cache(maxsize=1024)(_verdict)
"""Most verifiers say the same few things again and again; verdicts are immutable and may be shared."""


def _plain(value: object) -> Json:
    """A number of numpy, which verifiers compute with, as one of Python; raises TypeError for anything else."""
    return operator.index(value) if hasattr(value, "__index__") else float(cast("SupportsFloat", value))


def _body(content: Json) -> bytes:
    return _encode(content).encode("utf-8", "surrogatepass")


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode
_decode = json.JSONDecoder().raw_decode
_USUAL = {id(verdict): _body(verdict.to_json()) for verdict in (PASS, FAIL)}
