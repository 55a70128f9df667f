"""What a sandbox guarantees on this machine, and what holds each of it; what is not guaranteed here, and why.

The backend was tried before it was opened (`probe`). What is said here beyond that follows from how its cells are made:
whether they have a cgroup, programs a uid of their own, and the kernel Landlock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlenv.sandbox.box import Sandbox

SIGNAL_SCOPE = 6
"""The version of Landlock from which on it keeps signals from leaving."""


@dataclass(frozen=True, slots=True)
class Cage:
    """How the cells of a sandbox are made."""

    docker: bool
    landlock: int
    """Version of the kernel's Landlock; 0 where it has none."""
    own_uid: bool
    """Programs run under a uid that nobody else has."""
    cgroup: bool
    """The kernel bounds the memory of a cell."""
    memory_mb: int
    processes: int
    tmp_mb: int


@dataclass(frozen=True, slots=True)
class Promise:
    """`by`: what holds it. `but`: why it is not guaranteed here, or nothing."""

    what: str
    by: str
    but: str = ""

    def __str__(self) -> str:
        return f"{self.what}: " + (f"not guaranteed here because {self.but}" if self.but else self.by)


def cage_of(box: Sandbox) -> Cage:
    """How the cells of an open sandbox are made. Raises SandboxUnavailable where none starts."""
    hello, settings = box.greeting(), box.settings
    return Cage(
        docker=box.backend.startswith("docker"),
        landlock=int(str(hello["landlock"])),
        own_uid=hello["job_uid"] is not None,
        cgroup=not hello["memory_watch"],
        memory_mb=settings.memory_mb,
        processes=settings.processes,
        tmp_mb=settings.tmp_mb,
    )


def promises(cage: Cage) -> list[Promise]:
    """In the order in which they are told."""
    return [*_walls(cage), *_limits(cage), *_machine(cage), *_nowhere()]


def _walls(cage: Cage) -> Iterator[Promise]:
    inside = "a container" if cage.docker else "namespaces"
    landlock = f" and Landlock {cage.landlock}" if cage.landlock else ""
    yield Promise(
        "files: of the machine the interpreter and its programs are seen, and /tmp alone is written",
        f"{inside}{landlock}",
    )
    yield Promise("no network", f"{inside}; no system call makes a socket but a connected pair")
    yield Promise(
        "nothing outlives its program, and no cell its host", f"{inside}, with a first process that kills all"
    )
    yield Promise(
        "nobody but the supervisor says how a program ended",
        "a uid of its own for each cell" if cage.own_uid else "Landlock, the list of system calls, undumpable memory",
        ""
        if cage.own_uid or cage.landlock >= SIGNAL_SCOPE
        else f"{_shared(cage)} its supervisor (it would be noticed)",
    )


def _shared(cage: Cage) -> str:
    known = f"the kernel's Landlock is version {cage.landlock}" if cage.landlock else "the kernel has no Landlock"
    return f"programs run as this user and {known}, not {SIGNAL_SCOPE}: a program may signal"


def _limits(cage: Cage) -> Iterator[Promise]:
    yield Promise("wall time", "the clock of the supervisor, and that of the host behind it")
    yield Promise(
        "processor time of all processes of a program (cpu_s)",
        "the kernel's count; no child can vanish before it is waited for",
    )
    yield Promise(
        f"memory of all processes of a cell together, {cage.memory_mb} MB",
        "a cgroup",
        ""
        if cage.cgroup
        else "no cgroup bounds it: the supervisor adds it up every 20 ms, with what sockets could hold; a "
        "fast program may exceed it for a moment, and small things of the kernel are not counted",
    )
    counted = (
        "a cgroup, and the kernel's count by user" if cage.cgroup else "the kernel's count in their user namespace"
    )
    yield Promise(f"processes, {cage.processes} in a cell", counted)
    yield Promise(f"disk, {cage.tmp_mb} MB", "a file system in memory, bounded in size and files")


def _machine(cage: Cage) -> Iterator[Promise]:
    yield Promise(
        "no more of the kernel than programs need (no io_uring, aio, watches, sync, tracing, keys, later calls)",
        "a list of the system calls that are allowed",
    )
    yield Promise(
        "numbers that the machine counts for all (aio, watches, queues, keys, pages of pipes)",
        "the list of system calls" + (", and a uid of its own" if cage.own_uid else ""),
        ""
        if cage.own_uid
        else "programs run as this user, whose pages of pipes they use up; the others are out of reach",
    )
    yield Promise(
        "the machine's own files are not locked, and do not tell when they were read",
        "an image of its own",
        ""
        if cage.docker
        else "cells see the machine's interpreter and programs themselves: advisory locks on them, and "
        "access times where the file system keeps them, are shared",
    )


def _nowhere() -> Iterator[Promise]:
    because = "nothing short of a machine of its own could"
    yield Promise("timing, caches and load tell nothing; the kernel has no holes", "", because)
