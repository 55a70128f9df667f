"""A tiny policy on five hackable rewards, without and with the wrapper that sees the hack: what is really learned.

    python benchmarks/reward_hacking.py --out runs/hacking --jobs 2

The rewards, and the warm start that knows the hack as a rare habit, stand in hackable.py. From one warm start a seed,
two runs of the same settings: `open`, where the detector only observes, and `watched`, where it acts. Both are
followed by the default monitors and by a gold monitor on held-out tasks. The true score of a rollout is the share of
its completions that the task's own verifier takes for right; nothing is ever trained on it. Writes a result.json a run
(an interrupted benchmark goes on), table.md and a plot for each reward.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from hackable import SETTINGS, Setting, true_task
from hacking_tables import plot, table

from rlenv.core.episode import Episode
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.saved_episodes import read_episodes
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.monitors import Alarm, GoldMonitor, Monitor, default_monitors, read_alarms
from rlenv.trainers.records.runfolder import holds_run

ARMS = ("open", "watched")


@dataclass(frozen=True)
class Options:
    """What holds for every run."""

    out: Path
    rollouts: int = 120
    groups: int = 32
    sft_steps: int = 800


@dataclass(frozen=True)
class Result:
    """One run, rollout by rollout."""

    setting: str
    seed: int
    arm: str
    true: list[float]
    """Share of right completions."""
    paid: list[float]
    """Mean of the hackable reward, before any wrapper."""
    alarms: list[Alarm]


def config(setting: Setting, seed: int, options: Options) -> TrainConfig:
    return TrainConfig(
        algorithm="grpo",
        steps=options.rollouts,
        groups=options.groups,
        group_size=8,
        max_new_tokens=setting.max_new_tokens,
        learning_rate=setting.learning_rate,
        seed=seed,
        save_every=10_000,
    )


def warm_start(setting: Setting, seed: int, options: Options) -> Path:
    """The folder of the model that has seen the demonstrations."""
    folder = options.out / f"{setting.name}-{seed}" / "warm"
    if not folder.exists():
        policy = tiny_policy(seed)
        sft = SftConfig(steps=options.sft_steps, learning_rate=2e-3, max_demonstrations=4000, seed=seed)
        shown = replace(setting.proxy(watch=False), solution=setting.demonstration)
        supervised(policy, demonstrations(shown, policy, sft.max_demonstrations), sft)
        policy.save(folder)
    return folder


def run(setting: Setting, seed: int, arm: str, options: Options) -> Result:
    """One run with its monitors; read back from its folder where it was finished before."""
    folder = options.out / f"{setting.name}-{seed}" / arm
    file = folder / "result.json"
    if file.exists():
        saved = json.loads(file.read_text())
        return Result(**{**saved, "alarms": [Alarm(**alarm) for alarm in saved["alarms"]]})
    settings = config(setting, seed, options)
    gold = GoldMonitor(env=true_task("test"), every=5, max_new_tokens=setting.max_new_tokens, seed=seed)
    policy = TransformersPolicy.load(str(warm_start(setting, seed, options)), device="cpu")
    monitors: list[Monitor] = [*default_monitors(), gold]
    proxy = setting.proxy(watch=arm == "watched")
    train(settings, proxy, policy, folder, monitors=monitors, resume=holds_run(folder), quiet=True)
    episodes = list(read_episodes(folder))
    result = Result(setting.name, seed, arm, true_scores(episodes), paid(setting, episodes), read_alarms(folder))
    file.write_text(json.dumps(asdict(result)))
    return result


def true_scores(episodes: Iterable[Episode]) -> list[float]:
    """By rollout, what the task's own verifier says."""
    verifier = true_task("train").verifier
    return _by_step((e.step, verifier.verify(e.task, e.completion).reward or 0.0) for e in episodes)


def paid(setting: Setting, episodes: Iterable[Episode]) -> list[float]:
    verifier = setting.proxy(watch=False).verifier
    return _by_step((e.step, verifier.verify(e.task, e.completion).reward or 0.0) for e in episodes)


def _by_step(values: Iterable[tuple[int, float]]) -> list[float]:
    found: dict[int, list[float]] = defaultdict(list)
    for step, value in values:
        found[step].append(value)
    return [float(np.mean(found[step])) for step in sorted(found)]


def both_arms(setting: str, seed: int, options: Options) -> list[Result]:
    """The two runs of one reward and seed, in a process of their own."""
    torch.set_num_threads(1)
    chosen = next(s for s in SETTINGS if s.name == setting)
    return [run(chosen, seed, arm, options) for arm in ARMS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/hacking"))
    parser.add_argument("--settings", default=",".join(s.name for s in SETTINGS))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rollouts", type=int, default=Options.rollouts)
    parser.add_argument("--groups", type=int, default=Options.groups)
    given = parser.parse_args()
    options = Options(given.out, given.rollouts, given.groups)
    jobs = [(name, int(seed)) for seed in given.seeds.split(",") for name in given.settings.split(",")]
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(both_arms, name, seed, options) for name, seed in jobs]
        results = [result for done in waiting for result in done.result()]
    text = table(results)
    (given.out / "table.md").write_text(text)
    print(text)
    for name in given.settings.split(","):
        plot([r for r in results if r.setting == name], given.out / f"hacking-{name}.png")


if __name__ == "__main__":
    main()
