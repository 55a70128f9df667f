"""A service in this process, behind a real socket."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

pytest.importorskip("fastapi", reason="needs the extra serve")
pytest.importorskip("uvicorn", reason="needs the extra serve")
pytest.importorskip("prometheus_client", reason="needs the extra serve")

from rlenv.core.jsontypes import Json
from rlenv.serving.app import Service, listening, make_app, server
from rlenv.serving.settings import ServeSettings

ENV = "math/arithmetic-v1"
START_S = 30.0


class Running:
    """The address, a client for it and the service itself."""

    def __init__(self, url: str, service: Service) -> None:
        self.url, self.service = url, service
        self.http = httpx2.Client(base_url=url, timeout=60, trust_env=False)

    def ask(self, path: str, body: object, **headers: str) -> dict[str, Any]:
        """The answer to a call that must succeed."""
        response = self.http.post(path, json=body, headers=headers)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer


@contextmanager
def running(*envs: str, kwargs: Mapping[str, Mapping[str, Json]] | None = None, **settings: Any) -> Iterator[Running]:
    """A service of these environments (the sums where none is named), up until the end of the block."""
    config = ServeSettings(**{"port": 0, "workers": 1, **settings})
    named = [(env, (kwargs or {}).get(env, {})) for env in envs or (ENV,)]
    with listening(config) as socket:
        service = Service(named, config)
        uvicorn = server(make_app(service), config)
        thread = threading.Thread(target=uvicorn.run, kwargs={"sockets": [socket]})
        thread.start()
        until = time.monotonic() + START_S
        while not uvicorn.started and thread.is_alive() and time.monotonic() < until:
            time.sleep(0.01)
        started = Running(f"http://127.0.0.1:{socket.getsockname()[1]}", service)
        try:
            with started.http:
                yield started
        finally:
            uvicorn.should_exit = True
            thread.join()
