"""What `container/tasks-v0` pays for scripts that somebody else wrote for task folders: honest, wrong, and exploits.

    python benchmarks/container_folders.py FOLDERS SCRIPTS OUT.jsonl [--at-once 2] [--only OTHER.jsonl]

`SCRIPTS/TASK/*.sh` are played as the agent's one command, as `rlenv tasks FOLDER --script FILE` does, with what is
known of a task found out once. Each play is a line of OUT.jsonl; those that stand there are not played again, but for
errors of the machine. `--only` plays what another run missed. At the end it prints how many of each kind were paid. It
needs an engine and the image of `make agents-base`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from pathlib import Path
from threading import Lock
from typing import Any

from rlenv.envs.containers.findings import play
from rlenv.envs.containers.judging import Grader, Outcome
from rlenv.envs.containers.reader import Folder, read_folders
from rlenv.envs.containers.workshop import Workshop
from rlenv.sandbox.containers import docker_boxes
from rlenv.sandbox.errors import SandboxError

BASE = {"python:3.13-slim": "rlenv/agents-base:latest", "python:3.12-slim": "rlenv/agents-base:latest"}
NOTHING, REFERENCE = "(nothing)", "(reference)"
KINDS = {NOTHING: "nothing", REFERENCE: "reference", "honest": "honest", "wrong": "wrong", "exploit": "exploit"}
PAID_KINDS = ("reference", "honest")
"""What is to be paid; all else is not."""

Line = dict[str, Any]


def kind(line: Line) -> str:
    """What a play was, by the name of its script."""
    return KINDS[line["script"].split("_")[0]]


def missed(line: Line) -> bool:
    """Whether a play was paid that should not be, or the other way round."""
    paid = line["reward"] is not None and line["reward"] > 0
    return paid != (kind(line) in PAID_KINDS)


def plays(folder: Folder, scripts: Path) -> Iterator[str]:
    """Nothing, the reference, and the scripts of a folder."""
    yield NOTHING
    yield REFERENCE
    yield from (path.name for path in sorted((scripts / folder.name).glob("*.sh")))


def played(grader: Grader, folder: Folder, scripts: Path, name: str) -> Line:
    """One play. What the machine could not do is an error, and no reward."""
    began = time.monotonic()
    nothing = None
    try:
        nothing = grader.reference(folder).nothing
        if name in (NOTHING, REFERENCE):
            outcome = grader.of_reference(folder)
        else:
            outcome = play(grader, folder, (scripts / folder.name / name).read_bytes())
    except SandboxError as error:
        outcome = Outcome("error", None, reason=f"{type(error).__name__}: {error}")
    line: Line = {"folder": folder.name, "script": name, "reward": outcome.reward, "verdict": outcome.kind}
    line |= {"carried": outcome.level, "files": outcome.files, "twin": outcome.twin, "reason": outcome.reason[:300]}
    if name == NOTHING and nothing is not None:
        line = {"folder": folder.name, "script": name, "reward": nothing.reward, "verdict": "boxed"}
    return line | {"seconds": round(time.monotonic() - began, 1)}


def read(path: Path) -> list[Line]:
    """The lines of a run; the last counts where a play stands there twice."""
    lines = [json.loads(text) for text in path.read_text("utf-8").splitlines()] if path.exists() else []
    return list({(line["folder"], line["script"]): line for line in lines}.values())


def summary(lines: list[Line]) -> Iterator[str]:
    """How many of each kind were played, paid, disputed, forged and errors, and the misses."""
    yield f"{'':12}{'plays':>7}{'paid':>7}{'disputed':>10}{'forged':>8}{'errors':>8}{'missed':>8}"
    for each in dict.fromkeys(KINDS.values()):
        some = [line for line in lines if kind(line) == each]
        paid = sum(line["reward"] is not None and line["reward"] > 0 for line in some)
        counts = [sum(line["verdict"] == name for line in some) for name in ("disputed", "forged", "error")]
        yield f"{each:12}{len(some):7}{paid:7}{counts[0]:10}{counts[1]:8}{counts[2]:8}{sum(map(missed, some)):8}"
    for line in lines:
        if missed(line):
            found = f"{line['reward']} ({line['verdict']}) {line.get('reason', '')}"
            yield f"missed: {line['folder']} {line['script']}: {found}"


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folders", "scripts", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--only", type=Path)
    given = parser.parse_args()
    had = {(line["folder"], line["script"]) for line in read(given.out) if line["verdict"] != "error"}
    folders = {folder.name: folder for folder in read_folders(given.folders)}
    each = [[(name, script) for script in plays(folder, given.scripts)] for name, folder in folders.items()]
    wanted = [play for side in zip_longest(*each) for play in side if play]  # what is known of a task comes with one
    if given.only:
        wanted = [(line["folder"], line["script"]) for line in read(given.only) if missed(line)]
    grader = Grader(Workshop(docker_boxes(), BASE), in_process=True)
    lock = Lock()

    def one(at: tuple[str, str], out: Path) -> None:
        line = played(grader, folders[at[0]], given.scripts, at[1])
        with lock, out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    with ThreadPoolExecutor(given.at_once) as threads:
        list(threads.map(partial(one, out=given.out), [at for at in wanted if at not in had]))
    print("\n".join(summary(read(given.out))))


if __name__ == "__main__":
    main()
