"""Drills: an engine that dies in the middle of a batch, cells killed from outside, a full disk. Nothing may hang."""

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from container_engine import STARTER, needs_engine, needs_own_engine, start_engine, stop_engine

from rlenv.sandbox import CellSettings, Limits, Program, Result, Sandbox, Status, open_sandbox
from rlenv.sandbox.docker_backend import DockerLauncher
from rlenv.sandbox.engine import CELL, connect

PATIENCE_S = 60.0
"""Far more than a drill needs until its first program has ended."""


def running(address: str | None = None) -> set[str]:
    """The containers that run for this process on the engine."""
    client = connect(address)
    try:
        found = client.containers.list(filters={"label": CELL}, ignore_removed=True)
        return {container.id for container in found if f"rlenv-cell-{os.getpid()}-" in container.name}
    finally:
        client.close()


@dataclass(frozen=True)
class Drill:
    """A sandbox of one cell, and how to find its container among those of other tests."""

    box: Sandbox
    others: set[str]

    def containers(self) -> list[str]:
        return sorted(running() - self.others)


def first_process(container: str) -> int:
    """The id, on this machine, of the first process in a container; 0 where the container is gone."""
    client = connect()
    try:
        found = client.containers.list(all=True, filters={"id": container}, ignore_removed=True)
        return int(found[0].attrs["State"]["Pid"]) if found else 0
    finally:
        client.close()


def doubles(count: int) -> list[Program]:
    return [Program("import time\ntime.sleep(0.02)\nprint(int(input()) * 2)", stdin=str(k)) for k in range(count)]


def right(result: Result, k: int) -> bool:
    return result.status is Status.EXITED and result.stdout == b"%d\n" % (2 * k)


@pytest.fixture
def drill() -> Iterator[Drill]:
    others = running()
    with open_sandbox("docker", cells=1) as box:
        yield Drill(box, others)


@needs_engine
def test_a_program_whose_container_is_killed_runs_again_on_a_fresh_one(drill: Drill) -> None:
    started = threading.Event()
    (victim,) = drill.containers()

    def kill() -> None:
        started.wait(PATIENCE_S)
        client = connect()
        client.containers.get(victim).kill()
        client.close()

    killer = threading.Thread(target=kill)
    killer.start()
    programs = doubles(40)
    results = drill.box.map(programs, Limits(wall_s=5), on_result=lambda index, result: started.set())
    killer.join()
    assert all(right(result, k) for k, result in enumerate(results))
    assert drill.box.counts.cells >= 2
    assert victim not in drill.containers()


@needs_engine
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may kill the first process of a container from outside")
def test_a_killed_first_process_costs_its_program_nothing(drill: Drill) -> None:
    (victim,) = drill.containers()
    started = threading.Event()

    def kill() -> None:
        started.wait(PATIENCE_S)
        os.kill(first_process(victim), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    results = drill.box.map(doubles(40), Limits(wall_s=5), on_result=lambda index, result: started.set())
    killer.join()
    assert all(right(result, k) for k, result in enumerate(results))
    assert drill.box.run(Program("print(1)")).stdout == b"1\n"


@needs_engine
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may kill the first process of a container from outside")
def test_a_first_process_that_is_killed_each_time_is_a_failure_of_the_sandbox(drill: Drill) -> None:
    done = threading.Event()
    killed: set[int] = set()

    def kill_all() -> None:
        while not done.wait(0.05):
            for container in drill.containers():
                pid = first_process(container)
                if pid > 1 and drill.box.counts.jobs > 1:
                    killed.add(pid)
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        continue

    assert drill.box.run(Program("print(1)")).stdout == b"1\n"
    killer = threading.Thread(target=kill_all)
    killer.start()
    result = drill.box.run(Program("import time\ntime.sleep(30)"), Limits(wall_s=40))
    done.set()
    killer.join()
    assert result.status is Status.SANDBOX_FAILURE
    assert result.detail
    assert len(killed) >= 2


FILL = """
import os
written = 0
try:
    for number in range(64):
        with open(f"part{number}", "wb") as part:
            part.write(bytes(4 << 20))
        written += 4
except OSError as error:
    print(written, error.errno)
"""


@needs_engine
def test_a_full_disk_ends_one_program_and_leaves_the_next_an_empty_one(drill: Drill) -> None:
    limits = Limits(wall_s=10)
    room = CellSettings().tmp_mb
    full = drill.box.run(Program(FILL), limits)
    written, number = (int(word) for word in full.stdout.split())
    assert number == 28
    assert written <= room
    assert full.status in (Status.EXITED, Status.FILE_LIMIT)
    again = drill.box.run(Program(FILL), limits)
    assert again.stdout.split()[0] == full.stdout.split()[0]
    small = drill.box.run(Program("open('x', 'w').write('y')\nimport os\nprint(os.listdir('.'))"), limits)
    assert small.stdout == b"['x']\n"


@needs_engine
def test_a_disk_full_of_files_is_emptied_too(drill: Drill) -> None:
    many = "try:\n for n in range(20000): open(str(n), 'w').close()\nexcept OSError as error: print(error.errno)"
    full = drill.box.run(Program(many), Limits(wall_s=20))
    assert full.stdout == b"28\n"
    assert drill.box.run(Program("open('x', 'w').write('y')\nprint('ok')")).stdout == b"ok\n"


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Of an engine of the test's own. The path is short: a socket's name has room for 107 bytes."""
    folder = Path(f"/tmp/rlenv-engine.{os.getpid()}")
    yield folder
    stop_engine(folder)
    # The SDK leaves the socket of a request open that no engine answered: let it be said here, where it is expected.
    gc.collect()


def kill_engine(folder: Path) -> None:
    os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


@needs_own_engine
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_batch_ends_in_one_piece_when_its_engine_is_killed(folder: Path) -> None:
    address = start_engine(folder)
    settings = CellSettings()
    box = Sandbox(DockerLauncher(settings, base_url=address), settings, cells=2)
    seen: list[int] = []

    def watch(index: int, result: Result) -> None:
        seen.append(index)
        if len(seen) == 30:
            kill_engine(folder)

    results = box.map(doubles(120), Limits(wall_s=2), on_result=watch)
    failed = [result for result in results if result.status is Status.SANDBOX_FAILURE]
    assert len(results) == 120
    assert all(right(result, k) or result.status is Status.SANDBOX_FAILURE for k, result in enumerate(results))
    assert all(result.detail for result in failed)
    assert 0 < len(failed) <= 90
    assert any("engine" in result.detail for result in failed)
    box.close()

    # The engine comes back: what the dead one left is found, and removed by the next launcher.
    address = start_engine(folder)
    with Sandbox(DockerLauncher(settings, base_url=address), settings, cells=1) as after:
        assert after.run(Program("print(2)")).stdout == b"2\n"
        assert len(running(address)) == 1
    client = connect(address)
    assert client.containers.list(all=True) == []
    client.close()


@needs_own_engine
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_engine_that_stands_still_delays_nothing_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlenv.sandbox.engine.TIMEOUT_S", 2.0)
    address = start_engine(folder)
    settings = CellSettings()
    with Sandbox(DockerLauncher(settings, base_url=address), settings, cells=1) as box:
        engine = int((folder / "pid").read_text())
        os.kill(engine, signal.SIGSTOP)
        try:
            result = box.run(Program("print(3)"), Limits(wall_s=1))
            box.close()
            assert result.stdout == b"3\n" or result.status is not Status.EXITED
            assert result.status in (Status.EXITED, Status.TIMEOUT, Status.SANDBOX_FAILURE)
        finally:
            os.kill(engine, signal.SIGCONT)


@needs_own_engine
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a request of the drill above ends late
def test_the_starter_leaves_no_process_and_no_file(folder: Path) -> None:
    address = start_engine(folder)
    connect(address).close()
    stop_engine(folder)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(folder) not in listed
    assert not folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="engines are started on Linux only")
def test_the_starter_says_what_it_lacks_and_fails(tmp_path: Path) -> None:
    bare = {**os.environ, "DOCKER_HOST": f"unix://{tmp_path}/none.sock", "PATH": str(tmp_path)}
    command = [sys.executable, str(STARTER), "run", "true"]
    done = subprocess.run(command, env=bare, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "no container engine answers" in done.stderr
    assert "apt-get" in done.stderr


@needs_engine
def test_an_engine_that_answers_is_used_and_the_status_of_the_command_is_kept() -> None:
    program = "import os, sys; sys.exit(7 if os.environ['RLENV_REQUIRE_DOCKER'] == '1' else 1)"
    command = [sys.executable, str(STARTER), "run", sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 7
    assert "started" not in done.stderr
