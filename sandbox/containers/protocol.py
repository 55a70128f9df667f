"""What a box is: a container for one agent or one check, its limits, what runs in it and what leaves it.

A box differs from a cell (`rlenv.sandbox.launcher`): a cell runs many short programs and keeps nothing of them, a
box is one machine that an agent works in for as long as its task takes. What comes out of it is text of commands
(`Ran`) and files (`Carried`), both bounded; both are the agent's word, and a check runs in a box of its own.

Errors are of two kinds, so that none becomes a wrong answer: `BoxError` is the machine's fault (`BoxLost`: this box is
gone), `TooLarge` is the doing of who works in it (`BoxFull`: its disk). What a command does is in its `Ran`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from rlenv.sandbox.containers.stream import Process
from rlenv.sandbox.errors import SandboxUsageError

OUTPUT_BYTES = 65_536
CARRIED_BYTES = 64 << 20
CARRIED_FILES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one box may take, and who works in it."""

    cpus: float = 1.0
    """Cores, of any of the machine's."""
    memory_mb: int = 2048
    """Memory without swap, of all processes together."""
    storage_mb: int = 4096
    """What may be written to its disk: held by the engine where its driver can, else measured after commands."""
    pids: int = 256
    """Processes and threads at once."""
    network: bool = False
    """Whether it reaches the network of the engine; without, it has its own loopback alone."""
    user: str | None = None
    """Who runs its commands: a name or uid of the image; None is the image's own."""
    workdir: str | None = None
    """Where its commands start; None is the image's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables beside the image's own."""
    sudo: bool = False
    """Whether programs that give privileges (setuid) work: for a user whose task needs them."""

    def __post_init__(self) -> None:
        for name in ("cpus", "memory_mb", "storage_mb", "pids"):
            if getattr(self, name) <= 0:
                raise SandboxUsageError(f"expected {name} above 0, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class Ran:
    """How one command ended."""

    exit_code: int | None
    """As the shell says it; None where it was ended by us."""
    output: str
    """stdout and stderr as they came; what is beyond the bound is cut from the middle."""
    timed_out: bool
    cut: bool
    """Whether output was cut."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Carried:
    """What left a box: a tar whose members are sorted by path, which holds files, folders and links alone."""

    tar: bytes
    digest: str
    """sha256 over the members' paths, kinds, modes and contents; of no times and no owners."""
    files: tuple[str, ...]
    """Absolute paths of its files and links, sorted. In the tar they stand without the first slash."""
    bytes: int
    """Of the files' contents."""


class Box(Protocol):
    """One container. Leaving its `with` kills it. One thread at a time may use it; `kill` may come from any."""

    @property
    def id(self) -> str:
        """The engine's id of it."""

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        user: str | None = None,
        workdir: str | None = None,
        env: Mapping[str, str] | None = None,
        max_output: int = OUTPUT_BYTES,
        fresh: bool = False,
    ) -> Ran:
        """Run a command of the shell, with nothing to read.

        As a rule through one shell that is kept: its folder and variables persist from one command to the next, as in a
        terminal. A command that takes longer than `timeout_s` seconds is ended with its children, and the shell starts
        again in the folder it was in. `fresh`, or another user or variables: a process of its own, for what must not
        depend on what was said to the shell before. `max_output` is in bytes.

        Raises `BoxLost` where the box died under it, `BoxError` where the engine failed, `BoxFull` where its disk holds
        more than its limits allow.
        """

    def process(self, command: Sequence[str]) -> Process:
        """Start a process beside what runs, which speaks once it is sent something; it ends with the box at last."""

    def put(self, files: Mapping[str, bytes | Path] | bytes, at: str, *, mode_executable: Collection[str] = ()) -> None:
        """Write files into the folder `at`: by path below it, or all of a tar, as root's.

        `at` is made anew where it, or a folder above it, is a link or a pipe of the agent's making; below it no link is
        followed. The paths in `mode_executable` may be run.
        """

    def get(
        self,
        paths: Sequence[str],
        *,
        exclude: Callable[[str], bool] | None = None,
        max_bytes: int = CARRIED_BYTES,
        max_files: int = CARRIED_FILES,
    ) -> Carried:
        """Take files and folders (absolute paths) out, without devices, sockets and pipes; links stay links.

        A path that is not there is left out. `exclude` is asked with absolute paths. Raises `TooLarge` beyond a bound.
        """

    def changed(self) -> list[str]:
        """Absolute paths that were made or changed since the image, sorted; what was removed is not among them."""

    def settle(self) -> None:
        """End every process but the box's own first one, so that none writes while files leave."""

    def kill(self) -> None:
        """End and remove the box; a second time does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Backend(Protocol):
    """What makes boxes."""

    def build(
        self,
        context: Path,
        *,
        base: Mapping[str, str] | None = None,
        network: bool = False,
        timeout_s: float = 600,
    ) -> str:
        """Build the Dockerfile of a folder and give the image's id; what was built of the same bytes before is reused.

        `base` names, for images of its FROM lines, what is taken instead. Without `network` its commands have none, and
        nothing is pulled. Raises `BoxError` where it does not build.
        """

    def has_image(self, name: str) -> bool:
        """Whether the engine has an image of that name or id."""

    def start(self, image: str, limits: Limits) -> Box:
        """Start a box. Raises `BoxError` where the engine cannot."""

    def close(self) -> None:
        """Kill every box that it started."""
