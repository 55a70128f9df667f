"""Three scripted rollouts of every algorithm with weights shared out over the processes, to be launched.

    python sharded_training.py FOLDER DTYPE NAME,NAME... [--resume] [--killed-after STEPS]

FOLDER then holds the runs and, by NAME-RANK.pt, the weights that each process gathers at the end and the bytes of
weights and optimiser that it holds itself.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import torch
from digits import config
from scripted_training import SGD_RATE, run
from torch import nn
from torch.distributed.tensor import DTensor
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer
from rlenv.trainers.settings.config import EngineConfig

STEPS = 3


def sharded_settings() -> dict[str, TrainConfig]:
    """The runs by name: every row but trpo, adapters, checkpointing, offloading, a warm start; `-sgd` for plain SGD."""
    sharded = config(
        steps=STEPS,
        groups=5,
        group_size=3,
        save_every=2,
        micro_batch_tokens=40,
        warmup_steps=0,
        max_new_tokens=5,
        engine=EngineConfig(sharding="full"),
    )
    names = [name for name in ALGORITHMS if name != "trpo"]
    rows = {name: replace(sharded, algorithm=name, epochs=2 if name == "ppo" else 1) for name in names}
    rows["lora"] = replace(sharded, engine=EngineConfig(sharding="full", lora_rank=4), log_kl=True, keep_best=True)
    rows["recomputed"] = replace(sharded, engine=EngineConfig(sharding="full", gradient_checkpointing=True))
    rows["offloaded"] = replace(rows["ppo"], engine=EngineConfig(sharding="full", cpu_offload=True))
    rows["warm"] = replace(sharded, sft_steps=2)
    return rows | {f"{name}-sgd": replace(given, learning_rate=SGD_RATE) for name, given in rows.items()}


def _exact(norm: LlamaRMSNorm, hidden_states: torch.Tensor) -> torch.Tensor:
    """The norm in the type of its input; transformers takes the way through float32, in float64 too."""
    square = hidden_states.square().mean(-1, keepdim=True)
    return norm.weight * hidden_states * torch.rsqrt(square + norm.variance_epsilon)


def bytes_held(parts: Iterable[nn.Module | torch.optim.Optimizer]) -> int:
    """The memory of weights and optimiser states in this process, in bytes; what is shared counts once."""
    found: dict[int, int] = {}
    for part in parts:
        states = [] if isinstance(part, nn.Module) else [v for state in part.state.values() for v in state.values()]
        tensors = part.parameters() if isinstance(part, nn.Module) else filter(torch.is_tensor, states)
        for tensor in tensors:
            local = tensor.to_local() if isinstance(tensor, DTensor) else tensor
            found[local.data_ptr()] = local.numel() * local.element_size()
    return sum(found.values())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("dtype")
    parser.add_argument("names")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--killed-after", type=int)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_default_dtype(getattr(torch, given.dtype))  # of what a rollout holds, too
    LlamaRMSNorm.forward = _exact  # type: ignore[assignment, method-assign]
    given.folder.mkdir(exist_ok=True)
    for name in given.names.split(","):
        held: list[int] = []

        def watched(trainer: Trainer, held: list[int] = held) -> None:
            held[:] = [bytes_held([trainer.learner.networks.model, trainer.learner.networks.optimizer])]
            if trainer.position.step == given.killed_after:
                os.kill(os.getpid(), signal.SIGKILL)

        settings, dtype = sharded_settings()[name], getattr(torch, given.dtype)
        weights = run(given.folder / name, settings, resume=given.resume, dtype=dtype, after_step=watched)
        torch.save({"weights": weights, "held": held[0]}, given.folder / f"{name}-{os.environ.get('RANK', '0')}.pt")
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
