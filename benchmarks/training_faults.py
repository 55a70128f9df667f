"""A hundred faults injected into small trainings: what each left, and how it was gone on from.

    python benchmarks/training_faults.py [--every 10] [--keep FOLDER]

Numbers that are not finite (loss, gradient, old log-prob, reward), kills, full disks, second processes and torn
checkpoints, over twelve algorithms. Prints a table and, for each fault that was not held, its line; ends with status 1
where there is one. About six processor minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

DRILL = Path(__file__).parents[1] / "tests" / "support" / "fault_drill.py"


def drilled(folder: Path, every: int) -> list[dict[str, Any]]:
    """What came of each fault; progress goes to standard error."""
    command = [sys.executable, str(DRILL), str(folder), str(every)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def kind_of(fault: dict[str, Any]) -> str:
    """The row of the table."""
    return f"{fault['kind'].partition(':')[0]}{', for good' if fault['lasting'] else ''}"


def table(found: list[dict[str, Any]]) -> str:
    """A row a kind: how many faults, how many were held, and the checks with the runs that passed each."""
    lines = ["| fault | injected | held | checks passed |", "|---|---|---|---|"]
    for kind in dict.fromkeys(map(kind_of, found)):
        faults = [fault for fault in found if kind_of(fault) == kind]
        passed = Counter(name for fault in faults for name, held in fault["checks"].items() if held)
        asked = Counter(name for fault in faults for name in fault["checks"])
        checks = ", ".join(f"{name} {passed[name]}/{count}" for name, count in asked.items())
        lines.append(f"| {kind} | {len(faults)} | {sum(map(is_held, faults))} | {checks} |")
    return "\n".join([*lines, f"| all | {len(found)} | {sum(map(is_held, found))} | |"])


def is_held(fault: dict[str, Any]) -> bool:
    """Whether every check of a fault passed."""
    return all(fault["checks"].values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="only one fault in so many")
    parser.add_argument("--keep", type=Path, help="a folder for the runs, which are else thrown away")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = drilled(options.keep or Path(folder), options.every)
    print(table(found))
    missed = [fault for fault in found if not is_held(fault)]
    for fault in missed:
        print(json.dumps(fault))
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
