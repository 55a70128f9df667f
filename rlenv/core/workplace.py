"""What a program that plays an episode by itself needs of a place to work in: a box, and a process beside it.

The boxes of `rlenv.sandbox.containers` are such; this says what is asked of them, without any engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from rlenv.core.interaction import Interaction
from rlenv.core.jsontypes import Json

STDOUT = 1


class Pipe(Protocol):
    """A process in a box with its streams. It says nothing before it is sent something."""

    def send(self, data: bytes, deadline: float) -> None:
        """Write to its standard input; another thread may read meanwhile. Raises where it takes nothing in time."""

    def pieces(self, deadline: float, look: Callable[[], None]) -> Iterator[tuple[int, bytes]]:
        """What it says: 1 for stdout, 2 for stderr, and bytes. What `look`, called now and then, raises ends it."""

    def close(self) -> None:
        """Give up its streams."""


class Ran(Protocol):
    """How a command ended."""

    @property
    def exit_code(self) -> int | None:
        """None where its time was over."""

    @property
    def output(self) -> str: ...


class Box(Protocol):
    """A machine for one episode."""

    def run(self, command: str, *, timeout_s: float, env: Mapping[str, str], fresh: bool) -> Ran:
        """Run a command of the shell, `fresh`: in a process of its own."""

    def process(self, command: Sequence[str]) -> Pipe:
        """Start a process beside it."""


class Bench(Protocol):
    """One episode's box, and when its time is over, as `time.monotonic` counts."""

    @property
    def box(self) -> Box: ...
    @property
    def until(self) -> float: ...


class Workplace(Interaction, Protocol):
    """An interaction whose episodes have a box each, and are judged by what they leave in it."""

    def bench(self, state: dict[str, Json]) -> Bench:
        """The box of the episode in this state, which is changed in place where the box is started by this."""

    def close(self, state: Json) -> None:
        """Take out what was left, and end the box."""

    def kept(self, state: Json) -> str:
        """What `Completion.submission` says of the episode that ended in this state."""
