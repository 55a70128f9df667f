"""Verdicts of all nodes of a Ray cluster, with the interface of the local pool.

    with RayPool("ray://head:10001") as pool:
        rlenv.evaluate("code/humaneval-v0", policy, pool=pool)

Each node has one actor (node.py) with a worker pool and a sandbox of its own, and at most two messages of a call under
way: nothing piles up on it or in Ray's object store. When a node is lost its jobs are asked again once, elsewhere; a
second loss is a `verifier_error`. Nodes that join are found within seconds.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import cloudpickle

from rlenv.cluster.call import Call
from rlenv.cluster.node import Node
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, MachineryError, MissingExtra, RlenvError
from rlenv.core.interaction import Interaction, Reply
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict
from rlenv.workers.pool import OnVerdict, PickledVerifier
from rlenv.workers.protocol import Job

AHEAD = 2
"""Messages of a call that a node has at once: it works on one while the other travels."""
START_LIMIT_S = 60.0
LOOK_EVERY_S = 5.0
"""How often nodes are looked for that have joined."""
CALLS_AT_ONCE = 32
"""Threads of an actor; more messages wait there."""
Answer = TypeVar("Answer")


@dataclass(eq=False)
class _Member:
    """An actor and the node that it is on."""

    node_id: str
    host: str
    actor: Any
    ready: Any
    """Resolves once the actor has started."""
    out: int = 0
    """Messages under way, of all calls."""
    heard_at: float = 0.0


class RayPool:
    """Judges on every node of a cluster. Serves any number of threads.

    `lost` counts the nodes whose actor was lost.
    """

    def __init__(self, address: str = "ray", *, cpus: int | None = None) -> None:
        """`address` is "ray" (the cluster of this machine, or one that is started now) or "ray://HOST:PORT".

        With `cpus` each node reserves so many cores of Ray's and uses no more; without, it uses all and reserves none.
        Raises MissingExtra, and ConfigError where there is no cluster or no node with room.
        """
        if cpus is not None and cpus < 1:
            raise ConfigError(f"expected at least 1 core a node, got cpus={cpus}")
        self.address, self.cpus, self.lost = address, cpus, 0
        self._ray, self._ours = _connected(address)
        self._lock = threading.RLock()
        self._members: dict[str, _Member] = {}
        self._coming: dict[str, _Member] = {}
        self._looked_at = 0.0
        self._pace: dict[str, float] = {}
        self._sent: tuple[Interaction, PickledVerifier] | None = None
        self._closed = False
        if not self._staffed():
            raise ConfigError(
                f"no node of the Ray cluster had {cpus or 'any'} cores free within {START_LIMIT_S:g} s; "
                "reserve fewer (--set 'verdicts=ray?cpus=2'), or see `ray status`"
            )

    @property
    def nodes(self) -> list[str]:
        """The addresses of the nodes that judge."""
        return [member.host for member in self._members.values()]

    def judge_all(
        self,
        verifier: PickledVerifier,
        jobs: Sequence[Job],
        time_limit_s: float,
        on_verdict: OnVerdict | None = None,
    ) -> list[Verdict]:
        """One verdict a job, in order; `on_verdict(index, verdict)` hears of each as it is answered.

        Raises VerifierContractError when no node can load the verifier, or one has another version of it.
        """
        call: Call[Job, Verdict] = Call(jobs, Verdict.error, pace=self._pace.get(verifier.key, 0.0))
        packed = self._ray.put(verifier)

        def send(member: _Member, indices: Sequence[int]) -> Any:
            return member.actor.judge.remote(packed, _pickled(call, indices), time_limit_s)

        self._see_through(call, send, on_verdict)
        self._pace[verifier.key] = call.pace
        return [call.answers[index] for index in range(len(jobs))]

    def respond_all(
        self, interaction: Interaction, turns: Sequence[tuple[Json, Completion]], homes: Sequence[int]
    ) -> list[Reply | Exception]:
        """The reply to each turn; equal homes are answered on one node while it lives, where their sessions are."""
        if self._sent is None or self._sent[0] is not interaction:
            self._sent = interaction, PickledVerifier.of(interaction)
        packed = self._ray.put(self._sent[1])
        call: Call[tuple[Json, Completion], Reply | Exception] = Call(turns, MachineryError, homes)

        def send(member: _Member, indices: Sequence[int]) -> Any:
            return member.actor.respond.remote(packed, _pickled(call, indices))

        self._see_through(call, send)
        return [call.answers[index] for index in range(len(turns))]

    def close(self) -> None:
        """End the actors, and the connection where the pool made it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for member in (*self._members.values(), *self._coming.values()):
                self._ray.kill(member.actor)
            self._members.clear()
            self._coming.clear()
        if self._ours:
            self._ray.shutdown()

    def __enter__(self) -> RayPool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _see_through(
        self,
        call: Call[Any, Answer],
        send: Callable[[_Member, Sequence[int]], Any],
        on_answer: Callable[[int, Answer], None] | None = None,
    ) -> None:
        flying: dict[Any, tuple[_Member, list[int], float]] = {}
        told = 0
        try:
            while not call.done:
                members = self._staffed()
                if not members:
                    call.give_up("no node of the Ray cluster is left; start one, and see `ray status`")
                self._send(call, send, members, flying)
                if flying:
                    self._hear(call, flying)
                if on_answer is not None:
                    for index in list(islice(call.answers, told, None)):
                        told += 1
                        on_answer(index, call.answers[index])
        finally:
            for member, _, _ in flying.values():
                self._landed(member)

    def _send(
        self,
        call: Call[Any, Answer],
        send: Callable[[_Member, Sequence[int]], Any],
        members: Sequence[_Member],
        flying: dict[Any, tuple[_Member, list[int], float]],
    ) -> None:
        """Fill up what each node has under way, those first that have least."""
        for _ in range(AHEAD):
            for member in sorted(members, key=lambda one: one.out):
                own = sum(one is member for one, _, _ in flying.values())
                if not call.waiting or own >= AHEAD:
                    continue
                indices = call.draw(len(members), members.index(member))
                if not indices:
                    continue
                try:
                    flying[send(member, indices)] = member, indices, time.monotonic()
                except _Unsendable as problem:
                    call.answers.update({problem.index: call.problem(str(problem))})
                    call.lost([index for index in indices if index != problem.index], str(problem))
                    continue
                with self._lock:
                    member.out += 1

    def _hear(self, call: Call[Any, Answer], flying: dict[Any, tuple[_Member, list[int], float]]) -> None:
        """Wait for an answer, or for the loss of a node."""
        ray = self._ray
        ready, _ = ray.wait(list(flying), num_returns=1)
        for ref in ready:
            member, indices, sent_at = flying.pop(ref)
            self._landed(member)
            try:
                answers = ray.get(ref)
            except ray.exceptions.RayTaskError as error:  # the actor lives: what it ran has failed
                if isinstance(error.cause, RlenvError):
                    raise error.cause from None
                why = f"node {member.host}: {type(error.cause).__name__}: {error.cause}"
                answers = [call.problem(why)] * len(indices)
            except ray.exceptions.RayError as error:
                self._drop(member)
                call.lost(indices, f"two nodes were lost with this job ({member.host}: {type(error).__name__})")
                continue
            now = time.monotonic()
            call.heard(indices, answers, now - max(sent_at, member.heard_at))
            member.heard_at = now

    def _landed(self, member: _Member) -> None:
        with self._lock:
            member.out -= 1

    def _drop(self, member: _Member) -> None:
        with self._lock:
            if self._members.pop(member.node_id, None) is member:
                self.lost += 1
                self._looked_at = 0.0

    def _staffed(self) -> list[_Member]:
        """The actors that are up; where there are none, those that come up in time."""
        with self._lock:
            if self._closed:
                raise ConfigError("the pool is closed; open another")
            if time.monotonic() - self._looked_at > LOOK_EVERY_S:
                self._look()
            deadline = time.monotonic() + START_LIMIT_S
            self._admit(0.0)
            while not self._members and self._coming and time.monotonic() < deadline:
                self._admit(1.0)
            return list(self._members.values())

    def _look(self) -> None:
        """Start an actor on every node that has none."""
        self._looked_at = time.monotonic()
        for node in self._ray.nodes():
            node_id, cores = str(node["NodeID"]), int(node["Resources"].get("CPU", 0))
            if node["Alive"] and cores and node_id not in {**self._members, **self._coming}:
                self._coming[node_id] = self._started(node_id, str(node["NodeManagerAddress"]), cores)

    def _started(self, node_id: str, host: str, cores: int) -> _Member:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        options = {
            "num_cpus": self.cpus or 0,
            "max_concurrency": CALLS_AT_ONCE,
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node_id, soft=False),
        }
        actor = self._ray.remote(Node).options(**options).remote(host, self.cpus or cores, self.cpus)
        return _Member(node_id, host, actor, actor.ready.remote())

    def _admit(self, patience_s: float) -> None:
        """Take in the actors that have started, and forget those that could not."""
        if not self._coming:
            return
        comers = {member.ready: member for member in self._coming.values()}
        ready, _ = self._ray.wait(list(comers), num_returns=len(comers), timeout=patience_s)
        for ref in ready:
            member = self._coming.pop(comers[ref].node_id)
            try:
                self._ray.get(ref)
            except self._ray.exceptions.RayTaskError as error:
                raise ConfigError(f"node {member.host} cannot judge: {error.cause}; install rlenv there") from error
            except self._ray.exceptions.RayError:  # the node went while the actor started; the next look tells
                continue
            self._members[member.node_id] = member


class _Unsendable(Exception):
    """A job that cannot be pickled."""

    def __init__(self, index: int, error: Exception) -> None:
        super().__init__(f"the task cannot be sent to a node: {error}")
        self.index = index


def _pickled(call: Call[Any, Any], indices: Sequence[int]) -> bytes:
    """The jobs of a message. Raises _Unsendable, naming the first that cannot be sent."""
    try:
        message: bytes = cloudpickle.dumps([call.items[index] for index in indices])
        return message
    except Exception as error:  # cloudpickle raises what the object's own __reduce__ raises
        for index in indices:
            try:
                cloudpickle.dumps(call.items[index])
            except Exception as own:
                raise _Unsendable(index, own) from own
        raise _Unsendable(indices[0], error) from error


def _connected(address: str) -> tuple[Any, bool]:
    """The module `ray`, connected, and whether the connection was made here.

    Raises MissingExtra, and ConfigError where no cluster answers.
    """
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error
    if ray.is_initialized():
        return ray, False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster that we start reports to nobody
    try:
        ray.init(None if address == "ray" else address, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise ConfigError(
            f"no Ray cluster at {address}: {error}; start one with `ray start --head` and give its ray://HOST:10001"
        ) from error
    return ray, True
