"""How fast commands go through the held shell of a box, beside `docker exec` for each.

    python benchmarks/container_shell.py [--rounds 3]

The same 200 commands, with output of 0 to 4,000 characters and exit codes from 0 to 9, one of which hangs and is ended
after 0.2 s. Both ways take turns, each in a new box; what they said and their codes are compared. It needs an engine
and the image of `make agents-base`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import time

from rlenv.sandbox.containers import Box, Limits, docker_boxes

IMAGE, LIMIT_S = "rlenv/agents-base:latest", 0.2
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


def main() -> None:
    """Print seconds for 200 commands, and how often the shell's are contained in the others'."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    boxes, seconds = docker_boxes(), {held: list[float](), each: list[float]()}
    for _ in range(parser.parse_args().rounds):
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


if __name__ == "__main__":
    main()
