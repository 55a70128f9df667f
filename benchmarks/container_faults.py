"""Episodes in containers while things go wrong: each has to end in a verdict or in an error that has a name.

    python3 .ci/engine.py start /tmp/faults        # an engine to break, with the image of `make agents-base`
    python benchmarks/container_faults.py /tmp/faults --episodes 500

One after the other: nothing goes wrong, 10 MB of output, a full disk, a box that is killed, a command past the agent's
time, a verifier that hangs; and the engine is killed and started again `--restarts` times meanwhile. It prints how each
ended, what ended otherwise than it may, and what containers, mounts, processes and folders are left.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rlenv.core.definition import Definition
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.verdict import Verdict
from rlenv.envs.containers.environment import container_tasks
from rlenv.judge import Judge
from rlenv.sandbox.containers import Box, Limits, docker_boxes
from rlenv.sandbox.containers.docker_boxes import DockerBoxes
from rlenv.turns.play import play

ROOT = Path(__file__).parents[1]
TASK = ROOT / "tests" / "data" / "containers" / "median"
IMAGE = "rlenv/agents-base:latest"
SOLVE = (TASK / "solution" / "solve.sh").read_text("utf-8")
COMMANDS = {
    "nothing": SOLVE,
    "output": f"yes 0123456789 | head -c 10000000\n{SOLVE}",
    "disk": "for n in 1 2 3 4; do head -c 60000000 /dev/zero > /app/big$n.py; done; echo written",
    "killed": "sleep 30",
    "time": "sleep 600",
    "verifier": "printf 'while True:\\n    pass\\n' > /app/stats.py",
}
EXPECTED = {
    "nothing": {"1"},
    "output": {"1"},
    "disk": {"0"},
    "killed": {"verifier_error"},
    "time": {"0"},
    "verifier": {"0"},
}
"""How an episode may end; where the engine was killed meanwhile, in a verifier_error too."""


class Boxes(DockerBoxes):
    """Boxes of which as many as are asked for are killed a second after their start."""

    def __init__(self) -> None:
        super().__init__()
        self.to_kill = 0
        self.counting = threading.Lock()

    def start(self, image: str, limits: Limits) -> Box:  # type: ignore[override]  # the protocol's own type
        box: Box = super().start(image, limits)
        with self.counting:
            chosen, self.to_kill = self.to_kill > 0, max(0, self.to_kill - 1)
        if chosen:
            threading.Timer(1.0, kill, [box.id]).start()
        return box


def kill(container: str) -> None:
    """Kill a container by another hand."""
    subprocess.run(["docker", "kill", container], capture_output=True, check=False, timeout=60)


def made(place: Path, boxes: Boxes) -> Definition:
    """The task with little time and disk."""
    folder = Path(shutil.copytree(TASK, place / "median"))
    text = (folder / "task.toml").read_text("utf-8").replace("timeout_sec = 60", "timeout_sec = 30")
    (folder / "task.toml").write_text(text.replace("memory_mb = 512", "memory_mb = 512\nstorage_mb = 128"), "utf-8")
    return container_tasks(folder, base={"python:3.12-slim": IMAGE}, backend=boxes)


def episode(definition: Definition, boxes: Boxes, fault: str) -> Verdict:
    """One episode with one fault; the boxes that may be killed are of such episodes alone."""
    calls = [{"name": "bash", "arguments": {"command": COMMANDS[fault]}}, {"name": "submit", "arguments": {}}]
    turns = tuple(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls)
    task = definition.tasks[0]
    with boxes.counting:
        boxes.to_kill += fault == "killed"
    (said,) = play(definition, ScriptedPolicy("faults", lambda _: turns), [task])
    return Judge(definition).verdict(task, said)


def restart(folder: Path) -> None:
    """Kill the engine of this folder, and start it on what is there."""
    os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
    subprocess.run([sys.executable, str(ROOT / ".ci" / "engine.py"), "start", str(folder)], check=True, timeout=120)


def left(folder: Path) -> dict[str, int]:
    """What is there of boxes."""
    listed = subprocess.run(["docker", "ps", "-aq"], capture_output=True, text=True, check=True, timeout=60)
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    shims = [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"containerd-shim" in read(path)]
    return {
        "containers": len(listed.stdout.split()),
        "mounts": sum(f" {folder}/" in line for line in mounts),
        "shims": sum(str(folder).encode() in read(path) for path in shims),
        "folders": len(list(Path(tempfile.gettempdir()).glob("rlenv-*"))),
    }


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", type=Path)
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=600.0, help="no episode begins after so many")
    given = parser.parse_args()
    os.environ["DOCKER_HOST"] = f"unix://{given.engine.resolve()}/docker.sock"
    before, began, restarts = left(given.engine), time.monotonic(), list[float]()
    told: list[tuple[str, str, float, float]] = []
    up = threading.Event()
    up.set()
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        others, killed = Boxes(), Boxes()
        definitions = {
            kind: made(Path(place) / kind, boxes) for kind, boxes in (("others", others), ("killed", killed))
        }

        def one(number: int) -> None:
            up.wait()  # an engine that is down would fail each in no time
            if time.monotonic() - began > 60 * given.minutes:
                return
            fault, start = list(COMMANDS)[number % len(COMMANDS)], time.monotonic()
            at = "killed" if fault == "killed" else "others"
            verdict = episode(definitions[at], killed if fault == "killed" else others, fault)
            end = verdict.status if verdict.reward is None else f"{verdict.reward:g}"
            told.append((fault, f"{end}: {verdict.reason}", start, time.monotonic()))
            print(len(told), fault, end, verdict.reason[:150].replace("\n", " "), flush=True)

        for at, boxes in (("others", others), ("killed", killed)):
            episode(definitions[at], boxes, "nothing")  # what is found out about a task comes with its first one
        with ThreadPoolExecutor(given.at_once) as threads:
            waiting = [threads.submit(one, number) for number in range(given.episodes)]
            for turn in range(given.restarts):
                waiting[(turn + 1) * given.episodes // (given.restarts + 1)].result()
                restarts.append(time.monotonic())
                up.clear()
                restart(given.engine)
                up.set()
            for each in waiting:
                each.result()
        for boxes in (others, killed):
            boxes.close()
    docker_boxes().close()  # removes what dead owners left
    return tell(told, restarts, before, left(given.engine))


def tell(
    told: list[tuple[str, str, float, float]],
    restarts: list[float],
    before: dict[str, int],
    after: dict[str, int],
) -> int:
    """Print the table; the exit status."""
    bad = 0
    for fault in COMMANDS:
        ends = [
            (end, any(start <= at + 60 and at <= until for at in restarts))
            for f, end, start, until in told
            if f == fault
        ]
        print(f"{fault:10}", dict(Counter(end.split(":")[0] for end, _ in ends)))
        for end, broken in ends:
            kind = end.split(":")[0]
            if kind not in EXPECTED[fault] and not (broken and kind == "verifier_error"):
                bad += 1
                print(f"  otherwise: {end[:200]}")
    print(f"{len(told)} episodes, {len(restarts)} restarts, {bad} ended otherwise")
    print("before:", before, "after:", after)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
