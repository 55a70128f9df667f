"""What a box may take, and faults: a killed box, a dead engine, a dead owner, a full disk. Nothing may hang."""

from __future__ import annotations

import builtins
import gc
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from container_engine import needs_engine, needs_own_engine, start_engine, stop_engine

from rlenv.sandbox.containers import Backend, Box, BoxError, BoxFull, BoxLost, Limits, NoBoxes, docker_boxes
from rlenv.sandbox.engine import connect, reap
from rlenv.sandbox.errors import SandboxUsageError

IMAGE = "rlenv/agents-base:latest"
FILE_SIZE = 128 + signal.SIGXFSZ
LOADER = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}.get(platform.machine(), "")


def said(agents_box: Box, command: str) -> str:
    return agents_box.run(command, timeout_s=60, fresh=True).output


@needs_engine
def test_a_box_has_no_network_unless_asked(boxes: Backend, agents_box: Box) -> None:
    assert said(agents_box, "ls /sys/class/net").split() == ["lo"]


@needs_engine
def test_root_of_a_box_is_root_of_its_files_alone(agents_box: Box) -> None:
    assert said(agents_box, "touch /x && chown nobody /x && su nobody -s /bin/sh -c 'id -un'") == "nobody\n"
    assert "Operation not permitted" in said(agents_box, "mknod /disk b 8 0")
    assert "ermission denied" in said(agents_box, "mount -t tmpfs none /mnt") + said(
        agents_box, "chroot / true; unshare -n true"
    )
    assert said(agents_box, "grep NoNewPrivs /proc/self/status").split() == ["NoNewPrivs:", "1"]


@needs_engine
def test_memory_processes_and_the_size_of_a_file_are_bounded(boxes: Backend) -> None:
    with boxes.start(
        IMAGE, Limits(memory_mb=64, pids=32, storage_mb=8, env={"A": "1"}, user="nobody", workdir="/tmp")
    ) as agents_box:
        assert said(agents_box, "id -un; echo $A; pwd") == "nobody\n1\n/tmp\n"
        assert agents_box.run("head -c 300m /dev/zero | tail", timeout_s=60).exit_code in (137, 1)
        assert "fork" in said(agents_box, "for i in $(seq 40); do sleep 5 & done")
        agents_box.settle()
        assert agents_box.run("head -c 20m /dev/zero >/tmp/big", timeout_s=60, fresh=True).exit_code == FILE_SIZE
        assert agents_box.run("echo on", timeout_s=60).output == "on\n"


@needs_engine
def test_a_disk_over_its_bound_is_said_while_it_is_written_and_after(boxes: Backend) -> None:
    with boxes.start(IMAGE, Limits(storage_mb=8)) as agents_box:
        fill = "i=0; while [ $i -lt 20 ]; do head -c 1000000 /dev/zero >/var/tmp/$i || exit 3; i=$((i+1)); done"
        if boxes._holds_storage:  # type: ignore[attr-defined]
            assert agents_box.run(fill, timeout_s=50).exit_code == 3
            return
        for command in (f"{fill}; sleep 60", "true"):
            with pytest.raises(BoxFull, match="may hold 8"):
                agents_box.run(command, timeout_s=50)


@needs_engine
@pytest.mark.parametrize("fresh", [False, True])
def test_a_box_that_is_killed_under_a_command_is_lost(boxes: Backend, fresh: bool) -> None:
    client = connect()
    with boxes.start(IMAGE, Limits()) as agents_box:
        agents_box.run("true", timeout_s=20)
        timer = threading.Timer(0.5, client.containers.get(agents_box.id).kill)
        timer.start()
        with pytest.raises(BoxLost):
            agents_box.run("sleep 50", timeout_s=40, fresh=fresh)
        timer.join()
        for again in (
            lambda: agents_box.run("true", timeout_s=5),
            lambda: agents_box.get(["/etc"]),
            agents_box.settle,
            lambda: agents_box.put({}, "/x"),
        ):
            with pytest.raises(BoxLost):
                again()
    client.close()


@needs_engine
def test_a_box_that_was_killed_by_us_is_lost_and_gone(boxes: Backend) -> None:
    agents_box = boxes.start(IMAGE, Limits())
    timer = threading.Timer(0.5, agents_box.kill)
    timer.start()
    with pytest.raises(BoxLost):
        agents_box.run("sleep 50", timeout_s=40)
    timer.join()
    agents_box.kill()
    with pytest.raises(BoxLost):
        agents_box.run("true", timeout_s=5)
    assert not [found for found in _all() if found == agents_box.id]


def _all() -> list[str]:
    client = connect()
    try:
        return [str(container.id) for container in client.containers.list(all=True, ignore_removed=True)]
    finally:
        client.close()


@needs_engine
def test_closing_removes_all_and_starts_no_more(boxes: Backend) -> None:
    own = docker_boxes()
    started = [own.start(IMAGE, Limits()) for _ in range(2)]
    started[0].settle()
    own.close()
    own.close()
    assert not {agents_box.id for agents_box in started} & set(_all())
    with pytest.raises(BoxError, match="closed"):
        own.start(IMAGE, Limits())


@needs_engine
def test_boxes_of_a_dead_process_are_removed_and_stopped_ones_of_a_living_stay(boxes: Backend, agents_box: Box) -> None:
    agents_box.settle()
    program = (
        "import os, signal\nfrom rlenv.sandbox.containers import *\nb = docker_boxes()\n"
        f"x, y, z = [b.start({IMAGE!r}, Limits()) for _ in range(3)]\nx.settle()\n"
        "z._container.pause()\nprint(x.id, y.id, z.id, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    left = set(done.stdout.split())
    assert len(left) == 3
    client = connect()
    reap(client)
    client.close()
    assert not left & set(_all())
    assert agents_box.id in _all()
    assert said(agents_box, "echo on") == "on\n"


@needs_engine
def test_an_image_that_is_not_there_is_the_machines_fault(boxes: Backend) -> None:
    assert not boxes.has_image("rlenv/none:1")
    with pytest.raises(BoxError, match="no image 'rlenv/none:1'"):
        boxes.start("rlenv/none:1", Limits())


def _small_image(agents_box: Box) -> bytes:
    """What a shell and `sleep` need, taken out of a box."""
    libraries = f"/usr/lib/{platform.machine()}-linux-gnu"
    programs = ["/usr/bin/sh", "/usr/bin/dash", "/usr/bin/sleep"]
    links = ["/bin", "/lib", "/lib64", "/usr/lib64"]
    return agents_box.get([*links, *programs, *(f"{libraries}/{name}" for name in ("libc.so.6", LOADER))]).tar


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of an engine of the test's own. The path is short: a socket's name has room for 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="rlenv-engine.", dir="/tmp"))
    yield folder
    stop_engine(folder)
    gc.collect()  # the SDK leaves the sockets of its vain tries open: let it be said here, where it is expected


@needs_own_engine
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_engine_that_dies_under_a_command_is_the_machines_fault(
    agents_box: Box, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    address = start_engine(folder)
    backend = docker_boxes(address)
    client = connect(address)
    client.api.import_image_from_data(_small_image(agents_box), "small")
    client.close()
    doomed = backend.start("small", Limits())
    assert doomed.run("echo on", timeout_s=30).output == "on\n"
    timer = threading.Timer(1, os.kill, (int((folder / "pid").read_text()), signal.SIGKILL))
    timer.start()
    with pytest.raises(BoxError):
        doomed.run("sleep 100", timeout_s=60)
    timer.join()
    for again in (
        lambda: doomed.get(["/etc"]),
        lambda: doomed.run("true", timeout_s=5, fresh=True),
        lambda: backend.start("small", Limits()),
    ):
        with pytest.raises(BoxError):
            again()
    backend.close()
    caplog.clear()  # a record of it holds the error, and that the socket


def test_an_engine_that_does_not_answer_is_a_box_error(tmp_path: Path) -> None:
    pytest.importorskip("docker")
    with pytest.raises(BoxError, match="no container engine answers"):
        docker_boxes(f"unix://{tmp_path}/none.sock")


def test_a_missing_sdk_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    true_import = builtins.__import__

    def without(name: str, *args: Any, **rest: Any) -> Any:
        if name == "docker":
            raise ImportError(name)
        return true_import(name, *args, **rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NoBoxes, match="pip install docker"):
        docker_boxes()


@pytest.mark.parametrize("name", ["cpus", "memory_mb", "storage_mb", "pids"])
def test_limits_of_nothing_are_refused(name: str) -> None:
    with pytest.raises(SandboxUsageError, match=name):
        Limits(**{name: 0})  # type: ignore[arg-type]
