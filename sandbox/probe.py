"""Which limits really hold: a cell is started for no other purpose than to try them.

An engine may accept a limit and ignore it (rootless Docker without control groups does, and so does rootless podman
on version 1 of them), and a kernel may lack what the fork server counts on. So nothing is believed: `probe_place`
tries what the place of a cell must not allow, as its first process; `probe_programs` tries what a program must not be
able to do, through the whole sandbox. A limit that does not bite counts as missing, whatever the settings say.
"""

import json
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rlenv.sandbox import canary
from rlenv.sandbox.attempts import LOOK_AROUND, STAY_BEHIND, TAKE_TOGETHER, TRY_EVERYTHING
from rlenv.sandbox.errors import CellLate, CellLost, SandboxUnavailable
from rlenv.sandbox.launcher import CellSettings, Channel, Launcher
from rlenv.sandbox.pool import Pool
from rlenv.sandbox.program import Limits, Program, Result, Status

CANARY_CELLS = CellSettings(memory_mb=128, processes=32, tmp_mb=8)
"""What the cells of a probe are given: little, so that reaching it costs little."""

PROCESSES = 12
"""How many processes a program of the probe may have."""

WALLS = ("pid_namespace", "network", "read_only", "capabilities", "scratch")
PLACE = (*WALLS, "processes", "memory")
"""What the place of a cell holds by itself; the last two may be left to the fork server, and programs try them."""

PROGRAM = ("runs", "unprivileged", "server_apart", "no_sockets", "no_writes", "no_namespaces", "program_processes")
PROGRAM_MEMORY, NOTHING_LEFT = "program_memory", "nothing_left"

PLACE_S = 30.0
"""How long the cell of a probe may take for everything."""

PLACE_SERIAL = 1_000_000
"""Away from the serial numbers that the pool gives."""

LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What was tried on a backend: what held, and what did not, with the evidence."""

    backend: str
    held: frozenset[str] = frozenset()
    missing: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        held = f"{self.backend} holds {', '.join(sorted(self.held)) or 'nothing'}"
        missing = "; ".join(f"{name} ({evidence})" for name, evidence in sorted(self.missing.items()))
        return f"{held}; does not hold {missing}" if missing else held

    def __or__(self, other: "Guarantees") -> "Guarantees":
        """What both held of what each was tried for."""
        missing = {**self.missing, **other.missing}
        return Guarantees(self.backend, (self.held | other.held) - missing.keys(), missing)

    def require(self) -> None:
        """Raise `SandboxUnavailable` where anything that was tried did not hold."""
        if self.missing:
            raise SandboxUnavailable(
                f"the {self.backend} backend runs here, but not everything it was set to holds: {self}. Fix that, "
                "choose another backend, or write open_sandbox('unsafe') to run programs without protection"
            )


def examine(make: Callable[[CellSettings], Launcher], place: Sequence[str] = PLACE) -> Guarantees:
    """Try everything on a backend, whose launcher `make` gives; about a second. `place` names what its cells hold
    without the fork server.

    Raises `SandboxUnavailable` where no cell starts.
    """
    launcher = make(CANARY_CELLS)
    pool = Pool(launcher, CANARY_CELLS, 1)
    try:
        found = probe_place(launcher, place)
        with pool.slot() as slot:
            return found | probe_programs(launcher.name, slot.run)
    finally:
        pool.close()


def probe_place(launcher: Launcher, place: Sequence[str] = PLACE) -> Guarantees:
    """Try the limits of a cell as its first process. The launcher must have been made with `CANARY_CELLS`.

    Raises `SandboxUnavailable` where the cell cannot be started.
    """
    deadline = time.monotonic() + PLACE_S
    channel = launcher.launch(PLACE_SERIAL)
    evidence = dict.fromkeys(place, "it was never tried")
    try:
        _try_all(channel, evidence, deadline)
    finally:
        channel.close()
    return _guarantees(launcher.name, evidence)


def _try_all(channel: Channel, evidence: dict[str, str], deadline: float) -> None:
    trying = ""
    try:
        source = Path(canary.__file__).read_bytes()
        limits = {name: getattr(CANARY_CELLS, name) for name in ("memory_mb", "processes", "tmp_mb")}
        asked = json.dumps({"try": list(evidence), "limits": limits})
        channel.write(_block(source) + _block(asked.encode()), deadline)
        while "done" not in (finding := _finding(channel, deadline)):
            trying = str(finding.get("trying", ""))
            if "limit" in finding:
                evidence[str(finding["limit"])] = str(finding["evidence"])
    except CellLate:
        evidence[trying or next(iter(evidence))] = f"no answer within {PLACE_S:.0f} s"
    except CellLost as error:
        # The kernel may take the whole cell for what one process in it took: then the limit bit, if coarsely.
        bit = trying == "memory" and channel.postmortem() == "memory"
        evidence[trying or next(iter(evidence))] = "" if bit else f"the cell ended while it was tried: {error}"


def _finding(channel: Channel, deadline: float) -> dict[str, object]:
    size = LENGTH.unpack(channel.read(LENGTH.size, deadline))[0]
    found: dict[str, object] = json.loads(channel.read(size, deadline))
    return found


def _block(data: bytes) -> bytes:
    return LENGTH.pack(len(data)) + data


def probe_programs(backend: str, run: Callable[[Program, Limits], Result]) -> Guarantees:
    """Try as a program what no program may do, through `run` of a sandbox whose cells are `CANARY_CELLS`."""
    evidence = dict.fromkeys(PROGRAM, "the program that tries it did not get to it")
    result = run(Program(TRY_EVERYTHING, stdin=str(PROCESSES)), Limits(wall_s=10, processes=PROCESSES))
    for line in result.stdout.decode("utf-8", "replace").splitlines():
        name, _, against = line.partition(":")
        evidence[name] = against.strip()
    if result.status is not Status.EXITED or result.exit_code != 0:
        evidence["runs"] = f"{result.status}: {result.detail or result.stderr[-300:].decode('utf-8', 'replace')}"
    evidence[PROGRAM_MEMORY] = _memory_evidence(run)
    evidence[NOTHING_LEFT] = _remains_evidence(run)
    return _guarantees(backend, evidence)


def _memory_evidence(run: Callable[[Program, Limits], Result]) -> str:
    """Processes that stay within their own limit, and together take twice what the cell has."""
    each = CANARY_CELLS.memory_mb // 2
    result = run(Program(TAKE_TOGETHER, stdin=str(each - 8)), Limits(wall_s=10, memory_mb=each, processes=8))
    if b"taken" in result.stdout:
        return f"processes could take {4 * each} MB together where {CANARY_CELLS.memory_mb} are allowed"
    return "" if result.status is Status.MEMORY_LIMIT else f"taking too much ended as {result.status}"


def _remains_evidence(run: Callable[[Program, Limits], Result]) -> str:
    run(Program(STAY_BEHIND), Limits(wall_s=10))
    result = run(Program(LOOK_AROUND), Limits(wall_s=10))
    return result.stdout.decode("utf-8", "replace").strip() if result.ok else f"looking for it ended as {result.status}"


def _guarantees(backend: str, evidence: Mapping[str, str]) -> Guarantees:
    missing = {name: against for name, against in evidence.items() if against}
    return Guarantees(backend, frozenset(evidence.keys() - missing.keys()), missing)
