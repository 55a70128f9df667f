"""The demo's task learned twice from one warm start: transformers draws the rollouts, or vLLM does.

    OMP_NUM_THREADS=1 python benchmarks/vllm_training.py --out runs/vllm [--rollouts 300]

The policy is tiny-0.4m: its heads are 32 wide, which vLLM takes (tiny-0.1m's are 16 wide, which it does not). Prints
pass@1 on 250 held-out tasks with its 95 % interval, 16 samples each, drawn by transformers for both; and how far
vLLM's log-probs were from the trainer's. In an environment with vLLM: `make test-integrations PACKAGES=vllm` makes
one in .venvs/vllm.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import torch

import rlenv
from rlenv.cli.demo import ENV, TASKS, Recipe, measure
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.policies.vllm_settings import VllmSettings
from rlenv.trainers import ALGORITHMS, TrainConfig, changed
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.loop.trainer import train
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.settings.engine import EngineConfig

ENGINE = EngineConfig(
    generator="vllm", vllm=VllmSettings(eager=True, max_length=64, more={"kv_cache_memory_bytes": 1 << 28})
)
"""A cache of 256 MiB is room for all 256 completions at once; memory_share would take a share of the machine."""
DIFFERENCE = "sampling/sampling_logp_difference/max"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/vllm"))
    parser.add_argument("--rollouts", type=int, default=300)
    given = parser.parse_args()
    torch.set_num_threads(1)
    recipe = Recipe(rl_steps=given.rollouts)
    practice = rlenv.load(ENV, split="train", **TASKS)
    warm = tiny_policy(recipe.seed, "0.4m")
    supervised(warm, demonstrations(practice, warm, recipe.sft().max_demonstrations), recipe.sft())
    warm.save(given.out / "warm")
    rows = [measure("warm start", warm, recipe, given.out / "before").row()]
    corrected = changed(ALGORITHMS["grpo"], "correction.kind", "truncate")
    for name, config in {
        "transformers": recipe.rl(),
        "vllm": replace(recipe.rl(), algorithm=corrected, engine=ENGINE),
    }.items():
        rows.append(_trained(name, config, recipe, given.out))
    print("\n".join(["| generator | pass@1 | pass@4 | pass@16 | greedy |", "|---|---|---|---|---|", *rows]))
    print(f"largest difference of a log-prob: {max(_differences(given.out / 'vllm')):.1e}")


def _trained(name: str, config: TrainConfig, recipe: Recipe, out: Path) -> str:
    policy = TransformersPolicy.load(str(out / "warm"), device="cpu")
    train(config, rlenv.load(ENV, split="train", **TASKS), policy, out / name)
    return measure(name, policy, recipe, out / f"{name}-measured").row()


def _differences(run: Path) -> list[float]:
    return [row[DIFFERENCE] for row in read_metrics(run / "metrics.jsonl") if DIFFERENCE in row]


if __name__ == "__main__":
    main()
