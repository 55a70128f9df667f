"""Makes a task's boxes: the agent's, in which files are left, and fresh ones, in which what was left is judged.

Nothing that an agent ran is in a fresh box, only what it left: files without links that lead to the verifier's own, and
compiled ones dated before their sources, so that make builds them again.
"""

from __future__ import annotations

import io
import shlex
import tarfile
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rlenv.envs.containers.reader import SCRIPT, SOLVE, Folder, Phase
from rlenv.envs.containers.rewards import JSON, TEXT, NoReward, Paid, read_reward
from rlenv.envs.containers.scope import (
    LEVELS,
    NEVER,
    PASSING,
    Ground,
    Level,
    contents,
    leaves,
    under,
    unfit,
    within,
)
from rlenv.sandbox.containers import Backend, Box, BoxError, Carried, Limits, Ran, TooLarge

TESTS, SOLUTION, REWARDS = "/tests", "/solution", "/logs/verifier"
COMMAND = "/tmp/rlenv-command"
SHORT_S = 60.0
"""For commands of ours."""
AT_ONCE = 500
"""Paths in one command."""
MAX_LIST = 8 << 20
BUILT = (b"\x7fELF", b"!<arch>\n", b"\xca\xfe\xba\xbe", b"PK\x03\x04")
"""How programs, objects, libraries, classes of Java and their archives begin."""
KILLED = range(129, 160)
"""Exit codes of what a signal ended."""


@dataclass(frozen=True)
class Graded:
    """What a verifier came to in one box: a reward, or why there is none."""

    paid: Paid | None
    problem: str = ""
    output: str = ""
    timed_out: bool = False
    killed: bool = False
    """Whether a signal ended the verifier, so that it did not say its last word."""

    @property
    def reward(self) -> float:
        return 0.0 if self.paid is None else self.paid.reward


@dataclass(frozen=True)
class Left:
    """What an agent left, at each level that could be taken; a level that is too large is not there."""

    carried: Mapping[Level, Carried]
    here: Graded | None = None
    """Of a task that needs a live process: what its verifier said where the agent was."""
    twin: tuple[str, str] = ("", "")
    """And what the twin said there, with why it is forged."""
    problem: str = ""
    """Why nothing could be taken."""


@dataclass
class Workshop:
    """Builds images and starts boxes. Serves any number of threads."""

    backend: Backend
    base: Mapping[str, str] = field(default_factory=dict)
    """Images that are taken instead of those that a task names."""
    network: bool = False
    """Whether a task that asks for the network gets it, and whether its Dockerfile builds with it."""
    _images: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def image(self, folder: Folder) -> str:
        """The image of a task's environment, built where it is not there yet. Raises BoxError."""
        with self._lock:
            if folder.digest not in self._images:
                named = None if folder.image is None else self._named(folder.image)
                if named is None and not folder.has_dockerfile:
                    raise BoxError(f"image {folder.image} of task {folder.name} is not here; map it with base=")
                self._images[folder.digest] = named or self.backend.build(
                    folder.environment, base=self.base, network=self.network, timeout_s=folder.build_timeout_s
                )
            return self._images[folder.digest]

    def _named(self, name: str) -> str | None:
        image = self.base.get(name, name)
        return image if self.backend.has_image(image) else None

    def verifier_image(self, folder: Folder) -> str:
        """Where the verifier of a task runs: its own image where it has one, else a fresh box of the environment."""
        if folder.verifier_image is not None:
            image = self._named(folder.verifier_image)
            if image is None:
                raise BoxError(f"image {folder.verifier_image} of task {folder.name} is not here; map it with base=")
            return image
        if folder.separate and "Dockerfile" in folder.tests:
            return self.backend.build(folder.path / "tests", base=self.base, network=self.network)
        return self.image(folder)

    def open(self, folder: Folder, phase: Phase | None = None) -> Box:
        """A fresh box of the task for this phase, the agent's unless said otherwise."""
        phase = phase or folder.agent
        image = self.verifier_image(folder) if phase is folder.verifier else self.image(folder)
        limits = Limits(
            cpus=folder.cpus,
            memory_mb=folder.memory_mb,
            storage_mb=folder.storage_mb,
            network=self.network and folder.wants_network,
            user=phase.user,
            workdir=folder.workdir,
            env={**folder.env, **({} if phase is folder.verifier else phase.env)},
        )
        return self.backend.start(image, limits)

    def grade(
        self,
        folder: Folder,
        ground: Ground,
        level: Level,
        carried: Carried | None,
        tests: Mapping[str, bytes] | None = None,
        rewards: str = REWARDS,
    ) -> Graded:
        """What the verifier says of what was carried, or of nothing, in a fresh box. Raises BoxError."""
        with self.open(folder, folder.verifier) as box:
            if carried is not None:
                lay(box, ground, level, carried)
            return verified(box, folder, tests, rewards)


def solve(box: Box, folder: Folder) -> Ran:
    """Play the reference solution of a task that has one."""
    box.put(folder.solution, SOLUTION, mode_executable=_scripts(folder.solution))
    command = f"{SOLUTION}/{SOLVE}"
    return box.run(command, timeout_s=folder.agent.timeout_s, env=folder.solution_env, fresh=True)


def command(box: Box, folder: Folder, script: bytes) -> Ran:
    """Play a script as the agent's one command."""
    box.put({"command": script}, COMMAND, mode_executable=["command"])
    return box.run(f"{COMMAND}/command", timeout_s=folder.agent.timeout_s, fresh=True)


def leave(box: Box, ground: Ground, levels: Collection[Level] = LEVELS) -> Left:
    """Take out what an agent leaves at these levels. Raises BoxError."""
    changed = box.changed()
    carried: dict[Level, Carried] = {}
    problem = ""
    for level in levels:
        try:
            carried[level] = _taken(box, ground, level, changed)
        except TooLarge as error:
            problem = str(error)
    return Left(carried, problem=problem)


def _taken(box: Box, ground: Ground, level: Level, changed: Sequence[str]) -> Carried:
    roots, known = ground.roots(level, changed), leaves(changed)

    def leaves_out(path: str) -> bool:
        inside = level != "whole" or under(path, known) or within(path, (*ground.workdirs, *ground.artifacts))
        return not inside or ground.leaves_out(level, path)

    taken = box.get(roots, exclude=leaves_out)
    bad = unfit(taken.tar)
    return box.get(roots, exclude=lambda path: path in bad or leaves_out(path)) if bad else taken


def put_back(box: Box, fresh: Box, ground: Ground) -> None:
    """Put the image's files back where an agent has nothing to leave, and remove what is new there.

    For a box in which it is judged because a process of it is needed. Raises BoxError and TooLarge.
    """
    own = (*ground.workdirs, *NEVER, *PASSING)
    others = [path for path in leaves(box.changed()) if ground.leaves_out("outside", path) and not within(path, own)]
    if not others:
        return
    folders = set(ours(fresh, f"find {' '.join(map(shlex.quote, others))} -maxdepth 0 -type d", MAX_LIST).splitlines())
    held = fresh.get([path for path in others if path not in folders])
    new = box.get([path for path in others if path not in folders and path not in held.files])
    box.put(held.tar, "/")
    box.put({path.lstrip("/"): b"" for path in new.files}, "/")  # a preloaded library is empty before `rm` starts
    _over(box, "rm -f --", new.files)


def lay(box: Box, ground: Ground, level: Level, carried: Carried) -> None:
    """Put what was carried into a fresh box, and remove there what the agent removed."""
    gone = [path for path in ground.present - set(carried.files) if not ground.leaves_out(level, path)]
    _over(box, "rm -f --", gone)
    box.put(carried.tar, "/")
    _over(box, "touch -h -d @1 --", _built(carried.tar))


def _built(tar: bytes) -> list[str]:
    """What was compiled, or may be run: make takes it for older than its sources."""
    built = {path for path, content in contents(tar).items() if content.startswith(BUILT)}
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        built |= {f"/{m.name.lstrip('/')}" for m in archive.getmembers() if m.isfile() and m.mode & 0o111}
    return sorted(built)


def _over(box: Box, command: str, paths: Sequence[str]) -> None:
    """Run a command of ours over paths, as root."""
    for start in range(0, len(paths), AT_ONCE):
        some = " ".join(shlex.quote(path) for path in paths[start : start + AT_ONCE])
        ours(box, f"{command} {some}")


def ours(box: Box, command: str, max_output: int = 65_536) -> str:
    """What a command of ours printed in a fresh box. Raises BoxError where it did not end well."""
    ran = box.run(command, timeout_s=SHORT_S, user="root", workdir="/", max_output=max_output, fresh=True)
    if ran.exit_code is None or ran.cut:
        raise BoxError(f"{command[:80]!r} did not end in {SHORT_S:g} s, or printed too much: {ran.output[:200]!r}")
    return ran.output


def verified(
    box: Box,
    folder: Folder,
    tests: Mapping[str, bytes] | None = None,
    rewards: str = REWARDS,
    settle: bool = True,
) -> Graded:
    """Run the verifier in a box and read its reward; what stood there before it started does not count.

    With `settle` no process is left when the reward is read, and the box is done with. Raises BoxError.
    """
    tests = folder.tests if tests is None else tests
    box.run(
        f"rm -rf {rewards} {TESTS}; mkdir -p {rewards} {REWARDS} /logs/artifacts /logs/agent; chmod 777 {rewards}",
        timeout_s=SHORT_S,
        user="root",
        workdir="/",
        fresh=True,
    )
    if _rewards(box, rewards):
        return Graded(None, "a reward lay there before the verifier started, and could not be removed")
    box.put(tests, TESTS, mode_executable=_scripts(tests))
    phase = folder.verifier
    ran = box.run(
        f"{TESTS}/{SCRIPT}",
        timeout_s=phase.timeout_s,
        user=phase.user,
        workdir=folder.workdir,
        env=phase.env,
        fresh=True,
    )
    if ran.exit_code is None or ran.timed_out:
        return Graded(None, f"the verifier did not end in {phase.timeout_s:g} s", ran.output, timed_out=True)
    if settle:
        box.settle()
    try:
        paid = read_reward(_rewards(box, rewards))
        return Graded(paid, "", ran.output, killed=ran.exit_code in KILLED)
    except (NoReward, TooLarge) as error:
        return Graded(None, str(error), ran.output)


def _rewards(box: Box, rewards: str) -> dict[str, bytes]:
    """The files of a reward that stand in a box, by name."""
    paths = {f"{rewards}/{name}": name for name in (JSON, TEXT)}
    got = box.get(list(paths), max_bytes=1 << 20)
    return {paths[path]: content for path, content in contents(got.tar).items() if path in paths}


def _scripts(files: Mapping[str, bytes]) -> list[str]:
    return [name for name, content in files.items() if name.endswith(".sh") or content.startswith(b"#!")]
