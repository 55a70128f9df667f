"""Five scripted rollouts of every algorithm with weights shared out over the processes, to be launched.

    python sharded_training.py FOLDER DTYPE [NAME,NAME...] [--stop N | --resume]

FOLDER then holds the runs and, by NAME-RANK.pt, the weights that each process gathers at the end.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

import torch
from digits import config
from scripted_training import SGD_RATE, run
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.engine import EngineConfig

STEPS = 5


def sharded_settings() -> dict[str, TrainConfig]:
    """The runs by name: every row but trpo, with adapters, with checkpointing; `-sgd` for plain SGD."""
    base = config(
        steps=STEPS, groups=5, group_size=3, save_every=2, micro_batch_tokens=40, warmup_steps=0, max_new_tokens=5
    )
    sharded = replace(base, engine=EngineConfig(sharding="full"))
    names = [name for name in ALGORITHMS if name != "trpo"]
    rows = {name: replace(sharded, algorithm=name, epochs=2 if name == "ppo" else 1) for name in names}
    rows["lora"] = replace(sharded, engine=EngineConfig(sharding="full", lora_rank=4), log_kl=True)
    rows["recomputed"] = replace(sharded, engine=EngineConfig(sharding="full", gradient_checkpointing=True))
    rows["warm"] = replace(sharded, sft_steps=2)
    return rows | {f"{name}-sgd": replace(given, learning_rate=SGD_RATE) for name, given in rows.items()}


def _exact(norm: LlamaRMSNorm, states: torch.Tensor) -> torch.Tensor:
    """The norm in the type of its input; transformers takes the way through float32, in float64 too."""
    return norm.weight * states * torch.rsqrt(states.square().mean(-1, keepdim=True) + norm.variance_epsilon)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("dtype")
    parser.add_argument("names")
    parser.add_argument("--stop", type=int)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    LlamaRMSNorm.forward = _exact  # type: ignore[method-assign]
    torch.set_default_dtype(getattr(torch, given.dtype))  # of what a rollout holds, too
    given.folder.mkdir(exist_ok=True)
    for name in given.names.split(","):
        weights = run(
            given.folder / name,
            sharded_settings()[name],
            resume=given.resume,
            stop=given.stop,
            dtype=getattr(torch, given.dtype),
        )
        torch.save(weights, given.folder / f"{name}-{os.environ.get('RANK', '0')}.pt")
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
