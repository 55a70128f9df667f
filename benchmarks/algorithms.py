"""Every algorithm on the demo's task, three seeds each: what it gains on held-out tasks, and what it takes.

    python benchmarks/algorithms.py --out runs/algorithms --jobs 2

Each seed has one warm start, which all arms begin from; it is looked at once on all held-out tasks of the run. After
its training an arm answers the same tasks, and the gain is the mean of the differences task by task, with a 95 %
interval that resamples tasks. Writes results.jsonl (a run a line, so that an interrupted benchmark goes on), table.md,
curves.png and one curves-<branch>.png for each branch. With --docs docs they go into docs/algorithms.md too.
"""

from __future__ import annotations

import argparse
import copy
import multiprocessing
import shutil
import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from algorithm_arms import ARMS, Arm, arms_named
from algorithm_tables import into_docs, plots, table
from result_lines import add, read

import rlenv
from rlenv.cli.demo import ENV, TASKS, Recipe
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.env.batch import BatchEnvironment
from rlenv.evaluation.passk import Count, Estimate, mean_interval
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, train
from rlenv.trainers.branches.preference import Pair, pairs_of
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.records.logs import Alarm
from rlenv.trainers.rollouts.rollout import Rollout

SEEDS = (0, 1, 2)
SAMPLES = 8
LOOKS, LOOK_TASKS, LOOK_SAMPLES = 8, 300, 4
"""How often, on how many of the held-out tasks and with how many samples of each, a run is looked at on its way."""
TEACHER = SftConfig(steps=1500, batch_size=64, learning_rate=2e-3, max_demonstrations=5000, seed=7)
PAIR_PROMPTS, PAIR_SAMPLES, PAIRS = 2500, 8, 4
"""The warm start answers this many prompts this often; the verifier ranks up to so many pairs of each."""


@dataclass(frozen=True)
class Options:
    """What holds for every run."""

    out: Path
    tasks: int
    share: float


def held_out(policy: TransformersPolicy, tasks: int, n: int) -> dict[str, Count]:
    """(judged, passed) of each held-out task, sampled at temperature 1."""
    sampling = Sampling(max_new_tokens=16, temperature=1.0)
    test = rlenv.load(ENV, split="test", **TASKS)
    report = rlenv.evaluate(test, policy, n=n, k=1, limit=tasks, sampling=sampling, chunk_tasks=64, quiet=True)
    return report.counts()


def rate(counts: Mapping[str, Count]) -> float:
    """pass@1 over the tasks."""
    return sum(passed / judged for judged, passed in counts.values()) / len(counts)


def gain_of(before: Mapping[str, Count], after: Mapping[str, Count]) -> Estimate:
    """How much pass@1 rose, task by task."""
    rises = [after[task][1] / after[task][0] - passed / judged for task, (judged, passed) in before.items()]
    return mean_interval(rises, bounds=(-1.0, 1.0))


class Looks:
    """A monitor that looks at the held-out tasks on the way and says nothing; its time is not the run's."""

    name = "looks"

    def __init__(self, steps: int, group_size: int, start: Mapping[str, Count]) -> None:
        self.every, self.group_size, self.start = max(1, steps // LOOKS), group_size, start
        self.curve: list[tuple[int, float, float, float]] = [(0, rate(start), 0.0, 0.0)]
        """Rollouts, pass@1, and the 95 % interval of its difference to the start, task by task."""
        self.episodes = 0
        self.seconds = 0.0

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: Rollout,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
    ) -> list[Alarm]:
        drawn = metrics.get("dynamic_sampling/groups_drawn")  # with those that a rollout draws and leaves out
        self.episodes += len(episodes) if drawn is None else round(drawn) * self.group_size
        if (step + 1) % self.every == 0:
            started = time.process_time()
            found = held_out(policy, LOOK_TASKS, LOOK_SAMPLES)
            since = gain_of(self.start, found)
            self.curve.append((step + 1, rate(found), since.low, since.high))
            self.seconds += time.process_time() - started
        return []

    def state_dict(self) -> dict[str, Json]:
        return {}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        """Runs of the benchmark are not resumed in their middle."""


def prepare(seed: int | None, options: Options) -> None:
    """The warm start of a seed with its pair file, or the teacher of all seeds (None), made once."""
    torch.set_num_threads(1)
    practice = rlenv.load(ENV, split="train", **TASKS)
    saved = options.out / ("teacher.pt" if seed is None else f"warm-{seed}.pt")
    if saved.exists():
        return
    policy = tiny_policy(0 if seed is None else seed)
    sft = TEACHER if seed is None else Recipe(seed).sft()
    supervised(policy, demonstrations(practice, policy, sft.max_demonstrations), sft)
    counts = {"counts": held_out(policy, options.tasks, SAMPLES), "look": held_out(policy, LOOK_TASKS, SAMPLES)}
    torch.save({"model": policy.model.state_dict(), **counts}, saved)


def started(name: str, options: Options) -> tuple[TransformersPolicy, dict[str, Count], dict[str, Count]]:
    """A policy that `prepare` made, and what it answers of the held-out tasks and of those of a look."""
    state = torch.load(options.out / f"{name}.pt", weights_only=True)
    policy = tiny_policy(0)
    policy.model.load_state_dict(state["model"])
    return policy, state["counts"], state["look"]


def pair_file(policy: TransformersPolicy, seed: int) -> list[Pair]:
    """Pairs that the environment ranks among answers of the warm start, before any training."""
    batch = BatchEnvironment(rlenv.load(ENV, split="train", **TASKS), group_size=PAIR_SAMPLES, seed=seed)
    prompts = batch.reset(PAIR_PROMPTS)
    completions = policy.generate(prompts, PAIR_SAMPLES, Sampling(max_new_tokens=16, seed=seed))
    return list(pairs_of(batch.step(completions), PAIRS))


def run(arm: Arm, seed: int, options: Options) -> dict[str, Any]:
    """Train one arm from the warm start of its seed and look at what it has become."""
    torch.set_num_threads(1)
    policy, before, first_look = started(f"warm-{seed}", options)
    config = arm.config(seed, options.share)
    folder = options.out / "runs" / f"{arm.name}-{seed}".replace(", ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    looks = Looks(config.steps, config.group_size, first_look)
    others: dict[str, Any] = {}
    began, wall = time.process_time(), time.perf_counter()
    if arm.learns_from == "pair file":
        others["pairs"] = pair_file(copy.deepcopy(policy), seed)
    if arm.learns_from == "teacher":
        others["teacher"] = started("teacher", options)[0]
    practice = rlenv.load(ENV, split="train", **TASKS)
    train(config, practice, policy, folder, quiet=True, monitors=(looks,), **others)
    seconds, wall = time.process_time() - began - looks.seconds, time.perf_counter() - wall
    after = held_out(policy, options.tasks, SAMPLES)
    gain = gain_of(before, after)
    shutil.rmtree(folder)
    return {
        "arm": arm.name,
        "branch": arm.branch,
        "seed": seed,
        "before": rate(before),
        "after": rate(after),
        "gain": [gain.value, gain.low, gain.high],
        "episodes": PAIR_PROMPTS * PAIR_SAMPLES if "pairs" in others else looks.episodes,
        "steps": config.steps,
        "processor_seconds": seconds,
        "wall_seconds": wall,
        "curve": looks.curve,
    }


def every_run(arms: Sequence[Arm], seeds: Sequence[int], options: Options, jobs: int) -> Iterator[dict[str, Any]]:
    """The results that results.jsonl does not have yet, as they come; a run that fails is named, and left out."""
    done = {(r["arm"], r["seed"]) for r in read(options.out / "results.jsonl")}
    left = [(arm, seed) for seed in seeds for arm in arms if (arm.name, seed) not in done]
    teacher = [None] if any(arm.learns_from == "teacher" for arm, _ in left) else []
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        first = [pool.submit(prepare, seed, options) for seed in (*teacher, *{seed for _, seed in left})]
        for future in first:
            future.result()
        runs = {pool.submit(run, arm, seed, options): f"{arm.name}, seed {seed}" for arm, seed in left}
        for ended in as_completed(runs):
            if (error := ended.exception()) is not None:
                print(f"{runs[ended]} failed: {error!r}", flush=True)
            else:
                yield ended.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("runs/algorithms"))
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, one core each")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--arms", nargs="+", default=[], help="only these")
    parser.add_argument("--tasks", type=int, default=600, help="held-out tasks")
    parser.add_argument("--docs", type=Path, help="the folder of the page that the table and the curves go into")
    parser.add_argument("--share", type=float, default=1.0, help="of each arm's steps, for a trial")
    given = parser.parse_args()
    options = Options(given.out, given.tasks, given.share)
    options.out.mkdir(parents=True, exist_ok=True)
    saved = options.out / "results.jsonl"
    began = time.perf_counter()
    for result in every_run(arms_named(given.arms), given.seeds, options, given.jobs):
        add(saved, result)
        gain, low, high = result["gain"]
        print(
            f"{time.perf_counter() - began:6.0f} s  {result['arm']}, seed {result['seed']}: {result['before']:.3f} to "
            f"{result['after']:.3f}, {gain:+.3f} [{low:+.3f}, {high:+.3f}] in {result['processor_seconds']:.0f} s",
            flush=True,
        )
    results = read(saved)
    order = [arm.name for arm in ARMS]
    results.sort(key=lambda r: (order.index(r["arm"]), r["seed"]))
    (options.out / "table.md").write_text(table(results))
    plots(results, options.out)
    if given.docs is not None:
        into_docs(results, options.out, given.docs)
    print(table(results))


if __name__ == "__main__":
    main()
