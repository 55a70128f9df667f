"""What runs on each node of the cluster: its local pool, and the sandbox of that node for programs and tools.

The actor itself runs nothing that a completion can make expensive: that happens in the pool's processes and in cells.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cloudpickle

from rlenv.core.completion import Completion
from rlenv.core.errors import MachineryError, VerifierContractError
from rlenv.core.interaction import AtOnce, Closing, Interaction, Reply
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier
from rlenv.judge.judge import in_batch
from rlenv.turns.play import reply_of
from rlenv.workers.pool import PickledVerifier, WorkerPool, anywhere, share
from rlenv.workers.protocol import Job

MOST_LOADED = 32
"""Verifiers and interactions that are kept."""


class Node:
    """Judges and answers on one node. Its methods are called from several threads."""

    def __init__(self, host: str, cpus: int, cells: int | None) -> None:
        """`cpus` worker processes; with `cells` so many programs at once, else one a core."""
        self.host, self.cpus = host, cpus
        if cells is not None:
            os.environ["RLENV_CELLS"] = str(cells)  # what rlenv.sandbox opens is bounded by it
        self._pool = WorkerPool(cpus)
        share(self._pool)  # for tools, and for verifiers that ask others
        self._loaded: dict[str, Any] = {}
        self._lock = threading.Lock()

    def ready(self) -> None:
        """Answers once the actor has started."""

    def judge(self, verifier: PickledVerifier, jobs: bytes, time_limit_s: float) -> list[Verdict]:
        """One verdict a job. Raises VerifierContractError where the verifier cannot be loaded, or is not the same."""
        received: Sequence[Job] = cloudpickle.loads(jobs)
        loaded = self._load(verifier)
        if isinstance(loaded, BatchVerifier) and anywhere(loaded):
            return in_batch(loaded, received)
        return self._pool.judge_all(verifier, received, time_limit_s)

    def respond(self, interaction: PickledVerifier, turns: bytes) -> list[Reply | Exception]:
        """The reply to each turn; an episode that ends with it is closed."""
        received: Sequence[tuple[Json, Completion]] = cloudpickle.loads(turns)
        loaded: Interaction = self._load(interaction)
        try:
            replies = self._replies(loaded, received)
        except Exception as error:  # an interaction is user code
            replies = [error] * len(received)
        if isinstance(loaded, Closing):
            for reply in replies:
                if isinstance(reply, Reply) and reply.ended:
                    loaded.close(reply.state)
        return [
            MachineryError(f"{type(reply).__name__}: {reply}") if isinstance(reply, Exception) else reply
            for reply in replies
        ]

    def _replies(self, interaction: Interaction, turns: Sequence[tuple[Json, Completion]]) -> list[Reply | Exception]:
        if isinstance(interaction, AtOnce):
            return list(interaction.respond_all(turns))
        with ThreadPoolExecutor(2 * self.cpus) as threads:
            return list(threads.map(lambda turn: reply_of(interaction, *turn), turns))

    def _load(self, pickled: PickledVerifier) -> Any:
        with self._lock:
            if pickled.key in self._loaded:
                return self._loaded[pickled.key]
            try:
                loaded = cloudpickle.loads(pickled.blob)
            except Exception as error:  # whatever unpickling user code raises
                raise VerifierContractError(
                    f"node {self.host} cannot load the verifier ({type(error).__name__}: {error}); install there what "
                    "it needs, or bring it with Ray's runtime_env"
                ) from error
            version = str(getattr(loaded, "version", ""))
            if version != pickled.version:
                raise VerifierContractError(
                    f"node {self.host} has version {version!r} of the verifier, this process {pickled.version!r}; "
                    "install the same rlenv and the same code there"
                )
            if len(self._loaded) >= MOST_LOADED:
                self._loaded.clear()
            self._loaded[pickled.key] = loaded
            return loaded
