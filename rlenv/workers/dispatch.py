"""Which worker does which job: hands out jobs, hears answers, acts on deadlines, retries once.

A worker gets as many jobs in one message as it judges in about 10 ms, and answers them one by one, in order.
So the first job of a message without an answer is the one under way: its clock starts when the answer
before it arrives, and when the worker is killed or lost it alone is to blame; the rest go back to the queue.
A job that is tried again goes alone to a worker that has judged nothing yet.

A worker that is long at one job does not count: while others wait that have no worker at all, one more is started for
each, up to RESERVE. So a call whose jobs are stuck holds up no other.

A worker that sends anything but the answer that is due (protocol.py) is treated as one that was lost.

Not thread-safe: the pool lets one thread at a time in.
"""

from __future__ import annotations

import math
import select
import sys
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

import cloudpickle

from rlenv.core.errors import VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import over_limit
from rlenv.workers.pending_jobs import Round
from rlenv.workers.protocol import NotAnAnswer, content_in, verdict_in
from rlenv.workers.worker import Judge, Load, out_of_memory
from rlenv.workers.worker_process import START_LIMIT_S, Worker, WorkerSource

MESSAGE_S, MESSAGE_JOBS, MESSAGE_CHARS = 0.01, 64, 1_000_000
"""What goes into one message at most: seconds of work, jobs, characters. One job always fits."""
STUCK_S = 0.1
"""A worker that has been at one job for so long does not count."""
RESERVE = 8
"""Workers that take the place of those that do not count, at most."""
SPARE_WORKERS = 1
"""How many wait, with the verifier loaded, to take the place of the next that is lost, once one was lost."""


class Dispatcher:
    """The workers and the rounds that they serve, turn by turn."""

    def __init__(self, size: int, memory_mb: int | None) -> None:
        self.size = size
        self._source = WorkerSource(memory_mb)
        self.rounds: deque[Round] = deque()
        self.workers: dict[int, Worker] = {}
        """By file descriptor."""
        self.replaced = 0
        self._poll = select.poll()
        self._pace: dict[str, float] = {}
        self._failures: Counter[str] = Counter()

    def staff(self) -> None:
        """Give waiting jobs to idle workers; start workers while there are more jobs than workers."""
        self.drop_ended()
        now = time.monotonic()
        room = self.size + min(RESERVE, sum(self._stuck_at(worker) <= now for worker in self.workers.values()))
        for worker in self._in_turn():
            while worker.state == "idle" and (work := self._next(worker)) is not None:
                if work.key not in worker.keys:
                    self._load(worker, work)
                elif self._busy() < room:
                    self._give(worker, work)
                else:
                    break
        spare = SPARE_WORKERS if self.replaced else 0
        self._retire(room, spare)
        coming = sum(worker.state in ("starting", "loading") for worker in self.workers.values())
        asked = sum(len(work.waiting) + len(work.again) for work in self.rounds)
        more = min(self.size + spare - len(self.workers), asked - coming)
        instead = min(room + spare - len(self.workers), len(self._unserved()) - coming)
        for _ in range(max(more, instead)):
            self._start()

    def listen(self) -> list[int]:
        """Wait for the next answer, deadline or byte on a watched descriptor; returns what is to be read."""
        now = time.monotonic()
        ends = [now + START_LIMIT_S, *[work.until for work in self.rounds]]
        ends += [worker.deadline for worker in self.workers.values() if worker.state != "idle"]
        if self._unserved():
            ends += [at for worker in self.workers.values() if (at := self._stuck_at(worker)) > now]
        patience_s = max(0.0, min(ends) - now)
        return [descriptor for descriptor, _ in self._poll.poll(math.ceil(patience_s * 1000))]

    def act(self, ready: Sequence[int]) -> None:
        """Hear the answers that are there, then act on deadlines that have passed."""
        for descriptor in ready:
            worker = self.workers.get(descriptor)
            if worker is not None:
                self._hear(worker)
        now = time.monotonic()
        for worker in list(self.workers.values()):
            if worker.state != "idle" and worker.deadline <= now:
                self._late(worker)
        for work in self.rounds:
            if work.until <= now:
                work.give_up()

    def drop(self, worker: Worker) -> None:
        """Kill the worker; what it has not answered goes back to the queue."""
        descriptor = worker.frames.fileno()
        if worker.round is not None:
            worker.round.waiting.extendleft(reversed(worker.jobs))
        self.workers.pop(descriptor, None)
        self.forget(descriptor)
        worker.kill()

    def drop_ended(self) -> None:
        """Nobody waits for what these workers are at."""
        for worker in [w for w in self.workers.values() if w.round is not None and w.round.ended]:
            self.drop(worker)

    def drop_busy(self) -> None:
        """Start again with the idle workers: the only ones whose state is known after an interruption."""
        for worker in list(self.workers.values()):
            if worker.state != "idle":
                self.drop(worker)

    def watch(self, descriptor: int) -> None:
        self._poll.register(descriptor, select.POLLIN)

    def forget(self, descriptor: int) -> None:
        with suppress(KeyError):
            self._poll.unregister(descriptor)

    def close(self) -> None:
        """End all workers and what starts them."""
        for worker in list(self.workers.values()):
            self.drop(worker)
        self._source.close()

    def abandon(self) -> None:
        """In a forked child: the workers belong to the parent, only our ends of the sockets are closed."""
        for worker in self.workers.values():
            worker.abandon()
        self._source.abandon()
        self.workers.clear()
        self.rounds.clear()
        self._poll = select.poll()

    def _in_turn(self) -> list[Worker]:
        """New workers first where jobs are to be tried again, else last: they are kept for such jobs."""
        again = any(work.again for work in self.rounds)
        return sorted(self.workers.values(), key=lambda worker: worker.new != again)

    def _next(self, worker: Worker) -> Round | None:
        """The round whose turn it is; a new worker first serves jobs that are tried again."""
        open_to_it = self.rounds if self._busy() < self.size else self._unserved()
        again = next((work for work in open_to_it if work.again), None) if worker.new else None
        return again or next((work for work in open_to_it if work.waiting), None)

    def _retire(self, room: int, spare: int) -> None:
        """End workers that took the place of others, once that is over or a new one needs theirs."""
        if any(work.waiting for work in self.rounds) and not any(work.again for work in self.rounds):
            return
        for worker in self._in_turn():
            used = sum(not each.new for each in self.workers.values())
            if worker.state == "idle" and (len(self.workers) > room + spare or (not worker.new and used > room)):
                self.drop(worker)

    def _busy(self) -> int:
        return sum(worker.state == "busy" for worker in self.workers.values())

    def _unserved(self) -> list[Round]:
        """Rounds that wait and have no worker."""
        served = {worker.round for worker in self.workers.values()}
        return [work for work in self.rounds if (work.waiting or work.again) and work not in served]

    @staticmethod
    def _stuck_at(worker: Worker) -> float:
        """When the worker no longer counts, unless it is heard before."""
        return worker.heard_at + STUCK_S if worker.state == "busy" else math.inf

    def _give(self, worker: Worker, work: Round) -> bool:
        """False when what was chosen cannot be sent, and the worker is idle as before."""
        again = worker.new and bool(work.again)
        chosen = [work.again[0]] if again else list(islice(work.waiting, self._share(work)))
        worker.state, worker.round, worker.jobs = "busy", work, deque(chosen)
        for _ in chosen:
            (work.again if again else work.waiting).popleft()
        self.rounds.remove(work)
        self.rounds.append(work)
        return self._send(worker, work)

    def _send(self, worker: Worker, work: Round) -> bool:
        jobs = [work.jobs[index] for index in worker.jobs]
        try:
            message = cloudpickle.dumps(Judge(worker.draw_ticket(), work.key, jobs, work.time_limit_s))
        except Exception as error:  # cloudpickle raises what the object's own __reduce__ raises
            if len(jobs) == 1:
                work.give(worker.jobs.popleft(), Verdict.error(f"the task cannot be sent to a worker: {error}"))
            work.one_by_one = True
            work.waiting.extendleft(reversed(worker.jobs))
            worker.state, worker.round = "idle", None
            worker.jobs.clear()
            return False
        worker.new = False
        worker.send(message, work.time_limit_s)
        return True

    def _share(self, work: Round) -> int:
        """How many jobs go into the next message."""
        pace = self._pace.get(work.key)
        if pace is None or work.one_by_one:
            return 1
        most = min(MESSAGE_JOBS, MESSAGE_S / max(pace, 1e-6), len(work.waiting) / (2 * self.size))
        chars = count = 0
        for index in islice(work.waiting, max(1, int(most))):
            chars += len(work.jobs[index][1].text)
            if chars > MESSAGE_CHARS:
                break
            count += 1
        return max(1, count)

    def _load(self, worker: Worker, work: Round) -> None:
        worker.state, worker.loading = "loading", work.key
        worker.send(cloudpickle.dumps(Load(worker.draw_ticket(), work.key, work.blob, sys.path)), START_LIMIT_S)

    def _start(self) -> None:
        worker = self._source.start()
        self.workers[worker.frames.fileno()] = worker
        self.watch(worker.frames.fileno())

    def _hear(self, worker: Worker) -> None:
        try:
            messages = worker.frames.receive()
            if messages is None:
                self._lost(worker)
            elif self._heard(worker, messages) and worker.frames.too_long:
                raise NotAnAnswer("expected a message that is no longer than an answer may be")
        except OSError:
            self._lost(worker)
        except NotAnAnswer as error:
            self._lost(worker, f"a worker sent what is no answer, twice: {error}")

    def _heard(self, worker: Worker, messages: Sequence[bytes]) -> bool:
        """False when the worker is gone with what it said."""
        if worker.round is not None and messages:
            self._keep_pace(worker, worker.round, len(messages))
        if worker.state in ("starting", "loading") and len(messages) > 1:
            raise NotAnAnswer("expected one answer")
        for message in messages:
            if worker.state == "starting":
                worker.state = "idle"
                self._failures.pop("", None)
            elif worker.state == "loading":
                self._loaded(worker, content_in(message, worker.ticket, 0))
            elif worker.round is None:
                raise NotAnAnswer("expected nothing")
            elif not self._answered(worker, worker.round, verdict_in(message, worker.ticket, worker.place)):
                return False
        return True

    def _loaded(self, worker: Worker, problem: Json) -> None:
        worker.state = "idle"
        if problem is None:
            worker.keys.add(worker.loading)
            self._failures.pop(worker.loading, None)
        else:
            self._fail(
                worker.loading,
                f"the verifier cannot be loaded in a worker process: {problem}; "
                "make it importable there, or register it with cheap=True to run it inline",
            )

    def _answered(self, worker: Worker, work: Round, verdict: Verdict) -> bool:
        """False when the worker is gone with it."""
        if out_of_memory(verdict):
            self._blame(worker, work, verdict)
            return False
        work.give(worker.jobs.popleft(), verdict)
        worker.place += 1
        worker.deadline = worker.heard_at + work.time_limit_s
        if not worker.jobs:
            worker.state, worker.round = "idle", None
        return True

    def _keep_pace(self, worker: Worker, work: Round, answers: int) -> None:
        """How long a job takes with this verifier, by what came since the worker was heard last."""
        now = time.monotonic()
        took = (now - worker.heard_at) / answers
        self._pace[work.key] = (self._pace.get(work.key, took) + took) / 2
        worker.heard_at = now

    def _late(self, worker: Worker) -> None:
        if worker.round is None:
            self._lost(worker)
        else:
            self._blame(worker, worker.round, over_limit(f"{worker.round.time_limit_s:g} s"))

    def _lost(self, worker: Worker, cause: str = "") -> None:
        if worker.round is not None:
            self._blame(worker, worker.round, None, cause)
            return
        self._replace(worker)
        if worker.state == "idle":
            return
        key = worker.loading if worker.state == "loading" else ""
        self._failures[key] += 1
        if self._failures[key] > 2 * self.size:
            why = cause or f"exit code {worker.process.exit_code}"
            self._fail(key, f"worker processes die before they can judge; see their messages above ({why})")

    def _fail(self, key: str, problem: str) -> None:
        """Give up the rounds of this verifier; of all where no worker even starts."""
        self._failures.pop(key, None)
        for work in self.rounds:
            if key in ("", work.key):
                work.error = VerifierContractError(problem)
                work.waiting.clear()
                work.again.clear()

    def _blame(self, worker: Worker, work: Round, verdict: Verdict | None, cause: str = "") -> None:
        """Replace the worker; the job it was at is tried again, or it gets this verdict (None: worker lost)."""
        index = worker.jobs.popleft()
        self._replace(worker)
        if work.try_again(index):
            return
        lost = cause or f"the worker process was lost twice (exit code {worker.process.exit_code})"
        work.give(index, verdict or Verdict.error(lost))

    def _replace(self, worker: Worker) -> None:
        self.drop(worker)
        self.replaced += 1
