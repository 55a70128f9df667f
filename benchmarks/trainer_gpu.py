"""The part of benchmarks/trainers.py for a GPU: bfloat16, a random model of the shape of Qwen2-0.5B, beside TRL.

Tokens a second in generation and update, peak memory, and the share of the bfloat16 peak that the products of the
update reach: 6 operations a weight and token, of the tokens of a padded pass, so that both sides count alike.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch
from trainer_arms import Arm, Load, OurArm, TrlArm
from trainer_models import INSTRUCTION, large_checkpoint, prompts

PEAK_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}
"""Dense bfloat16 operations a second, by a part of the device's name."""


@dataclass(frozen=True)
class Measured:
    """What one trainer reached."""

    trainer: str
    generation_tokens_s: float
    update_tokens_s: float
    peak_gib: float
    peak_share: float | None


def measured(load: Load, arm: Arm, parameters: int, prompt_tokens: int, rounds: int) -> Measured:
    """Some steps of one arm, the first left out."""
    device = torch.device(load.device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    for _ in range(rounds + 1):
        arm.step()
    rows = load.groups * load.group_size
    update = statistics.median(arm.times.update[1:])
    operations = 6 * parameters * rows * (prompt_tokens + load.new_tokens)
    peak = peak_flops(device)
    return Measured(
        arm.name,
        rows * load.new_tokens / statistics.median(arm.times.generate[1:]),
        rows * load.new_tokens / update,
        torch.cuda.max_memory_allocated(device) / 2**30 if device.type == "cuda" else 0.0,
        None if peak is None else operations / update / peak,
    )


def peak_flops(device: torch.device) -> float | None:
    """The device's bfloat16 peak where it is known."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else ""
    return next((peak for part, peak in PEAK_FLOPS.items() if part in name), None)


def table(rows: list[Measured]) -> str:
    """The rows as Markdown."""
    lines = [
        "| trainer | generation tokens/s | update tokens/s | peak GiB | of the bf16 peak |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        share = "unknown" if row.peak_share is None else f"{row.peak_share:.1%}"
        speeds = f"{row.generation_tokens_s:,.0f} | {row.update_tokens_s:,.0f}"
        lines.append(f"| {row.trainer} | {speeds} | {row.peak_gib:.1f} | {share} |")
    return "\n".join(lines)


def on_gpu(device: str, out: Path, *, small: bool = False) -> list[Measured]:
    """Both trainers, one after the other, so that neither holds the other's memory; `small` tries the code out."""
    folder = Path(tempfile.mkdtemp(prefix="checkpoint-"))
    torch.manual_seed(0)
    parameters = large_checkpoint(folder, 56, 2, 512) if small else large_checkpoint(folder)
    load = Load(
        name="0.5 B",
        folder=folder,
        prompts=prompts(INSTRUCTION, 64),
        groups=2 if small else 32,
        group_size=2 if small else 8,
        new_tokens=4 if small else 256,
        device=device,
        precision="bf16",
    )
    rows = []
    for make in (OurArm, lambda given: TrlArm(given, None)):
        arm: Arm = make(load)
        length = len(INSTRUCTION) + 12
        rows.append(measured(load, arm, parameters, length, 1 if small else 5))
        print(table(rows), flush=True)
        del arm
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    (out / "table.md").write_text(table(rows) + "\n")
    (out / "results.json").write_text(json.dumps([vars(row) for row in rows], indent=1))
    return rows
