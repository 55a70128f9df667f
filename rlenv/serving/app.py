"""The service as a FastAPI application, and its start.

POST /judge        one completion            POST /openrlhf   as OpenRLHF asks a reward model
POST /judge_batch  groups of completions     POST /verify     as NeMo Gym asks a resources server
GET  /environments what is judged, and how   GET  /health, GET /metrics
POST /seed_session and /aggregate_metrics    what else NeMo Gym asks of a resources server
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias, TypeVar

import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

import rlenv
from rlenv.core.errors import ConfigError, RlenvError, Saturated, UnknownEnvironment
from rlenv.core.jsontypes import Json, line
from rlenv.core.verdict import Verdict
from rlenv.door.deadline import OVERDUE
from rlenv.serving import forms
from rlenv.serving.forms import Asked
from rlenv.serving.gate import Gate
from rlenv.serving.judging import Desk, Environments, judged
from rlenv.serving.metrics import CONTENT_TYPE_LATEST, Metrics
from rlenv.serving.protocol import bounded
from rlenv.serving.remembered import Remembered
from rlenv.serving.settings import ServeSettings
from rlenv.text.escaping import shown_line
from rlenv.workers.pool import WorkerPool

BODY_S = 60.0
"""How long a client may take to send a body that was let in, and to take the answer."""
READ_HERE = 64 << 10
"""Bytes of a request that are read between two other requests; more would make these wait, and is read in a thread."""
SHOWN = 2_000
"""Characters of an error that are told."""
CONNECTIONS, BACKLOG = 1024, 1024
"""Connections that are open, and that wait to be."""
KEEP_ALIVE_S = 30

Found = TypeVar("Found")
Data: TypeAlias = "Mapping[str, Json]"
Named: TypeAlias = "Sequence[tuple[str, Mapping[str, Json]]]"
"""Environments by id, each with its keywords."""


class Service:
    """Answers requests with the verdicts of the environments that were named."""

    def __init__(self, named: Named, settings: ServeSettings) -> None:
        """Raises an RlenvError where an environment cannot be made, or its checker cannot work here."""
        self.settings = settings
        self.pool = WorkerPool(settings.workers, memory_mb=settings.worker_mb)
        self.environments = Environments(named, evaluation=settings.evaluation, pool=self.pool)
        self.environments.check()
        self.desk = Desk(queue=settings.queue, threads=settings.threads)
        self.metrics = Metrics(lambda: self.desk.waiting, lambda: self.pool.restarts)
        self._remembered = Remembered()

    async def judge(self, request: Request) -> Response:
        """One completion: `{"env", "task", "completion"}`."""
        return await self._judged(request, forms.one_asked, forms.one_told)

    async def judge_batch(self, request: Request) -> Response:
        """Groups of completions: `{"groups": [{"env", "task", "completions"}]}`."""
        return await self._judged(request, forms.batch_asked, forms.batch_told)

    async def openrlhf(self, request: Request) -> Response:
        """As OpenRLHF asks: `{"query", "prompts", "labels"}`; a label is a row of `rlenv.to_row`."""
        asked = partial(forms.openrlhf_asked, eos=self.settings.eos)
        return await self._judged(request, asked, forms.openrlhf_told)

    async def verify(self, request: Request) -> Response:
        """As NeMo Gym asks: `{"responses_create_params", "response", "rlenv_row"}`."""
        body = await _body(request)
        data = await self._near(body, lambda: forms.read_object(body))
        asked = await self._near(body, lambda: forms.nemo_asked(data, self.environments))
        verdict = (await self._verdicts(asked))[0]
        return _json(await self._near(body, lambda: forms.nemo_told(data, verdict)))

    async def seeded(self, request: Request) -> Response:
        """NeMo Gym's agents open each rollout so; there is nothing to remember."""
        return _json(b"{}")

    async def aggregated(self, request: Request) -> Response:
        """NeMo Gym's metrics of a whole run: `{"verify_responses": [...]}`."""
        body = await _body(request)
        return _json(await self._near(body, lambda: forms.nemo_summary(forms.read_object(body))))

    async def told(self, request: Request) -> Response:
        """The environments that are judged here, each with the version of its verifier."""
        return _json(line({"environments": [served.told() for served in self.environments]}).encode())

    async def health(self, request: Request) -> Response:
        """That the server is up."""
        return _json(line({"status": "ok", "version": rlenv.__version__, "waiting": self.desk.waiting}).encode())

    async def counted(self, request: Request) -> Response:
        """The metrics, for Prometheus."""
        return Response(self.metrics.text(), media_type=CONTENT_TYPE_LATEST)

    def close(self) -> None:
        """End the threads and the workers, once what was begun is judged."""
        self.desk.close()
        self.pool.close()

    async def _judged(
        self,
        request: Request,
        form: Callable[[Data, Environments], Asked],
        told: Callable[[Asked, Sequence[Verdict]], bytes],
    ) -> Response:
        body = await _body(request)
        data = await self._near(body, lambda: forms.read_object(body))

        async def answer() -> bytes:
            asked = await self._near(body, lambda: form(data, self.environments))
            verdicts = await self._verdicts(asked)
            return await self._near(body, lambda: told(asked, verdicts))

        content, repeated = await self._remembered.once(forms.request_id(data), body, answer)
        if repeated:
            self.metrics.repeated.inc()
        return _json(content)

    async def _near(self, body: bytes, work: Callable[[], Found]) -> Found:
        """What `work` gives, which takes time with the length of the body: here where that is short."""
        return work() if len(body) <= READ_HERE else await self.desk.read(work)

    async def _verdicts(self, asked: Asked) -> list[Verdict]:
        most = self.settings.max_batch
        if len(asked.jobs) > most:
            raise ConfigError(f"{len(asked.jobs)} completions in one request, and this server takes {most}; send fewer")
        if not asked.jobs:
            return []
        start = time.monotonic()
        with self.desk.room(len(asked.jobs)):
            found = await self.desk.judged(lambda: judged(asked.jobs, wrappers=asked.wrappers), self.settings.request_s)
        verdicts = [Verdict.error(OVERDUE)] * len(asked.jobs) if found is None else found
        self.metrics.seconds.observe(time.monotonic() - start)
        for job, verdict in zip(asked.jobs, verdicts, strict=True):
            env = "none" if job.served is None else job.served.definition.id
            self.metrics.verdicts.labels(env, verdict.status).inc()
            if verdict.reward is not None and verdict.reward > 0:
                self.metrics.rewards.labels(env).inc()
        return verdicts


def make_app(service: Service) -> FastAPI:
    """The application; it closes the service when it ends."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.close)

    # the pages that show the calls load scripts of others; the schema itself stays
    app = FastAPI(title="rlenv", version=rlenv.__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    calls: dict[str, Callable[[Request], Awaitable[Response]]] = {
        "/judge": service.judge,
        "/judge_batch": service.judge_batch,
        "/openrlhf": service.openrlhf,
        "/verify": service.verify,
        "/seed_session": service.seeded,
        "/aggregate_metrics": service.aggregated,
    }
    looks = {"/environments": service.told, "/health": service.health, "/metrics": service.counted}
    for path, call in calls.items():
        app.post(path, response_model=None)(call)
    for path, look in looks.items():
        app.get(path, response_model=None)(look)
    app.add_exception_handler(RlenvError, _refused)
    app.add_middleware(
        Gate, settings=service.settings, metrics=service.metrics, paths=frozenset([*calls, *looks, "/openapi.json"])
    )
    return app


def listening(settings: ServeSettings) -> socket.socket:
    """A socket at the address of the settings. Raises ConfigError where there is none to have."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listener = socket.create_server((settings.host, settings.port), family=family, backlog=BACKLOG)
    except OSError as error:
        problem = (error.strerror or str(error)).partition(" (while")[0]  # "... (while attempting to bind on ...)"
        place = f"{settings.host} port {settings.port}"
        raise ConfigError(f"cannot listen on {place}: {problem}; give another --host or --port") from error
    # connections inherit it; asyncio sets it only on sockets that name TCP, and an answer would wait 40 ms for an ACK
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def server(app: FastAPI, settings: ServeSettings) -> uvicorn.Server:
    """What runs the application; `run(sockets=[...])` blocks until a signal ends it."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            http=bounded(BODY_S + settings.request_s + BODY_S, KEEP_ALIVE_S),
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_S,
        )
    )


async def _body(request: Request) -> bytes:
    try:
        async with asyncio.timeout(BODY_S):
            return await request.body()
    except TimeoutError as error:
        raise ConfigError(f"the body did not come within {BODY_S:g} s") from error
    except ClientDisconnect as error:
        raise ConfigError("the client hung up before its body had come") from error


async def _refused(request: Request, error: Exception) -> Response:
    """What is wrong with a request, or with the moment it came."""
    status = 503 if isinstance(error, Saturated) else 404 if isinstance(error, UnknownEnvironment) else 400
    headers = {"Retry-After": str(error.retry_after_s)} if isinstance(error, Saturated) else {}
    content = line({"error": shown_line(str(error), SHOWN)}).encode("ascii")
    return Response(content, status, headers, "application/json")


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
