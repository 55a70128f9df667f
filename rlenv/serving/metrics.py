"""What the service counts, in Prometheus' text form."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST as CONTENT_TYPE_LATEST
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The counters of one service; labels take values of the service alone, never of a client."""

    def __init__(self, waiting: Callable[[], float], restarts: Callable[[], float]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter("rlenv_requests", "Requests answered", ["path", "status"], registry=self._registry)
        self.verdicts = Counter("rlenv_verdicts", "Verdicts given", ["env", "status"], registry=self._registry)
        self.rewards = Counter("rlenv_paid", "Verdicts with a reward above 0", ["env"], registry=self._registry)
        self.seconds = Histogram(
            "rlenv_judge_seconds",
            "From the queue to the verdicts of one request",
            registry=self._registry,
            buckets=BUCKETS_S,
        )
        Gauge("rlenv_waiting", "Completions that wait or are judged", registry=self._registry).set_function(waiting)
        Gauge("rlenv_worker_restarts", "Worker processes replaced", registry=self._registry).set_function(restarts)

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)
