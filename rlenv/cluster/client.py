"""A verifier that asks an `rlenv serve` (docs/serve.md): verdicts of another process or machine, many at once.

    from rlenv.cluster.client import RemoteVerifier

    verifier = RemoteVerifier("http://127.0.0.1:8411", "math/arithmetic-v1")
    rlenv.register("remote/arithmetic-v1", tasks=rlenv.load("math/arithmetic-v1").tasks, verifier=verifier)

A verdict is pure, so a request that got no answer is sent again until the server is back: nothing is lost. What stays
without an answer is a `verifier_error`, never a 0. Wrappers run here, with the state of this run; the server applies
none.
"""

from __future__ import annotations

import os
import threading
import uuid
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, cast

from rlenv.core.completion import Completion
from rlenv.core.errors import MISREAD, ConfigError, PolicyError
from rlenv.core.jsontypes import Json, canonical, line
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.door.answer import Answer
from rlenv.door.posting import Patience, Poster, address, ask, client, refusal

if TYPE_CHECKING:
    import httpx2

REQUEST_BYTES = 4 << 20
"""A request grows up to this size; one completion that is longer goes alone."""


class RemoteVerifier:
    """The verifier of an environment that a server judges with. Made with the server up, which says its version."""

    cheap = False
    sees_turns = True
    """The server takes the last turn where its verifier wants that one alone."""

    def __init__(
        self,
        url: str,
        env: str,
        *,
        kwargs: Mapping[str, Json] | None = None,
        key_env: str = "RLENV_SERVE_KEY",
        batch_size: int = 64,
        concurrency: int = 8,
        timeout_s: float = 300.0,
        retries: int = 8,
        backoff_s: float = 0.25,
    ) -> None:
        """`key_env` names the environment variable that holds the key. With the defaults a server that is away for a
        minute costs no verdict.

        Raises PolicyError where the server is not there or does not let us in, ConfigError where it does not judge this
        environment with these keywords.
        """
        if batch_size < 1:
            raise ConfigError(f"expected a batch_size of at least 1, got {batch_size}")
        self.url, self.env, self.kwargs, self.key_env = address(url), env, kwargs, key_env
        self.batch_size = batch_size
        self.patience = Patience(concurrency=concurrency, timeout_s=timeout_s, retries=retries, backoff_s=backoff_s)
        self._http: tuple[int, httpx2.Client] | None = None
        self._lock = threading.Lock()
        self.version = self._served_version()

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in vars(self).items() if key not in ("_http", "_lock")}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _http=None, _lock=threading.Lock())

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """The verdict of one completion."""
        return next(verdict for _, verdict in self.verify_all([(task, completion)]))

    def verify_all(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[tuple[int, Verdict]]:
        """The index and verdict of every job, in the order in which the server answers."""
        # a server that is away costs its retries once, and not for each batch
        poster = Poster(self._client(), self.patience, outages=self.patience.concurrency)
        with ThreadPoolExecutor(self.patience.concurrency, thread_name_prefix="remote") as threads:
            requests = [threads.submit(self._post, poster, batch) for batch in self._batches(jobs)]
            try:
                for request in as_completed(requests):
                    yield from request.result()
            finally:
                poster.stopped.set()
                for request in requests:
                    request.cancel()

    def _post(self, poster: Poster, batch: _Batch) -> list[tuple[int, Verdict]]:
        try:
            answer = self._read(poster.post(f"{self.url}/judge_batch", batch.body()))
            verdicts = answer["verdicts"]
            if answer["request_id"] != batch.id or len(verdicts) != len(batch.places):
                raise ValueError(f"for another request, or of {len(verdicts)} verdicts for {len(batch.places)}")
            return list(zip(batch.places, map(self._verdict, verdicts), strict=True))
        except PolicyError as problem:
            why = str(problem)
        except MISREAD as error:
            why = f"{self.url}: not an answer of rlenv serve ({type(error).__name__}: {error})"
        return [(place, Verdict.error(why)) for place in batch.places]

    def _read(self, response: Answer) -> dict[str, Any]:
        """Raises PolicyError where the server refuses, and `MISREAD` for what is no JSON."""
        if response.status_code != 200:
            raise PolicyError(refusal(self.url, response, self.key_env))
        return cast("dict[str, Any]", response.json())

    def _verdict(self, answer: Mapping[str, Any]) -> Verdict:
        if answer["verifier_version"] != self.version:
            return Verdict.error(
                f"{self.url} judges with version {answer['verifier_version']} of the verifier now, this run began with "
                f"{self.version}; start the run again, or the server as it was"
            )
        return Verdict.from_json(answer)

    def _batches(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[_Batch]:
        batch = _Batch(self.env, self.kwargs)
        for place, (task, completion) in enumerate(jobs):
            if not batch.add(place, task, completion, self.batch_size):
                yield batch
                batch = _Batch(self.env, self.kwargs)
                batch.add(place, task, completion, self.batch_size)
        if batch.places:
            yield batch

    def _served_version(self) -> str:
        """Of the verifier, as the server says it."""
        served = self._served()
        if self.env not in served:
            raise ConfigError(f"{self.url} judges {', '.join(served)}; start it with: rlenv serve {self.env}")
        version, kwargs = served[self.env]
        if self.kwargs is not None and canonical(self.kwargs) != canonical(kwargs):
            raise ConfigError(
                f"{self.url} judges {self.env} with {canonical(kwargs)}, expected {canonical(self.kwargs)}; start it "
                "with these as --set ID:KEY=VALUE"
            )
        return version

    def _served(self) -> dict[str, tuple[str, Json]]:
        """The environments of the server, each with its version and keywords."""
        import httpx2

        try:
            served = self._read(ask(self._client(), self.patience, "GET", f"{self.url}/environments"))["environments"]
            return {str(one["env"]): (str(one["verifier_version"]), one["kwargs"]) for one in served}
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise PolicyError(f"{self.url}: {error}; start the server with: rlenv serve {self.env}") from error
        except MISREAD as error:
            raise PolicyError(f"{self.url}: not an rlenv serve ({error!r}); check the address") from error

    def _client(self) -> httpx2.Client:
        """One client for all threads of this process: its connections stay open."""
        with self._lock:
            if self._http is None or self._http[0] != os.getpid():
                self._http = os.getpid(), client(self.patience, self.key_env)
                weakref.finalize(self, self._http[1].close)
            return self._http[1]


class _Batch:
    """The completions of one request, those of one task together."""

    def __init__(self, env: str, kwargs: Mapping[str, Json] | None) -> None:
        self.id = uuid.uuid4().hex
        self.places: list[int] = []
        self._size = 0
        self._row: dict[str, Json] = {"env": env} if kwargs is None else {"env": env, "kwargs": dict(kwargs)}
        self._groups: list[tuple[Task, str, list[str]]] = []

    def add(self, place: int, task: Task, completion: Completion, most: int) -> bool:
        """Put in a completion where there is room; the same task as the last one's is sent once."""
        said = _written(_sent(completion))
        same = bool(self._groups) and self._groups[-1][0] is task
        row = "" if same else _written({**self._row, "task": task.to_json()})
        size = self._size + len(said) + len(row)
        if self.places and (len(self.places) >= most or size > REQUEST_BYTES):
            return False
        if not same:
            self._groups.append((task, row, []))
        self._groups[-1][2].append(said)
        self._size = size
        self.places.append(place)
        return True

    def body(self) -> bytes:
        """The request."""
        groups = [f'{row[:-1]},"completions":[{",".join(said)}]}}' for _, row, said in self._groups]
        return f'{{"request_id":"{self.id}","wrappers":false,"groups":[{",".join(groups)}]}}'.encode("ascii")


def _written(value: Json) -> str:
    """In ASCII: lone surrogates of a hostile completion travel too."""
    return line(value)[:-1]


def _sent(completion: Completion) -> Json:
    """The completion as JSON, without log-probs, which no verifier reads."""
    if completion == Completion(completion.text):
        return completion.text
    return {**completion.to_json(), "logprobs": []}
