"""Kills (SIGKILL), over rollout, scoring, update, the blocks of episodes and checkpoints: nothing is lost."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

DRILL = Path(__file__).parent.parent / "support" / "kill_drill.py"
BATCHES = {"generation_batch_tokens": 80}
"""Two batches a rollout."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "given"),
    [
        (20, {}),
        (20, {"staleness": 1, **BATCHES}),
        (5, {"staleness": 2, "generators": 2, "partial_tokens": 1, **BATCHES}),
    ],
    ids=["in turn", "beside", "in parts by two"],
)
def test_every_killed_run_ends_with_the_weights_of_the_run_left_alone(
    kills: int, given: dict[str, int], tmp_path: Path
) -> None:
    command = [sys.executable, str(DRILL), str(tmp_path), str(kills), "0", json.dumps(given)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    drills = found["drills"]
    assert Counter(d["phase"] for d in drills) == dict.fromkeys(
        ("rollout", "scoring", "update", "member", "checkpoint"), kills // 5
    )
    for drill in drills:
        where = f"{drill['phase']} {drill['moment']}: {done.stderr[-2000:]}"
        assert drill["killed"], where
        assert drill["resumed"], where
        assert drill["weights"] == found["weights"], where
        assert drill["episodes"] == found["episodes"], where
        assert drill["asked"] == found["asked"], f"a verdict already given was asked for again: {where}"
