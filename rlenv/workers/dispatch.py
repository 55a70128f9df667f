"""Which worker does which job: a call borrows workers, hands out jobs, hears answers, acts on deadlines, retries once.

A worker gets as many jobs in one message as it judges in about 10 ms, and answers them one by one, in order. So the
first job of a message without an answer is the one under way: its clock starts when the answer before it arrives, and
when the worker is killed or lost it alone is to blame; the rest go back to the queue. A job that is tried again goes
alone to a worker that has judged nothing yet.

After a message a worker is given back where another call has none: so no call waits for another's whole batch. A worker
that is long at one job does not count: one more is started for a call that waits, up to RESERVE. So a call whose jobs
are stuck holds up no other.

A worker that sends anything but the answer that is due is treated as one that was lost. Nothing runs between calls.
"""

from __future__ import annotations

import math
import select
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice

import cloudpickle

from rlenv.core.errors import VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import over_limit
from rlenv.door.deadline import OVERDUE, until
from rlenv.workers.protocol import Job, JudgeJob, Load, NotAnAnswer, content_in, verdict_in
from rlenv.workers.worker import START_LIMIT_S, Worker, WorkerSource
from rlenv.workers.worker_process import out_of_memory

MESSAGE_S, MESSAGE_JOBS, MESSAGE_CHARS = 0.01, 64, 1_000_000
"""What goes into one message at most: seconds of work, jobs, characters. One job always fits."""
STUCK_S = 0.1
"""A worker that has been at one job for so long does not count."""
RESERVE = 8
"""Workers that take the place of those that do not count, at most."""


class Staff:
    """The workers of a pool, lent to calls."""

    def __init__(self, size: int, memory_mb: int | None) -> None:
        self.size = size
        self.workers: set[Worker] = set()
        self.replaced = 0
        self.pace: dict[str, float] = {}
        """Seconds that a job takes, by verifier."""
        self._idle: list[Worker] = []
        """Those that are not lent; some may still be starting, or loading a verifier."""
        self._calls: set[Call] = set()
        self.line: deque[Call] = deque()
        """Calls without a worker, in the order in which they came."""
        self._source = WorkerSource(memory_mb)
        self._changed = threading.Condition()

    def enter(self, call: Call) -> None:
        """From now on the staff is not closed under this call."""
        with self._changed:
            self._calls.add(call)

    def leave(self, call: Call, *, whole: bool) -> None:
        """Take back a call's workers; kill those whose work nobody waits for or, where it broke off, is not known."""
        with self._changed:
            self._calls.discard(call)
            with suppress(ValueError):
                self.line.remove(call)
            for worker in list(call.workers.values()):
                if worker.state == "idle" or (whole and worker.state != "busy"):
                    self.give_back(call, worker)
            held = {worker for each in self._calls for worker in each.workers.values()}
            for worker in self.workers - held - set(self._idle):  # its own, and what an interrupt left between the two
                self._end(worker)
            self._changed.notify_all()

    def borrow(self, call: Call, key: str, *, new: bool) -> Worker | None:
        """A worker that has this verifier or may load it; None where there is none, or another call was first."""
        with self._changed:
            worker = None if self.line and self.line[0] is not call else self._chosen(key, new)
            if worker is not None:
                call.hold(worker)
                if self.line:
                    self.line.popleft()
                    self._changed.notify_all()
            return worker

    def wait(self, call: Call, patience_s: float) -> None:
        """Stand in line until there may be a worker."""
        with self._changed:
            if call not in self.line:
                self.line.append(call)
            if self.line[0] is not call or not (self._idle or len(self.workers) < self._room()):
                self._changed.wait(patience_s)

    def give_back(self, call: Call, worker: Worker) -> None:
        """The worker is free; one that took the place of another ends where that is over."""
        with self._changed:
            call.let_go(worker)
            if len(self.workers) > self._room():
                self._end(worker)
            else:
                self._idle.append(worker)
            self._changed.notify_all()

    def replace(self, call: Call, worker: Worker) -> None:
        """Kill a worker that was late or lost."""
        with self._changed:
            call.let_go(worker)
            self._end(worker)
            self.replaced += 1
            self._changed.notify_all()

    def close(self) -> None:
        """End all workers and what starts them, once nobody waits for a verdict."""
        with self._changed:
            while self._calls:
                self._changed.wait()
            for worker in list(self.workers):
                self._end(worker)
            self._idle.clear()
            self._source.close()

    def abandon(self) -> None:
        """In a forked child: the workers belong to the parent, only our ends of the sockets are closed."""
        for worker in self.workers:
            worker.abandon()
        for call in self._calls:
            call.workers.clear()
        self._source.abandon()
        for held in (self.workers, self._idle, self._calls, self.line):
            held.clear()
        self._changed = threading.Condition()

    def _chosen(self, key: str, new: bool) -> Worker | None:
        for worker in [each for each in self._idle if each.state == "idle" and each.speaks()]:
            self._idle.remove(worker)  # it has ended, or says what nobody asked for
            self._end(worker)
            self.replaced += 1
        fitting = [worker for worker in reversed(self._idle) if worker.new or not new]  # the last one is warm
        if fitting:
            best = min(fitting, key=lambda each: (each.new != new, each.state != "idle", not each.holds(key)))
            self._idle.remove(best)
            return best
        if new and self._idle and len(self.workers) >= self._room():
            self._end(self._idle.pop())
        if len(self.workers) >= self._room():
            return None
        worker = self._source.start()
        self.workers.add(worker)
        return worker

    def _room(self) -> int:
        """How many workers there may be."""
        long_ago = time.monotonic() - STUCK_S
        stuck = sum(worker.state == "busy" and worker.heard_at < long_ago for worker in self.workers)
        return self.size + min(RESERVE, stuck)

    def _end(self, worker: Worker) -> None:
        self.workers.discard(worker)
        worker.kill()


class Call:
    """The jobs of one call, all for one verifier, and the workers that it holds. One thread uses it."""

    def __init__(self, staff: Staff, key: str, blob: bytes, jobs: Sequence[Job], time_limit_s: float) -> None:
        self._staff, self._key, self._blob = staff, key, blob
        self._jobs, self._time_limit_s = jobs, time_limit_s
        self._until = until()
        """When those who asked stop waiting."""
        self._waiting = deque(range(len(jobs)))
        self._again: deque[int] = deque()
        """Jobs to be tried once more, on a worker that is new."""
        self._tried_again: set[int] = set()
        self._one_by_one = False
        """Something in the jobs cannot be pickled: sent alone, it spoils nobody's message."""
        self._verdicts: dict[int, Verdict] = {}
        self._answered: list[int] = []
        """The indices of the verdicts, in the order in which they came."""
        self.workers: dict[int, Worker] = {}
        """By file descriptor."""
        self._poll = select.poll()
        self._failures: Counter[str] = Counter()
        """Workers lost in a row before they could judge, by what they were at."""

    def hold(self, worker: Worker) -> None:
        """The worker serves this call from now on."""
        self.workers[worker.frames.fileno()] = worker
        self._poll.register(worker.frames, select.POLLIN)

    def let_go(self, worker: Worker) -> None:
        """The worker serves it no more."""
        self._poll.unregister(worker.frames)
        del self.workers[worker.frames.fileno()]

    def judge(self, on_verdict: Callable[[int, Verdict], None] | None) -> list[Verdict]:
        """One verdict a job, in order. Raises VerifierContractError when no worker can load the verifier."""
        heard, whole = 0, False
        self._staff.enter(self)
        try:
            while heard < len(self._jobs):
                if heard == len(self._answered):
                    self._step()
                for index in self._answered[heard:]:
                    heard += 1
                    if on_verdict is not None:
                        on_verdict(index, self._verdicts[index])
            whole = True
        finally:
            self._staff.leave(self, whole=whole)
        return [self._verdicts[index] for index in range(len(self._jobs))]

    def _step(self) -> None:
        """Hand out jobs; where nothing was answered at once, wait for the next answer or deadline and act on it."""
        answered = len(self._answered)
        while (new := self._wanted()) is not None:
            worker = self._staff.borrow(self, self._key, new=new)
            if worker is None:
                break
            self._continue(worker)
        if len(self._answered) > answered:
            return
        for descriptor in self._listen():
            self._hear(self.workers[descriptor])
        now = time.monotonic()
        for worker in [each for each in self.workers.values() if each.deadline <= now]:
            self._late(worker)
        if self._until <= now:
            for index in range(len(self._jobs)):
                self._answer(index, Verdict.error(OVERDUE))

    def _wanted(self) -> bool | None:
        """Whether one more worker is wanted, and it must be new; None where those that are coming will do."""
        coming = [worker for worker in self.workers.values() if worker.state != "busy"]
        if len(self._again) > sum(worker.new for worker in coming):
            return True
        return False if len(self._waiting) + len(self._again) > len(coming) else None

    def _listen(self) -> list[int]:
        """Wait; returns the descriptors of what is to be read."""
        now = time.monotonic()
        ends = [now + START_LIMIT_S, self._until, *[worker.deadline for worker in self.workers.values()]]
        if self._waiting or self._again:
            ends.append(now + STUCK_S)
        patience_s = max(0.0, min(ends) - now)
        if not self.workers:
            self._staff.wait(self, patience_s)
            return []
        return [descriptor for descriptor, _ in self._poll.poll(math.ceil(patience_s * 1000))]

    def _continue(self, worker: Worker) -> None:
        """Give an idle worker something to do, or give it back."""
        while worker.state == "idle":
            again = worker.new and bool(self._again)
            if not again and not self._waiting:
                self._staff.give_back(self, worker)
                return
            if self._key in worker.keys:
                self._give(worker, again)
            else:
                worker.state, worker.loading = "loading", self._key
                order = Load(worker.draw_ticket(), self._key, self._blob, sys.path)
                worker.send(cloudpickle.dumps(order), START_LIMIT_S)

    def _give(self, worker: Worker, again: bool) -> None:
        """Where what was chosen cannot be sent, the worker is idle as before."""
        chosen = [self._again.popleft()] if again else [self._waiting.popleft() for _ in range(self._share())]
        jobs = [self._jobs[index] for index in chosen]
        try:
            order = cloudpickle.dumps(JudgeJob(worker.draw_ticket(), self._key, jobs, self._time_limit_s))
        except Exception as error:  # cloudpickle raises what the object's own __reduce__ raises
            if len(chosen) == 1:
                self._answer(chosen.pop(), Verdict.error(f"the task cannot be sent to a worker: {error}"))
            self._one_by_one = True
            self._waiting.extendleft(reversed(chosen))
            return
        worker.state, worker.new, worker.jobs = "busy", False, deque(chosen)
        worker.send(order, self._time_limit_s)

    def _share(self) -> int:
        """How many jobs go into the next message."""
        pace = self._staff.pace.get(self._key)
        if pace is None or self._one_by_one:
            return 1
        most = min(MESSAGE_JOBS, MESSAGE_S / max(pace, 1e-6), len(self._waiting) / (2 * self._staff.size))
        chars = count = 0
        for index in islice(self._waiting, max(1, int(most))):
            chars += len(self._jobs[index][1].text)
            if chars > MESSAGE_CHARS:
                break
            count += 1
        return max(1, count)

    def _hear(self, worker: Worker) -> None:
        judged = worker.state == "busy"
        try:
            messages = worker.frames.receive()
            if messages is None:
                self._lost(worker)
                return
            alive = self._heard(worker, messages)
            if alive and worker.frames.too_long:
                raise NotAnAnswer("expected a message that is no longer than an answer may be")
        except OSError:
            self._lost(worker)
            return
        except NotAnAnswer as error:
            self._lost(worker, f"a worker sent what is no answer, twice: {error}")
            return
        if alive and worker.state == "idle" and judged and self._staff.line:
            self._staff.give_back(self, worker)
        elif alive:
            self._continue(worker)

    def _heard(self, worker: Worker, messages: Sequence[bytes]) -> bool:
        """False when the worker is gone with what it said."""
        if worker.state == "busy":
            self._keep_pace(worker, len(messages))
        elif len(messages) > 1:
            raise NotAnAnswer("expected one answer")
        for message in messages:
            if worker.state == "starting":
                worker.state = "idle"
                self._failures.pop("starting", None)
            elif worker.state == "loading":
                self._loaded(worker, content_in(message, worker.ticket, 0))
            elif not worker.jobs:
                raise NotAnAnswer("expected nothing")
            else:
                verdict = verdict_in(message, worker.ticket, worker.place)
                if out_of_memory(verdict):
                    self._blame(worker, verdict)
                    return False
                self._answer(worker.jobs.popleft(), verdict)
                worker.place += 1
                worker.deadline = worker.heard_at + self._time_limit_s
        if worker.state == "busy" and not worker.jobs:
            worker.state = "idle"
        return True

    def _loaded(self, worker: Worker, problem: Json) -> None:
        worker.state = "idle"
        if problem is None:
            worker.keys.add(worker.loading)
            self._failures.pop("loading", None)
        elif worker.loading == self._key:  # else it is the affair of a call that has ended
            raise VerifierContractError(
                f"the verifier cannot be loaded in a worker process: {problem}; "
                "make it importable there, or register it with cheap=True to run it inline"
            )

    def _keep_pace(self, worker: Worker, answers: int) -> None:
        """How long a job takes with this verifier, by what came since the worker was heard last."""
        if answers:
            now = time.monotonic()
            took = (now - worker.heard_at) / answers
            self._staff.pace[self._key] = (self._staff.pace.get(self._key, took) + took) / 2
            worker.heard_at = now

    def _late(self, worker: Worker) -> None:
        if worker.jobs:
            self._blame(worker, over_limit(f"{self._time_limit_s:g} s"))
        else:
            self._lost(worker)

    def _lost(self, worker: Worker, cause: str = "") -> None:
        if worker.jobs:
            self._blame(worker, None, cause)
            return
        self._staff.replace(self, worker)
        if worker.state == "starting" or (worker.state == "loading" and worker.loading == self._key):
            self._failures[worker.state] += 1
            if self._failures[worker.state] > 2 * self._staff.size:
                why = cause or f"exit code {worker.process.exit_code}"
                raise VerifierContractError(
                    f"worker processes die before they can judge; see their messages above ({why})"
                )

    def _blame(self, worker: Worker, verdict: Verdict | None, cause: str = "") -> None:
        """Replace the worker; the job it was at is tried again, or it gets this verdict (None: worker lost)."""
        index = worker.jobs.popleft()
        self._waiting.extendleft(reversed(worker.jobs))
        self._staff.replace(self, worker)
        if index not in self._tried_again:
            self._tried_again.add(index)
            self._again.append(index)
            return
        lost = cause or f"the worker process was lost twice (exit code {worker.process.exit_code})"
        self._answer(index, verdict or Verdict.error(lost))

    def _answer(self, index: int, verdict: Verdict) -> None:
        if index not in self._verdicts:
            self._verdicts[index] = verdict
            self._answered.append(index)
