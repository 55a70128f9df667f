"""What is found out about a task once, before any agent is judged: by doing nothing, and by playing its solution."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rlenv.envs.containers.forgery import TwinState, calibrated, reads_answers
from rlenv.envs.containers.reader import SOLVE, Folder
from rlenv.envs.containers.scope import (
    LEVELS,
    MADE_BY_SYSTEMS,
    NEVER,
    PASSING,
    PLACES,
    Ground,
    Level,
    leaves,
    topmost,
    within,
)
from rlenv.envs.containers.workshop import MAX_LIST, Graded, Left, Workshop, leave, ours, solve, verified
from rlenv.sandbox.containers import Box

Needs: TypeAlias = 'Level | Literal["in_process", "broken"]'
"""What the reference needs to earn: a level of the carry, its own box, or there is no way."""


@dataclass(frozen=True)
class Reference:
    """A task's ground, what its solution needs, and what nothing and the solution earn."""

    ground: Ground
    needs: Needs
    nothing: Graded
    solution: Graded
    twin: TwinState
    left: Left
    trail: tuple[str, ...] = ()
    """What each level that was tried earned, in words."""
    answers: bool = False
    """Whether other answers in the data of its tests take from what it earns."""

    @property
    def level(self) -> Level:
        """The level that an agent's files are carried at first."""
        return "work" if self.needs == "in_process" or self.needs == "broken" else self.needs

    @property
    def problem(self) -> str:
        """Why no verdict of this task can be trusted; empty where there is none."""
        if self.needs == "broken":
            why = self.solution.problem or f"a reward of {self.solution.reward:g}"
            return f"the reference solution earns nothing, neither in a fresh box nor in its own ({why:.300})"
        return f"doing nothing earns {self.nothing.reward:g}" if self.nothing.reward > 0 else ""


def study(workshop: Workshop, folder: Folder) -> Reference:
    """Play nothing and the solution. Raises BoxError where the machine fails."""
    if SOLVE not in folder.solution:
        ground = _ground(workshop, folder, set())
        nothing = workshop.grade(folder, ground, "work", None)
        return Reference(ground, "work", nothing, Graded(None, "the task has no solution"), "no reference", Left({}))
    with workshop.open(folder) as box:
        ran = solve(box, folder)
        ground = _ground(workshop, folder, _touched(box))
        nothing = workshop.grade(folder, ground, "work", None)
        left = leave(box, ground)
        level, graded, trail = _narrowest(workshop, folder, ground, left)
        needs: Needs = level
        twin: TwinState = "no reference"
        answers = False
        if graded.reward <= (least := max(nothing.reward, 0)):
            own, more = verified(box, folder, settle=False), tuple[str, ...]()
            if own.reward > 0:  # a live process, or tests that fail now and then: fresh boxes are asked again
                level, graded, more = _narrowest(workshop, folder, ground, left)
            trail, needs = (*trail, f"its own box {own.reward:g}", *more), level
            if graded.reward <= least:
                graded, needs = own, "in_process" if own.reward > 0 else "broken"
        if needs == "in_process":
            twin = calibrated(
                folder.tests, graded, lambda tests, place: verified(box, folder, tests, place, settle=False)
            )
        elif needs != "broken":
            carried = left.carried[level]

            def again(tests: Mapping[str, bytes], place: str) -> Graded:
                return workshop.grade(folder, ground, level, carried, tests, place)

            twin = calibrated(folder.tests, graded, again)
            answers = not any(reads_answers(folder.tests, graded, again) for _ in range(2))
    if needs == "broken" and ran.exit_code != 0:
        graded = Graded(None, f"solve.sh ended with {ran.exit_code}: {ran.output[-200:]}", ran.output + graded.output)
    return Reference(ground, needs, nothing, graded, twin, left, trail, answers)


def _narrowest(workshop: Workshop, folder: Folder, ground: Ground, left: Left) -> tuple[Level, Graded, tuple[str, ...]]:
    """The narrowest level at which the reference earns most."""
    best: tuple[Level, Graded] | None = None
    trail: list[str] = []
    digest = ""
    for level in _levels(folder):
        carried = left.carried.get(level)
        if carried is None or carried.digest == digest:
            continue
        digest = carried.digest
        graded = workshop.grade(folder, ground, level, carried)
        trail.append(f"{level} {graded.reward:g}")
        if best is None or graded.reward > best[1].reward:
            best = level, graded
        if graded.reward >= 1:
            break
    level, graded = best or ("work", Graded(None, left.problem or "nothing was left"))
    return level, graded, tuple(trail)


def _levels(folder: Folder) -> tuple[Level, ...]:
    """In separate mode artifacts alone cross, as the task says itself."""
    return ("work",) if folder.separate else LEVELS


def _touched(box: Box) -> set[str]:
    """The files that differ from the image's in a box that can be trusted."""
    changed = topmost(path for path in leaves(box.changed()) if not within(path, (*NEVER, *PASSING)))
    if not changed:
        return set()
    found = ours(box, f"find {' '.join(map(shlex.quote, changed))} -xdev '(' -type f -o -type l ')'", MAX_LIST)
    return {path for path in found.splitlines() if not within(path, (*NEVER, *PASSING))}


def _ground(workshop: Workshop, folder: Folder, touched: set[str]) -> Ground:
    """What a task's image holds, and what the reference changed of it."""
    with workshop.open(folder) as box:
        start = box.run("pwd", timeout_s=60).output.strip() if folder.workdir is None else folder.workdir
        workdirs = (posixpath.normpath(start),) if start not in ("", "/") else tuple(_tops(touched))
        if folder.separate:
            workdirs = ()
        listed = f"find {' '.join(workdirs)} -xdev '(' -type f -o -type l ')'"
        present = ours(box, listed, MAX_LIST).splitlines() if workdirs else []
        outside = [path for path in touched if not within(path, (*workdirs, *folder.artifacts))]
        above = sorted({folder for path in outside for folder in _above(path)})
        there = set()
        if above:
            there = set(ours(box, f"find {' '.join(map(shlex.quote, above))} -maxdepth 0", MAX_LIST).splitlines())
        held = ours(box, f"find {' '.join(PLACES)} -mindepth 1 -maxdepth 1", MAX_LIST).splitlines()
        packages = ours(box, "find / -xdev -path '*-packages/*' -prune -print", MAX_LIST).splitlines()
    made = topmost(path for path in above if path not in there)
    installed = [posixpath.basename(path).partition(".")[0] for path in packages]
    return Ground(workdirs, folder.artifacts, *map(frozenset, (present, touched, made, held, installed)))


def _tops(touched: set[str]) -> list[str]:
    """Work folders of an image that starts in /: top folders that the reference writes to."""
    tops = {f"/{path.split('/')[1]}" for path in touched if path.count("/") > 1}
    return sorted(tops - set(MADE_BY_SYSTEMS))


def _above(path: str) -> list[str]:
    """The folders above a path, but for the topmost."""
    parts = path.strip("/").split("/")[:-1]
    return ["/" + "/".join(parts[:end]) for end in range(1, len(parts) + 1)]
