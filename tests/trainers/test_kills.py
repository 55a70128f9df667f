"""Kills (SIGKILL) over rollout, turns, scoring, update, episodes and checkpoints, and other faults: nothing is lost.

Eight of the hundred faults of tests/support/fault_drill.py: runs end right or with one line.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILL_DRILL = Path(__file__).parent.parent / "support" / "kill_drill.py"
BATCHES = {"generation_batch_tokens": 80}
"""Two batches a rollout."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phases", "given"),
    [
        (("rollout", "scoring", "update", "member", "checkpoint"), {}),
        (("rollout", "checkpoint"), {"staleness": 2, **BATCHES}),
    ],
    ids=["in turn", "beside"],
)
def test_every_killed_run_ends_with_the_weights_of_the_run_left_alone(
    phases: tuple[str, ...], given: dict[str, int], tmp_path: Path
) -> None:
    command = [sys.executable, str(KILL_DRILL), str(tmp_path), ",".join(phases), "0", json.dumps(given)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert [drill["phase"] for drill in found["drills"]] == list(phases)
    for drill in found["drills"]:
        where = f"{drill['phase']} {drill['moment']}: {done.stderr[-2000:]}"
        assert drill["killed"], where
        assert drill["resumed"], where
        assert drill["weights"] == found["weights"], where
        assert drill["episodes"] == found["episodes"], where
        assert drill["asked"] == found["asked"], f"a verdict already given was asked for again: {where}"


TURN_DRILL = Path(__file__).parent.parent / "support" / "turn_kill_drill.py"


@pytest.mark.slow
def test_a_kill_in_the_middle_of_a_second_turn_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, str(TURN_DRILL), str(tmp_path)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["drills"]) == 2
    for drill in found["drills"]:
        assert drill == {"killed": True, "resumed": True, **found["alone"]}, done.stderr[-2000:]


FAULT_DRILL = Path(__file__).parent.parent / "support" / "fault_drill.py"
EVERY = 14


@pytest.mark.slow
def test_every_run_with_a_fault_in_it_ends_right_or_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, str(FAULT_DRILL), str(tmp_path), str(EVERY)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == 8
    assert {fault["kind"].partition(":")[0] for fault in found} >= {"loss", "reward", "kill", "full disk", "torn"}
    missed = [fault for fault in found if not all(fault["checks"].values())]
    assert missed == []
