"""The verdict on what an agent left: in a fresh box, at the level that the reference needs, then against the twin.

boxed       judged in a fresh box; what it earned counts
disputed    the level refuses and a wider one pays: 0, and both are told
forged      one more test that cannot pass was reported passed, or took nothing from the reward: 0
in_process  the reference needs a live process: judged where the agent was, which an agent can forge
error       no verdict: the machine failed, or the task is not to be trusted
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rlenv.core.verdict import OVER_LIMIT, Flag, Verdict
from rlenv.envs.containers.forgery import asked, reads_answers
from rlenv.envs.containers.reader import Folder
from rlenv.envs.containers.reference import Reference, study
from rlenv.envs.containers.scope import LEVELS, Level
from rlenv.envs.containers.workshop import Graded, Left, Workshop, leave, put_back, verified
from rlenv.sandbox.containers import Box, TooLarge

Kind: TypeAlias = Literal["boxed", "disputed", "forged", "in_process", "error"]
DISPUTED: Kind = "disputed"
FORGED: Kind = "forged"


@dataclass(frozen=True)
class Outcome:
    """A verdict with what it rests on."""

    kind: Kind
    reward: float | None
    components: Mapping[str, float] = field(default_factory=dict)
    level: str = ""
    files: int = 0
    bytes: int = 0
    twin: str = ""
    """What the twin said: refused, forged, or why there was none."""
    reason: str = ""
    over_limit: bool = False
    output: str = ""
    """What the verifier printed."""

    def verdict(self) -> Verdict:
        """As the judge takes it: the evidence in the scores and the reason."""
        if self.reward is None:
            return Verdict.error(self.reason)
        evidence = f"{self.kind}; carried: {self.level}, {self.files} files; twin: {self.twin or 'not asked'}"
        flags = [Flag(self.kind, detail=self.reason[:200])] if self.kind in (DISPUTED, FORGED, "in_process") else []
        if self.over_limit:
            flags.append(Flag(OVER_LIMIT, detail=self.reason[:200]))
        own = {name: value for name, value in self.components.items() if name != "reward"}
        return Verdict.of(
            ("reward", self.reward),
            scores={**own, "carried_files": self.files, "carried_bytes": self.bytes},
            flags=flags,
            reason=f"{evidence}; {self.reason}" if self.reason else evidence,
        )


@dataclass
class Grader:
    """Judges what agents leave. What it finds out about a task is kept by the task's digest."""

    workshop: Workshop
    in_process: bool = False
    """Whether tasks that need a live process are judged at all."""
    _known: dict[str, Reference] = field(default_factory=dict)
    _locks: dict[str, threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reference(self, folder: Folder) -> Reference:
        """What is known of a task, found out at the first time. Raises BoxError."""
        with self._lock:
            lock = self._locks.setdefault(folder.digest, threading.Lock())
        with lock:
            if folder.digest not in self._known:
                self._known[folder.digest] = study(self.workshop, folder)
            return self._known[folder.digest]

    def take(self, folder: Folder, box: Box) -> Left:
        """What is to be judged of an agent's box, which it is done with. Raises BoxError."""
        reference = self.reference(folder)
        try:
            if reference.needs == "in_process":
                return self._here(folder, box, reference) if self.in_process else Left({})
            box.settle()
            own = LEVELS.index(reference.level)
            wanted: tuple[Level, ...] = (reference.level,) if folder.separate else LEVELS[own:]
            return leave(box, reference.ground, wanted)
        except TooLarge as error:  # its disk is full, or it left more than is looked at
            return Left({}, problem=str(error))

    def of_reference(self, folder: Folder) -> Outcome:
        """What the reference solution earns, judged as an agent's work is. Raises BoxError."""
        reference = self.reference(folder)
        left = reference.left if reference.needs != "in_process" else Left({}, here=reference.solution)
        return self.judge(folder, left)

    def judge(self, folder: Folder, left: Left) -> Outcome:
        """The verdict. Raises BoxError where the machine fails."""
        reference = self.reference(folder)
        if reference.problem:
            return Outcome("error", None, reason=f"task {folder.name}: {reference.problem}")
        if reference.needs == "in_process":
            return self._in_process(folder, left)
        level = reference.level
        carried = left.carried.get(level)
        if carried is None and left.carried:
            reason = f"task {folder.name} needs the level {level} now, and {', '.join(left.carried)} alone is kept"
            return Outcome("error", None, reason=reason)
        if carried is None:
            reason = f"what was left could not be taken: {left.problem or 'nothing was left'}"
            return Outcome("boxed", 0.0, level=level, reason=reason, over_limit=bool(left.problem))
        graded = self.workshop.grade(folder, reference.ground, level, carried)
        told = _Told(level, len(carried.files), carried.bytes)
        if graded.reward > 0:
            return self._paid(folder, reference, left, graded, told)
        wide = self._wider(folder, reference, left, level)
        if wide is None:
            return told.outcome("boxed", graded, graded.reward, reason=graded.problem)
        reason = f"{level} earns {graded.reward:g}, {wide[0]} {wide[1].reward:g}"
        return told.outcome(DISPUTED, wide[1], 0.0, reason=reason)

    def _paid(self, folder: Folder, reference: Reference, left: Left, graded: Graded, told: _Told) -> Outcome:
        """What was earned, if it is not forged."""
        ground, level = reference.ground, reference.level
        carried = left.carried[level]

        def again(tests: Mapping[str, bytes], place: str) -> Graded:
            return self.workshop.grade(folder, ground, level, carried, tests, place)

        if graded.killed and not reference.solution.killed:
            return told.outcome(FORGED, graded, 0.0, reason="the verifier was killed before it had its last word")
        twin, why = asked(folder.tests, reference.twin, graded, again)
        if reference.answers and not why:
            why = reads_answers(folder.tests, graded, again)
        return told.outcome(FORGED if why else "boxed", graded, 0.0 if why else graded.reward, twin, why)

    def _here(self, folder: Folder, box: Box, reference: Reference) -> Left:
        """What the verifier and the twin say where the agent was and its processes run, with the image's tools."""
        with self.workshop.open(folder) as fresh:
            put_back(box, fresh, reference.ground)
        graded = verified(box, folder, settle=False)
        if graded.reward <= 0:
            return Left({}, here=graded)
        twin = asked(
            folder.tests, reference.twin, graded, lambda tests, place: verified(box, folder, tests, place, settle=False)
        )
        return Left({}, here=graded, twin=twin)

    def _wider(self, folder: Folder, reference: Reference, left: Left, level: Level) -> tuple[Level, Graded] | None:
        """The widest level that could be taken, where it pays what the own one does not."""
        others = [each for each in left.carried if LEVELS.index(each) > LEVELS.index(level)]
        if not others or left.carried[others[-1]].digest == left.carried[level].digest:
            return None
        graded = self.workshop.grade(folder, reference.ground, others[-1], left.carried[others[-1]])
        return (others[-1], graded) if graded.reward > 0 else None

    def _in_process(self, folder: Folder, left: Left) -> Outcome:
        if left.problem:
            return Outcome("in_process", 0.0, level="in_process", reason=left.problem, over_limit=True)
        if left.here is None:
            reason = f"task {folder.name} needs a live process; in_process=True judges it where the agent was"
            return Outcome("error", None, reason=reason)
        told, (twin, why) = _Told("in_process", 0, 0), left.twin
        if why:
            return told.outcome(FORGED, left.here, 0.0, twin, why)
        return told.outcome("in_process", left.here, left.here.reward, twin, left.here.problem)


@dataclass(frozen=True)
class _Told:
    """What was carried."""

    level: Level | Literal["in_process"]
    files: int
    bytes: int

    def outcome(self, kind: Kind, graded: Graded, reward: float, twin: str = "", reason: str = "") -> Outcome:
        components = {} if graded.paid is None else graded.paid.components
        return Outcome(
            kind, reward, components, self.level, self.files, self.bytes, twin, reason, graded.timed_out, graded.output
        )
