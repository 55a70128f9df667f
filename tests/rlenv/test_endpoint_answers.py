"""What a hostile server answers ends as an error of ours that names the address and the bound, never as a hang."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from json_server import serving

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.task import Task
from rlenv.door.posting import Patience
from rlenv.judges.client import judge_client
from rlenv.judges.rubric import JudgeScorer
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.scorers.http import HttpScorer, HttpStepScorer
from rlenv.scorers.scorer import Stepped

MB = 1_000_000
DRIP_S = 0.05
Sends = Callable[[socket.socket, threading.Event], None]
"""What a server does with a connection once it has read the head of a request, until it is told to end."""


def plain(content: bytes, *headers: bytes, length: int | None = None) -> bytes:
    size = len(content) if length is None else length
    head = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % size, *headers, b"", content]
    return b"\r\n".join(head)


def endless(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(plain(b"", length=1 << 40))
    while not ended.is_set():
        connection.sendall(b" " * MB)


def drip(head: bytes) -> Sends:
    def sends(connection: socket.socket, ended: threading.Event) -> None:
        connection.sendall(head)
        while not ended.wait(DRIP_S):
            connection.sendall(b"x")

    return sends


def hangs_up(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(plain(b'{"choices": [', length=1000))


def silent(connection: socket.socket, ended: threading.Event) -> None:
    ended.wait()


def says(answer: bytes) -> Sends:
    return lambda connection, ended: connection.sendall(answer)


def bomb() -> bytes:
    return plain(gzip.compress(b" " * 50 * MB), b"Content-Encoding: gzip")


def choices(count: int) -> bytes:
    return plain(b'{"choices": [' + b",".join([b'{"message": {"content": ""}}'] * count) + b"]}")


HOSTILE: dict[str, tuple[Sends, str]] = {
    "a head that drips": (drip(b"HTTP/1.1 200 OK\r\nX: "), "timed out in 0.3 s"),
    "a body that drips": (drip(plain(b"{", length=1000)), "timed out in 0.3 s"),
    "no answer": (silent, "timed out in 0.3 s"),
    "no end": (endless, "longer than 16 MB"),
    "a bomb": (says(bomb()), "came packed (gzip)"),
    "a million choices": (says(choices(300_000)), "more than 1000000 values"),
    "too many choices": (says(choices(2000)), "2000 choices for the 1 that were asked for"),
    "depth": (says(plain(b"[" * MB)), "more than 100 brackets"),
    "a whole number without end": (says(plain(b"9" * MB)), "a whole number of more than 4300 digits"),
    "half an answer": (hangs_up, "no answer after"),
}
CHAT_ALONE = {"too many choices"}


PATIENCE_S = 5.0
"""A client that keeps its connection for another question may never hang up."""


@contextmanager
def hostile(sends: Sends) -> Iterator[str]:
    """The address of a server that treats every connection so."""
    ended, threads = threading.Event(), list[threading.Thread]()

    def treat(connection: socket.socket) -> None:
        connection.settimeout(PATIENCE_S)
        with connection, suppress(OSError):
            connection.recv(1 << 16)
            sends(connection, ended)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass

    def accept(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                threads.append(threading.Thread(target=treat, args=(listener.accept()[0],), daemon=True))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=accept, args=(listener,))
        accepting.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            ended.set()
            listener.shutdown(socket.SHUT_RDWR)
            for thread in (accepting, *threads):
                thread.join()


def patient(name: str) -> dict[str, float | int]:
    waits = name in ("a head that drips", "a body that drips", "no answer")
    return {"timeout_s": 0.3 if waits else 60.0, "retries": 0, "backoff_s": 0.0}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_policy_and_a_judge_fail_with_the_reason(name: str) -> None:
    sends, why = HOSTILE[name]
    with hostile(sends) as url:
        policy = EndpointPolicy(url, "m", **patient(name))  # type: ignore[arg-type]
        with pytest.raises(PolicyError) as raised:
            policy.generate(["?"])
        score = JudgeScorer(judge_client(url, "m", endpoint=patient(name))).score(
            [(Task("?"), Completion("A sentence."))]
        )[0]
    for problem in (str(raised.value), score.reason):
        assert why in problem
        assert url in problem
    assert score.value is None


@pytest.mark.parametrize("name", sorted(set(HOSTILE) - CHAT_ALONE))
def test_scorers_fail_their_completions_with_the_reason(name: str) -> None:
    sends, why = HOSTILE[name]
    with hostile(sends) as url:
        score = HttpScorer(url, **patient(name)).score([(Task("?"), Completion("A sentence."))])[0]  # type: ignore[arg-type]
        steps = HttpStepScorer(url, **patient(name)).score_steps([Stepped(Task("?"), Completion("One."), ((0, 4),))])[0]  # type: ignore[arg-type]
    for reason in (score.reason, *steps.reasons):
        assert why in reason
        assert url in reason


def test_a_redirection_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with (
        serving(lambda number, body: (200, {})) as other,
        serving(lambda number, body: (307, "", {"Location": other.url + "/chat/completions"})) as server,
        pytest.raises(PolicyError, match="refused: 307; give the address that it points to"),
    ):
        EndpointPolicy(server.url, "m").generate(["?"])
    assert other.bodies == []


@pytest.mark.parametrize(
    "answer",
    [
        b'{"choices": [{"text": {"a": 1}}]}',
        b'{"choices": [{"text": "7", "logprobs": {"token_logprobs": [1' + b"0" * 400 + b"]}}]}",
        b'{"choices": [{"text": "7"}], "usage": {"prompt_tokens": Infinity}}',
    ],
)
def test_an_answer_of_other_types_is_refused(answer: bytes) -> None:
    with hostile(says(plain(answer))) as url, pytest.raises(PolicyError, match="not an answer of a chat model"):
        EndpointPolicy(url, "m").generate(["?"])


def test_a_server_that_asks_for_a_long_pause_is_asked_again_after_the_time_of_a_request() -> None:
    with serving(lambda number, body: (429, "", {"Retry-After": "1e18"})) as server:
        with pytest.raises(PolicyError, match="no answer after 2 tries"):
            EndpointPolicy(server.url, "m", timeout_s=0.2, retries=1, backoff_s=0.0).generate(["?"])
        assert len(server.bodies) == 2


def test_a_bound_can_be_set() -> None:
    with hostile(says(choices(1000))) as url, pytest.raises(PolicyError, match=r"longer than 0\.01 MB"):
        EndpointPolicy(url, "m", answer_mb=0.01).generate(["?"])
    with pytest.raises(ConfigError, match="answer_mb above 0"):
        Patience(answer_mb=0.0)
