"""Runs the hostile sessions, and says as JSON what was wrong. A process of its own.

    python hostile_sessions_run.py BACKEND
"""

from __future__ import annotations

import json
import sys

from rlenv.sandbox import CellSettings, open_sandbox
from rlenv.sandbox.hostile.residue import residue
from rlenv.sandbox.hostile.session_runner import run_sessions

SETTINGS = CellSettings(memory_mb=768, tmp_mb=32)


def main() -> None:
    backend = sys.argv[1]
    before = residue(engine=backend == "docker")
    with open_sandbox(backend, cells=1, settings=SETTINGS, check=False) as box:
        outcomes = run_sessions(box)
    left = sorted(residue(engine=backend == "docker") - before)
    cases = {outcome.case.name: outcome.problems for outcome in outcomes}
    print(json.dumps({"cases": cases, "left": left}))


if __name__ == "__main__":
    main()
