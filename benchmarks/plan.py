"""What `rlenv plan` computes beside the peak memory that a run of two rollouts takes, over the start of its process.

    OMP_NUM_THREADS=1 python benchmarks/plan.py

Each set-up runs in a fresh process; `python benchmarks/plan.py critic` runs one in this process, and
`python benchmarks/plan.py table` computes what models of 0.5, 7 and 32 billion weights take on 1, 8 and 64 GPUs.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import torch
from trainer_memory import _forget_peak, _peak
from transformers import LlamaConfig, LlamaForCausalLM

from rlenv import Definition, FunctionVerifier, ListTasks
from rlenv.core.jsontypes import Json
from rlenv.policies.tiny import tiny_tokenizer
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, TrainConfig, train, with_changes
from rlenv.trainers.planning.plan import GIB, Machine, model_config_named, planned
from rlenv.trainers.settings.config import EngineConfig

PROMPT, NEW = 62, 64
"""Characters of each prompt, two marks are put around them; tokens of each completion."""
MIB = 1 << 20
PLAIN = TrainConfig(
    steps=2, groups=4, group_size=4, max_new_tokens=NEW, trackers="none", micro_batch_tokens=1024, learning_rate=1e-5
)
SETUPS = {
    "weights": (8, PLAIN),
    "reference": (8, replace(PLAIN, algorithm=with_changes(ALGORITHMS["grpo"], {"kl.beta": 0.1}))),
    "critic": (8, replace(PLAIN, algorithm="ppo")),
    "adapter": (8, replace(PLAIN, engine=EngineConfig(lora_rank=16))),
    "checkpointing": (8, replace(PLAIN, engine=EngineConfig(gradient_checkpointing=True), micro_batch_tokens=2048)),
    "135M": (30, PLAIN),
}
"""Layers of a model of the width of SmolLM2-135M, and settings."""


def shape(layers: int) -> LlamaConfig:
    """A model as wide as SmolLM2-135M."""
    return LlamaConfig(
        vocab_size=49_152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=layers,
        num_attention_heads=9,
        num_key_value_heads=3,
        tie_word_embeddings=True,
        max_position_embeddings=512,
    )


def definition() -> Definition:
    """Prompts of one length, and rewards in turn, so that every group has a difference."""
    turn = itertools.count()

    def paid(completion: str) -> float:
        return float(next(turn) % 2)

    rows: list[dict[str, Json]] = [{"prompt": f"{n:0{PROMPT}}", "answer": "1"} for n in range(8)]
    tasks = ListTasks.from_rows(rows)
    return Definition(tasks=tasks, verifier=FunctionVerifier(paid, cheap=True), id="bench/plan-v0")


def measured(name: str) -> float:
    """MiB that the run of this set-up takes at most over the start of the process."""
    layers, config = SETUPS[name]
    with tempfile.TemporaryDirectory() as folder:
        small = replace(config, steps=1, groups=1, max_new_tokens=4)
        tiny = LlamaConfig(hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2)
        train(small, definition(), _policy(tiny, 4), Path(folder, "first"), quiet=True)  # loads what has to be loaded
        _forget_peak()
        before = _peak()
        train(config, definition(), _policy(shape(layers), NEW), Path(folder, "run"), quiet=True)
        return _peak() - before


def _policy(config: LlamaConfig, new_tokens: int) -> TransformersPolicy:
    """A random model that says as many tokens as it may."""
    tokenizer = tiny_tokenizer()
    config.eos_token_id, config.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id
    policy = TransformersPolicy(LlamaForCausalLM(config), tokenizer)
    policy.min_new_tokens = new_tokens
    return policy


def main() -> None:
    print("| set-up | computed MiB | measured MiB | measured / computed |", flush=True)
    print("|---|---|---|---|", flush=True)
    for name, (layers, config) in SETUPS.items():
        said = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True).stdout
        found = float(json.loads(said.splitlines()[-1]))
        plan = planned(shape(layers), config, Machine(chip="cpu"), PROMPT + 2).peak / MIB
        print(f"| {name} | {plan:.0f} | {found:.0f} | {found / plan:.2f} |", flush=True)


def table() -> None:
    """GRPO with 64 groups of 8, prompts of 256 and completions of 1,024 tokens, on H100s, shared out beyond one."""
    engine = EngineConfig(precision="bf16", gradient_checkpointing=True)
    config = TrainConfig(groups=64, group_size=8, max_new_tokens=1024, micro_batch_tokens=16_384, engine=engine)
    print("| model | GPUs | kept | gradients | activations | generation | peak | fits 80 GiB | step s |", flush=True)
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for model in ("0.5b", "7b", "32b"):
        for gpus in (1, 8, 64):
            machine = Machine(gpus, "h100", sharded=gpus > 1)
            plan = planned(model_config_named(model), config, machine, 256, 131_072)
            parts = (plan.kept, plan.gradients, plan.activations, plan.generation, plan.peak)
            shown = " | ".join(f"{part / GIB:.1f}" for part in parts)
            seconds = plan.generation_seconds + plan.update_seconds
            fits = "yes" if plan.peak <= machine.room else "no"
            print(f"| {model} | {gpus} | {shown} | {fits} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if sys.argv[1:] == ["table"]:
        table()
    elif len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
    else:
        main()
