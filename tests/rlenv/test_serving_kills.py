"""The server is killed and started again under 64 clients: no verdict is lost, none is wrong, none is given twice."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from served import ENV

import rlenv
from rlenv.cluster.client import RemoteVerifier
from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.door.posting import Poster
from rlenv.serving.settings import KEY_ENV

CLIENTS, REQUESTS, KILLS = 64, 10_000, 2


class Restarted:
    """`rlenv serve` as a process that can be killed and is started again at the same address."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "rlenv", "serve", ENV, "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self.url in self._process.stdout.readline()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def again(self) -> None:
        self.kill()
        self._start()


class Tally:
    """Verdicts as they come in, with the place of each."""

    def __init__(self) -> None:
        self.given: list[tuple[int, Verdict]] = []
        self.changed = threading.Condition()

    def add(self, place: int, verdict: Verdict) -> None:
        with self.changed:
            self.given.append((place, verdict))
            self.changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.given) >= count, timeout=300)


@pytest.mark.slow
def test_no_verdict_is_lost_or_wrong_when_the_server_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv(KEY_ENV, raising=False)
    broken = Counter[str]()
    once = Poster._once

    def noting(self: Poster, url: str, body: object) -> object:
        try:
            return once(self, url, body)  # type: ignore[arg-type]
        except Exception as error:
            broken[type(error).__name__] += 1
            raise

    monkeypatch.setattr(Poster, "_once", noting)
    definition = rlenv.load(ENV)
    jobs = [job(definition, number) for number in range(REQUESTS)]
    tally, server = Tally(), Restarted()
    try:
        clients = [RemoteVerifier(server.url, ENV, concurrency=1, backoff_s=0.1, retries=12) for _ in range(CLIENTS)]

        def work(client: int) -> None:
            for place in range(client, REQUESTS, CLIENTS):
                tally.add(place, clients[client].verify(*jobs[place][:2]))

        with ThreadPoolExecutor(CLIENTS) as threads:
            working = [threads.submit(work, client) for client in range(CLIENTS)]
            for kill in range(1, KILLS + 1):
                tally.wait_for(kill * REQUESTS // (KILLS + 1))
                server.again()
            for one in working:
                one.result()
    finally:
        server.kill()
    assert sum(broken.values()) >= KILLS  # requests that were under way, and sent again
    assert Counter(place for place, _ in tally.given) == Counter(range(REQUESTS))
    assert {jobs[place][2] == verdict.reward for place, verdict in tally.given} == {True}


def job(definition: rlenv.Definition, number: int) -> tuple[Task, Completion, float]:
    """A sum, an answer that no other request has, and what it is worth."""
    task = definition.tasks[number % len(definition.tasks)]
    right = number % 3 == 0
    text = definition.solution(task) if right else f"\\boxed{{-{number + 1}}}"
    return task, Completion(f"Answer {number}. {text}"), float(right)
