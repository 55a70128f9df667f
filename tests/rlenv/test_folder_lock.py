"""One process a run folder, and a dead one holds nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import RunError
from rlenv.store.folder_lock import FolderLock

HOLD = """
import os, sys, time
from pathlib import Path
from rlenv.store.folder_lock import FolderLock
lock = FolderLock(Path(sys.argv[1]))
child = os.fork() if len(sys.argv) > 2 else 1
os.write(1, f"{os.getpid() if child else 'child'}\\n".encode())  # at once: two processes write
time.sleep(600)
"""


def _holder(folder: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", HOLD, str(folder), *more], stdout=subprocess.PIPE, text=True)


def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with _holder(tmp_path / "run") as first:
        assert first.stdout is not None
        assert first.stdout.readline().strip() == str(first.pid)
        with pytest.raises(RunError, match=rf"run is in use by process {first.pid} on .*; wait until it ends"):
            FolderLock(tmp_path / "run")
        with pytest.raises(RunError, match=f"process {first.pid}"):
            rlenv.evaluate("math/arithmetic-v0", "reference", limit=1, out=tmp_path / "run", quiet=True)
        first.kill()


def test_a_dead_process_holds_nothing_though_its_child_lives(tmp_path: Path) -> None:
    with _holder(tmp_path, "and a child") as first:
        assert first.stdout is not None
        lines = {first.stdout.readline().strip(), first.stdout.readline().strip()}
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        first.send_signal(signal.SIGKILL)
        first.wait()
        try:
            FolderLock(tmp_path).close()
        finally:
            for child in children:
                os.kill(int(child), signal.SIGKILL)
        assert lines == {str(first.pid), "child"}


def test_a_planted_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "run.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="link"):
        FolderLock(tmp_path)
    assert (tmp_path / "elsewhere").read_text() == "mine"


def test_judging_again_holds_the_folder_too(tmp_path: Path) -> None:
    rlenv.evaluate("math/arithmetic-v0", "reference", limit=1, out=tmp_path, quiet=True)
    with FolderLock(tmp_path), pytest.raises(RunError, match="in use"):
        rlenv.rescore(tmp_path, quiet=True)
    assert rlenv.rescore(tmp_path, quiet=True).changes == ()


def test_judging_again_asks_for_the_folder_of_an_evaluation(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"row": {}, "env": "math/arithmetic-v0"}')
    with pytest.raises(RunError, match=r"not the folder of an evaluation \(its config\.json has no 'policy'\)"):
        rlenv.rescore(tmp_path, quiet=True)
    with pytest.raises(RunError, match="there is no folder"):
        rlenv.rescore(tmp_path / "nowhere", quiet=True)
    assert not (tmp_path / "nowhere").exists()
