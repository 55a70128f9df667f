"""Which algorithm should I take? Five methods on three problems at equal compute, and how touchy they are.

    python benchmarks/choosing.py --out runs/choosing --docs docs

Compute is counted in passes of a model over an answer, a backward pass as two, so that the counts are the same on every
machine. Each problem has one start, which all of its runs begin from: intervals are over training seeds and held-out
tasks (rlenv.comparison.difference), not over starts. Writes results.jsonl (a run a line, so that an interrupted
benchmark goes on), tables.md and choosing.png; with --docs docs they go into docs/choosing.md. --full takes four times
the compute with eight seeds everywhere.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from choosing_plan import FULL, PROBLEMS, Problem, Run, config_of, method_named, plan, problem_named
from choosing_tables import into_docs, picture, tables
from result_lines import add, read

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.env.batch import BatchEnvironment
from rlenv.evaluation.evaluation import choose_tasks
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, train
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.records.logs import Alarm
from rlenv.trainers.rollouts.rollout import Rollout

TASKS, SAMPLES, LOOKING_SEED = 200, 4, 1
LOOKS = 16
"""Into how many parts of answers the passes of a problem are cut for looks: a method of 4 passes an answer has 4."""


def measured(problem: Problem, policy: TransformersPolicy) -> list[float]:
    """The mean reward of several answers to each held-out task."""
    definition = problem.make("test")
    tasks = choose_tasks(definition.tasks, TASKS, seed=0)
    batch = BatchEnvironment(definition, group_size=SAMPLES)
    prompts = batch.reset(tasks=tasks)
    sampling = Sampling(max_new_tokens=problem.tokens, seed=LOOKING_SEED)
    episodes = batch.step(policy.generate(prompts, SAMPLES, sampling))
    rewards = np.array([episode.verdict.reward or 0.0 for episode in episodes])
    return [round(float(mean), 6) for mean in rewards.reshape(-1, SAMPLES).mean(1)]


class Looks:
    """A monitor that measures the policy at equal numbers of answers and says nothing; its time is not the run's."""

    name = "looks"

    def __init__(self, problem: Problem, every: int, answers: int) -> None:
        self.problem, self.every, self.answers = problem, every, answers
        self.found: list[dict[str, Any]] = []
        self.seconds = 0.0

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: Rollout,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
    ) -> list[Alarm]:
        if (step + 1) % self.every == 0:
            self.look(step + 1, policy)
        return []

    def look(self, rollouts: int, policy: TransformersPolicy) -> None:
        if not self.found or self.found[-1]["answers"] != rollouts * self.answers:
            began = time.process_time()
            self.found.append({"answers": rollouts * self.answers, "values": measured(self.problem, policy)})
            self.seconds += time.process_time() - began

    def state_dict(self) -> dict[str, Json]:
        return {}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        """Runs of the benchmark are not resumed in their middle."""


def start(problem: Problem, out: Path) -> None:
    """The policy that all runs of a problem begin from, and what it earns; made once."""
    torch.set_num_threads(1)
    folder = out / f"start-{problem.name}"
    if (folder / "values.json").exists():
        return
    policy = tiny_policy(0)
    shown = demonstrations(problem.make("train"), policy, problem.shown)
    supervised(policy, shown, SftConfig(steps=problem.shown_steps, learning_rate=2e-3))
    policy.save(folder)
    (folder / "values.json").write_text(json.dumps(measured(problem, policy)))


def trained(run: Run, out: Path, times: float) -> dict[str, Any]:
    """One run from its start on, with what it earned on its way."""
    torch.set_num_threads(1)
    problem = problem_named(run.problem)
    config = config_of(run, round(problem.passes * times))
    answers = method_named(run.algorithm).answers
    every = max(1, round(problem.passes * times / LOOKS / answers)) if run.usual else config.steps
    looks = Looks(problem, every, answers)
    policy = TransformersPolicy.load(str(out / f"start-{run.problem}"), device="cpu")
    folder = out / "runs" / "-".join(str(value) for value in asdict(run).values())
    shutil.rmtree(folder, ignore_errors=True)
    began = time.process_time()
    train(config, problem.make("train"), policy, folder, quiet=True, monitors=(looks,))
    seconds = time.process_time() - began - looks.seconds
    looks.look(config.steps, policy)
    shutil.rmtree(folder)
    return {"run": asdict(run), "processor_seconds": seconds, "looks": looks.found}


def every_run(runs: Sequence[Run], out: Path, times: float, jobs: int) -> Iterator[dict[str, Any]]:
    """The results that results.jsonl does not have yet, as they come."""
    done = [result["run"] for result in read(out / "results.jsonl")]
    left = [run for run in runs if asdict(run) not in done]
    if not left:
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for made in [pool.submit(start, problem, out) for problem in PROBLEMS]:
            made.result()
        for ended in as_completed([pool.submit(trained, run, out, times) for run in left]):
            yield ended.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("runs/choosing"))
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, one core each")
    parser.add_argument("--full", action="store_true", help="hours: four times the compute, eight seeds everywhere")
    parser.add_argument("--runs", type=int, help="only the first so many, for a trial")
    parser.add_argument("--tables", action="store_true", help="run nothing, show what has been run")
    parser.add_argument("--times", type=float, default=1.0, help="of the compute, for a trial")
    parser.add_argument("--docs", type=Path, help="the folder of the page that the tables and the picture go into")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    saved = given.out / "results.jsonl"
    runs = plan(given.full)[: given.runs]
    if given.tables and not saved.exists():
        raise SystemExit(f"expected runs in {saved}, found none; run it without --tables first")
    left = [] if given.tables else runs
    for result in every_run(left, given.out, given.times * (FULL if given.full else 1), given.jobs):
        add(saved, result)
        last, took = float(np.mean(result["looks"][-1]["values"])), result["processor_seconds"]
        print(f"{' '.join(map(str, result['run'].values()))}: {last:.3f} in {took:.1f} s", flush=True)
    starts = {p.name: json.loads((given.out / f"start-{p.name}" / "values.json").read_text()) for p in PROBLEMS}
    results = [result for result in read(saved) if Run(**result["run"]) in runs]
    text = tables(results, starts)
    (given.out / "tables.md").write_text(text)
    picture(results, starts, given.out / "choosing.png")
    if given.docs is not None:
        into_docs(text, given.out / "choosing.png", given.docs)
    print(text)


if __name__ == "__main__":
    main()
