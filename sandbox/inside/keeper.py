"""The supervisor of a session: hears what the host asks for, one thing at a time, and signs what it answers.

    run     a snippet in one of the sessions of this cell
    fork    a session: the new one gets the next number
    end     a session
    close   all of them; nothing is answered

The first session's process is forked before the nonce is read, and forks are children of that one: what snippets run in
never had the nonce in its memory.
"""

from __future__ import annotations

from typing import cast

from rlenv.sandbox.inside import wire
from rlenv.sandbox.inside.execution import Execution
from rlenv.sandbox.inside.family import Family, Gone, Refused, Session
from rlenv.sandbox.inside.supervisor import Supervisor


class Keeper:
    """Serves one session and its forks until the host closes them."""

    def __init__(self, supervisor: Supervisor, settings: dict[str, object], stream_out: int) -> None:
        self._supervisor, self._settings, self._out = supervisor, settings, stream_out
        self._sessions: list[Session] = []

    def serve(self, limits: dict[str, float]) -> None:
        """Until all of it is closed. Raises OSError, Gone and Refused where no session starts."""
        self._limits = limits
        self._family = Family(self._supervisor.walls, limits)
        self._sessions = [self._family.start()]
        self._supervisor.read_nonce()
        self._answer({"opened": True})
        while True:
            header, body = wire.receive(self._supervisor.stream_in)
            if "close" in header:
                self._supervisor.end_others()
                return
            session = self._sessions[cast("int", header["session"])]
            if "run" in header:
                self._run(session, cast("float", header["run"]), body)
            elif "fork" in header:
                self._fork(session)
            else:
                session.end("it was closed")
                self._answer({})

    def _answer(self, report: dict[str, object], body: bytes = b"") -> None:
        kills = self._supervisor.oom_kills()
        wire.send(self._out, {**report, "nonce": self._supervisor.nonce, "oom_kills": kills}, body)

    def _run(self, session: Session, wall_s: float, code: bytes) -> None:
        session.leave_seed()
        if not session.ended and session.process.status() is not None:
            session.end(self._died_idle())
        if session.ended:
            self._answer({"status": "ended", "ended": session.ended, "detail": session.ended, "sizes": [0, 0, 0]})
            return
        call = Execution(self._supervisor, self._family, session, self._limits, wall_s, code)
        report = call.run()
        if report["unclean"]:
            self._supervisor.end_others()
            for other in self._sessions:
                other.end("processes of its family could not be ended")
        parts = [call.stdout.bytes(), call.stderr.bytes(), call.words]
        if report["status"] == "tampered":
            parts = [b"", b"", b""]
        truncated = bool(report["cut"]) or call.stdout.overflowed or call.stderr.overflowed
        header = {**report, "truncated": truncated, "sizes": [len(part) for part in parts]}
        self._answer(header, b"".join(parts))

    def _died_idle(self) -> str:
        return "its process ended between two calls"

    def _fork(self, session: Session) -> None:
        try:
            if session.ended or session.process.status() is not None:
                raise Refused("it is over: %s" % (session.ended or self._died_idle()))  # noqa: UP031
            twin = self._family.fork(session)
        except (Refused, Gone, OSError) as problem:
            self._answer({"refused": str(problem)})
            return
        self._sessions.append(twin)
        self._answer({"forked": len(self._sessions) - 1})
