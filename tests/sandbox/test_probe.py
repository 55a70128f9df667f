"""The probe believes nothing: each limit that is taken away from a cell is found missing."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Literal

import pytest
from container_engine import needs_engine

from rlenv.sandbox import CellSettings, Limits, Program, Result, SandboxUnavailable, Status, choose
from rlenv.sandbox.docker_backend import DockerLauncher
from rlenv.sandbox.errors import CellLate, CellLost
from rlenv.sandbox.launcher import SERVER_ENVIRONMENT, Launcher, ServerSettings, server_command
from rlenv.sandbox.namespaces import NamespaceLauncher
from rlenv.sandbox.probe import CANARY_CELLS, PLACE, WALLS, Guarantees, examine, probe_place, probe_programs


class PlainChannel:
    """A stream to an ordinary process, or to one that ends at a given point."""

    settings = ServerSettings()

    def __init__(self, lost_at: str = "", cause: Literal["", "memory"] = "", late: bool = False) -> None:
        self._process = subprocess.Popen(
            server_command(sys.executable), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=SERVER_ENVIRONMENT
        )
        self._lost_at, self._cause, self._late = lost_at.encode(), cause, late
        self._seen = b""
        self.closed = False

    def read(self, count: int, deadline: float) -> bytes:
        assert self._process.stdout is not None
        if self._lost_at and b'"trying": "' + self._lost_at in self._seen:
            raise CellLate("late") if self._late else CellLost("lost")
        data = self._process.stdout.read(count)
        self._seen += data
        return data

    def write(self, data: bytes, deadline: float) -> None:
        assert deadline > time.monotonic()
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def close(self) -> None:
        self.closed = True
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):  # a child of the cell may hold the other ends open
            if stream is not None:
                stream.close()

    def abandon(self) -> None:
        raise NotImplementedError

    def postmortem(self) -> Literal["", "memory"]:
        return self._cause

    def messages(self) -> str:
        return ""


class PlainLauncher:
    """Isolates nothing."""

    name = "plain"

    def __init__(self, channel: PlainChannel) -> None:
        self.channel = channel

    def launch(self, serial: int) -> PlainChannel:
        return self.channel

    def close(self) -> None:
        pass


HARMLESS = ("pid_namespace", "scratch", "processes")
"""What may be tried on the machine that runs the tests."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="the canary reads /proc")


@linux
def test_a_place_without_walls_holds_nothing() -> None:
    channel = PlainChannel()
    found = probe_place(PlainLauncher(channel), HARMLESS)
    assert found.held == frozenset()
    assert set(found.missing) == set(HARMLESS)
    assert "where 32 are allowed" in found.missing["processes"]
    assert "where 8 are allowed" in found.missing["scratch"]
    assert channel.closed


@linux
def test_a_cell_that_ends_while_a_limit_is_tried_does_not_hold_it() -> None:
    found = probe_place(PlainLauncher(PlainChannel(lost_at="scratch")), HARMLESS)
    assert "ended while it was tried" in found.missing["scratch"]
    assert found.missing["processes"] == "it was never tried"


@linux
def test_a_cell_that_the_kernel_killed_for_its_memory_holds_that_limit() -> None:
    held = probe_place(PlainLauncher(PlainChannel(lost_at="memory", cause="memory")), ("memory",))
    lost = probe_place(PlainLauncher(PlainChannel(lost_at="memory")), ("memory",))
    late = probe_place(PlainLauncher(PlainChannel(lost_at="memory", late=True)), ("memory",))
    assert held.held == {"memory"}
    assert "memory" in lost.missing
    assert "no answer" in late.missing["memory"]


@needs_engine
@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({"network_mode": "host"}, "network"),
        ({"read_only": False}, "read_only"),
        ({"cap_add": ["SETUID", "SETGID", "KILL", "SYS_ADMIN"]}, "capabilities"),
        ({"security_opt": []}, "capabilities"),
        ({"pid_mode": "host"}, "pid_namespace"),
        ({"tmpfs": {"/tmp": "rw,mode=1777,size=64m"}}, "scratch"),
        ({"pids_limit": None}, "processes"),
        ({"mem_limit": None, "memswap_limit": None}, "memory"),
    ],
)
def test_a_limit_that_an_engine_does_not_apply_is_found_missing(
    changed: dict[str, Any], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = DockerLauncher(CANARY_CELLS)
    create = launcher._client.containers.create
    weakened = type(launcher._client.containers)
    monkeypatch.setattr(weakened, "create", lambda _, *words, **settings: create(*words, **{**settings, **changed}))
    try:
        found = probe_place(launcher)
    finally:
        launcher.close()
    assert missing in found.missing
    with pytest.raises(SandboxUnavailable, match=missing):
        found.require()


@pytest.mark.parametrize(
    "launcher", [pytest.param(NamespaceLauncher, marks=linux), pytest.param(DockerLauncher, marks=needs_engine)]
)
def test_everything_holds(launcher: Callable[[CellSettings], Launcher]) -> None:
    place = PLACE if launcher is DockerLauncher or choose._has_cgroups() else WALLS
    found = examine(launcher, place)
    assert found.missing == {}
    assert found.held > set(place)
    found.require()


def test_a_program_that_gets_away_with_something_is_evidence() -> None:
    def run(program: Program, limits: Limits) -> Result:
        return Result(Status.EXITED, b"server_apart: it could signal it\nruns:\ntaken\n", exit_code=0)

    found = probe_programs("loose", run)
    assert found.missing["server_apart"] == "it could signal it"
    assert "did not get to it" in found.missing["no_sockets"]
    assert "256 MB together where 128 are allowed" in found.missing["program_memory"]
    assert "nothing_left" in found.missing
    assert "runs" in found.held


def test_a_sandbox_that_runs_nothing_holds_nothing() -> None:
    found = probe_programs("broken", lambda program, limits: Result(Status.SANDBOX_FAILURE, detail="no cell"))
    assert found.held == frozenset()
    assert "no cell" in found.missing["runs"]


def test_what_is_missing_is_said_with_its_evidence() -> None:
    weak = Guarantees("weak", frozenset({"memory", "network"}), {})
    worse = weak | Guarantees("weak", frozenset({"scratch"}), {"memory": "it took 2 GB"})
    assert worse.held == {"network", "scratch"}
    with pytest.raises(SandboxUnavailable, match=r"weak backend.*memory \(it took 2 GB\)"):
        worse.require()
    weak.require()


def test_a_probe_costs_little() -> None:
    assert CANARY_CELLS.memory_mb < CellSettings().memory_mb
