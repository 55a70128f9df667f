"""Five thousand changed rows, requests, run folders and checkpoints: bounded, and nothing but rlenv's own errors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent.parent / "support" / "door_fuzz.py"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")
@pytest.mark.parametrize(
    ("kind", "count"), [("rows", 2_000), ("requests", 1_500), ("folders", 1_000), ("checkpoints", 500)]
)
def test_what_strangers_send_costs_little_and_raises_our_own_errors(kind: str, count: int, tmp_path: Path) -> None:
    here, work = tmp_path / "here", tmp_path / "work"
    here.mkdir()
    work.mkdir()
    command = [sys.executable, str(FUZZ), kind, str(count), "7", str(work)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HOME": str(here), "TMPDIR": str(work)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=here)
    assert done.returncode == 0, done.stderr[-2_000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["raised"] == {}
    assert found["left"] == []
    assert found["worst_s"] <= 2.0
    assert found["worst_mb"] <= 256
    assert found["cases"] == count
    assert list(here.iterdir()) == []
