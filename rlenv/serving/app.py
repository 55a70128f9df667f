"""The service as a FastAPI application, and its start.

POST /judge        one completion            POST /openrlhf   as OpenRLHF asks a reward model
POST /judge_batch  groups of completions     POST /verify     as NeMo Gym asks a resources server
GET  /environments what is judged, and how   GET  /health, GET /metrics
POST /seed_session, /close_session, /aggregate_metrics, GET /reverify_mode   what else NeMo Gym asks of one
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeAlias, TypeVar

import uvicorn
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import ClientDisconnect

from rlenv.core import VERSION
from rlenv.core.errors import ConfigError, RlenvError, Saturated, UnknownEnvironment
from rlenv.core.jsontypes import Json, line
from rlenv.core.verdict import Verdict
from rlenv.door.deadline import OVERDUE
from rlenv.serving import forms
from rlenv.serving.gate import Gate
from rlenv.serving.judging import Desk, Environments, Job, judged
from rlenv.serving.metrics import CONTENT_TYPE_LATEST, Metrics
from rlenv.serving.protocol import bounded
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
_REF = "#/components/schemas/{model}"
JUDGING: Mapping[str, type[forms.JudgingForm]] = {
    "/judge": forms.JudgeRequest,
    "/judge_batch": forms.BatchRequest,
    "/openrlhf": forms.OpenRLHFRequest,
    "/verify": forms.VerifyRequest,
}
"""The form of the requests that are judged."""
SESSIONS = ("/seed_session", "/close_session")

Result = TypeVar("Result")
Call: TypeAlias = "Callable[[Request], Coroutine[None, None, Response]]"
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

    async def judge(self, form: type[forms.JudgingForm], request: Request) -> Response:
        """The verdicts on what a request of this form asks."""
        body = await _body(request)
        asked = await self._near(body, lambda: forms.read_form(form, body))

        jobs = await self._near(body, lambda: asked.jobs(self.environments, self.settings.eos))
        verdicts = await self._verdicts(jobs, asked.wrappers)
        return _json(await self._near(body, lambda: _written(asked.answer(jobs, verdicts))))

    async def session(self, request: Request) -> Response:
        """NeMo Gym's agents and environment servers open and close each rollout so; there is nothing to remember."""
        body = await _body(request)
        return _json(_written(forms.read_form(forms.SessionRequest, body or b"{}").answer()))

    async def reverify_mode(self, request: Request) -> Response:
        """Whether NeMo Gym may send a rollout once more: not where wrappers learn from what they see."""
        wrapped = any(served.definition.wrappers for served in self.environments)
        return _json(line("unsupported" if wrapped else "stateless").encode("ascii"))

    async def aggregate(self, request: Request) -> Response:
        """NeMo Gym's metrics of a whole run."""
        body = await _body(request)
        return _json(await self._near(body, lambda: _written(forms.read_form(forms.AggregateRequest, body).summary())))

    async def list_environments(self, request: Request) -> Response:
        """The environments that are judged here, each with the version of its verifier."""
        return _json(_written({"environments": [served.describe() for served in self.environments]}))

    async def health(self, request: Request) -> Response:
        """That the server is up."""
        return _json(_written({"status": "ok", "version": VERSION, "waiting": self.desk.waiting}))

    async def prometheus(self, request: Request) -> Response:
        """The metrics, for Prometheus."""
        return Response(self.metrics.text(), media_type=CONTENT_TYPE_LATEST)

    def close(self) -> None:
        """End the threads and the workers, once what was begun is judged."""
        self.desk.close()
        self.pool.close()

    async def _near(self, body: bytes, work: Callable[[], Result]) -> Result:
        """What `work` gives, which takes time with the length of the body: here where that is short."""
        return work() if len(body) <= READ_HERE else await self.desk.read(work)

    async def _verdicts(self, jobs: Sequence[Job], wrappers: bool) -> list[Verdict]:
        most = self.settings.max_batch
        if len(jobs) > most:
            raise ConfigError(f"{len(jobs)} completions in one request, and this server takes {most}; send fewer")
        if not jobs:
            return []
        start = time.monotonic()
        with self.desk.room(len(jobs)):
            verdicts = await self.desk.judged(lambda: judged(jobs, wrappers=wrappers), self.settings.request_s)
        if verdicts is None:
            verdicts = [Verdict.error(OVERDUE)] * len(jobs)
        self.metrics.seconds.observe(time.monotonic() - start)
        for job, verdict in zip(jobs, verdicts, strict=True):
            env = "none" if job.served is None else job.served.definition.id
            self.metrics.verdicts.labels(env, verdict.status).inc()
            if verdict.reward is not None and verdict.reward > 0:
                self.metrics.rewards.labels(env).inc()
        return verdicts


class Application(FastAPI):
    """FastAPI, with the forms in its schema: bodies are read by us, within bounds that it lacks."""

    def openapi(self) -> dict[str, Any]:
        """The schema of the service."""
        schema = super().openapi()
        models = [(form, "validation") for form in (*JUDGING.values(), forms.SessionRequest, forms.AggregateRequest)]
        _, shown = models_json_schema(models, ref_template=_REF)  # type: ignore[arg-type]
        return {**schema, "components": {"schemas": shown["$defs"]}}


def make_app(service: Service) -> FastAPI:
    """The application; it closes the service when it ends."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.close)

    # the pages that show the calls load scripts of others; the schema itself stays
    app = Application(title="rlenv", version=VERSION, docs_url=None, redoc_url=None, lifespan=lifespan)
    looks = {
        "/environments": service.list_environments,
        "/health": service.health,
        "/metrics": service.prometheus,
        "/reverify_mode": service.reverify_mode,
    }
    for path, look in looks.items():
        app.get(path, response_model=None)(look)
    for path, form in JUDGING.items():
        _post(app, path, partial(service.judge, form), form)
    _post(app, "/aggregate_metrics", service.aggregate, forms.AggregateRequest)
    for path in SESSIONS:
        _post(app, path, service.session, forms.SessionRequest)
    app.add_exception_handler(RlenvError, _refused)
    paths = frozenset([*looks, *JUDGING, *SESSIONS, "/aggregate_metrics", "/openapi.json"])
    app.add_middleware(Gate, settings=service.settings, metrics=service.metrics, paths=paths)
    return app


def _post(app: FastAPI, path: str, call: Call, form: type[BaseModel]) -> None:
    async def endpoint(request: Request) -> Response:
        return await call(request)

    content = {"application/json": {"schema": {"$ref": _REF.format(model=form.__name__)}}}
    extra = {"requestBody": {"required": True, "content": content}}
    app.post(path, name=path[1:], description=form.__doc__, response_model=None, openapi_extra=extra)(endpoint)


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
    return Response(_written({"error": shown_line(str(error), SHOWN)}), status, headers, "application/json")


def _written(value: Mapping[str, Json]) -> bytes:
    """ASCII, so that lone surrogates of a hostile completion travel."""
    return line(value).encode("ascii")


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
