"""Memory and time of an optimiser step with weights shared out (FSDP2) beside weights held whole and gradients summed.

    OMP_NUM_THREADS=1 python benchmarks/trainer_sharding.py

starts 1, 2 and 4 processes (gloo) with a random Llama of 5.5 million parameters and prints two Markdown tables. Memory
is of each process on its own, in runs of one kind each: what weights and AdamW's state take (counted), and how far
the process has grown over the start, at rest after a step and at its peak (/proc). Both kinds take turns in one run of
two processes for the time; the ratio is taken a round.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from rlenv.trainers import ALGORITHMS
from rlenv.trainers.networks.engine import prepare_model
from rlenv.trainers.networks.processes import this_process
from rlenv.trainers.networks.sharding import bytes_held, shard
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.settings.engine import EngineConfig
from rlenv.trainers.updates.update import Step, policy_step

KINDS = ("none", "full")
ROUNDS, VOCABULARY, HIDDEN, LAYERS = 5, 8192, 256, 4
GROUPS, GROUP_SIZE, PROMPT, COMPLETION = 4, 4, 48, 80


def stepper(sharding: str) -> tuple[Callable[[], None], Callable[[], int]]:
    """A function that takes a GRPO step on a rollout of random tokens, and one that counts the bytes held."""
    torch.manual_seed(0)
    settings = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=HIDDEN,
        intermediate_size=3 * HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=8,
        num_key_value_heads=8,
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(settings).eval()
    engine = EngineConfig(sharding="full" if sharding == "full" else "none")
    processes = this_process(torch.device("cpu"))
    processes = replace(processes, sharded=sharding == "full" and processes.count > 1)
    prepare_model(model, engine)
    shard(model, engine)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-6, fused=True)
    step = Step(row=ALGORITHMS["grpo"], micro_batch_tokens=1024, group_size=GROUP_SIZE, processes=processes)
    rollout = _rollout()
    rows = torch.arange(len(rollout))
    return lambda: _taken(policy_step(model, optimizer, rollout, rows, step)), lambda: bytes_held([model, optimizer])


def _taken(metrics: dict[str, float]) -> None:
    if not metrics["grad_norm"] > 0:
        raise RuntimeError(f"expected a step with a gradient, got {metrics}")


def _rollout() -> Rollout:
    batch, empty = GROUPS * GROUP_SIZE, torch.zeros(GROUPS * GROUP_SIZE, 0)
    prompts = torch.randint(0, VOCABULARY, (GROUPS, PROMPT)).repeat_interleave(GROUP_SIZE, 0)
    ids = torch.cat([prompts, torch.randint(0, VOCABULARY, (batch, COMPLETION))], 1)
    mask = torch.ones(batch, COMPLETION)
    return Rollout(
        ids=ids,
        attention_mask=torch.ones_like(ids),
        mask=mask,
        old_logprobs=mask * -9,
        rewards=torch.rand(batch),
        graded=torch.ones(batch, dtype=torch.bool),
        token_rewards=mask * 0,
        advantages=torch.randn(batch, 1) * mask,
        ref_logprobs=empty,
        values=empty,
        returns=empty,
        signals=torch.rand(batch),
        cut=torch.zeros(batch, dtype=torch.bool),
    )


def memory(sharding: str) -> str:
    """MB: counted, grown at rest, grown at the peak."""
    start = _resident("VmRSS")
    take, held = stepper(sharding)
    take()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is that of a later step, not of loading the model
    take()
    return f"{held() / 2**20:.1f} {_resident('VmRSS') - start:.0f} {_resident('VmHWM') - start:.0f}"


def seconds() -> str:
    """Of a step of each kind, taken in turns."""
    takes = [stepper(kind)[0] for kind in KINDS]
    for take in takes:
        take()
    found = []
    for round_ in range(ROUNDS):
        for kind in (0, 1) if round_ % 2 else (1, 0):
            torch.distributed.barrier()
            started = time.perf_counter()
            takes[kind]()
            torch.distributed.barrier()
            found.append((round_, kind, time.perf_counter() - started))
    of = [[s for _, k, s in sorted(found) if k == kind] for kind in (0, 1)]
    ratios = [full / none for none, full in zip(*of, strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4)
    whole, parts, ratio = (statistics.median(values) for values in (*of, ratios))
    return f"| {whole:.2f} | {parts:.2f} | {ratio:.2f} ({low:.2f} to {high:.2f}) |"


def _resident(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def launched(count: int, *arguments: str) -> list[str]:
    """What each of so many processes says."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = str(listener.getsockname()[1])
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(count), "PYTHONWARNINGS": "ignore"}
    started = [
        subprocess.Popen(
            [sys.executable, __file__, *arguments],
            env={**os.environ, **meeting, "RANK": str(rank), "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(count)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    said = [process.communicate()[0].splitlines() for process in started]
    if any(process.returncode for process in started):
        raise SystemExit("a process failed; what it said is above")
    return [lines[-1] for lines in said]


def tables() -> str:
    """Both, as Markdown; of several processes the one that holds most."""
    names = ("processes", "sharding", "weights and AdamW, MB", "of one", "at rest, MB", "peak of a step, MB")
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    alone = 0.0
    for count in (1, 2, 4):
        for kind in KINDS if count > 1 else KINDS[:1]:
            said = [[float(number) for number in line.split()] for line in launched(count, "memory", kind)]
            held, rest, peak = (max(numbers) for numbers in zip(*said, strict=True))
            alone = alone or held
            lines.append(f"| {count} | {kind} | {held:.1f} | {held / alone:.3f} | {rest:.0f} | {peak:.0f} |")
    lines += ["", "| whole, s a step | shared out, s | ratio (quartiles) |", "|---|---|---|", launched(2, "seconds")[0]]
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) == 1:
        print(tables())
        return
    torch.set_num_threads(1)
    print(memory(sys.argv[2]) if sys.argv[1] == "memory" else seconds())
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
