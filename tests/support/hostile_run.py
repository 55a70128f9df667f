"""Runs hostile programs, then honest ones, or hostile sessions; says as JSON what was wrong. A process of its own.

    python hostile_run.py BACKEND programs            the whole suite
    python hostile_run.py BACKEND walls               without what the fork server decides, the same on every backend
    python hostile_run.py BACKEND sessions SHARING    so many sessions in one cell

Everything that a sandbox leaves on the machine can so be told from what other tests do.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from rlenv.sandbox import CellSettings, open_sandbox
from rlenv.sandbox.hostile import CASES, Case, run_honest, run_suite
from rlenv.sandbox.hostile.residue import residue
from rlenv.sandbox.hostile.session_runner import run_sessions

HONEST = 200


def programs(backend: str, cases: Sequence[Case]) -> dict[str, object]:
    with open_sandbox(backend) as box:
        wrong = {outcome.case.name: outcome.problems for outcome in run_suite(box, cases, cells=box.cells)}
        honest = run_honest(box, HONEST)
        return {**wrong, "honest programs": honest, "failures of the machinery": box.counts.failures}


def sessions(backend: str, sharing: int) -> dict[str, object]:
    settings = CellSettings(memory_mb=320 * sharing, tmp_mb=32 * sharing, processes=64 * sharing, sessions=sharing)
    with open_sandbox(backend, cells=1, settings=settings, check=False) as box:
        return {outcome.case.name: outcome.problems for outcome in run_sessions(box)}


def main() -> None:
    backend, what = sys.argv[1:3]
    before = residue(engine=backend == "docker")
    if what == "sessions":
        found = sessions(backend, int(sys.argv[3]))
    else:
        found = programs(backend, [case for case in CASES if what == "programs" or not case.shared])
    left = sorted(residue(engine=backend == "docker") - before)
    wrong = {name: problems for name, problems in {**found, "left on the machine": left}.items() if problems}
    print(json.dumps({"tried": len(found), "wrong": wrong}))


if __name__ == "__main__":
    main()
