"""Over-optimisation in view: a gold reward, learned proxies, best-of-n and RL against them, and what helps.

    python benchmarks/overoptimisation.py --out runs/overopt --docs docs

The words of made_up_words.py. The gold reward is a program; reward models learn it from 400 pairs of words of the start
policy. From one warm start a seed the policy is trained with GRPO against

    single       one reward model
    mean         the mean of five, trained on the same pairs from other first weights
    min          the least of the five
    cautious     their mean less their variance
    beta         one reward model, with a KL leash
    stopped      one reward model, stopped by the alarm of a gold monitor on 128 words every 5 rollouts

and the best of n words of the start policy is chosen by the first four. Gold and proxy are followed over the KL from
the start policy. Settings were chosen on seed 100, the figures are of the seeds 0, 1 and 2. Writes table.md and plots;
an interrupted benchmark goes on.
"""

from __future__ import annotations

import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from made_up_words import MAX_NEW_TOKENS, definition, different_letters, warm_start
from overoptimisation_curves import Values, best_of_n, of_run
from overoptimisation_models import derived, proxies, values, written
from overoptimisation_tables import Seed, plot_best_of_n, plot_training, report

from rlenv.core.jsontypes import Json
from rlenv.core.verifier import FunctionVerifier
from rlenv.policies.transformers import TransformersPolicy
from rlenv.scorers.ensemble import Combination
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import ScorerVerifier
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.algorithms.table import ALGORITHMS
from rlenv.trainers.monitors import GoldMonitor, Monitor
from rlenv.trainers.records.runfolder import holds_run
from rlenv.trainers.settings.changes import changed

PROXIES = ("single", "mean", "min", "cautious")
ARMS = (*PROXIES, "beta", "stopped")
BETA = 0.1
POOL, POOL_EACH, MOST = 3, 12, 1024


def scorer_of(arm: str, members: list[Json]) -> Json:
    """What the arm is paid by."""
    if arm in PROXIES[1:]:
        return {"kind": "ensemble", "members": members, "combine": arm, "k": 1.0}
    return members[0]


def trained(arm: str, seed: int, out: Path, steps: int) -> None:
    """One run of an arm, in a process of its own; one that was finished before takes no time."""
    torch.set_num_threads(1)
    folder, start, members = prepared(seed, out)
    scorer = load_scorer(scorer_of(arm, members))
    row = ALGORITHMS["grpo"]
    config = TrainConfig(
        algorithm=changed(row, "kl.beta", BETA) if arm == "beta" else row,
        steps=steps,
        groups=16,
        group_size=8,
        max_new_tokens=MAX_NEW_TOKENS,
        learning_rate=4e-4,
        seed=seed,
        save_every=50,
        trackers="none",
    )
    gold = definition(FunctionVerifier(different_letters, cheap=True), name="gold")
    monitor = GoldMonitor(env=gold, every=5, max_new_tokens=MAX_NEW_TOKENS, seed=derived(seed, 4), stop=True)
    monitors: list[Monitor] = [monitor] if arm == "stopped" else []
    run, env = folder / arm, definition(ScorerVerifier(scorer))
    train(config, env, start, run, monitors=monitors, resume=holds_run(run), quiet=True)


def prepared(seed: int, out: Path) -> tuple[Path, TransformersPolicy, list[Json]]:
    """The folder of the seed, its start policy and its proxies."""
    torch.set_num_threads(1)
    folder = out / str(seed)
    start = warm_start(seed, folder / "start", definition(FunctionVerifier(different_letters, cheap=True)))
    return folder, start, proxies(start, seed, folder)


def measured(seed: int, out: Path) -> Seed:
    """Every curve of a seed; what an arm optimises is standardised by the start policy's words."""
    folder, start, members = prepared(seed, out)
    words = written(start, POOL_EACH, derived(seed, POOL))
    scores = np.array([values(load_scorer(member), words) for member in members])  # (members, words)
    gold = np.array([different_letters(word.text) for word in words])
    pools = {arm: _combined(arm, scores) for arm in PROXIES}
    chosen = {arm: best_of_n(_standard(pool, pool), scores[0], gold, MOST) for arm, pool in pools.items()}
    runs = {}
    for arm in ARMS:
        of = arm if arm in PROXIES else "single"
        curve = of_run(folder / arm, start, "reward_model-0" if of in PROXIES[1:] else "reward_model")
        runs[arm] = replace(curve, proxy=_standard(curve.proxy, pools[of]))
    accuracy = [float(np.corrcoef(score, gold)[0, 1]) for score in scores]
    return Seed(seed, chosen, runs, accuracy)


def _combined(arm: str, scores: Values) -> Values:
    if arm == "single":
        first: Values = scores[0]
        return first
    rule = Combination(arm, 1.0)  # type: ignore[arg-type]  # the names of the rules
    combined: Values = np.array([rule.of(column) for column in scores.T.tolist()])
    return combined


def _standard(values: Values, pool: Values) -> Values:
    standard: Values = np.divide(values - pool.mean(), pool.std())
    return standard


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/overopt"))
    parser.add_argument("--docs", type=Path, help="Also write the plots into this folder's images.")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        for ready in [pool.submit(prepared, seed, given.out) for seed in seeds]:
            ready.result()
        for done in [pool.submit(trained, arm, seed, given.out, given.steps) for seed in seeds for arm in ARMS]:
            done.result()
        found = [done.result() for done in [pool.submit(measured, seed, given.out) for seed in seeds]]
    text = report(found)
    (given.out / "table.md").write_text(text)
    print(text)
    for folder in filter(None, (given.out, given.docs and given.docs / "images")):
        plot_training(found, folder / "overoptimisation-rl.png")
        plot_best_of_n(found, folder / "overoptimisation-best-of-n.png")


if __name__ == "__main__":
    main()
