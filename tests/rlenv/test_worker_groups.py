"""What this machine can do about processes that a verifier leaves behind, and that it says so."""

import os
import sys
from pathlib import Path

import pytest

from rlenv.workers.worker_groups import WorkerCgroups, keepers_work, what_ends_processes

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")


@pytest.fixture
def machine(tmp_path: Path) -> tuple[Path, Path]:
    """The files that say where this process's cgroup is, and a folder in its place that is none."""
    mounts, own = tmp_path / "mounts", tmp_path / "cgroup"
    (tmp_path / "fs" / "mine").mkdir(parents=True)
    mounts.write_text(f"tmpfs /tmp tmpfs rw 0 0\ncgroup2 {tmp_path}/fs cgroup2 rw 0 0\n")
    own.write_text("4:memory:/else\n0::/mine\n")
    return mounts, own


def test_other_systems_are_told_what_stays_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not keepers_work()
    assert what_ends_processes().startswith("WARNING: only the process group of a worker is ended with it")


@linux
def test_a_proc_of_other_processes_is_not_relied_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert not keepers_work()


@linux
def test_this_machine_says_how_it_ends_a_worker() -> None:
    with WorkerCgroups() as cgroups:
        expected = (
            "a cgroup for each worker" if cgroups else "a keeper that adopts what a worker's children leave behind"
        )
    if keepers_work():
        assert what_ends_processes() == f"a worker is ended with all that it has started: {expected}"


@linux
def test_cgroups_are_gone_when_they_are_closed() -> None:
    with WorkerCgroups() as cgroups:
        if not cgroups:
            pytest.skip("this user may make no cgroup here")
        made = [cgroups.make() for _ in range(3)]
        assert all(folder is not None and (folder / "cgroup.kill").exists() for folder in made)
        cgroups.remove(made[0])
        assert made[0] is not None
        assert not made[0].exists()
    assert not any(folder.exists() or folder.parent.exists() for folder in made if folder is not None)


def test_a_folder_that_the_kernel_does_not_fill_is_no_cgroup(machine: tuple[Path, Path]) -> None:
    with WorkerCgroups(*machine) as cgroups:
        assert not cgroups
        assert cgroups.make() is None
    assert list((machine[0].parent / "fs" / "mine").iterdir()) == []


@pytest.mark.parametrize("lacking", ["mounts", "cgroup", "version 2", "own"])
def test_where_nothing_is_known_of_cgroups_none_are_made(machine: tuple[Path, Path], lacking: str) -> None:
    mounts, own = machine
    if lacking == "version 2":
        mounts.write_text("cgroup /sys/fs/cgroup/memory cgroup rw 0 0\n")
    elif lacking == "own":
        own.write_text("4:memory:/else\n")
    else:
        (mounts if lacking == "mounts" else own).unlink()
    assert not WorkerCgroups(mounts, own)
