"""Who is let in, how often, and with how much: decided by the headers, before a body is read."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest
from served import ENV, Running, running

from rlenv.core.errors import ConfigError
from rlenv.serving.settings import KEY_ENV, ServeSettings

KEY = "a key of enough letters"
BODY = {"env": ENV, "task": {"prompt": "?", "reference": "11"}, "completion": "\\boxed{11}"}
JSON = "Content-Type: application/json"


@pytest.fixture(scope="module")
def open_service() -> Iterator[Running]:
    with running(max_body_mb=0.001) as service:
        yield service


@pytest.fixture(scope="module")
def keyed() -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv(KEY_ENV, KEY)
        service = stack.enter_context(running())
        patch.undo()
        yield service


def raw(url: str, *lines: str, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    """The answer to a request of these very lines; its body may be shorter than its header says."""
    address = httpx2.URL(url)
    with socket.create_connection((address.host, address.port or 80), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    head, _, content = answer.partition(b"\r\n\r\n")
    status, *headers = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.lower().split(": ", 1) for line in headers), content


def test_a_body_of_100_mb_is_refused_before_it_is_sent(open_service: Running) -> None:
    status, headers, content = raw(
        open_service.url, "POST /judge HTTP/1.1", "Host: localhost", JSON, f"Content-Length: {100 << 20}"
    )
    assert status == 413
    assert headers["connection"] == "close"
    assert b"a body of 104857600 bytes, and this server takes 1000; send smaller batches" in content


@pytest.mark.parametrize(
    ("lines", "status", "why"),
    [
        ([JSON, "Transfer-Encoding: chunked", "Host: localhost"], 411, b"expected a Content-Length"),
        ([JSON, "Host: localhost"], 411, b"expected a Content-Length"),
        (["Content-Type: text/plain", "Content-Length: 2", "Host: localhost"], 415, b"application/json"),
        ([JSON, "Content-Length: 2", "Host: evil.example"], 421, b"answers only to localhost"),
    ],
)
def test_requests_that_are_refused_by_their_headers(
    open_service: Running, lines: list[str], status: int, why: bytes
) -> None:
    answered = raw(open_service.url, "POST /judge HTTP/1.1", *lines)
    assert answered[0] == status
    assert why in answered[2]


@pytest.mark.parametrize("head", [b"GET /health HTTP/1.1\r\n" + b"X: y\r\n" * 200, b"GET /" + b"a" * 1000])
def test_headers_without_end_are_refused(open_service: Running, head: bytes) -> None:
    address = httpx2.URL(open_service.url)
    sent = 0
    with socket.create_connection((address.host, address.port or 80), timeout=30) as connection:
        try:
            while sent < 10_000_000:
                connection.sendall(head)
                sent += len(head)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent < 10_000_000
    assert open_service.http.get("/health").json()["status"] == "ok"


@pytest.mark.parametrize("host", ["localhost:1", "[::1]:8411"])
def test_names_of_this_machine_are_let_in(open_service: Running, host: str) -> None:
    assert open_service.http.get("/environments", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {KEY}s"},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": b"Bearer \xff\xfe"},
    ],
)
@pytest.mark.parametrize("path", ["/judge", "/metrics", "/openapi.json"])
def test_without_the_key_nothing_is_told(keyed: Running, headers: Any, path: str) -> None:
    call = (
        keyed.http.post(path, json=BODY, headers=headers) if path == "/judge" else keyed.http.get(path, headers=headers)
    )
    assert call.status_code == 401
    assert call.headers["WWW-Authenticate"] == "Bearer"
    assert ENV not in call.text


def test_with_the_key_it_judges_under_any_name(keyed: Running) -> None:
    assert keyed.ask("/judge", BODY, Authorization=f"Bearer {KEY}", Host="judge.example")["reward"] == 1.0
    assert keyed.http.get("/health").json()["status"] == "ok"


@pytest.mark.parametrize("host", ["0.0.0.0", "judge.example", ""])
def test_another_address_needs_a_key(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.delenv(KEY_ENV, raising=False)
    with pytest.raises(ConfigError, match="without a key"):
        ServeSettings(host=host)
    monkeypatch.setenv(KEY_ENV, KEY)
    assert ServeSettings(host=host).key == KEY.encode()


def test_bytes_under_way_are_bounded() -> None:
    """One request whose body never ends holds what it sent."""
    last = "Connection: close"
    with running(max_body_mb=0.001, max_unread_mb=0.0015) as service:
        address = httpx2.URL(service.url)
        with socket.create_connection((address.host, address.port or 80)) as held:
            held.sendall(f"POST /judge HTTP/1.1\r\nHost: localhost\r\n{JSON}\r\nContent-Length: 1000\r\n\r\n".encode())
            held.sendall(b"x" * 999)
            status, until = 400, time.monotonic() + 30
            while status == 400 and time.monotonic() < until:  # until the one that is held has arrived
                lines = ("POST /judge HTTP/1.1", "Host: localhost", JSON, "Content-Length: 600", last)
                status, headers, content = raw(service.url, *lines, body=b"x" * 600)
    assert status == 503
    assert headers["retry-after"] == "1"
    assert b"take all the memory" in content
