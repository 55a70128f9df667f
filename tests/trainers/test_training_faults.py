"""A dozen of the hundred faults of benchmarks/training_faults.py: runs end right or with one line, nothing is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DRILL = Path(__file__).parent.parent / "support" / "fault_drill.py"
EVERY = 9


@pytest.mark.slow
def test_every_run_with_a_fault_in_it_ends_right_or_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, str(DRILL), str(tmp_path), str(EVERY)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == 12
    assert {fault["kind"].partition(":")[0] for fault in found} >= {"loss", "reward", "kill", "full disk", "torn"}
    missed = [fault for fault in found if not all(fault["checks"].values())]
    assert missed == []
