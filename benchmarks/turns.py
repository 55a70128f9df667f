"""What an episode of four turns costs: games/guess-v0 beside gem's own guessing game and one in OpenEnv.

    python benchmarks/turns.py --gem venvs/gem/bin/python --openenv venvs/openenv/bin/python

Each rival lives in an environment of its own (`pip install gem-llm`, `pip install openenv-core`) and is run by its own
Python; without one it is left out. The contestants take turns in one run, round by round, and what is printed is the
median of the rounds with their spread, and the ratio to gem in the same round.

Every episode is three wrong guesses and the right one, said by a script. Ours are played

    step     through Environment: reset on a task in memory, then step by step, with the verdict at the end
    drawn    the same, with reset drawing and making a new task each time
    batch    by play and BatchEnvironment.step: all episodes side by side, judged by what the play computed
    again    the same with copies of the completions, as of saved episodes: judged by playing each again

gem draws its number anew in each episode and reads it in what was said, as `drawn` does and reads. OpenEnv leaves both
to the author: its game is there with an action that is a number already, and with one that is text and is read.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import rlenv
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.env.environment import Environment
from rlenv.turns.play import play

TASKS = 200
Round = Callable[[int], float]
"""Seconds that so many episodes take."""


def wrong_then_right(task: Task) -> tuple[str, ...]:
    """Three guesses that are too low or too high, and the secret."""
    rules, secret = task.metadata["rules"], int(str(task.reference))
    assert isinstance(rules, dict)
    wrong = [number for number in range(int(rules["low"]), int(rules["low"]) + 4) if number != secret][:3]
    return tuple(f"[{number}]" for number in (*wrong, secret))


def ours() -> dict[str, Round]:
    """The ways to play an episode here."""
    definition = rlenv.load("games/guess-v0", level=1)
    tasks = [definition.tasks[i] for i in range(TASKS)]
    scripts = {id(task): wrong_then_right(task) for task in tasks}
    policy = ScriptedPolicy("scripted", lambda task: scripts[id(task)])
    env = Environment(definition)
    env.reset(seed=0)

    def step(episodes: int) -> float:
        start = time.perf_counter()
        for number in range(episodes):
            task = tasks[number % TASKS]
            env.reset(options={"task": task})
            for said in scripts[id(task)]:
                _, reward, ended, _, _ = env.step(said)
            assert ended
            assert reward == 1.0
        return time.perf_counter() - start

    def drawn(episodes: int) -> float:
        start = time.perf_counter()
        for _ in range(episodes):
            env.reset()
            assert env.task is not None
            for said in wrong_then_right(env.task):
                _, reward, _, _, _ = env.step(said)
            assert reward == 1.0
        return time.perf_counter() - start

    def batch(episodes: int, copied: bool = False) -> float:
        chosen = [tasks[number % TASKS] for number in range(episodes)]
        batched = rlenv.BatchEnvironment(definition)
        start = time.perf_counter()
        batched.reset(tasks=chosen)
        said = play(definition, policy, chosen)
        found = batched.step([replace(completion) for completion in said] if copied else said)
        assert all(episode.verdict.reward == 1.0 for episode in found)
        return time.perf_counter() - start

    return {"step": step, "drawn": drawn, "batch": batch, "again": partial(batch, copied=True)}


def rival(python: str, name: str) -> Round:
    """A rival in its own interpreter."""
    process = subprocess.Popen(
        [python, str(Path(__file__).with_name("turns_rival.py")), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    source, sink = process.stdout, process.stdin
    assert source is not None
    assert sink is not None
    for line in source:
        if line.strip() == "ready":
            break
    else:
        raise SystemExit(f"{name} does not start; try: {python} benchmarks/turns_rival.py {name}")

    def seconds(episodes: int) -> float:
        print(episodes, file=sink, flush=True)
        return float(source.readline())

    return seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="benchmarks/turns.py", description=main.__doc__)
    parser.add_argument("--gem", help="a Python that has gem-llm")
    parser.add_argument("--openenv", help="a Python that has openenv-core")
    parser.add_argument("--episodes", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args(arguments)
    rounds: dict[str, Round] = {f"rlenv {name}": play_round for name, play_round in ours().items()}
    if given.gem:
        rounds["gem"] = rival(given.gem, "gem")
    if given.openenv:
        rounds["OpenEnv in process"] = rival(given.openenv, "openenv")
        rounds["OpenEnv in process, reads text"] = rival(given.openenv, "openenv-text")
        rounds["OpenEnv server"] = rival(given.openenv, "openenv-server")
    rates: dict[str, list[float]] = {name: [] for name in rounds}
    for number in range(given.rounds + 1):  # the first warms up
        for name, play_round in rounds.items():
            episodes = max(1, given.episodes // 20) if name == "OpenEnv server" else given.episodes
            rate = episodes / play_round(episodes)
            rates[name] += [rate] if number else []
    print("| | episodes/s, median | least to most | to gem | to OpenEnv in process |\n|---|---|---|---|---|")
    for name, found in rates.items():
        ratios = [_ratio(found, rates.get(rival, ())) for rival in ("gem", "OpenEnv in process")]
        row = (name, f"{statistics.median(found):,.0f}", f"{min(found):,.0f} to {max(found):,.0f}", *ratios)
        print(f"| {' | '.join(row)} |")


def _ratio(rates: Sequence[float], others: Sequence[float]) -> str:
    """The median of the ratios in the same rounds, and their spread."""
    ratios = [rate / other for rate, other in zip(rates, others, strict=False)]
    return f"{statistics.median(ratios):.2f} [{min(ratios):.2f}, {max(ratios):.2f}]" if ratios else "-"


if __name__ == "__main__":
    main()
