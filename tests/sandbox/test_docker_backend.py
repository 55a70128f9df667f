"""Cells in containers: the stream to them, what they are given, and that none is left behind."""

import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from container_engine import needs_engine

from rlenv.sandbox import CellSettings, Limits, Program, SandboxUnavailable, Status, open_sandbox
from rlenv.sandbox.docker_backend import DockerChannel, DockerLauncher, ulimits
from rlenv.sandbox.engine import CELL, HOST, OWNER, connect, owner_labels, process_name, reap
from rlenv.sandbox.errors import CellLate, CellLost

ECHO = b"""
import os
os.write(2, b"to stderr")
while True:
    size = int.from_bytes(read(4), "big")
    os.write(1, read(size)) if size else os._exit(3)
"""
"""What the first process runs in place of the fork server: it gives back what it gets, and ends at an empty piece."""


def soon() -> float:
    return time.monotonic() + 20


def say(channel: DockerChannel, data: bytes) -> None:
    channel.write(struct.pack(">I", len(data)) + data, soon())


def names(only: str = "") -> set[str]:
    client = connect()
    try:
        found = client.containers.list(all=True, filters={"label": CELL}, ignore_removed=True)
        return {container.name for container in found if only in container.name}
    finally:
        client.close()


@pytest.fixture(scope="module")
def launcher() -> Iterator[DockerLauncher]:
    launcher = DockerLauncher(CellSettings(memory_mb=256, processes=40, tmp_mb=16))
    yield launcher
    launcher.close()


@pytest.fixture
def channel(launcher: DockerLauncher) -> Iterator[DockerChannel]:
    channel = launcher.launch(7)
    say(channel, ECHO)
    yield channel
    channel.close()


@needs_engine
def test_bytes_come_back_as_they_went(channel: DockerChannel) -> None:
    data = bytes(range(256)) * 1000
    say(channel, data)
    assert channel.read(100, soon()) + channel.read(len(data) - 100, soon()) == data


@needs_engine
def test_what_the_first_process_says_on_stderr_is_kept_apart(channel: DockerChannel) -> None:
    say(channel, b"answer")
    assert channel.read(6, soon()) == b"answer"
    for _ in range(1000):  # the engine may hand on stderr behind what was written to stdout after it
        if channel.messages():
            break
        say(channel, b".")
        assert channel.read(1, soon()) == b"."
    assert channel.messages() == "to stderr"


@needs_engine
def test_silence_is_late_and_an_end_is_lost(channel: DockerChannel) -> None:
    with pytest.raises(CellLate):
        channel.read(1, time.monotonic() + 0.05)
    say(channel, b"")
    with pytest.raises(CellLost, match="to stderr") as lost:
        channel.read(1, soon())
    assert not isinstance(lost.value, CellLate)
    assert channel.postmortem() == ""


@needs_engine
def test_close_removes_the_container_and_wakes_who_waits_for_it(launcher: DockerLauncher) -> None:
    channel = launcher.launch(8)
    say(channel, ECHO)
    heard: list[BaseException] = []

    def wait() -> None:
        try:
            channel.read(1, soon())
        except CellLost as error:
            heard.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    channel.close()
    channel.close()
    waiting.join()
    assert [type(error) for error in heard] == [CellLost]
    assert channel.container.name not in names()


@needs_engine
def test_abandoning_leaves_the_container_to_its_owner(channel: DockerChannel) -> None:
    if (child := os.fork()) == 0:
        channel.abandon()
        os._exit(0)
    os.waitpid(child, 0)
    say(channel, b"still here")
    assert channel.read(10, soon()) == b"still here"


@needs_engine
def test_a_container_is_given_no_more_than_it_needs(launcher: DockerLauncher, channel: DockerChannel) -> None:
    if launcher.engine == "podman":
        pytest.skip("podman tells what a container was given in other words; the probe tries it")
    channel.container.reload()
    about = channel.container.attrs
    host = about["HostConfig"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert {name.removeprefix("CAP_") for name in host["CapAdd"]} == {"SETUID", "SETGID", "KILL"}
    assert host["Memory"] == host["MemorySwap"] == 256 << 20
    assert host["PidsLimit"] == 40
    assert "no-new-privileges" in host["SecurityOpt"]
    assert host["IpcMode"] == "none"
    assert host["Privileged"] is False
    assert not host["Binds"]
    assert not about["Mounts"]
    assert set(host["Tmpfs"]["/tmp"].split(",")) >= {"nosuid", "nodev", "size=16m", "nr_inodes=8192"}
    assert host["NanoCpus"] == 10**9
    assert host["LogConfig"]["Type"] == "none"
    assert {limit["Name"]: limit["Hard"] for limit in host["Ulimits"]} == {"core": 1, "nofile": 1024}


@needs_engine
def test_programs_of_two_cells_have_two_uids(launcher: DockerLauncher) -> None:
    one, two = launcher.launch(1), launcher.launch(2)
    try:
        uids = {one.settings.job_uid, two.settings.job_uid}
        assert len(uids) == 2
        assert all(uid is not None and 1000 < uid < 65_000 for uid in uids)
    finally:
        one.close()
        two.close()


OWNER_THAT_DIES = """
import os, signal, struct, sys, time
from rlenv.sandbox.docker_backend import DockerLauncher
from rlenv.sandbox.launcher import CellSettings
channel = DockerLauncher(CellSettings()).launch(0)
source = b"import os, signal\\nos.write(1, b'up')\\nread(1)"
channel.write(struct.pack(">I", len(source)) + source, time.monotonic() + 20)
assert channel.read(2, time.monotonic() + 20) == b"up"
print(channel.container.id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@needs_engine
def test_the_cell_of_a_killed_owner_ends_and_the_next_launcher_removes_it() -> None:
    dying = subprocess.run(
        [sys.executable, "-c", OWNER_THAT_DIES], check=False, capture_output=True, text=True, timeout=60
    )
    assert dying.returncode == -signal.SIGKILL, dying.stderr
    client = connect()
    try:
        left = client.containers.list(all=True, filters={"id": dying.stdout.strip()}, ignore_removed=True)
        if left:  # another test session on this engine may have been faster
            left[0].wait(timeout=20)  # it ends by itself: nothing else ends it
            reap(client)
        assert client.containers.list(all=True, filters={"id": dying.stdout.strip()}, ignore_removed=True) == []
    finally:
        client.close()


@needs_engine
def test_only_cells_whose_owner_is_dead_are_reaped(launcher: DockerLauncher, channel: DockerChannel) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        dead = f"{process.pid}@1"
    client = connect()

    def running(labels: dict[str, str]) -> str:
        container = client.containers.create(
            launcher.image,
            ["python3", "-c", "input()"],
            stdin_open=True,
            network_mode="none",
            labels=labels,
            ulimits=ulimits(launcher.engine),
        )
        container.start()
        return str(container.name)

    mine = owner_labels()
    of_dead = running({**mine, OWNER: dead})
    of_elsewhere = running({**mine, HOST: "another-host", OWNER: dead})
    try:
        reap(client)  # a sandbox that another process opens may be before us, and in the middle of it
        deadline = time.monotonic() + 30
        while of_dead in names() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert of_dead not in names()
        assert {of_elsewhere, channel.container.name} <= names()
    finally:
        client.containers.get(of_elsewhere).remove(force=True)
        client.close()


def test_a_process_is_told_from_a_later_one_with_its_id() -> None:
    assert process_name(os.getpid()) == process_name(os.getpid())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        alive = process_name(other.pid)
        assert alive is not None
        assert alive.startswith(f"{other.pid}@")
    assert process_name(other.pid) != alive


@needs_engine
def test_an_image_and_a_runtime_that_are_not_there_are_named() -> None:
    with pytest.raises(SandboxUnavailable, match=r"no image 'rlenv-nothing:1'.*rlenv sandbox build"):
        DockerLauncher(CellSettings(), image="rlenv-nothing:1")
    with pytest.raises(SandboxUnavailable, match="got 'runnothing'"):
        DockerLauncher(CellSettings(), runtime="runnothing")


def test_an_engine_that_does_not_answer_is_said_with_what_to_do(tmp_path: object) -> None:
    pytest.importorskip("docker")
    with pytest.raises(SandboxUnavailable, match=r"no container engine answers at unix://.*namespaces"):
        connect(f"unix://{tmp_path}/none.sock")


def test_a_missing_sdk_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(SandboxUnavailable, match="pip install"):
        connect()


@needs_engine
def test_programs_run_and_nothing_is_left() -> None:
    before = names()
    with open_sandbox("docker", cells=2) as box:
        results = box.map([Program(f"print(int(input()) * {k})", stdin="21") for k in range(20)], Limits(wall_s=10))
        forking = box.run(Program("import os\nwhile True: os.fork()"), Limits(wall_s=2))
        assert box.run(Program("print(1)")).stdout == b"1\n"
    assert [int(result.stdout) for result in results] == [21 * k for k in range(20)]
    assert forking.status in (Status.EXITED, Status.TIMEOUT, Status.SIGNALLED, Status.MEMORY_LIMIT)
    assert not [name for name in names() - before if f"-{os.getpid()}-" in name]


@needs_engine
def test_an_image_of_ones_own_is_named_beside_the_backend(launcher: DockerLauncher) -> None:
    with open_sandbox(f"docker@{launcher.image}", cells=1, check=False) as box:
        assert box.backend == f"docker@{launcher.image}"
        assert box.run(Program("print(1)")).stdout == b"1\n"
    with pytest.raises(SandboxUnavailable, match="got 'runnothing'"):
        open_sandbox("docker:runnothing")
