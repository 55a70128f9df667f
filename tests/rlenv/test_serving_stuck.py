"""Requests that are stuck hold up no other, and end; what a request takes of memory and of a connection is bounded."""

from __future__ import annotations

import itertools
import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import cloudpickle
import httpx2
import pytest
from served import ENV, Running, running

import rlenv
from rlenv.core.definition import Isolation
from rlenv.env.rows import to_row
from rlenv.serving import app, judging, protocol

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests
HONEST = 40
NUMBERS = itertools.count()
BOTH = pytest.mark.parametrize("isolation", ["auto", "inline"])
TASK = {"prompt": "?", "reference": "1"}


def waits(completion: str) -> bool:
    """`stuck PATH` waits until somebody opens the pipe for writing."""
    if completion.startswith("stuck"):
        open(completion.split()[1]).close()
    return True


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


def registered(isolation: Isolation) -> str:
    id = f"test/stuck-{isolation}-{next(NUMBERS)}-v0"
    rlenv.register(id, tasks=[dict(TASK)], verifier=waits, isolation=isolation, time_limit_s=600.0)
    return id


def go_on(pipe: str, answered: threading.Event) -> None:
    """Let all go on that wait at the pipe."""
    while not answered.wait(0.01):
        os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))


@pytest.mark.slow
@BOTH
def test_with_more_stuck_than_workers_and_threads_the_others_are_answered_first(
    isolation: Isolation, pipe: str
) -> None:
    env, workers, threads = registered(isolation), 2, 3
    done, order, lock = threading.Event(), list[str](), threading.Lock()
    with running(env, workers=workers, threads=threads) as service, ThreadPoolExecutor(HONEST + 8) as clients:

        def ask(completion: str) -> float:
            reward: float = service.ask("/judge", {"env": env, "task": TASK, "completion": completion})["reward"]
            with lock:
                order.append(completion)
            return reward

        stuck = [clients.submit(ask, f"stuck {pipe}") for _ in range(threads + 1)]
        honest = list(clients.map(ask, map(str, range(HONEST))))
        threading.Thread(target=go_on, args=(pipe, done)).start()
        given = [one.result() for one in stuck]
        done.set()
    assert honest == [1.0] * HONEST
    assert given == [1.0] * len(stuck)
    assert sorted(order[:HONEST], key=int) == [str(number) for number in range(HONEST)]


@BOTH
def test_a_request_ends_with_the_verdicts_that_it_has(
    isolation: Isolation, pipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "GRACE_S", 0.5)
    env = registered(isolation)
    group = {"env": env, "task": TASK, "completions": ["a", f"stuck {pipe}", "b"]}
    with running(env, request_s=1.5, workers=2) as service:
        verdicts = service.ask("/judge_batch", {"groups": [group]})["verdicts"]
        assert service.ask("/judge", {"env": env, "task": TASK, "completion": "c"})["reward"] == 1.0
        assert service.http.get("/health").json()["waiting"] == 0
        os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))
    if isolation == "auto":  # a thread cannot be ended, and keeps what it has
        assert [one["reward"] for one in (verdicts[0], verdicts[2])] == [1.0, 1.0]
    assert verdicts[1]["status"] == "verifier_error"
    assert "no verdict within the time of its request" in verdicts[1]["error"]


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with running() as started:
        yield started


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[" + b"[]," * 2_000_000 + b"[]]", "more than 1000000 values"),
        (b'{"a": "' + rb"\"," * 2_000_000 + b'"}', "expected 'env'"),
    ],
)
def test_a_large_body_of_small_values_is_refused_before_they_are_made(service: Running, body: bytes, why: str) -> None:
    answer = service.http.post("/judge", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 404)
    assert why in answer.json()["error"]


def connected(service: Running) -> socket.socket:
    address = httpx2.URL(service.url)
    return socket.create_connection((address.host, address.port or 80), timeout=60)


@pytest.mark.parametrize("head", [b"POST /judge HT", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_connection_on_which_no_request_comes_is_closed(head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_S", 0.2)
    monkeypatch.setattr(app, "KEEP_ALIVE_S", 0.2)
    with running() as service, connected(service) as held:
        held.sendall(head)
        with suppress(ConnectionResetError):
            while held.recv(1 << 16):
                pass


def test_a_client_that_takes_no_answer_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "BODY_S", 1.0)
    task = rlenv.load(ENV).tasks[0]
    said = {"output": [{"type": "message", "content": [{"text": "x" * 15_000_000}]}]}
    body = json.dumps({"rlenv_row": to_row(ENV, task), "response": said}).encode()
    head = "POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    lost, gone = protocol.BoundedHttp.connection_lost, threading.Event()

    def noted(self: protocol.BoundedHttp, exc: Exception | None) -> None:
        gone.set()
        lost(self, exc)

    with running(request_s=1.0) as service, connected(service) as held:
        service.ask("/judge", {"env": ENV, "task": task.to_json(), "completion": "a connection of its own"})
        monkeypatch.setattr(protocol.BoundedHttp, "connection_lost", noted)
        held.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body)
        assert gone.wait(60)
        assert 'path="/verify",status="200"' in service.http.get("/metrics").text
        monkeypatch.undo()
        taken = 0
        with suppress(ConnectionResetError):
            while part := held.recv(1 << 20):
                taken += len(part)
    assert taken < len(body)
