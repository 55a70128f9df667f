"""How fast containers are: commands through the held shell of a box, and whole episodes with their verdicts.

    python benchmarks/container_speed.py

The same 200 commands go through the shell and by `docker exec` each, with output of 0 to 4,000 characters and exit
codes from 0 to 9; one hangs and is ended after 0.2 s. What both ways said is compared. Episodes solve a small task, and
are judged with and without the twin. The ways take turns. It needs an engine and the image of `make agents-base`.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import rlenv
from rlenv.core.definition import Definition
from rlenv.core.policy import ScriptedPolicy
from rlenv.sandbox.containers import Box, Limits, docker_boxes

TASK = Path(__file__).parents[1] / "tests" / "data" / "containers" / "median"
IMAGE, LIMIT_S, ROUNDS, EPISODES = "rlenv/agents-base:latest", 0.2, 3, 24
COMMANDS = [f"printf '%{i * 20}s' {i}; (exit {i % 10})" if i != 100 else "sleep 60" for i in range(200)]
Said = tuple[int | None, str]


def held(box: Box) -> list[Said]:
    """Through the shell that the box keeps."""
    ran = [box.run(command, timeout_s=5 if command != "sleep 60" else LIMIT_S) for command in COMMANDS]
    return [(one.exit_code, one.output) for one in ran]


def each(box: Box) -> list[Said]:
    """By a process of the engine's client for each."""
    said: list[Said] = []
    for command in COMMANDS:
        try:
            ran = subprocess.run(
                ["docker", "exec", box.id, "bash", "-c", command],
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=5 if command != "sleep 60" else LIMIT_S,
            )
            said.append((ran.returncode, ran.stdout.decode()))
        except subprocess.TimeoutExpired:
            said.append((None, ""))
    return said


def episodes_an_hour(definition: Definition, count: int, twin: bool) -> float:
    """Of episodes of the reference solution, each judged in a fresh box; where it is asked for, by the twin too."""
    assert definition.script is not None
    policy = ScriptedPolicy("reference", definition.script)
    began = time.perf_counter()
    with nullcontext() if twin else mock.patch("rlenv.envs.containers.judging.asked", return_value=("", "")):
        report = rlenv.evaluate(definition, policy, n=count, k=1, quiet=True)
    if report.mean_reward != 1:
        raise SystemExit(f"the reference earned {report.mean_reward}")
    return 3600 * count / (time.perf_counter() - began)


def main() -> None:
    """Print seconds for 200 commands, how often the shell's are contained in the others', and episodes an hour."""
    boxes, seconds = docker_boxes(), {held: list[float](), each: list[float]()}
    for _ in range(ROUNDS):
        found: list[list[Said]] = []
        for way, spent in seconds.items():
            with boxes.start(IMAGE, Limits()) as box:
                box.run("true", timeout_s=30)
                began = time.perf_counter()
                found.append(way(box))
                spent.append(time.perf_counter() - began)
        if found[0] != found[1]:
            raise SystemExit("the two ways said different things")
    boxes.close()
    shell, engine = (statistics.median(seconds[way]) for way in (held, each))
    print(f"held shell {shell:.2f} s {seconds[held]}, docker exec {engine:.2f} s {seconds[each]}: {engine / shell:.1f}")
    definition = rlenv.load("container/tasks-v0", tasks=str(TASK), base={"python:3.12-slim": IMAGE})
    episodes_an_hour(definition, 1, twin=True)  # what is found out about a task comes with its first one
    rates = {twin: list[float]() for twin in (True, False)}
    for _ in range(ROUNDS):
        for twin, an_hour in rates.items():
            an_hour.append(episodes_an_hour(definition, EPISODES, twin))
    for twin, an_hour in rates.items():
        print(f"{'with' if twin else 'without'} the twin {statistics.median(an_hour):.0f} an hour {an_hour}")


if __name__ == "__main__":
    main()
