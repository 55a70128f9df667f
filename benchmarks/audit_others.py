"""Audits environments that others wrote, and asks each of them directly whether it pays what the audit says.

    .venvs/gem/bin/python benchmarks/audit_others.py gem
    .venv/bin/python benchmarks/audit_others.py reasoning-gym
    .venvs/verifiers/bin/python benchmarks/audit_others.py verifiers --checkout verifiers
    .venvs/openenv/bin/python benchmarks/audit_others.py openenv --checkout OpenEnv

The first two play on what the packages bring. The others play on examples of the repositories of verifiers
(environments/reverse_text) and OpenEnv (envs/reasoning_gym_env), whose checkouts `--checkout` names; their environments
need `datasets` and `reasoning-gym` beside. Each finding at medium or above is asked again without rlenv.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import rlenv
from rlenv.audit import Audit, audit
from rlenv.audit.finding import Evidence, Finding, shown
from rlenv.audit.functions import reward_definition
from rlenv.cli.audit_subject import solved
from rlenv.core.definition import Definition

GAME = "game:GuessTheNumber-v0-easy"
DATASETS = ("countdown", "caesar_cipher")
WORDS = ("stone", "river bank", "a small lamp", "open the door", "seven kind owls", "winter", "glass house", "north")
TURNS = 40
LIMIT_S = 20.0


class Asked(NamedTuple):
    """An environment with right completions, and what itself pays for the turns of one of its tasks."""

    name: str
    definition: Definition
    directly: Callable[[Evidence, Sequence[str]], float]


@contextmanager
def gem(count: int, checkout: Path | None) -> Iterator[list[Asked]]:
    import gem as package
    import numpy as np

    from rlenv.foreign.gem import from_gem

    def made(seed: int) -> Any:
        random.seed(seed)
        np.random.seed(seed)
        env = package.make(GAME)
        env.reset(seed=seed)
        return env

    def directly(seen: Evidence, turns: Sequence[str]) -> float:
        env, total = made(int(seen.task_id.rpartition("/")[2])), 0.0
        for text in turns:
            _, reward, terminated, truncated, _ = env.step(text)
            total += float(reward)
            if terminated or truncated:
                break
        return total

    definition = rlenv.load(from_gem(GAME, size=count))
    tasks = [definition.tasks[i] for i in range(count)]
    right = {task.id: f"\\boxed{{{made(int(str(task.metadata['seed']))).unwrapped.game_number}}}" for task in tasks}
    yield [Asked(f"gem, `{GAME}`", solved(definition, right), directly)]


@contextmanager
def reasoning_gym(count: int, checkout: Path | None) -> Iterator[list[Asked]]:
    import reasoning_gym as package

    def of(name: str) -> Asked:
        dataset = package.create_dataset(name, size=count, seed=0)
        items = [dataset[index] for index in range(count)]
        right = [item["answer"] or item["metadata"].get("example_answer") for item in items]
        rows = [
            {"prompt": item["question"], "answer": str(one), "entry": i}
            for i, (item, one) in enumerate(zip(items, right, strict=True))
        ]

        def score(completion: str, entry: int) -> float:
            return float(dataset.score_answer(completion, items[entry]))

        made = reward_definition(score, rows, time_limit_s=2.0)
        return Asked(f"reasoning-gym, `{name}`", made, lambda seen, turns: score(turns[0], seen.index))

    yield [of(name) for name in DATASETS]


@contextmanager
def verifiers(count: int, checkout: Path | None) -> Iterator[list[Asked]]:
    from rlenv.foreign.verifiers import from_verifiers

    folder = _given(checkout) / "environments" / "reverse_text"
    sys.path.append(str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    with tempfile.TemporaryDirectory() as rows:
        lines = [json.dumps({"prompt": word}) for word in WORDS[:count]]
        (Path(rows) / "train.jsonl").write_text("\n".join(lines) + "\n")
        definition = rlenv.load(from_verifiers("reverse-text", config={"dataset_name": rows}))
        theirs: Any = definition.verifier
        tasks = theirs.tasks()

        def directly(seen: Evidence, turns: Sequence[str]) -> float:
            return float(asyncio.run(tasks[seen.index].lcs(SimpleNamespace(last_reply=turns[0]))))

        right = {str(one.key): f"<reversed_text>{one.data.answer}</reversed_text>" for one in tasks}
        yield [Asked("verifiers, `reverse_text`", solved(definition, right), directly)]


@contextmanager
def openenv(count: int, checkout: Path | None) -> Iterator[list[Asked]]:
    import reasoning_gym as package
    from openenv.core.generic_client import GenericEnvClient

    from rlenv.foreign.openenv import from_openenv

    told = {"dataset_name": "leg_counting", "size": 1}
    with _server(_given(checkout) / "envs" / "reasoning_gym_env") as url:

        def directly(seen: Evidence, turns: Sequence[str]) -> float:
            with GenericEnvClient(base_url=url).sync() as client:
                client.reset(**told, seed=int(seen.task_id.rpartition("/")[2]))
                return float(client.step({"answer": turns[0]}).reward)

        settings: dict[str, Any] = {"action_field": "answer", "observation_field": "question", "reset": told}
        definition = rlenv.load(from_openenv(url, size=count, **settings))
        tasks = [definition.tasks[i] for i in range(count)]
        right = {
            task.id: package.create_dataset("leg_counting", size=1, seed=int(str(task.metadata["seed"])))[0]["answer"]
            for task in tasks
        }
        yield [Asked("OpenEnv, `reasoning_gym_env`", solved(definition, right), directly)]


SERVER = """
from openenv.core.env_server.http_server import create_app
from models import ReasoningGymAction, ReasoningGymObservation
from server.reasoning_gym_environment import ReasoningGymEnvironment
app = create_app(ReasoningGymEnvironment, ReasoningGymAction, ReasoningGymObservation, max_concurrent_envs=512)
"""
"""The example's own application, with room for more than one session."""


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "many_sessions.py").write_text(SERVER)
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join([place, str(folder)])}
        command = [sys.executable, "-m", "uvicorn", "many_sessions:app", "--port", str(port), "--log-level", "error"]
        child = subprocess.Popen(command, env=settings)
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            child.terminate()
            child.wait()


def _given(checkout: Path | None) -> Path:
    if checkout is None:
        raise SystemExit("expected --checkout FOLDER, a checkout of the repository whose example is played on")
    return checkout


def confirmed(asked: Asked, finding: Finding, seen: Evidence) -> str:
    """What it pays when it is asked directly: the text in every turn, or once with nothing behind it.

    In a process of its own: a scorer that runs what it is told may end the one that asks.
    """
    ways = [[seen.text] * TURNS, [seen.text, *[""] * TURNS], seen.text.split("\x1e")]
    for turns in ways if asked.definition.interaction is not None else ways[:1]:
        start = time.monotonic()
        paid = _in_a_child(partial(asked.directly, seen, turns))
        took = time.monotonic() - start
        if finding.rule == "cost" and took > asked.definition.time_limit_s:
            return f"yes: {took:.0f} s, and the limit is {asked.definition.time_limit_s:g} s"
        if paid is None and seen.reward is None:
            return "yes: it raises, hangs or ends its process"
        if paid is not None and seen.reward is not None and abs(paid - seen.reward) < 1e-6:
            return "yes"
    return "NO"


def _in_a_child(ask: Callable[[], float]) -> float | None:
    """None where it raises, gives no answer in a while or ends its process."""
    forked = get_context("fork")
    receive, send = forked.Pipe(duplex=False)
    child = forked.Process(target=lambda: send.send(ask()))
    child.start()
    send.close()  # so that its end is seen
    found = None
    with suppress(EOFError):
        found = receive.recv() if receive.poll(LIMIT_S) else None
    child.kill()
    child.join()
    return found


def table(asked: Asked, done: Audit) -> str:
    """A row a finding at medium or above; one that says so where there is none."""
    lines = [
        f"| {asked.name} | {finding.severity.word} | `{finding.rule}` | {finding.mean:.2f} | "
        f"{shown(seen.text, 90)} | {seen.reward} of {seen.reference_reward:g} | "
        f"{confirmed(asked, finding, seen)} |"
        for finding in done.at_least("medium")
        if (seen := finding.evidence) is not None
    ]
    return "\n".join(lines or [f"| {asked.name} | nothing | | | | | |"])


PARTS = {"gem": gem, "reasoning-gym": reasoning_gym, "verifiers": verifiers, "openenv": openenv}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--checkout", type=Path)
    parser.add_argument("--tasks", type=int, default=8)
    given = parser.parse_args()
    columns = ("environment", "severity", "rule", "mean share", "text", "it paid", "asked directly")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    with PARTS[given.part](given.tasks, given.checkout) as parts:
        for asked in parts:
            done = audit(asked.definition, tasks=given.tasks)
            print(table(asked, done), flush=True)
            print(
                f"{asked.name}: {done.plays:,} completions, {done.seconds:.0f} s; {'; '.join(done.notes)}",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main()
