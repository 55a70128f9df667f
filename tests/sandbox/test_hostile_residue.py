"""What counts as left behind: processes, files and control groups of this process, and nothing of others."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from container_engine import needs_engine

from rlenv.sandbox.engine import connect, owner_labels
from rlenv.sandbox.hostile.residue import residue
from rlenv.sandbox.image import build_image

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def test_a_process_that_goes_on_is_found_with_its_children() -> None:
    before = residue(engine=False)
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        left = residue(engine=False) - before
        process.stdin.close()
    assert len(left) == 2
    assert all(line.startswith("process ") for line in left)
    assert residue(engine=False) <= before


def test_a_file_of_this_process_is_found() -> None:
    before = residue(engine=False)
    with tempfile.NamedTemporaryFile(prefix=f"rlenv-{os.getpid()}-") as file:
        assert residue(engine=False) - before == {f"file {file.name}"}
    with tempfile.NamedTemporaryFile(prefix="rlenv-of-another-"):
        assert residue(engine=False) <= before


@needs_engine
def test_a_container_of_this_process_is_found() -> None:
    before = residue(engine=True)
    client = connect()
    try:
        container = client.containers.create(build_image(), ["python3"], labels=owner_labels())
        try:
            assert residue(engine=True) - before == {f"container {container.name}"}
        finally:
            container.remove(force=True)
    finally:
        client.close()
    assert residue(engine=True) <= before


@pytest.mark.slow  # the others of this file would see its mounts
@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="only root can mount")
def test_a_mount_is_found_and_one_of_an_engine_is_not(tmp_path: Path) -> None:
    before = residue(engine=False)
    with tempfile.TemporaryDirectory(prefix="rlenv-engine.") as engine:
        for place, found in ((tmp_path, {f"mount {tmp_path}"}), (Path(engine), set())):
            subprocess.run(["mount", "-t", "tmpfs", "none", str(place)], check=True)
            try:
                assert residue(engine=False) - before == found
            finally:
                subprocess.run(["umount", str(place)], check=True)


def test_control_groups_are_told_by_the_process_in_their_name() -> None:
    mine = Path("/sys/fs/cgroup/pids") / f"rlenv-cell-{os.getpid()}-test"
    try:
        mine.mkdir()
    except OSError:
        pytest.skip("no control group can be made here")
    try:
        assert f"control group {mine}" in residue(engine=False)
    finally:
        mine.rmdir()
